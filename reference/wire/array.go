package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/stubformer/stubformer/reference/tensor"
)

// MaxRank is how many dimensions an array may have.
const MaxRank = 16

// chunk is how many elements are converted at a time.
const chunk = 8192

// array is one entry of a header's list of arrays.
type array struct {
	Name  string `json:"name"`
	DType DType  `json:"dtype"`
	Shape []int  `json:"shape"`
}

// arrayOf describes a value; a scalar's shape is [], not null.
func arrayOf(name string, v Value) array {
	return array{Name: name, DType: v.DType, Shape: append([]int{}, v.Shape...)}
}

// width returns the bytes of one element, 0 for an unknown type.
func (d DType) width() int64 {
	switch d {
	case F32:
		return 4
	case F64, I64:
		return 8
	case Bool, Text:
		return 1
	}
	return 0
}

// size returns the bytes of the array's data. The error is a *FormatError if
// there can be no such array, a *SizeError if it alone is beyond the limit.
func (a array) size(limit int64) (int64, error) {
	width := a.DType.width()
	switch {
	case a.Name == "":
		return 0, malformed("an array has no name")
	case width == 0:
		return 0, malformed("array %q has the unknown dtype %q", a.Name, a.DType)
	case a.Shape == nil:
		return 0, malformed("array %q has no shape", a.Name)
	case len(a.Shape) > MaxRank:
		return 0, malformed("array %q has %d dimensions; the limit is %d", a.Name, len(a.Shape), MaxRank)
	case a.DType == Text && len(a.Shape) != 1:
		return 0, malformed("text %q has shape %s; the shape of a text is its number of bytes", a.Name, tensor.ShapeString(a.Shape))
	}
	size := width
	for _, d := range a.Shape {
		if d < 0 {
			return 0, malformed("array %q has the negative dimension %d", a.Name, d)
		}
		// A dimension of 0 counts as 1 here, so that no product of the others
		// can overflow behind it.
		if int64(d) > limit/size {
			return 0, a.tooLarge(limit)
		}
		size *= max(1, int64(d))
	}
	if slices.Contains(a.Shape, 0) {
		return 0, nil
	}
	return size, nil
}

func (a array) tooLarge(limit int64) error {
	return &SizeError{Name: a.Name, Array: Value{DType: a.DType, Shape: a.Shape}, Limit: limit}
}

// read reads the data of an array whose size has been accepted.
func (a array) read(r io.Reader) (v Value, err error) {
	v = Value{DType: a.DType}
	if len(a.Shape) > 0 {
		v.Shape = a.Shape
	}
	n := v.Len()
	switch a.DType {
	case F32:
		v.F32, err = readSlice[float32](r, n)
	case F64:
		v.F64, err = readSlice[float64](r, n)
	case I64:
		v.I64, err = readSlice[int64](r, n)
	case Bool:
		var b []byte
		if b, err = readSlice[byte](r, n); err == nil {
			v.Bool, err = booleans(a.Name, b)
		}
	case Text:
		var b []byte
		if b, err = readSlice[byte](r, n); err == nil && !utf8.Valid(b) {
			err = malformed("text %q is not UTF-8", a.Name)
		}
		v.Text = string(b)
	}
	if _, ok := err.(*FormatError); err != nil && !ok {
		err = fmt.Errorf("array %q is cut off: %w", a.Name, cutOff(err))
	}
	return v, err
}

func booleans(name string, b []byte) ([]bool, error) {
	out := make([]bool, len(b))
	for i, x := range b {
		if x > 1 {
			return nil, malformed("byte %d of array %q is %d; a bool is 0 or 1", i, name, x)
		}
		out[i] = x == 1
	}
	return out, nil
}

// readSlice reads n elements; its memory grows with what really arrives.
func readSlice[T byte | float32 | float64 | int64](r io.Reader, n int) ([]T, error) {
	buffer := make([]byte, min(n, chunk)*binary.Size(*new(T)))
	out := make([]T, 0, min(n, chunk))
	for len(out) < n {
		c := min(n-len(out), chunk)
		b := buffer[:c*binary.Size(*new(T))]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		out = slices.Grow(out, c)[:len(out)+c]
		if _, err := binary.Decode(b, binary.LittleEndian, out[len(out)-c:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write writes the value's data.
func (v Value) write(w io.Writer) error {
	switch v.DType {
	case F32:
		return writeSlice(w, v.F32)
	case F64:
		return writeSlice(w, v.F64)
	case I64:
		return writeSlice(w, v.I64)
	case Bool:
		return writeSlice(w, v.Bool)
	}
	_, err := io.WriteString(w, v.Text)
	return err
}

func writeSlice[T bool | float32 | float64 | int64](w io.Writer, s []T) error {
	for part := range slices.Chunk(s, chunk) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}
