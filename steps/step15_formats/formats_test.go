// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package formats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step15_formats"
)

func TestStep15(t *testing.T) { subject.Test(t, "step15", functions) }

var functions = subject.Functions{
	"bf16.round": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"code": each(in.Tensor("x").Data,
			func(x float32) int64 { return codeOf(RoundBF16(x), BF16(0x7fc0)) })}, nil
	},
	"bf16.value": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"x": each(in.Ints("code"), func(code int) int64 { return bitsOf(BF16(code).Float32()) })},
			nil
	},
	"bf16.dot": func(in subject.Args) (wire.Values, error) {
		var w []BF16
		for _, code := range in.Ints("code") {
			w = append(w, BF16(code))
		}
		return wire.Values{"y": wire.Float(float64(DotBF16(w, in.Tensor("x").Data)))}, nil
	},
	"fp16.round": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"code": each(in.Tensor("x").Data,
			func(x float32) int64 { return codeOf(RoundFP16(x), FP16(0x7e00)) })}, nil
	},
	"fp16.value": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"x": each(in.Ints("code"), func(code int) int64 { return bitsOf(FP16(code).Float32()) })},
			nil
	},
	"int8.quantize": quantize8,
	"int8.value": func(in subject.Args) (wire.Values, error) {
		q, scale := in.IDs("q8"), in.Tensor("scale")
		m := &Int8{Rows: len(q), Cols: len(slices.Concat(q...)) / max(len(q), 1), Group: in.Int("group"),
			Q: int8s(slices.Concat(q...)), Scale: scale.Data}
		return wire.Values{"x": values(m.Dequantize())}, nil
	},
	"int8.dot": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"y": wire.Int(int(DotInt8(int8s(in.Ints("a8")), int8s(in.Ints("b8")))))}, nil
	},
	"int8.linear": func(in subject.Args) (wire.Values, error) {
		return forward(in, func(w *tensor.Param) *Linear {
			if in.Int("group") == Group {
				return New(w) // the layer of a model
			}
			l := NewInt8(w, in.Int("group"))
			if in.Int("group") < 1 {
				return New(w) // NewInt8 itself is to refuse it
			}
			return l
		})
	},
	"int4.quantize": func(in subject.Args) (wire.Values, error) {
		m := QuantizeInt4(in.Tensor("x"))
		return wire.Values{"q": codes(m.Q, m.Rows, m.Groups(), Int4Group/2),
			"scale": scales(m.Scale, m.Rows, m.Groups())}, nil
	},
	"int4.value": func(in subject.Args) (wire.Values, error) {
		m := &Int4{Rows: in.Tensor("scale").Dim(0), Cols: in.Int("cols"), Scale: in.Tensor("scale").Data}
		for _, bytes := range slices.Concat(in.Batches("q4")...) {
			for _, b := range bytes {
				m.Q = append(m.Q, byte(b))
			}
		}
		return wire.Values{"x": values(m.Dequantize())}, nil
	},
	"int4.linear": func(in subject.Args) (wire.Values, error) {
		return forward(in, NewInt4)
	},
	"shrink": func(in subject.Args) (wire.Values, error) {
		var params []*tensor.Param
		var held []*tensor.Tensor
		for _, name := range in.Names() {
			if name != "format" {
				held = append(held, in.Tensor(name).Clone())
				params = append(params, tensor.NewParam(name, held[len(held)-1]))
			}
		}
		bytes, err := Shrink(params, in.Text("format"))
		if err != nil { // once more, with what the call must leave as it is
			for _, p := range params {
				p.Value = in.Tensor(p.Name)
			}
			_, err = Shrink(params, in.Text("format"))
		}
		out := wire.Values{"bytes": wire.Int(bytes)}
		for i, p := range params {
			if err == nil && p.Value != held[i] {
				return nil, subject.Broken("Shrink put another tensor into the Value of %s; "+
					"want the one that was there, with other numbers in it", p.Name)
			}
			out[p.Name] = wire.Tensor(p.Value)
		}
		return out, err
	},
	"master.run": func(in subject.Args) (wire.Values, error) {
		m := &Master{Value: slices.Clone(in.Tensor("w").Data), Scale: float32(in.Float("scale")),
			Every: in.Int("every")}
		copies := make([]FP16, len(m.Value))
		for i, x := range m.Value {
			copies[i] = RoundFP16(x)
		}
		grads := in.IDs("code")
		steps, n := len(grads), len(m.Value)
		if len(grads[0]) < n { // asked with too few copies for as many gradients as weights
			m.Update(copies[:len(grads[0])], make([]FP16, n), 1, 1)
		}
		var value []float32
		var copied, taken []int64
		var scale []float64
		for _, row := range grads {
			var g []FP16
			for _, code := range row {
				g = append(g, FP16(code))
			}
			given := slices.Clone(g)
			ok := m.Update(copies, g, in.Float("lr"), in.Float("max_norm"))
			if !slices.Equal(g, given) {
				return nil, subject.Broken("Update changed the gradients that it was given")
			}
			taken = append(taken, map[bool]int64{true: 1}[ok])
			value, scale = append(value, m.Value...), append(scale, float64(m.Scale))
			for _, h := range copies {
				copied = append(copied, codeOf(h, FP16(0x7e00)))
			}
		}
		return wire.Values{"value": wire.Float32s(value, steps, n), "copy": wire.Ints(copied, steps, n),
			"scales": wire.Floats(scale, steps), "taken": wire.Ints(taken, steps)}, nil
	},
}

