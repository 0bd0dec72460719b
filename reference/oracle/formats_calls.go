package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("bf16.round", bf16().round)
	answer("bf16.value", bf16().read)
	answer("bf16.dot", bf16Dot)
	answer("fp16.round", fp16().round)
	answer("fp16.value", fp16().read)
	answer("int8.quantize", int8Quantize)
	answer("int8.value", int8Value)
	answer("int8.dot", int8Dot)
	answer("int8.linear", int8Linear)
	answer("int4.quantize", int4Quantize)
	answer("int4.value", int4Value)
	answer("int4.linear", int4Linear)
	answer("shrink", shrink)
	answer("master.run", masterRun)
}

// nibbles is how many int4s share a scale.
const nibbles = 32

// group returns the size of a group, which is positive.
func (c *call) group() (int, error) {
	if g := c.int("group"); g > 0 {
		return g, nil
	}
	return 0, c.refuse("group", "at least 1")
}

// rows8 returns the rows of an argument in int8.
func (c *call) rows8(name string, group int) grouped {
	return quantized(c.tensor(name), group, int8s)
}

func int8Quantize(c *call) (wire.Values, error) {
	group, err := c.group()
	if err != nil {
		return nil, err
	}
	m := c.rows8("x", group)
	q := make([]int64, len(m.q))
	for i, n := range m.q {
		q[i] = int64(n)
	}
	return wire.Values{"q": wire.Ints(q, m.rows, m.cols), "scale": coded(m.scale, []int{m.rows, m.groups()}, bits32)}, nil
}

func int4Quantize(c *call) (wire.Values, error) {
	m := quantized(c.tensor("x"), nibbles, int4s)
	bytes := make([]int64, m.rows*m.groups()*nibbles/2)
	for i := range bytes {
		bytes[i] = 8 + 8<<4 // zeros
	}
	m.each(func(g, from, to int) {
		for i := from; i < to; i++ {
			at, place := (i-from)%(nibbles/2), (i-from)/(nibbles/2)
			bytes[g*nibbles/2+at] += int64(m.q[i]) << (4 * place)
		}
	})
	return wire.Values{"q": wire.Ints(bytes, m.rows, m.groups(), nibbles/2), "scale": coded(m.scale, []int{m.rows, m.groups()}, bits32)}, nil
}

func int8Value(c *call) (wire.Values, error) {
	group, err := c.group()
	if err != nil {
		return nil, err
	}
	shape := c.in["q8"].Shape
	m := grouped{rows: shape[0], cols: shape[1], group: group, q: c.indices("q8").Data, scale: widen(c.in["scale"])}
	if len(m.scale) != m.rows*m.groups() {
		return nil, c.refuse("scale", "one for each group")
	}
	return wire.Values{"x": coded(m.values(), shape, bits32)}, nil
}

func int4Value(c *call) (wire.Values, error) {
	shape := c.in["q4"].Shape
	m := grouped{rows: shape[0], cols: c.int("cols"), group: nibbles, scale: widen(c.in["scale"])}
	if shape[2] != nibbles/2 || m.groups() != shape[1] {
		return nil, c.refuse("q4", fmt.Sprintf("(N, %d, %d)", m.groups(), nibbles/2))
	}
	bytes := c.in["q4"].I64
	m.q = make([]int, m.rows*m.cols)
	m.each(func(g, from, to int) {
		for i := from; i < to; i++ {
			at, place := (i-from)%(nibbles/2), (i-from)/(nibbles/2)
			m.q[i] = int(bytes[g*nibbles/2+at]>>(4*place)&15) - 8
		}
	})
	return wire.Values{"x": coded(m.values(), []int{m.rows, m.cols}, bits32)}, nil
}

func int8Linear(c *call) (wire.Values, error) {
	group, err := c.group()
	if err != nil {
		return nil, err
	}
	return c.product(c.rows8("x", group), c.rows8("w", group))
}

func int4Linear(c *call) (wire.Values, error) {
	return c.product(c.rows8("x", nibbles), quantized(c.tensor("w"), nibbles, int4s))
}

// product is y = x·wᵀ.
func (c *call) product(x, w grouped) (wire.Values, error) {
	lead := c.in["x"].Shape[:len(c.in["x"].Shape)-1]
	outs := c.in["w"].Shape[0]
	y := make([]float64, 0, x.rows*outs)
	for n := range x.rows {
		for i := range outs {
			y = append(y, dot(x, n, w, i))
		}
	}
	return wire.Values{"y": wire.Floats(y, append(slices.Clone(lead), outs)...)}, nil
}

// shrink stores every matrix in a format and reads it back.
func shrink(c *call) (wire.Values, error) {
	bytes, out := 0, wire.Values{}
	for _, a := range arguments(mustBeDeclared("shrink"), c.in) {
		if a.Name == "format" {
			continue
		}
		w := c.in[a.Name]
		x, size, ok := widen(w), 4*w.Len(), true
		if len(w.Shape) == 2 {
			x, size, ok = storedAs(c.in["format"].Text, autodiff.New(x, w.Shape...))
		}
		if !ok {
			return nil, c.refuse("format", "f32, bf16, fp16, int8 or int4")
		}
		bytes += size
		out[a.Name] = wire.Floats(x, w.Shape...)
	}
	out["bytes"] = wire.Int(bytes)
	return out, nil
}

func mustBeDeclared(function string) fixtures.Function {
	f, _ := fixtures.Declared(function)
	return f
}

// storedAs returns what is left of a matrix in a format, and how many bytes it takes.
func storedAs(format string, w *autodiff.Tensor) (left []float64, bytes int, ok bool) {
	x := w.Data
	switch format {
	case "f32":
		return x, 4 * len(x), true
	case "bf16", "fp16":
		f := map[string]binary{"bf16": bf16(), "fp16": fp16()}[format]
		for i, v := range x {
			x[i] = f.value(f.code(v))
		}
		return x, 2 * len(x), true
	case "int8":
		m := quantized(w, 64, int8s)
		return m.values(), len(x) + 4*len(m.scale), true
	case "int4":
		m := quantized(w, nibbles, int4s)
		return m.values(), (nibbles/2 + 4) * len(m.scale), true
	}
	return nil, 0, false
}

// masterRun is gradient descent on the originals of weights.
func masterRun(c *call) (wire.Values, error) {
	w, scale, good := slices.Clone(c.tensor("w").Data), c.float("scale"), 0
	shape := c.in["code"].Shape
	var values, scales []float64
	var copies, taken []int64
	copied := coded(w, nil, fp16().code).I64
	for s := range shape[0] {
		g := make([]float64, shape[1])
		squares := 0.0
		for i := range g {
			g[i] = fp16().value(c.in["code"].I64[s*shape[1]+i]) / scale
			squares += g[i] * g[i]
		}
		ok := !math.IsInf(squares, 0) && !math.IsNaN(squares)
		switch {
		case !ok:
			scale, good = scale/2, 0
		default:
			factor := min(1, c.float("max_norm")/(math.Sqrt(squares)+1e-6))
			for i := range w {
				w[i] -= c.float("lr") * factor * g[i]
			}
			copied = coded(w, nil, fp16().code).I64
			if good++; good == c.int("every") {
				scale, good = 2*scale, 0
			}
		}
		values, scales = append(values, w...), append(scales, scale)
		copies, taken = append(copies, copied...), append(taken, map[bool]int64{true: 1}[ok])
	}
	return wire.Values{"value": wire.Floats(values, shape...), "copy": wire.Ints(copies, shape...),
		"scales": wire.Floats(scales, shape[0]), "taken": wire.Ints(taken, shape[0])}, nil
}
