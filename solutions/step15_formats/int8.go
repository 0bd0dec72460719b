package formats

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Int8 is a matrix of integers from −127 to 127. Each group of a row has a scale of
// its own: the number at (n, i) is Q[n·Cols+i] · Scale[n·Groups()+i/Group].
type Int8 struct {
	Rows, Cols int
	Group      int       // how many numbers share a scale; the last group of a row may be shorter
	Q          []int8    // (Rows, Cols)
	Scale      []float32 // (Rows, Groups())
}

// Groups returns the number of groups of a row.
func (m *Int8) Groups() int { return (m.Cols + m.Group - 1) / m.Group }

// QuantizeInt8 returns the rows of x (…, I) in groups of the given size:
//
//	s = max|x|/127,  q = x/s rounded, half away from zero, held to −127…127
//
// s and x/s are float32. A group whose s is 0 becomes zeros. In a group with a NaN s is
// NaN, and every value with it. The result is dst, overwritten; if dst is nil it is new. x,
// which holds no infinity, is not changed.
//
// It panics with a ShapeError if x has no dimension or group is not positive.
func QuantizeInt8(dst *Int8, x *tensor.Tensor, group int) *Int8 {
	tensor.CheckShape("QuantizeInt8: x", x, tensor.Lead, tensor.Any)
	if group < 1 {
		panic(tensor.ShapeError{Op: "QuantizeInt8: the group must be positive", Got: []int{group}})
	}
	if dst == nil {
		dst = &Int8{}
	}
	dst.Rows, dst.Cols, dst.Group = x.Rows(), x.Dim(-1), group
	dst.Q, dst.Scale = dst.Q[:0], dst.Scale[:0]
	for n := range dst.Rows {
		for row := x.Row(n); len(row) > 0; {
			part := row[:min(group, len(row))]
			dst.append(part)
			row = row[len(part):]
		}
	}
	return dst
}

// append adds one group.
func (m *Int8) append(part []float32) {
	largest := float32(0)
	for _, x := range part {
		largest = max(largest, x, -x)
	}
	s := largest / 127
	m.Scale = append(m.Scale, s)
	for _, x := range part {
		q := int8(0)
		if s != 0 {
			rounded := math.Round(float64(x / s)) // half away from zero
			q = int8(min(max(rounded, -127), 127))
		}
		m.Q = append(m.Q, q)
	}
}

// Dequantize returns the numbers that m stands for, (Rows, Cols): q·s.
func (m *Int8) Dequantize() *tensor.Tensor {
	y := tensor.New(m.Rows, m.Cols)
	for n := range m.Rows {
		row, q, scale := y.Row(n), m.Q[n*m.Cols:], m.Scale[n*m.Groups():]
		for i := range row {
			row[i] = float32(q[i]) * scale[i/m.Group]
		}
	}
	return y
}

// DotInt8 returns Σ_i a_i·b_i in an int32: one product needs 15 bits.
//
// It panics with a ShapeError if a and b differ in length.
func DotInt8(a, b []int8) int32 {
	if len(a) != len(b) {
		panic(tensor.ShapeError{Op: "DotInt8: b", Got: []int{len(b)}, Want: []int{len(a)}})
	}
	sum := int32(0)
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return sum
}
