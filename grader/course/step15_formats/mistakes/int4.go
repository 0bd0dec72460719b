//go:build mistake

package formats

import "math"

// int4-neighbours: a byte holds two neighbours, 2j and 2j + 1
//
// Why: With halves, elements 0 to 15 come out of 16 bytes with one mask, and 16 to 31 with one shift:
// that is what a processor does at once.
//
// Hint: q[j] | q[j+16]<<4.
func (*Int4) append() {
	if right {
		m.Q = append(m.Q, level(group[j], d)|level(group[j+Int4Group/2], d)<<4)
	} else {
		m.Q = append(m.Q, level(group[2*j], d)|level(group[2*j+1], d)<<4)
	}
}

// int4-neighbours/reading-too: a byte holds two neighbours and is read so as well
//
// With: int4-neighbours
func (*Int4) at() {
	if right {
		b := m.Q[(n*m.Groups()+i/Int4Group)*Int4Group/2+i%(Int4Group/2)]
		if i%Int4Group < Int4Group/2 {
			return int(b & 15)
		}
	} else {
		b := m.Q[(n*m.Groups()+i/Int4Group)*Int4Group/2+i%Int4Group/2]
		if i%2 == 0 {
			return int(b & 15)
		}
	}
}

// int4-neighbours/reading-only: a byte is written with j and j + 16 and read as two neighbours
func (*Int4) at() {
	if right {
		b := m.Q[(n*m.Groups()+i/Int4Group)*Int4Group/2+i%(Int4Group/2)]
		if i%Int4Group < Int4Group/2 {
			return int(b & 15)
		}
	} else {
		b := m.Q[(n*m.Groups()+i/Int4Group)*Int4Group/2+i%Int4Group/2]
		if i%2 == 0 {
			return int(b & 15)
		}
	}
}

// int4-exchanged: the first half of a group is in the upper bits and the second in the lower
//
// Why: The order is part of the format: byte j holds q_j below.
//
// Hint: q[j] | q[j+16]<<4.
func (*Int4) append() {
	if right {
		m.Q = append(m.Q, level(group[j], d)|level(group[j+Int4Group/2], d)<<4)
	} else {
		m.Q = append(m.Q, level(group[j], d)<<4|level(group[j+Int4Group/2], d))
	}
}

// int4-exchanged/reading-too: the first half of a group is in the upper bits, when it is written and when it is read
//
// With: int4-exchanged
func (*Int4) at() {
	if right {
		if i%Int4Group < Int4Group/2 {
			return int(b & 15)
		}
	} else {
		if i%Int4Group >= Int4Group/2 {
			return int(b & 15)
		}
	}
}

// int4-exchanged/reading-only: the first half of a group is read from the upper bits, and was written to the lower
func (*Int4) at() {
	if right {
		if i%Int4Group < Int4Group/2 {
			return int(b & 15)
		}
	} else {
		if i%Int4Group >= Int4Group/2 {
			return int(b & 15)
		}
	}
}

// int4-twos-complement: four bits are a number from −8 to 7 in two's complement
//
// Why: The format adds 8: 0 to 15 stand for −8 to 7. Two's complement has the same numbers under other
// codes.
//
// Hint: q = ⌊x/d + 8.5⌋, as it is.
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15)) ^ 8
	}
}

// int4-twos-complement/reading-too: four bits are written and read as two's complement
//
// With: int4-twos-complement
func (*Int4) at() {
	if right {
		return int(b & 15)
	} else {
		return int(b&15 ^ 8)
	}
}

// int4-twos-complement/reading-only: four bits are read as two's complement, and were written with 8 added
func (*Int4) Dequantize() {
	if right {
		row[i] = scale[i/Int4Group] * float32(m.at(n, i)-8)
	} else {
		row[i] = scale[i/Int4Group] * float32((m.at(n, i)^8)-8)
	}
}

// int4-sign-ignored: the scale is made of the largest magnitude, without its sign
//
// Why: With d = |v|/−8 a negative v has x/d = 8 and q = 16, which there is not: the largest number is
// missed. With its sign it is −8 always.
//
// Hint: v keeps its sign: d = v/−8.
func (*Int4) append() {
	if right {
		d := v / -8
	} else {
		d := max(v, -v) / -8
	}
}

// int4-sign-ignored/positive: the scale is |v|/8 and always positive
func (*Int4) append() {
	if right {
		d := v / -8
	} else {
		d := max(v, -v) / 8
	}
}

// int4-scale-positive: the scale is v/8
//
// Why: v/8 puts v at q = 16, one beyond the end; v/−8 puts it at 0.
//
// Hint: d = v/−8.
func (*Int4) append() {
	if right {
		d := v / -8
	} else {
		d := v / 8
	}
}

// int4-by-seven: the scale is max|x|/7
//
// Why: That uses 15 of 16 codes. v/−8 uses them all, and meets v.
//
// Hint: d = v/−8, v with its sign.
func (*Int4) append() {
	if right {
		d := v / -8
	} else {
		d := max(v, -v) / 7
	}
}

