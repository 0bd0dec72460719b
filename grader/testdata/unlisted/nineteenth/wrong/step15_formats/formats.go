//go:build unlisted

package formats

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"math"
)

// dequantised-product: dequantised product
//
// Why: The first Forward makes integers of the weight and at once float32s of the integers; every Forward does the same with x, and multiplies the two float32 matrices. The results differ from those of the contract by rounding only, but the layer keeps 4 bytes for each weight instead of 1 or half a one, reads all of them for every token, and allocates a new x in every call: nothing of the format is left but its error. The contract: "The inner sum is DotInt8, the outer one float32", "the products are sums of integers"; the lesson: "the pace of writing is set by bytes".
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits  int            // of an integer of W: 8 or 4
	group int            // of x, and of W if that is int8
	w     *tensor.Tensor // W as its integers have it, from the first Forward on
	x8    *Int8          // (N, in), reused by every Forward
	y     *tensor.Tensor // (…, out), reused by every Forward
}

func New(weight *tensor.Param) *Linear { return NewInt8(weight, Group) }

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w == nil {
		if l.bits == 8 {
			l.w = QuantizeInt8(nil, W, l.group).Dequantize()
		} else {
			l.w = QuantizeInt4(W).Dequantize()
		}
	}
	l.x8 = QuantizeInt8(l.x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	tensor.Mul(l.y.Matrix(), l.x8.Dequantize().Matrix(), l.w.Matrix().T())
	return l.y
}

func (m *Int8) rows(from, end int) kernel.Int8s { panic("nobody calls this") }

func (l *Linear) quantize(W *tensor.Tensor) { panic("nobody calls this") }

func dotGroups(a *Int8, n int, b *Int8, i int) float32 { panic("nobody calls this") }

// pairs-in-int16: pairs in int16
//
// Why: DotInt8 adds two products in an int16 before it widens them, as the instruction VPMADDUBSW does and as the lesson seems to allow ("Two products fit an int16"). That holds for −127…127, what QuantizeInt8 makes; the arguments of DotInt8 are any int8s, and (−128)·(−128) twice is 32,768, which becomes −32,768. The contract: it "returns Σ_i a_i·b_i in an int32".
func DotInt8(a, b []int8) int32 {
	if len(a) != len(b) {
		panic(tensor.ShapeError{Op: "DotInt8: b", Got: []int{len(b)}, Want: []int{len(a)}})
	}
	sum := int32(0)
	for len(a) >= 2 {
		sum += int32(int16(a[0])*int16(b[0]) + int16(a[1])*int16(b[1]))
		a, b = a[2:], b[2:]
	}
	if len(a) == 1 {
		sum += int32(a[0]) * int32(b[0])
	}
	return sum
}

// reciprocal-scale: reciprocal scale
//
// Why: QuantizeInt8 divides once a group, 127/max|x|, and multiplies every x with that, as many libraries do for speed. The scale that is stored is max|x|/127 as it should be, but q comes from other roundings than x/s: next to a half it now and then is the neighbour. In a group of very small numbers (max|x| below about 4·10⁻³⁷) 127/max|x| is infinite: every number becomes ±127, and zeros 0·∞ = NaN. The contract: "q = x/s rounded, half away from zero, held to −127…127", "s and x/s are float32".
func (m *Int8) append(part []float32) {
	largest := float32(0)
	for _, x := range part {
		largest = max(largest, x, -x)
	}
	s := largest / 127
	m.Scale = append(m.Scale, s)
	inverse := 127 / largest
	for _, x := range part {
		q := int8(0)
		if s != 0 {
			rounded := math.Round(float64(x * inverse)) // half away from zero
			q = int8(min(max(rounded, -127), 127))
		}
		m.Q = append(m.Q, q)
	}
}

// shared-x8: shared x8
//
// Why: The integers of x have one place for all layers of the program, a package variable: only one layer works at a time, and a model has many. With one goroutine every result is right. Two layers in two goroutines write their x into the same memory, a data race, and multiply with each other's tokens, or with a matrix of another width. The stub puts it into the layer: "Yours: which format and what group, the integers of the weight, and the memory of x in int8 and of y, so that they can be used again."
type Linear struct {
	Weight *tensor.Param // (out, in), as it was trained

	bits    int            // of an integer of W: 8 or 4
	group   int            // of x, and of W if that is int8
	product product        // the kit's; nil for loops
	w8      *Int8          // W, from the first Forward on
	y       *tensor.Tensor // (…, out), reused by every Forward
}

