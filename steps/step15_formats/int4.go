package formats

import "github.com/stubformer/stubformer/reference/tensor"

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
// v is the number of the largest magnitude with its sign, the first of several, so
// that its q is 0 and its value is met. d, x/d and the sum are float32. A group whose
// d is 0 becomes zeros, of q = 8. In a group with a NaN d is NaN, whatever q, so that
// every value of the group is one. Byte j of a group is q_j | q_j+16 << 4, for j from 0
// to 15. x, which holds no infinity, is not changed.
//
// It panics with a ShapeError if x has no dimension:
//
//	tensor.CheckShape("QuantizeInt4: x", x, tensor.Lead, tensor.Any)
//
// Source: the format Q4_0 of llama.cpp, 2023, there with d in float16.
func QuantizeInt4(x *tensor.Tensor) *Int4 {
	panic(tensor.TODO("step15: QuantizeInt4"))
}

// Dequantize returns the numbers that m stands for, (Rows, Cols): d·(q − 8), one
// float32 product each.
func (m *Int4) Dequantize() *tensor.Tensor {
	panic(tensor.TODO("step15: Int4.Dequantize"))
}
