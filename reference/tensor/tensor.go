// Package tensor holds the one data structure of the course: a dense float32
// array, row-major and contiguous, with its shape.
//
// Row-major means that the last index moves fastest: element (i, j, k) of a
// tensor of shape (I, J, K) stands at Data[(i*J+j)*K+k]. Nothing is hidden:
// Shape and Data may be read and written directly, and most code in the course
// walks Data row by row.
//
// A Matrix is a view of a tensor, or of a part of it, as rows and columns, and Mul
// multiplies such views: y = x·Wᵀ is Mul(y.Matrix(), x.Matrix(), w.Matrix().T()).
package tensor

import (
	"fmt"
	"slices"
)

// Tensor is a dense float32 array. len(Data) is always the product of Shape;
// a tensor without dimensions (Shape empty) is a scalar and has one element.
type Tensor struct {
	Shape []int
	Data  []float32
}

// New returns a tensor of zeros of the given shape.
// It panics if a dimension is negative.
func New(shape ...int) *Tensor {
	return &Tensor{Shape: slices.Clone(shape), Data: zeros(count(shape))}
}

// zeros returns memory for n numbers.
func zeros(n int) []float32 {
	const large = 1 << 16 // less lies in few pages of any size
	x := make([]float32, n)
	if n >= large {
		inLargePages(x)
	}
	return x
}

// From returns a tensor of the given shape that uses data as its memory,
// without copying. It panics with a ShapeError if the lengths do not agree.
func From(data []float32, shape ...int) *Tensor {
	if count(shape) != len(data) {
		panic(ShapeError{Op: "tensor.From: number of elements", Got: []int{len(data)}, Want: []int{count(shape)}})
	}
	return &Tensor{Shape: slices.Clone(shape), Data: data}
}

// Reuse returns t itself when it already has the given shape, and otherwise a
// tensor of that shape, keeping t's memory where it is large enough. The
// contents are unspecified: the caller overwrites them. A layer that holds on
// to its buffers this way allocates nothing once training is under way.
func Reuse(t *Tensor, shape ...int) *Tensor {
	return ReuseLead(t, nil, shape...)
}

// ReuseLead is Reuse with the shape (lead…, dims…):
//
//	y = tensor.ReuseLead(y, x.Lead(1), n)     x is (…, k), y is (…, n)
func ReuseLead(t *Tensor, lead []int, dims ...int) *Tensor {
	n := count(lead) * count(dims)
	if t == nil || cap(t.Data) < n {
		t = &Tensor{Data: zeros(n)}
	}
	t.Shape = append(append(t.Shape[:0], lead...), dims...)
	t.Data = t.Data[:n]
	return t
}

// Dim returns the size of dimension i; a negative i counts from the end, so
// Dim(-1) is the length of a row.
func (t *Tensor) Dim(i int) int {
	if i < 0 {
		i += len(t.Shape)
	}
	return t.Shape[i]
}

// Lead returns the leading dimensions of t, all but the last n, in t's own
// memory. It panics with a ShapeError if t has fewer than n.
func (t *Tensor) Lead(n int) []int {
	if len(t.Shape) < n {
		panic(ShapeError{Op: fmt.Sprintf("tensor: fewer than %d dimensions", n), Got: slices.Clone(t.Shape)})
	}
	return t.Shape[:len(t.Shape)-n]
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return len(t.Data) }

// Rows returns how many rows t has when every leading dimension is flattened:
// the product of all dimensions but the last. A tensor (B, T, D) has B·T rows
// of length D.
func (t *Tensor) Rows() int {
	if len(t.Shape) == 0 {
		return 1
	}
	return count(t.Shape[:len(t.Shape)-1])
}

// Row returns row r, 0 ≤ r < Rows(), as a slice of t's own memory.
func (t *Tensor) Row(r int) []float32 {
	d := 1
	if len(t.Shape) > 0 {
		d = t.Shape[len(t.Shape)-1]
	}
	return t.Data[r*d : (r+1)*d : (r+1)*d]
}