var x8 Int8

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
	}
	QuantizeInt8(&x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	for n := range x8.Rows {
		row := l.y.Row(n)
		if l.product != nil {
			l.product(row, l.w8.rows(0, l.w8.Rows), x8.rows(n, n+1))
			continue
		}
		for i := range row {
			row[i] = dotGroups(&x8, n, l.w8, i)
		}
	}
	return l.y
}

// shrink-replaces-value: shrink replaces value
//
// Why: Shrink puts a new tensor into p.Value instead of writing the rounded numbers into the one that is there. Whoever looks at the same Param sees the right numbers and the right count of bytes. But Params of a layer with several projections in one matrix gives views (Param.Slice of QKV): their Value is exchanged in a Param that nobody else has, and the model keeps its float32 weights; replicas, which share memory, keep theirs, too. The contract: Shrink "gives every matrix among the parameters the values that it has after it was stored in a format and read back".
func Shrink(params []*tensor.Param, format string) (bytes int, err error) {
	store, ok := formats()[format]
	if !ok {
		return 0, fmt.Errorf("there is no format %q; want f32, bf16, fp16, int8 or int4", format)
	}
	for _, p := range params {
		if len(p.Value.Shape) != 2 {
			bytes += 4 * p.Value.Len()
			continue
		}
		stored, size := store(p.Value)
		p.Value = stored
		bytes += size
	}
	return bytes, nil
}

func formats() map[string]func(w *tensor.Tensor) (*tensor.Tensor, int) {
	return map[string]func(w *tensor.Tensor) (*tensor.Tensor, int){
		"f32": func(w *tensor.Tensor) (*tensor.Tensor, int) { return w, 4 * w.Len() },
		"bf16": func(w *tensor.Tensor) (*tensor.Tensor, int) {
			return each(w, func(x float32) float32 { return RoundBF16(x).Float32() })
		},
		"fp16": func(w *tensor.Tensor) (*tensor.Tensor, int) {
			return each(w, func(x float32) float32 { return RoundFP16(x).Float32() })
		},
		"int8": func(w *tensor.Tensor) (*tensor.Tensor, int) {
			m := QuantizeInt8(nil, w, Group)
			return m.Dequantize(), len(m.Q) + 4*len(m.Scale)
		},
		"int4": func(w *tensor.Tensor) (*tensor.Tensor, int) {
			m := QuantizeInt4(w)
			return m.Dequantize(), len(m.Q) + 4*len(m.Scale)
		},
	}
}

func each(w *tensor.Tensor, round func(x float32) float32) (*tensor.Tensor, int) {
	y := tensor.New(w.Shape...)
	for i, x := range w.Data {
		y.Data[i] = round(x)
	}
	return y, 2 * w.Len()
}

// stale-q: stale q
//
// Why: QuantizeInt8 gives dst the right size, keeps the memory of its Q, and writes q only where s is not 0: a new Q holds zeros anyway. In a dst that is used again, a group of zeros keeps the integers of what was there before, with s = 0. Dequantize and Forward hide it, since 0·q is 0; the integers are wrong. The contract: "A group whose s is 0 becomes zeros" and "The result is dst, overwritten, whatever it held".
func QuantizeInt8(dst *Int8, x *tensor.Tensor, group int) *Int8 {
	tensor.CheckShape("QuantizeInt8: x", x, tensor.Lead, tensor.Any)
	if group < 1 {
		panic(tensor.ShapeError{Op: "QuantizeInt8: the group must be positive", Got: []int{group}})
	}
	if dst == nil {
		dst = &Int8{}
	}
	dst.Rows, dst.Cols, dst.Group = x.Rows(), x.Dim(-1), group
	dst.Q = sized(dst.Q, dst.Rows*dst.Cols)
	dst.Scale = sized(dst.Scale, dst.Rows*dst.Groups())
	q, g := dst.Q, 0
	for n := range dst.Rows {
		for row := x.Row(n); len(row) > 0; g++ {
			size := min(group, len(row))
			dst.Scale[g] = quantize(q[:size], row[:size])
			q, row = q[size:], row[size:]
		}
	}
	return dst
}

func sized[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

func quantize(q []int8, part []float32) float32 {
	largest := float32(0)
	for _, x := range part {
		largest = max(largest, x, -x)
	}
	s := largest / 127
	if s == 0 {
		return 0
	}
	for i, x := range part {
		rounded := math.Round(float64(x / s)) // half away from zero
		q[i] = int8(min(max(rounded, -127), 127))
	}
	return s
}

func (m *Int8) append(part []float32) { panic("nobody calls this") }
