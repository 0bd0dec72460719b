package formats

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// sameWeights asks layers of both formats, each with one weight, for inputs of other
// sizes, of every size twice with other numbers, of which a group is zero the second time.
func sameWeights(e *course.Exam) error {
	for _, c := range []course.Drawing{{Function: "int8.linear", Draw: drawLinear8}, {Function: "int4.linear", Draw: drawLinear4}} {
		// A weight that lies in the middle of two int8s would spoil every call of its layer.
		first, err := e.WellDrawn(c)
		if err != nil {
			return err
		}
		group := 32
		if g, ok := first["group"]; ok {
			group = int(g.I64[0])
		}
		var shape []int
		other := func(rng *rand.Rand) wire.Values {
			shape = []int{course.Between(rng, 1, 5), course.Between(rng, 1, 5), first["w"].Shape[1]}
			return course.With(first, "x", rowsOfSizes(rng, shape...))
		}
		same := func(rng *rand.Rand) wire.Values {
			in := course.With(first, "x", rowsOfSizes(rng, shape...))
			for row := range slices.Chunk(in["x"].F32, shape[2]) {
				clear(row[:group])
			}
			return in
		}
		if err := course.OneLayer(course.Drawing{Function: c.Function, Draw: other}, course.Drawing{Function: c.Function, Draw: same})(e); err != nil {
			return err
		}
	}
	return nil
}

// beside asks a layer after others, of other bits and groups, were made of its parameter.
func beside(e *course.Exam) error {
	return course.Despite("beside", lang.T("other layers, with other bits and groups, are made of the same Param and asked first"),
		course.Drawing{Function: "int8.linear", Draw: drawLinear8}, course.Drawing{Function: "int4.linear", Draw: drawLinear4})(e)
}

// refused are calls that the contracts refuse.
func refused() []func(*course.Exam) error {
	rng := rand.New(rand.NewPCG(15, 2))
	scalar := wire.Float32s([]float32{1})
	ints := func(n int) wire.Value { return wire.Ints(make([]int64, n), n) }
	x, w := course.Normal(rng, 1, 3, 5), course.Normal(rng, 1, 7, 6)
	return []func(*course.Exam) error{
		course.Refuses("bf16.dot", "seven weights and six numbers", wire.Values{"code": ints(7), "x": course.Normal(rng, 1, 6)}, "6", "7"),
		course.Refuses("bf16.dot", "six weights and seven numbers", wire.Values{"code": ints(6), "x": course.Normal(rng, 1, 7)}, "6", "7"),
		course.Refuses("int8.dot", "vectors of seven and six numbers", wire.Values{"a8": ints(7), "b8": ints(6)}, "6", "7"),
		course.Refuses("int8.dot", "vectors of six and seven numbers", wire.Values{"a8": ints(6), "b8": ints(7)}, "6", "7"),
		course.Refuses("int8.quantize", "a group of 0", wire.Values{"x": x, "group": wire.Int(0)}, "0"),
		course.Refuses("int8.quantize", "a group of -3", wire.Values{"x": x, "group": wire.Int(-3)}, "-3"),
		course.Refuses("int8.quantize", "a single number", wire.Values{"x": scalar, "group": wire.Int(2)}),
		course.Refuses("int4.quantize", "a single number", wire.Values{"x": scalar}),
		course.Misfits("int8.linear", "x", drawLinear8),
		course.Misfits("int4.linear", "x", drawLinear4),
		course.Refuses("int8.linear", "x with 5 features where the weight takes 6", wire.Values{"x": x, "w": w, "group": wire.Int(2)}, "5", "6"),
		course.Refuses("int8.linear", "a group of 0", wire.Values{"x": x, "w": course.Normal(rng, 1, 7, 5), "group": wire.Int(0)}, "0"),
		course.Refuses("int8.linear", "a weight of one dimension", wire.Values{"x": x, "w": course.Normal(rng, 1, 5), "group": wire.Int(2)}, "5"),
		course.Refuses("int4.linear", "a weight of one dimension", wire.Values{"x": x, "w": course.Normal(rng, 1, 5)}, "5"),
		course.Refuses("master.run", "four gradients, or copies, for five weights", badMaster(5, 4), "4", "5"),
		course.Refuses("master.run", "five gradients for four weights", badMaster(4, 5), "4", "5"),
	}
}

// badMaster is an update of n weights with as many gradients as are given.
func badMaster(n, gradients int) wire.Values {
	return wire.Values{"w": course.Ones(n), "code": wire.Ints(make([]int64, gradients), 1, gradients), "scale": wire.Float(8),
		"every": wire.Int(2), "lr": wire.Float(1), "max_norm": wire.Float(1)}
}

// shrunk stores a model in every format, and in one that there is not.
func shrunk() []func(*course.Exam) error {
	var parts []func(*course.Exam) error
	for _, format := range []string{"int8", "int4", "bf16", "fp16", "f32"} {
		parts = append(parts, course.AgreesExactly("shrink", func(rng *rand.Rand) wire.Values { return drawModel(rng, format) }))
	}
	gains := func(format string, n int) wire.Values { // so many gains, and no matrix
		in := wire.Values{"format": wire.String(format)}
		for i := range n {
			in[[]string{"ln_final.weight", "layers.0.ln1.weight"}[i]] = course.Ones(5)
		}
		return in
	}
	return append(parts, course.AgreesOn("shrink", spoilt("int8"), spoilt("int4"), spoilt("bf16"), spoilt("fp16")),
		course.Refuses("shrink", "a format that there is none of", drawModel(rand.New(rand.NewPCG(15, 3)), "f8"), "f8"),
		course.Refuses("shrink", "a format that there is none of, for two gains,", gains("q4", 2), "q4"),
		course.Refuses("shrink", "a format that there is none of, for no parameter,", gains("int2", 0), "int2"))
}

// spoilt is a model with three NaNs in a matrix: at the beginning of a group, inside of
// one, and at the end of a short one. The other groups are sound.
func spoilt(format string) wire.Values {
	in := drawModel(rand.New(rand.NewPCG(15, 4)), format)
	w := in["lm_head.weight"]
	d := w.Shape[1]
	for _, i := range []int{0, 2*d + 9, 5*d - 1} {
		w.F32[i] = float32(math.NaN())
	}
	return in
}

// drawModel draws the parameters of a small model whose rows leave a short last group.
func drawModel(rng *rand.Rand, format string) wire.Values {
	const d, f, vocab = 70, 39, 11
	draw := func(shape ...int) wire.Value {
		switch {
		case len(shape) == 1:
			return course.Gain(rng, shape[0])
		case format == "int4":
			return levels4(rng, shape...)
		}
		return levels8(rng, 64, shape...)
	}
	in := wire.Values{"format": wire.String(format), "token_embeddings.weight": draw(vocab, d), "lm_head.weight": draw(vocab, d), "ln_final.weight": draw(d)}
	for _, part := range []struct {
		name  string
		shape []int
	}{{"ln1", []int{d}}, {"ln2", []int{d}}, {"attn.q_proj", []int{d, d}}, {"attn.k_proj", []int{d, d}}, {"attn.v_proj", []int{d, d}},
		{"attn.output_proj", []int{d, d}}, {"ffn.w1", []int{f, d}}, {"ffn.w2", []int{d, f}}, {"ffn.w3", []int{f, d}}} {
		in["layers.0."+part.name+".weight"] = draw(part.shape...)
	}
	return in
}
