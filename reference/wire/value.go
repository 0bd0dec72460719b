// Package wire is the language that the grader and a subject (the program
// whose code is graded) speak: typed arrays in named lists, framed with a
// length. grader/probe/PROTOCOL.md describes it for other languages.
package wire

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// DType names the element type of a Value.
type DType string

// The element types. On the wire every number is little-endian.
const (
	F32  DType = "f32"  // 4 bytes
	F64  DType = "f64"  // 8 bytes; scalars such as ε, a learning rate, a temperature
	I64  DType = "i64"  // 8 bytes; sizes, token ids, positions
	Bool DType = "bool" // 1 byte, 0 or 1; masks
	Text DType = "text" // UTF-8 bytes; Shape is [number of bytes]
)

// Value is one typed array, row-major. Shape is empty for a scalar. Exactly
// the slice that DType names is set, and its length is the product of Shape.
type Value struct {
	DType DType
	Shape []int
	F32   []float32
	F64   []float64
	I64   []int64
	Bool  []bool
	Text  string
}

// Values is a list of values by name: the arguments or the results of a call.
type Values map[string]Value

// Tensor returns t as a value that shares its memory. A nil tensor gives the
// zero Value, which cannot be written: Check says that it is missing.
func Tensor(t *tensor.Tensor) Value {
	if t == nil {
		return Value{}
	}
	return Value{DType: F32, Shape: t.Shape, F32: t.Data}
}

// Float32s returns a float32 array of the given shape.
func Float32s(data []float32, shape ...int) Value { return Value{DType: F32, Shape: shape, F32: data} }

// Float returns a float64 scalar.
func Float(x float64) Value { return Value{DType: F64, F64: []float64{x}} }

// Floats returns a float64 array of the given shape.
func Floats(data []float64, shape ...int) Value { return Value{DType: F64, Shape: shape, F64: data} }

// Int returns an integer scalar.
func Int(n int) Value { return Value{DType: I64, I64: []int64{int64(n)}} }

// Ints returns an integer array of the given shape.
func Ints(data []int64, shape ...int) Value { return Value{DType: I64, Shape: shape, I64: data} }

// Bools returns a boolean array of the given shape.
func Bools(data []bool, shape ...int) Value { return Value{DType: Bool, Shape: shape, Bool: data} }

// String returns a text.
func String(s string) Value { return Value{DType: Text, Shape: []int{len(s)}, Text: s} }

// Len returns the number of elements.
func (v Value) Len() int {
	n := 1
	for _, d := range v.Shape {
		n *= d
	}
	return n
}

// String describes the value's type: "f32 (2, 3)".
func (v Value) String() string { return fmt.Sprintf("%s %s", v.DType, tensor.ShapeString(v.Shape)) }