// SliceRows returns rows lo to hi (hi excluded) of all the Rows as a matrix (hi−lo, D)
// over the same memory. Of a tensor (B, T, D), rows b·T to (b+1)·T are sequence b. It
// panics with a ShapeError unless 0 ≤ lo ≤ hi ≤ Rows().
func (t *Tensor) SliceRows(lo, hi int) *Tensor {
	all := t.Matrix()
	rows := all.Block(lo, 0, hi-lo, all.Cols)
	return view(slices.Clip(rows.Data), []int{rows.Rows, rows.Cols})
}

// At returns the element at the given index, one number a dimension.
// It panics if the index has the wrong length or is out of range.
func (t *Tensor) At(index ...int) float32 { return t.Data[t.offset(index)] }

// Set writes the element at the given index, one number a dimension.
// It panics if the index has the wrong length or is out of range.
func (t *Tensor) Set(v float32, index ...int) { t.Data[t.offset(index)] = v }

// Reshape returns a tensor of another shape over the same memory. One
// dimension may be -1: it is worked out from the others. It panics with a
// ShapeError if the number of elements differs.
func (t *Tensor) Reshape(shape ...int) *Tensor {
	v := view(t.Data, shape)
	if i := slices.Index(v.Shape, -1); i >= 0 {
		v.Shape[i] = 1
		if n := count(v.Shape); n > 0 {
			v.Shape[i] = len(t.Data) / n
		}
	}
	if count(v.Shape) != len(t.Data) {
		panic(ShapeError{Op: "tensor.Reshape", Got: slices.Clone(t.Shape), Want: slices.Clone(shape)})
	}
	return v
}

// Slice returns rows lo to hi (hi excluded) of the first dimension, over the
// same memory.
func (t *Tensor) Slice(lo, hi int) *Tensor {
	size := count(t.Shape[1:])
	v := view(t.Data[lo*size:hi*size:hi*size], t.Shape)
	v.Shape[0] = hi - lo
	return v
}

// view returns a tensor over data with a copy of shape, in one allocation if that is
// as short as usual: a cache of keys makes thousands for a token.
func view(data []float32, shape []int) *Tensor {
	v := &struct {
		Tensor
		dims [4]int
	}{}
	v.Tensor = Tensor{Shape: slices.Clip(append(v.dims[:0], shape...)), Data: data}
	return &v.Tensor
}

// Clone returns a copy with memory of its own.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{Shape: slices.Clone(t.Shape), Data: slices.Clone(t.Data)}
}

// Zero sets every element to 0.
func (t *Tensor) Zero() { clear(t.Data) }

// Fill sets every element to v.
func (t *Tensor) Fill(v float32) {
	for i := range t.Data {
		t.Data[i] = v
	}
}

// SameShape reports whether t and u have the same shape.
func (t *Tensor) SameShape(u *Tensor) bool { return slices.Equal(t.Shape, u.Shape) }

// String gives the shape and the first few elements.
func (t *Tensor) String() string {
	if n := 6; len(t.Data) > n {
		return fmt.Sprintf("tensor%s%v…", ShapeString(t.Shape), t.Data[:n])
	}
	return fmt.Sprintf("tensor%s%v", ShapeString(t.Shape), t.Data)
}

func (t *Tensor) offset(index []int) int {
	if len(index) != len(t.Shape) {
		panic(ShapeError{Op: "tensor index: number of dimensions", Got: []int{len(index)}, Want: []int{len(t.Shape)}})
	}
	at := 0
	for d, i := range index {
		if i < 0 || i >= t.Shape[d] {
			panic(IndexError{Op: fmt.Sprintf("tensor index: dimension %d", d), Got: i, Limit: t.Shape[d]})
		}
		at = at*t.Shape[d] + i
	}
	return at
}

// count returns the number of elements of a shape.
func count(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			panic(ShapeError{Op: "tensor: negative dimension", Got: slices.Clone(shape)})
		}
		n *= d
	}
	return n
}
