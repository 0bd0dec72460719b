//go:build mistake

package formats

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// int8-tail-dropped: a short last group becomes int8s of zero
//
// Why: A row of 70 in groups of 64 has a second group of 6. They are weights as all others.
//
// Hint: Go on as long as something of the row is left, with min(group, len(row)) numbers each time.
func QuantizeInt8() {
	if right {
		dst.append(part)
	} else {
		if len(part) < group {
			part = make([]float32, len(part))
		}
		dst.append(part)
		part = row[:len(part)]
	}
}

// int8-tail-dropped/joined: a short last group shares the scale of the group before it
func QuantizeInt8() {
	if right {
		part := row[:min(group, len(row))]
		dst.append(part)
	} else {
		part := row[:min(group, len(row))]
		if rest := len(row) - group; rest > 0 && rest < group {
			part = row
		}
		dst.append(part)
		if len(part) > group {
			dst.Scale = append(dst.Scale, dst.Scale[len(dst.Scale)-1])
		}
	}
}

// int8-one-scale: one scale serves the whole matrix
//
// Why: One large number anywhere then makes all others coarse. That is what groups are for.
//
// Hint: The maximum is that of the numbers of one group.
func QuantizeInt8() {
	if right {
		dst.append(part)
	} else {
		dst.appendScaled(part, x.Data)
	}
}

func (m *Int8) appendScaled(part, by []float32) {
	largest := float32(0)
	for _, x := range by {
		largest = max(largest, x, -x)
	}
	s := largest / 127
	m.Scale = append(m.Scale, s)
	for _, x := range part {
		q := int8(0)
		if s != 0 {
			q = int8(min(max(math.Round(float64(x/s)), -127), 127))
		}
		m.Q = append(m.Q, q)
	}
}

// int8-one-scale/row: one scale serves a whole row
func QuantizeInt8() {
	if right {
		dst.append(part)
	} else {
		largest := float32(0)
		for _, x := range x.Row(n) {
			largest = max(largest, x, -x)
		}
		s := largest / 127
		dst.Scale = append(dst.Scale, s)
		for _, x := range part {
			q := int8(0)
			if s != 0 {
				q = int8(min(max(math.Round(float64(x/s)), -127), 127))
			}
			dst.Q = append(dst.Q, q)
		}
	}
}

// int8-across-rows: groups are counted through the whole array and run across the ends of rows
//
// Why: A dot product takes one row at a time, and needs scales of which none is half another row's.
//
// Hint: Every row begins with a new group.
func QuantizeInt8() {
	if right {
		dst.append(part)
	} else {
		at := len(dst.Q) / group * group
		dst.append(x.Data[at:min(at+group, x.Len())])
		dst.Q = dst.Q[:len(dst.Q)-min(group, x.Len()-at)]
		for _, v := range part {
			q := int8(0)
			if s := dst.Scale[len(dst.Scale)-1]; s != 0 {
				q = int8(min(max(math.Round(float64(v/s)), -127), 127))
			}
			dst.Q = append(dst.Q, q)
		}
	}
}

// int8-wraps: the largest number becomes 128, which an int8 reads as −128
//
// Why: An int8 goes from −128 to 127. With s = max/128 the positive largest has no place in it.
//
// Hint: s = max|x|/127: then ±127 are the ends, and −128 does not occur.
func (m *Int8) append(part []float32) {
	largest := float32(0)
	for _, x := range part {
		largest = max(largest, x, -x)
	}
	s := largest / 128
	m.Scale = append(m.Scale, s)
	for _, x := range part {
		q := int8(0)
		if s != 0 {
			q = int8(int(math.Round(float64(x / s))))
		}
		m.Q = append(m.Q, q)
	}
}

// int8-by-128: the scale is max/128, and the largest is held to 127
//
// Why: The largest number of every group is then off by a whole step.
//
// Hint: s = max|x|/127, so that the largest is met.
func (*Int8) append() {
	if right {
		s := largest / 127
	} else {
		s := largest / 128
	}
}