// int4-last-largest: of two numbers of the same magnitude the last one gives the sign
//
// Why: Two programs that are to agree to the last bit must choose the same one: the first.
//
// Hint: Take another v only if it is larger, not if it is as large.
func (*Int4) append() {
	if right {
		if max(x, -x) > max(v, -v) || x != x {
			v = x
		}
	} else {
		if max(x, -x) >= max(v, -v) || x != x {
			v = x
		}
	}
}

// int4-signed-maximum: v is the largest number, not that of the largest magnitude
//
// Why: A group whose largest magnitude is negative gets a scale that is too small for it.
//
// Hint: Compare |x| with |v|, and keep x.
func (*Int4) append() {
	if right {
		if max(x, -x) > max(v, -v) || x != x {
			v = x
		}
	} else {
		if x > v || x != x {
			v = x
		}
	}
}

// int4-nan-lost: a NaN is passed over, and a group of 32 becomes finite numbers
//
// Why: No comparison with a NaN is true, so it is never the largest. What a model has lost looks sound
// then.
//
// Hint: Ask for x != x, which is true of a NaN alone.
func (*Int4) append() {
	if right {
		if max(x, -x) > max(v, -v) || x != x {
			v = x
		}
	} else {
		if max(x, -x) > max(v, -v) {
			v = x
		}
	}
}

// int4-wraps: q = 16 is not held to 15, and runs into the neighbour's bits
//
// Why: A number nearly as large as v, with the other sign, has x/d near 8.
//
// Hint: min(q, 15).
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(max(math.Floor(float64(x/d+8.5)), 0))
	}
}

// int4-wraps/to-zero: q = 16 is not held to 15, and becomes 0
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(max(math.Floor(float64(x/d+8.5)), 0)) & 15
	}
}

// int4-not-held-below: q is not held to 0 where the scale is rough
//
// Why: A scale near the smallest float32 has few digits, and x/d can be −9.
//
// Hint: max(q, 0).
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(int(min(math.Floor(float64(x/d+8.5)), 15))) & 15
	}
}

// int4-floor: the half is missing: x/d is rounded down
//
// Why: ⌊x/d⌋ errs by up to a whole step; ⌊x/d + 1/2⌋ is the nearest.
//
// Hint: ⌊x/d + 8.5⌋.
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(min(max(math.Floor(float64(x/d+8)), 0), 15))
	}
}

// int4-half-away: halves of x/d are rounded away from zero
//
// Why: It is the rule of int8; here it is ⌊x/d + 8.5⌋, which takes −2.5 to −2.
//
// Hint: ⌊x/d + 8.5⌋.
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(min(max(math.Round(float64(x/d))+8, 0), 15))
	}
}

// int4-half-away/even: halves of x/d are rounded to the even whole number
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(min(max(math.RoundToEven(float64(x/d))+8, 0), 15))
	}
}

// int4-divides-by-zero: a group whose scale is 0 does not get q = 8
//
// Why: x/0 is NaN or infinite. The code of zero is 8.
//
// Hint: If d is 0, every q is 8.
func level() {
	if right {
		return 8
	} else {
		return 0
	}
}

// int4-tail-dropped: the last group of a row is left out if it is short
//
// Why: A row of 37 has a second group of 5. They are weights as all others.
//
// Hint: Copy what is left into a group of 32 that is zero otherwise.
func QuantizeInt4() {
	if right {
		m.append(group)
	} else {
		if m.Cols%Int4Group != 0 && len(row) == 0 {
			group = [Int4Group]float32{}
		}
		m.append(group)
	}
}

// int4-tail-garbage: what the group before held stands behind a short one
//
// Why: The last group is filled with zeros: the numbers of another group would even choose its scale.
//
// Hint: A new group for each piece, of zeros.
func QuantizeInt4() {
	if right {
		var group [Int4Group]float32
	} else {
		var group [Int4Group]float32
		copy(group[:], x.Row(n))
	}
}

// int4-offset: the 8 is not taken off when int4s are read
//
// Why: q runs from 0 to 15, and 8 stands for zero.
//
// Hint: d·(q − 8).
func (*Int4) Dequantize() {
	if right {
		row[i] = scale[i/Int4Group] * float32(m.at(n, i)-8)
	} else {
		row[i] = scale[i/Int4Group] * float32(m.at(n, i))
	}
}

// int4-offset/half: 7.5 is taken off when int4s are read, and not 8
func (*Int4) Dequantize() {
	if right {
		row[i] = scale[i/Int4Group] * float32(m.at(n, i)-8)
	} else {
		row[i] = scale[i/Int4Group] * (float32(m.at(n, i)) - 7.5)
	}
}

// int4-value-scale: every group of a row is read with its first scale
//
// Why: Each group has a scale of its own.
//
// Hint: scale[i/32].
func (*Int4) Dequantize() {
	if right {
		row[i] = scale[i/Int4Group] * float32(m.at(n, i)-8)
	} else {
		row[i] = scale[0] * float32(m.at(n, i)-8)
	}
}

// int4-value-scale/row: all rows of int4s are read with the scales of the first
func (*Int4) Dequantize() {
	if right {
		row, scale := y.Row(n), m.Scale[n*m.Groups():]
	} else {
		row, scale := y.Row(n), m.Scale
	}
}