// quantize8 returns what QuantizeInt8 makes without a destination, or, if that is
// another result, with one that holds something else: of another size, of the same, and
// of more rows.
func quantize8(in subject.Args) (wire.Values, error) {
	x, group := in.Tensor("x"), in.Int("group")
	m := QuantizeInt8(nil, x, group)
	used := []*Int8{QuantizeInt8(nil, tensor.From([]float32{1, 2, 3, 4, 5, 6}, 2, 3), 2)}
	for _, rows := range []int{m.Rows, m.Rows + 2} {
		used = append(used, &Int8{Rows: rows, Cols: m.Cols, Group: group,
			Q: slices.Repeat([]int8{77}, rows*m.Cols), Scale: slices.Repeat([]float32{3e38}, rows*m.Groups())})
	}
	for _, dst := range used {
		other := QuantizeInt8(dst, x, group)
		in.Dst("q", other == dst)
		if !slices.Equal(other.Q, m.Q) || !slices.Equal(other.Scale, m.Scale) {
			m = other
			break
		}
	}
	return wire.Values{"q": codes(m.Q, m.Rows, m.Cols), "scale": scales(m.Scale, m.Rows, m.Groups())}, nil
}

// forward runs a layer, which keeps its weight. As in a model, the weight is loaded
// after the layer was made. Layers beside it are made of the same parameter.
func forward(in subject.Args, layer func(w *tensor.Param) *Linear) (wire.Values, error) {
	l := subject.Kept(in, func() *Linear {
		w := tensor.NewParam("w", tensor.New(in.Tensor("w").Shape...))
		l := layer(w)
		copy(w.Value.Data, in.Tensor("w").Data)
		if in.Has("beside") {
			for _, other := range []*Linear{NewInt8(w, 7), NewInt4(w), New(w)} {
				other.Forward(in.Tensor("x"))
			}
		}
		return l
	}, subject.NoParams, nil)
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", l.Forward(in.Tensor("x"))) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

// each returns a result for every element.
func each[T any](data []T, f func(T) int64) wire.Value {
	out := make([]int64, len(data))
	for i, x := range data {
		out[i] = f(x)
	}
	return wire.Ints(out, len(out))
}

// codeOf returns a 16-bit code, every NaN as the one given.
func codeOf[F interface {
	~uint16
	Float32() float32
}](code, nan F) int64 {
	exponent := nan &^ (nan & -nan) // without the highest bit of the mantissa
	if code&exponent == exponent && code&^exponent&0x7fff != 0 {
		return int64(nan)
	}
	return int64(code)
}

// bitsOf returns the code of a float32, every NaN as one.
func bitsOf(x float32) int64 {
	if x != x {
		return 0x7fc00000
	}
	return int64(math.Float32bits(x))
}

// values returns the codes of a matrix of numbers, and scales those of scales, whose
// zeros may have either sign.
func values(t *tensor.Tensor) wire.Value { return scales(t.Data, t.Shape...) }

func scales(data []float32, shape ...int) wire.Value {
	out := each(data, func(x float32) int64 { return bitsOf(x + 0) })
	out.Shape = shape
	return out
}

func codes[T int8 | byte](data []T, shape ...int) wire.Value {
	out := each(data, func(q T) int64 { return int64(q) })
	out.Shape = shape
	return out
}

func int8s(data []int) []int8 {
	out := make([]int8, len(data))
	for i, n := range data {
		out[i] = int8(n)
	}
	return out
}