// int8-by-255: the scale is max/255
//
// Why: 255 is the distance between the ends of 256 levels; from zero it is 127 to either side.
//
// Hint: s = max|x|/127.
func (*Int8) append() {
	if right {
		s := largest / 127
	} else {
		s := largest / 255
	}
}

// int8-half-even: halves are rounded to the even whole number
//
// Why: It is a good rule, and not the one of this format: two programs that are to agree to the last
// bit need one rule.
//
// Hint: Use math.Round, which rounds halves away from zero.
func (*Int8) append() {
	if right {
		rounded := math.Round(float64(x / s))
	} else {
		rounded := math.RoundToEven(float64(x / s))
	}
}

// int8-half-up: halves are rounded up, for negative numbers too
//
// Why: ⌊x/s + 1/2⌋ takes −2.5 to −2. Away from zero is −3.
//
// Hint: Use math.Round, which rounds halves away from zero, on both sides.
func (*Int8) append() {
	if right {
		rounded := math.Round(float64(x / s))
	} else {
		rounded := math.Floor(float64(x/s) + 0.5)
	}
}

// int8-truncated: the fraction of x/s is cut off
//
// Why: That errs by up to a whole step, and always towards zero.
//
// Hint: math.Round, not a conversion alone.
func (*Int8) append() {
	if right {
		rounded := math.Round(float64(x / s))
	} else {
		rounded := math.Trunc(float64(x / s))
	}
}

// int8-signed-maximum: the scale follows from the largest number instead of the largest magnitude
//
// Why: A group whose largest magnitude is negative gets a scale that is too small for it.
//
// Hint: max|x|: look at −x as well.
func (*Int8) append() {
	if right {
		largest = max(largest, x, -x)
	} else {
		largest = max(largest, x)
	}
}

// int8-nan-lost: a NaN is passed over, and its group becomes finite numbers
//
// Why: No comparison with a NaN is true, so it is never the largest. What a model has lost looks sound
// then.
//
// Hint: Use max, which is NaN if one of its arguments is.
func (*Int8) append() {
	if right {
		largest = max(largest, x, -x)
	} else {
		if a := max(x, -x); a > largest {
			largest = a
		}
	}
}

// int8-divides-by-zero: a group whose scale is 0 is divided by it
//
// Why: All its numbers are zero, or so small that their largest divided by 127 is. x/0 is NaN or
// infinite, and neither is a whole number.
//
// Hint: If s is 0, every q is 0.
func (*Int8) append() {
	if right {
		if s != 0 {
			rounded := math.Round(float64(x / s))
			q = int8(min(max(rounded, -127), 127))
		}
	} else {
		rounded := math.Round(float64(x / s))
		if rounded != rounded {
			rounded = 127
		}
		q = int8(min(max(rounded, -127), 127))
	}
}

// int8-zero-point: the smallest number of a group becomes −127 and the largest 127
//
// Why: That format needs a second number for each group, the one that stands for zero, and a
// correction in every product. Here zero is 0.
//
// Hint: q = x/s with s = max|x|/127.
func (m *Int8) append(part []float32) {
	low, high := part[0], part[0]
	for _, x := range part {
		low, high = min(low, x), max(high, x)
	}
	s := (high - low) / 254
	m.Scale = append(m.Scale, s)
	for _, x := range part {
		q := int8(0)
		if s != 0 {
			q = int8(math.Round(float64((x-low)/s)) - 127)
		}
		m.Q = append(m.Q, q)
	}
}

// int8-not-held: what is beyond ±127 because the scale is rough is not held to it
//
// Why: A scale near the smallest float32 has few digits, and x/s can be 190.
//
// Hint: min(max(q, −127), 127).
func (*Int8) append() {
	if right {
		q = int8(min(max(rounded, -127), 127))
	} else {
		q = int8(int(rounded))
	}
}

// int8-appended: what dst held before stays in front
//
// Why: dst is used again for every x; it is to hold this one alone.
//
// Hint: dst.Q[:0], dst.Scale[:0].
func QuantizeInt8() {
	if right {
		dst.Q, dst.Scale = dst.Q[:0], dst.Scale[:0]
	} else {
	}
}

