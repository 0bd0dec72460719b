package autodiff

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// count returns the number of elements of a shape.
func count(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			panic(tensor.ShapeError{Op: "autodiff: negative dimension", Got: slices.Clone(shape)})
		}
		n *= d
	}
	return n
}

// axisOf turns an axis that may be counted from the end (-1 is the last) into
// one counted from the front.
func axisOf(op string, x *Tensor, axis int) int {
	rank := len(x.Shape)
	if axis < -rank || axis >= rank {
		panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
	}
	if axis < 0 {
		return axis + rank
	}
	return axis
}

// broadcast returns the shape that a and b take together: aligned at their last
// dimension, a missing dimension or one of size 1 is repeated to match the other.
func broadcast(op string, a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape := slices.Clone(a)
	for i, d := range b {
		at := len(a) - len(b) + i
		switch {
		case shape[at] == 1:
			shape[at] = d
		case d != 1 && d != shape[at]:
			panic(tensor.ShapeError{Op: op + ": shapes that do not broadcast", Got: slices.Clone(b), Want: slices.Clone(a)})
		}
	}
	return shape
}

// offsets returns, for every element of shape in row-major order, the offset of
// the element of from that broadcasting puts there.
func offsets(shape, from []int) []int {
	if slices.Equal(shape, from) {
		return sequence(count(shape))
	}
	step := make([]int, len(shape)) // how far one step along a dimension moves in from; 0 repeats
	stride := 1
	for i := len(from) - 1; i >= 0; i-- {
		if from[i] != 1 {
			step[len(shape)-len(from)+i] = stride
		}
		stride *= from[i]
	}
	return walk(shape, step, 0)
}

// walk visits a tensor of the given shape in row-major order and returns the
// offset of every element, when element 0 stands at start and a step along
// dimension i moves by step[i].
func walk(shape, step []int, start int) []int {
	at := []int{start}
	for i, d := range shape {
		next := make([]int, 0, len(at)*d)
		for _, base := range at {
			for j := range d {
				next = append(next, base+j*step[i])
			}
		}
		at = next
	}
	return at
}

// sequence returns 0, 1, …, n-1.
func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// strides returns how far one step along each dimension moves in memory.
func strides(shape []int) []int {
	s := make([]int, len(shape))
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = stride
		stride *= shape[i]
	}
	return s
}
