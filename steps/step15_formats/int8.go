package formats

import "github.com/stubformer/stubformer/reference/tensor"

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
// A group lies in one row, and the last of a row may be shorter. s and x/s are
// float32; math.Round rounds as it is wanted here. A group whose s is 0 becomes
// zeros. In a group with a NaN s is NaN, whatever q, so that every value of the group
// is one. The result is dst, overwritten, whatever it held; if dst is nil it is new.
// x, which holds no infinity, is not changed.
//
// It panics with a ShapeError if x has no dimension or group is not positive:
//
//	tensor.CheckShape("QuantizeInt8: x", x, tensor.Lead, tensor.Any)
//	panic(tensor.ShapeError{Op: "QuantizeInt8: the group must be positive", Got: []int{group}})
func QuantizeInt8(dst *Int8, x *tensor.Tensor, group int) *Int8 {
	panic(tensor.TODO("step15: QuantizeInt8"))
}

// Dequantize returns the numbers that m stands for, (Rows, Cols): q·s, one float32
// product each.
func (m *Int8) Dequantize() *tensor.Tensor {
	panic(tensor.TODO("step15: Int8.Dequantize"))
}

// DotInt8 returns Σ_i a_i·b_i in an int32: one product needs 15 bits.
//
// It panics with a ShapeError if a and b differ in length:
//
//	panic(tensor.ShapeError{Op: "DotInt8: b", Got: []int{len(b)}, Want: []int{len(a)}})
func DotInt8(a, b []int8) int32 {
	panic(tensor.TODO("step15: DotInt8"))
}