// int8-appended/scales: the scales that dst held before stay in front
func QuantizeInt8() {
	if right {
		dst.Q, dst.Scale = dst.Q[:0], dst.Scale[:0]
	} else {
		dst.Q = dst.Q[:0]
	}
}

// int8-not-dst: dst is not used, and the result is always new
//
// Why: A layer that takes new memory for every token makes the garbage collector's work.
//
// Hint: Only if dst is nil is there something to make.
func QuantizeInt8() {
	if right {
		if dst == nil {
			dst = &Int8{}
		}
	} else {
		dst = &Int8{}
	}
}

// int8-group-unchecked: a group that is not positive is not refused
//
// Why: Nothing can be cut into pieces of no length.
//
// Hint: If group < 1, panic with a tensor.ShapeError that holds it.
func QuantizeInt8() {
	if right {
		if group < 1 {
			panic(tensor.ShapeError{Op: "QuantizeInt8: the group must be positive", Got: []int{group}})
		}
	} else {
		group = max(group, 1)
	}
}

// int8-value-row: all groups of a row are read with its first scale
//
// Why: Each group has a scale of its own, the one that it was divided by.
//
// Hint: scale[i/m.Group].
func (*Int8) Dequantize() {
	if right {
		row[i] = float32(q[i]) * scale[i/m.Group]
	} else {
		row[i] = float32(q[i]) * scale[0]
	}
}

// int8-value-modulo: the scale is taken from the place within the group
//
// Why: i/Group counts groups; i mod Group counts within one.
//
// Hint: scale[i/m.Group].
func (*Int8) Dequantize() {
	if right {
		row[i] = float32(q[i]) * scale[i/m.Group]
	} else {
		row[i] = float32(q[i]) * scale[i%m.Group%len(scale)]
	}
}

// int8-value-first-row: all rows are read with the scales of the first
//
// Why: The scales are (Rows, Groups()), a row for each row.
//
// Hint: The scales of row n begin at n·Groups().
func (*Int8) Dequantize() {
	if right {
		row, q, scale := y.Row(n), m.Q[n*m.Cols:], m.Scale[n*m.Groups():]
	} else {
		row, q, scale := y.Row(n), m.Q[n*m.Cols:], m.Scale
	}
}

// int8-sum-16: the sum of products is kept in 16 bits
//
// Why: One product is up to 16,129; the third one may not fit any more, and the sum wraps round.
//
// Hint: sum is an int32, and so are the factors before they are multiplied.
func DotInt8() {
	if right {
		sum += int32(x) * int32(b[i])
	} else {
		sum = int32(int16(sum) + int16(x)*int16(b[i]))
	}
}

// int8-sum-16/held: the sum of products is held to what 16 bits can hold
func DotInt8() {
	if right {
		sum += int32(x) * int32(b[i])
	} else {
		sum = min(max(sum+int32(x)*int32(b[i]), -1<<15), 1<<15-1)
	}
}

// int8-product-8: the factors are multiplied as int8s
//
// Why: A product of two int8s in Go is an int8: its upper half is gone.
//
// Hint: int32(a)·int32(b): convert before the product.
func DotInt8() {
	if right {
		sum += int32(x) * int32(b[i])
	} else {
		sum += int32(x * b[i])
	}
}

// int8-unsigned: the int8s of b are read as unsigned
//
// Why: −1 is 255 without its sign.
//
// Hint: int32(b[i]) keeps the sign; uint8 does not.
func DotInt8() {
	if right {
		sum += int32(x) * int32(b[i])
	} else {
		sum += int32(x) * int32(uint8(b[i]))
	}
}

// int8-dot-unchecked: vectors of int8s that differ in length are not refused
//
// Why: The rest of the longer one would be left out without a word.
//
// Hint: Compare the lengths first and panic with a tensor.ShapeError that holds both.
func DotInt8() {
	if right {
		if len(a) != len(b) {
			panic(tensor.ShapeError{Op: "DotInt8: b", Got: []int{len(b)}, Want: []int{len(a)}})
		}
		sum := int32(0)
	} else {
		sum := int32(0)
		a = a[:min(len(a), len(b))]
	}
}
