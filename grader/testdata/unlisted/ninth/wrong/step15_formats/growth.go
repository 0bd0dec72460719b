//go:build unlisted

package formats

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// quantised-for-every-token: every Forward makes integers of the weight, of a copy that the first one made
//
// Why: the weight becomes integers once. A token then costs more than the product that it saves.
func (*Linear) Forward() {
	if right {
		if l.w8 == nil {
			l.quantize(W)
		}
	} else {
		if l.kept == nil {
			l.kept = W.Clone()
		}
		l.quantize(l.kept)
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	kept    *tensor.Tensor
	product product
	w8      *Int8
	x8      *Int8
	y       *tensor.Tensor
}

// dequantised-for-every-token: every Forward makes float32s of the weight's integers, and multiplies these
//
// Why: a token reads four bytes for each number again, and writes them first.
func (*Linear) Forward() {
	if right {
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			if l.product != nil {
				l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
				continue
			}
			for i := range row {
				row[i] = dotGroups(l.x8, n, l.w8, i)
			}
		}
	} else {
		w, xs := l.w8.Dequantize(), l.x8.Dequantize()
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			for i := range row {
				sum := float64(0)
				for j, v := range xs.Row(n) {
					sum += float64(v) * float64(w.Row(i)[j])
				}
				row[i] = float32(sum)
			}
		}
	}
}

// nibbles-unpacked-for-every-row: the int4s stay packed, and every row of x unpacks all of them
//
// Why: the weight is unpacked once, or in the product. Here an int8 matrix as large as the weight is written for every row.
func (*Linear) Forward() {
	if right {
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			if l.product != nil {
				l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
				continue
			}
			for i := range row {
				row[i] = dotGroups(l.x8, n, l.w8, i)
			}
		}
	} else {
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			if l.product != nil {
				l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
				continue
			}
			w := &Int8{Rows: l.w8.Rows, Cols: l.w8.Cols, Group: l.w8.Group}
			w.Q = append(w.Q, l.w8.Q...)
			w.Scale = append(w.Scale, l.w8.Scale...)
			for i := range row {
				row[i] = dotGroups(l.x8, n, w, i)
			}
		}
	}
}

// float-weights-kept-beside: the layer keeps a copy of the float32 weight beside the integers
//
// Why: the integers are there to save memory.
func (*Linear) quantize() {
	if right {
		if l.bits == 8 {
			l.w8 = QuantizeInt8(nil, W, l.group)
			return
		}
	} else {
		l.beside = W.Clone()
		if l.bits == 8 {
			l.w8 = QuantizeInt8(nil, W, l.group)
			return
		}
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	beside  *tensor.Tensor
	product product
	w8      *Int8
	x8      *Int8
	y       *tensor.Tensor
}

// scales-of-64-groups: the products of the scales of a row are in an array of 64
//
// Why: a row of 4,096 numbers has 128 groups of 32. What is behind the 64th is not counted.
func dotGroups() {
	if right {
		for g := range a.Groups() {
			lo, hi := g*a.Group, min((g+1)*a.Group, a.Cols)
			sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
		}
	} else {
		var scales [64]float32
		for g := range min(a.Groups(), len(scales)) {
			scales[g] = sa[g] * sb[g]
		}
		for g := range min(a.Groups(), len(scales)) {
			lo, hi := g*a.Group, min((g+1)*a.Group, a.Cols)
			sum += scales[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
		}
	}
}

// integers-of-the-package: the integers of x are in a variable of the package
//
// Why: two layers that work at the same time write over each other's x.
func (*Linear) Forward() {
	if right {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
	} else {
		shared = QuantizeInt8(shared, x, l.group)
		l.x8 = shared
	}
}

var shared *Int8

// outputs-kept: the layer keeps every y that it has returned
//
// Why: a generator asks for thousands, and nothing is ever given back.
func (*Linear) Forward() {
	if right {
		return l.y
	} else {
		l.all = append(l.all, l.y.Clone())
		return l.y
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	all     []*tensor.Tensor
	product product
	w8      *Int8
	x8      *Int8
	y       *tensor.Tensor
}

// rows-of-1024: a row becomes integers by way of an array of 1,024 numbers
//
// Why: rows may be longer. What is behind is left out.
func QuantizeInt8() {
	if right {
		for n := range dst.Rows {
			for row := x.Row(n); len(row) > 0; {
				part := row[:min(group, len(row))]
				dst.append(part)
				row = row[len(part):]
			}
		}
	} else {
		for n := range dst.Rows {
			var scratch [1024]float32
			row := scratch[:min(len(scratch), dst.Cols)]
			for copy(row, x.Row(n)); len(row) > 0; {
				part := row[:min(group, len(row))]
				dst.append(part)
				row = row[len(part):]
			}
		}
	}
}

// gradients-are-scratch: Update writes the gradients without their scale into grads
//
// Why: grads belong to the caller, who may look at them, or add the next batch's.
func (*Master) Update() {
	if right {
		g := float64(h.Float32()/m.Scale) * factor
	} else {
		g := float64(h.Float32()/m.Scale) * factor
		grads[i] = RoundFP16(float32(g))
	}
}
