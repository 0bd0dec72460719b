package formats

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Int4Group is how many int4s share a scale.
const Int4Group = 32

// Int4 is a matrix of integers from 0 to 15 in groups of 32 along a row, two to a
// byte. The number of q is Scale·(q − 8). The last group of a row is filled with
// zeros, for which q is 8.
type Int4 struct {
	Rows, Cols int
	Q          []byte    // (Rows, Groups(), 16): byte j of a group holds q_j below and q_j+16 above
	Scale      []float32 // (Rows, Groups())
}

// Groups returns the number of groups of a row.
func (m *Int4) Groups() int { return (m.Cols + Int4Group - 1) / Int4Group }

// QuantizeInt4 returns the rows of x (…, I) in groups of 32:
//
//	d = v/−8,  q = ⌊x/d + 8.5⌋, held to 0…15
//
// v is the number with the largest magnitude, sign included (the first, if several have
// it): its q is 0, and so it is kept exactly. d, x/d and the sum are float32. In a group
// whose d is 0 every q is 8, which stands for 0. If a group holds a NaN, d is NaN and so
// is every value of the group. x, which holds no infinity, is not changed.
//
// It panics with a ShapeError if x has no dimension.
//
// Source: the format Q4_0 of llama.cpp, 2023, there with d in float16.
func QuantizeInt4(x *tensor.Tensor) *Int4 {
	tensor.CheckShape("QuantizeInt4: x", x, tensor.Lead, tensor.Any)
	m := &Int4{Rows: x.Rows(), Cols: x.Dim(-1)}
	for n := range m.Rows {
		for row := x.Row(n); len(row) > 0; {
			var group [Int4Group]float32
			row = row[copy(group[:], row):]
			m.append(group)
		}
	}
	return m
}

// append adds one group.
func (m *Int4) append(group [Int4Group]float32) {
	v := float32(0)
	for _, x := range group {
		if max(x, -x) > max(v, -v) || x != x { // a NaN, which nothing is larger than
			v = x
		}
	}
	d := v / -8
	m.Scale = append(m.Scale, d)
	for j := range Int4Group / 2 {
		m.Q = append(m.Q, level(group[j], d)|level(group[j+Int4Group/2], d)<<4)
	}
}

// level returns q of x.
func level(x, d float32) byte {
	if d == 0 {
		return 8
	}
	return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
}

// at returns q at row n and column i.
func (m *Int4) at(n, i int) int {
	b := m.Q[(n*m.Groups()+i/Int4Group)*Int4Group/2+i%(Int4Group/2)]
	if i%Int4Group < Int4Group/2 {
		return int(b & 15)
	}
	return int(b >> 4)
}

// Dequantize returns the numbers that m stands for, (Rows, Cols): d·(q − 8).
func (m *Int4) Dequantize() *tensor.Tensor {
	y := tensor.New(m.Rows, m.Cols)
	for n := range m.Rows {
		row, scale := y.Row(n), m.Scale[n*m.Groups():]
		for i := range row {
			row[i] = scale[i/Int4Group] * float32(m.at(n, i)-8)
		}
	}
	return y
}
