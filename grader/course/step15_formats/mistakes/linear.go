//go:build mistake

package formats

import "github.com/stubformer/stubformer/reference/tensor"

// linear-scale-of-x: the scale of x is left out of the product
//
// Why: The whole numbers of x are x/s. Without s every row of y is as large as if its x reached 127.
//
// Hint: s_x·s_w·Σ q_x·q_w.
func dotGroups() {
	if right {
		sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	} else {
		_ = sa
		sum += sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	}
}

// linear-scale-of-w: the scale of the weight is left out of the product
//
// Why: The whole numbers of W are W/s.
//
// Hint: s_x·s_w·Σ q_x·q_w.
func dotGroups() {
	if right {
		sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	} else {
		_ = sb
		sum += sa[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	}
}

// linear-one-scale: the whole row is summed first, and multiplied by the scales of its first group
//
// Why: A scale leaves the sum only where it is the same for all terms: within one group.
//
// Hint: One integer sum for each group, multiplied by the scales of that group.
func dotGroups() {
	if right {
		sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	} else {
		sum += sa[0] * sb[0] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	}
}

// linear-one-scale/of-x: every group of a row of x is multiplied by the scale of the row's first
func dotGroups() {
	if right {
		sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	} else {
		sum += sa[0] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	}
}

// linear-one-scale/of-w: every group of a row of the weight is multiplied by the scale of the row's first
func dotGroups() {
	if right {
		sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	} else {
		sum += sa[g] * sb[0] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
	}
}

// linear-scales-of-row-0: all rows of x are multiplied by the scales of the first
//
// Why: Every token has scales of its own: that is why x becomes whole numbers row by row.
//
// Hint: The scales of row n begin at n·Groups().
func dotGroups() {
	if right {
		sa, sb := a.Scale[n*a.Groups():], b.Scale[i*b.Groups():]
	} else {
		sa, sb := a.Scale, b.Scale[i*b.Groups():]
	}
}

// linear-tail: the last group of a row takes no part in the product
//
// Why: It is shorter than the others, and counts as much.
//
// Hint: Groups() rounds up; the last group ends where the row does.
func dotGroups() {
	if right {
		lo, hi := g*a.Group, min((g+1)*a.Group, a.Cols)
	} else {
		lo, hi := g*a.Group, (g+1)*a.Group
		if hi > a.Cols {
			break
		}
	}
}

// linear-x-float: x is not rounded, and the products are those of float32
//
// Why: The weights are small then and the arithmetic is as slow as before: there are no instructions
// that multiply an int8 by a float32.
//
// Hint: x becomes int8 in the same groups as the weight.
func (*Linear) Forward() {
	if right {
		row[i] = dotGroups(l.x8, n, l.w8, i)
	} else {
		sum := float32(0)
		for j, v := range x.Row(n) {
			sum += v * float32(l.w8.Q[i*l.w8.Cols+j]) * l.w8.Scale[i*l.w8.Groups()+j/l.group]
		}
		row[i] = sum
	}
}

// linear-w-float: the weight is not rounded
//
// Why: It is the weight whose bytes are to be read from memory for every token.
//
// Hint: Make int8s of the weight in the first Forward.
func (*Linear) Forward() {
	if right {
		row[i] = dotGroups(l.x8, n, l.w8, i)
	} else {
		sum := float32(0)
		for j, v := range W.Row(i) {
			sum += v * float32(l.x8.Q[n*l.x8.Cols+j]) * l.x8.Scale[n*l.x8.Groups()+j/l.group]
		}
		row[i] = sum
	}
}

// linear-quantized-in-new: the weight becomes whole numbers when the layer is made
//
// Why: A model is made first and loaded afterwards: the numbers of the random weight would stay.
//
// Hint: In the first Forward.
func NewInt8() {
	if right {
		return &Linear{Weight: weight, bits: 8, group: group}
	} else {
		l := &Linear{Weight: weight, bits: 8, group: group}
		l.quantize(weight.Value)
		return l
	}
}

// linear-quantized-in-new/int4: the weight becomes int4s when the layer is made
func NewInt4() {
	if right {
		return &Linear{Weight: weight, bits: 4, group: Int4Group}
	} else {
		l := &Linear{Weight: weight, bits: 4, group: Int4Group}
		l.quantize(weight.Value)
		return l
	}
}

// linear-transposed: the weight is read as (in, out)
//
// Why: Row i of the weight makes output i.
//
// Hint: Groups run along a row of W, which is as long as x.
func (*Linear) quantize() {
	if right {
		l.w8 = QuantizeInt8(nil, W, l.group)
	} else {
		turned := tensor.New(W.Dim(1), W.Dim(0))
		tensor.Copy(turned.Matrix(), W.Matrix().T())
		l.w8 = QuantizeInt8(nil, tensor.From(turned.Data, W.Shape...), l.group)
	}
}

// linear-int4-offset: the 8 is not taken off the int4s of the weight
//
// Why: q = 8 stands for zero: without the offset every weight is larger by 8·d.
//
// Hint: q − 8 fits an int8.
func (*Linear) quantize() {
	if right {
		l.w8.Q = append(l.w8.Q, int8(m.at(n, i)-8))
	} else {
		l.w8.Q = append(l.w8.Q, int8(m.at(n, i)))
	}
}

// linear-int4-x-group: x becomes int8 with one scale a row while the weight has groups of 32
//
// Why: The scales of x and W leave the same sums, so their groups are the same.
//
// Hint: Groups of 32 for x as well.
func (*Linear) Forward() {
	if right {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
	} else {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
		if l.bits == 4 && x.Len() > 0 {
			one := QuantizeInt8(nil, x, x.Dim(-1))
			l.x8.Q = one.Q
			for g := range l.x8.Scale {
				l.x8.Scale[g] = one.Scale[g/l.x8.Groups()]
			}
		}
	}
}

// linear-adds: y is added to what the last call left
//
// Why: The memory of y is used again: what it held belongs to another x.
//
// Hint: row[i] = …, not +=.
func (*Linear) Forward() {
	if right {
		row[i] = dotGroups(l.x8, n, l.w8, i)
	} else {
		row[i] += dotGroups(l.x8, n, l.w8, i)
	}
}

// linear-x-kept: x becomes whole numbers in the first call only
//
// Why: The weight stays, x does not.
//
// Hint: QuantizeInt8 of x in every Forward.
func (*Linear) Forward() {
	if right {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
	} else {
		if l.x8 == nil || len(l.x8.Q) != x.Len() {
			l.x8 = QuantizeInt8(l.x8, x, l.group)
		}
	}
}

// linear-unchecked: an x of the wrong width is not refused
//
// Why: A row that is too long would be cut, one that is too short read beyond its end.
//
// Hint: tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, in).
func (*Linear) Forward() {
	if right {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	} else {
	}
}
