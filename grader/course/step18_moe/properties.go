package moe

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// twoResults is the tolerance between two results of one program.
func twoResults(e *course.Exam, function string) func(string) float64 {
	return func(output string) float64 { return 2 * e.Tolerance(function, output) }
}

// layer is what is asked again and again, with the input that it must refuse.
func layer(bad func(wire.Values) wire.Values) course.Layer {
	return course.Layer{Forward: "moe.forward", Backward: "moe.backward", Input: "x", Draw: withGradient(drawForward), Bad: bad}
}

// tokensPermute turns the order of the tokens round: so must be that of the outputs.
func tokensPermute(e *course.Exam) error {
	in := drawForward(e.Rng)
	return sameWhen(e, in, func(v wire.Values) wire.Values {
		return course.With(v, "x", reversed(in["x"], 1, in["router"].Shape[1]))
	},
		func(y wire.Value) wire.Value { return reversed(y, 1, in["router"].Shape[1]) })
}

// expertsPermute turns the order of the experts round, with their rows of the router:
// the output must stay the same.
func expertsPermute(e *course.Exam) error {
	in := drawForward(e.Rng)
	return sameWhen(e, in, func(v wire.Values) wire.Values {
		for _, w := range weights() {
			v = course.With(v, w, reversed(in[w], in[w].Shape[0]/in["router"].Shape[0], in[w].Shape[1]))
		}
		return v
	}, func(y wire.Value) wire.Value { return y })
}

// twins makes all experts alike: with gates that add up to 1 the output is that of one.
func twins(e *course.Exam) error {
	s := drawSizes(e.Rng)
	one := sizes{lead: s.lead, d: s.d, experts: 1, hidden: s.hidden, k: 1}.draw(e.Rng)
	in := course.With(s.draw(e.Rng), "x", one["x"])
	for _, w := range weights()[1:] {
		in = course.With(in, w, wire.Float32s(slices.Repeat(one[w].F32, s.experts), s.experts*one[w].Shape[0], one[w].Shape[1]))
	}
	y, err := e.Array("moe.forward", one, "y", one["x"].Shape...)
	if err != nil {
		return err
	}
	got, err := e.Ask("moe.forward", in)
	if err != nil {
		return err
	}
	return e.Compare("moe.forward", in, got, wire.Values{"y": wire.Float32s(y, one["x"].Shape...)}, []string{"y"}, twoResults(e, "moe.forward"))
}

// sameWhen compares what comes of a changed call with what came of the call, changed too.
func sameWhen(e *course.Exam, in wire.Values, change func(wire.Values) wire.Values, then func(wire.Value) wire.Value) error {
	y, err := e.Array("moe.forward", in, "y", in["x"].Shape...)
	if err != nil {
		return err
	}
	changed := change(in)
	got, err := e.Ask("moe.forward", changed)
	if err != nil {
		return err
	}
	want := wire.Values{"y": then(wire.Float32s(y, in["x"].Shape...))}
	return e.Compare("moe.forward", changed, got, want, []string{"y"}, twoResults(e, "moe.forward"))
}

// reversed has the blocks of so many rows in the other order.
func reversed(v wire.Value, rows, width int) wire.Value {
	var out []float32
	for _, block := range slices.Backward(slices.Collect(slices.Chunk(v.F32, rows*width))) {
		out = append(out, block...)
	}
	return wire.Float32s(out, v.Shape...)
}

// rounded is the tolerance of what depends on logits of several hundred.
func rounded(string) float64 { return 1e-3 }

// loudly asks for logits whose exponentials overflow.
func loudly(function string, draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := loud(draw)(e.Rng)
		want, err := e.Solve(function)(in)
		if err != nil {
			return err
		}
		got, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		return course.Told(lang.T("logits of several hundred"), e.Compare(function, in, got, want, nil, rounded))
	}
}

// shifted adds so much to all logits of a token that the exponentials overflow, or vanish:
// the gates stay the same, but for what ln Σ e^l loses where it is rounded near 1,000.
func shifted(k int, by float32) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := drawLogits(k)(e.Rng)
		for i, l := range in["logits"].F32 { // multiples of 1/64, to which by can be added exactly
			in["logits"].F32[i] = float32(int(l*64)) / 64
		}
		gates, err := e.Array("gates.forward", in, "gates", in["logits"].Shape[0], k)
		if err != nil {
			return err
		}
		more := slices.Clone(in["logits"].F32)
		for i := range more {
			more[i] += by
		}
		shifted := course.With(in, "logits", wire.Float32s(more, in["logits"].Shape...))
		got, err := e.Ask("gates.forward", shifted)
		if err != nil {
			return err
		}
		want := wire.Values{"gates": wire.Float32s(gates, in["logits"].Shape[0], k)}
		return e.Compare("gates.forward", shifted, got, want, []string{"gates"}, rounded)
	}
}
