//go:build unlisted

package formats

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// quantised-in-every-call: the layer keeps a copy of the weight and makes integers of it in every call
//
// Why: The weight becomes integers once.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int     // of an integer of W: 8 or 4
	group   int     // of x, and of W if that is int8
	product product // the kit's; nil for loops
	w8      *Int8   // W, from the first Forward on
	first   *tensor.Tensor
	x8      *Int8          // (N, in), reused by every Forward
	y       *tensor.Tensor // (…, out), reused by every Forward
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.first == nil {
		l.first = W.Clone() // what happens to W later does not matter
	}
	l.quantize(l.first)
	l.x8 = QuantizeInt8(l.x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	for n := range l.x8.Rows {
		row := l.y.Row(n)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
			continue
		}
		for i := range row {
			row[i] = dotGroups(l.x8, n, l.w8, i)
		}
	}
	return l.y
}

// integers-kept-as-floats: the integers are kept as float32s as well
//
// Why: They take five times the memory that the format is there to save.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int            // of an integer of W: 8 or 4
	group   int            // of x, and of W if that is int8
	product product        // the kit's; nil for loops
	w8      *Int8          // W, from the first Forward on
	wf, xf  []float32      // the integers of W and x
	x8      *Int8          // (N, in), reused by every Forward
	y       *tensor.Tensor // (…, out), reused by every Forward
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
		l.wf = floats(nil, l.w8.Q)
	}
	l.x8 = QuantizeInt8(l.x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	l.xf = floats(l.xf[:0], l.x8.Q)
	for n := range l.x8.Rows {
		row := l.y.Row(n)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
			continue
		}
		for i := range row {
			row[i] = l.dot(n, i)
		}
	}
	return l.y
}

func floats(dst []float32, q []int8) []float32 {
	for _, x := range q {
		dst = append(dst, float32(x))
	}
	return dst
}

func (l *Linear) dot(n, i int) float32 {
	a, b := l.x8, l.w8
	qa, qb := l.xf[n*a.Cols:][:a.Cols], l.wf[i*b.Cols:][:b.Cols]
	sa, sb := a.Scale[n*a.Groups():], b.Scale[i*b.Groups():]
	sum := float32(0)
	for g := range a.Groups() {
		part := float32(0)
		for j := g * a.Group; j < min((g+1)*a.Group, a.Cols); j++ {
			part += qa[j] * qb[j]
		}
		sum += sa[g] * sb[g] * part
	}
	return sum
}

// integers-of-x-in-the-package: the integers of x lie in a variable of the package
//
// Why: Two layers of two goroutines write to the same memory.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int            // of an integer of W: 8 or 4
	group   int            // of x, and of W if that is int8
	product product        // the kit's; nil for loops
	w8      *Int8          // W, from the first Forward on
	y       *tensor.Tensor // (…, out), reused by every Forward
}

var x8 *Int8

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
	}
	x8 = QuantizeInt8(x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	for n := range x8.Rows {
		row := l.y.Row(n)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), x8.rows(n, n+1))
			continue
		}
		for i := range row {
			row[i] = dotGroups(x8, n, l.w8, i)
		}
	}
	return l.y
}

// room-for-1024: the integers of x lie in an array of 1024
//
// Why: A longer row panics.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int        // of an integer of W: 8 or 4
	group   int        // of x, and of W if that is int8
	product product    // the kit's; nil for loops
	w8      *Int8      // W, from the first Forward on
	q       [1024]int8 // a row of x
	scale   [1024]float32
	x8      *Int8          // (N, in), reused by every Forward
	y       *tensor.Tensor // (…, out), reused by every Forward
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
	}
	if l.x8 == nil {
		l.x8 = &Int8{}
	}
	l.x8.Rows, l.x8.Cols, l.x8.Group = 1, x.Dim(-1), l.group
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	for n := range x.Rows() {
		row := l.y.Row(n)
		one := QuantizeInt8(nil, tensor.From(x.Row(n), x.Dim(-1)), l.group)
		l.x8.Q, l.x8.Scale = l.q[:len(one.Q)], l.scale[:len(one.Scale)]
		copy(l.x8.Q, one.Q)
		copy(l.x8.Scale, one.Scale)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(0, 1))
			continue
		}
		for i := range row {
			row[i] = dotGroups(l.x8, 0, l.w8, i)
		}
	}
	return l.y
}

// x-trusted-by-its-pointer: the integers of x are kept as long as x is the same tensor
//
// Why: Other numbers may lie in it: whoever trains or generates uses buffers again.
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int     // of an integer of W: 8 or 4
	group   int     // of x, and of W if that is int8
	product product // the kit's; nil for loops
	w8      *Int8   // W, from the first Forward on
	lastX   *tensor.Tensor
	x8      *Int8          // (N, in), reused by every Forward
	y       *tensor.Tensor // (…, out), reused by every Forward
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
	}
	if l.lastX != x || l.x8.Rows != x.Rows() { // queries, keys and values are made of the same x
		l.x8 = QuantizeInt8(l.x8, x, l.group)
		l.lastX = x
	}
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	for n := range l.x8.Rows {
		row := l.y.Row(n)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
			continue
		}
		for i := range row {
			row[i] = dotGroups(l.x8, n, l.w8, i)
		}
	}
	return l.y
}
