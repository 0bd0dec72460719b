package lm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// ownStreams holds every tensor of a fresh model, bit for bit, against what step 01
// draws from the stream of its name.
func ownStreams(e *course.Exam) error {
	for _, c := range []struct{ layers, d, f int }{{2, 64, 192}, {12, 8, 10}} { // layer 10 is the first with two digits
		in := modelConfig(int(e.Rng.Int32()))
		in["num_layers"], in["d_model"], in["d_ff"] = wire.Int(c.layers), wire.Int(c.d), wire.Int(c.f)
		if err := drawnByName(e, in, c.layers); err != nil {
			return err
		}
	}
	return nil
}

// drawnByName is ownStreams for a model of so many layers. Its parameters come in the
// order of the state dictionary.
func drawnByName(e *course.Exam, in wire.Values, layers int) error {
	in["expected"] = wire.Int(1)
	out, err := e.Ask("lm.init", in)
	if err != nil {
		return err
	}
	names := parameterNames(layers)
	for i, got := range strings.Fields(out["names"].Text) {
		if i >= len(names) || got != names[i] {
			return e.Fails("lm.init", in, "parameter %d of Params is %s; the order is token_embeddings.weight, the nine of layer 0, of layer 1, …, ln_final.weight, lm_head.weight", i, got)
		}
	}
	for _, name := range names {
		got, want := out[name].F32, out["expected."+name].F32
		if len(got) == 0 || len(got) != len(want) {
			return e.Fails("lm.init", in, "the state dictionary has no entry %q", name)
		}
		for i := range want {
			if !course.SameBits(got[i], want[i]) {
				return e.Fails("lm.init", in, "element %d of %s is %g; want %g, which step 01's initialiser draws from Rand(seed, %q): "+
					"every tensor has a stream of its own, whatever other tensors there are", i, name, got[i], want[i], name)
			}
		}
	}
	return nil
}

// parameterNames are those of a model, in the order of Params.
func parameterNames(layers int) []string {
	names := []string{"token_embeddings.weight"}
	for l := range layers {
		for _, name := range []string{"ln1", "attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.output_proj", "ln2", "ffn.w1", "ffn.w2", "ffn.w3"} {
			names = append(names, fmt.Sprintf("layers.%d.%s.weight", l, name))
		}
	}
	return append(names, "ln_final.weight", "lm_head.weight")
}

// wrongConfigs asks New for models that cannot be. It must panic with the error of
// Validate, which names what is wrong.
func wrongConfigs(e *course.Exam) error {
	var parts []func(*course.Exam) error
	for _, name := range []string{"vocab_size", "context_length", "d_model", "num_heads", "d_ff"} {
		parts = append(parts, course.Refuses("lm.init", "a configuration with a size of 0", course.With(modelConfig(1), name, wire.Int(0)), name))
	}
	parts = append(parts, course.Refuses("lm.init", "num_layers −1", course.With(modelConfig(1), "num_layers", wire.Int(-1)), "num_layers"))
	for _, theta := range []float64{0, math.NaN(), math.Inf(1)} {
		parts = append(parts, course.Refuses("lm.init", "a rope_theta that is no number above 0",
			course.With(modelConfig(1), "rope_theta", wire.Float(theta)), "rope_theta"))
	}
	return course.All(parts...)(e)
}

// wrongCalls puts to Forward and Backward what their comments say is refused.
func wrongCalls(e *course.Exam) error {
	in := DrawLMBackward(e.Rng)
	b, t, vocab := in["ids"].Shape[0], in["ids"].Shape[1], in["lm_head.weight"].Shape[0]
	two := course.With(in, "ids", course.IDs(e.Rng, vocab, 2, t))
	delete(two, "targets")
	narrow := course.With(in, "dlogits", course.Normal(e.Rng, 1, b, t, vocab-1))
	long := course.With(in, "dlogits", course.Normal(e.Rng, 1, b, t+1, vocab))
	early := course.With(in, "dlogits", course.Normal(e.Rng, 1, b, t, vocab))
	delete(early, "ids")
	return course.All(
		course.Refuses("lm.forward", "a batch of which the last row is a token shorter", course.With(two, "ragged", wire.Int(1))),
		course.Refuses("lm.backward", "a gradient with a token too few in its vocabulary", narrow),
		course.Refuses("lm.backward", "a gradient of longer sequences than the logits", long),
		course.Refuses("lm.backward", "a Backward without a Forward before it", early))(e)
}

// refusedForward checks that a Forward that is refused leaves no trace: the Backward
// after it belongs to the Forward before it.
func refusedForward(e *course.Exam) error {
	tolerance := e.LargestTolerance("lm.backward")
	of := func(string) float64 { return tolerance }
	in, want, err := e.Drawn(course.Drawing{Function: "lm.backward", Draw: DrawLMBackward, Tolerance: of})
	if err != nil {
		return err
	}
	vocab, shape := in["lm_head.weight"].Shape[0], in["ids"].Shape
	unknownIn := func(shape ...int) wire.Values {
		return course.OutOfRange("refused")(course.With(in, "refused", course.IDs(e.Rng, vocab, shape...)))
	}
	long := func(rows int) wire.Values { return course.With(in, "refused", course.IDs(e.Rng, vocab, rows, 9)) }
	b, t := shape[0], shape[1]
	for _, call := range []wire.Values{unknownIn(b, t), unknownIn(b, t-1), unknownIn(b, t+1), unknownIn(b+1, 1), long(b), long(1),
		course.Ragged(in, "refused", int64(t-1), int64(t-2)), course.Ragged(in, "refused", int64(t+1), int64(t))} {
		got, err := e.Ask("lm.backward", call)
		if err == nil {
			err = e.Compare("lm.backward", call, got, want, nil, of)
		}
		if err != nil {
			return course.Told(lang.T("Forward, then a Forward that is refused, then Backward, as if the refused call had never been"), err)
		}
	}
	return nil
}

// nothingToDraw checks that Draw panics, whatever its message, if there is nothing
// to draw from: wherever the NaN stands, and whichever place on the line is chosen.
func nothingToDraw(e *course.Exam) error {
	nan := float32(math.NaN())
	for _, probs := range [][]float32{{nan, 0.5, 0.5}, {0.5, nan, 0.5}, {0.5, 0.5, nan}, {nan, nan, nan}, {nan}, {0, 0, 0}, {0}, {}} {
		for _, bits := range []uint64{0, 1 << 52, 1<<53 - 1} {
			in := wire.Values{"probs": wire.Float32s(probs, len(probs)), "n": wire.Int(1), "seed": wire.Int(0), "bits": wire.Int(int(bits))}
			_, err := e.Call("sample.draw", in)
			var f *verdict.Failure
			switch {
			case err == nil:
				return e.Fails("sample.draw", in, "the probabilities are %v and Draw returned a token; it must panic if they hold a NaN or sum to 0", probs)
			case !errors.As(err, &f) || f.Kind != verdict.Panic && !f.Refused:
				return err
			}
		}
	}
	return nil
}

// resultsStay checks that what Distribution and Generate return belongs to the
// caller: a second call leaves the first one's result as it is.
func resultsStay(e *course.Exam) error {
	probs := wire.Values{"logits": wire.Float32s([]float32{0, 1, 2, 3}, 4), "temperature": wire.Float(1), "top_p": wire.Float(1),
		"next": wire.Float32s([]float32{3, 2, 1, 0}, 4)}
	text := drawGenerate(rand.New(rand.NewPCG(10, 3)))
	text["stop"] = wire.Int(-1)
	next := text["prompt"]
	next.I64 = []int64{(next.I64[0] + 1) % int64(text["lm_head.weight"].Shape[0])}
	next.Shape = []int{1}
	text["next"] = next
	for _, call := range []struct {
		function string
		in       wire.Values
	}{{"sample.probs", probs}, {"sample.probs", course.With(probs, "temperature", wire.Float(0))}, {"lm.generate", text}} {
		alone := course.With(call.in, "next", wire.Value{})
		delete(alone, "next")
		want, err := e.Ask(call.function, alone)
		if err != nil {
			return err
		}
		got, err := e.Ask(call.function, call.in)
		if err != nil {
			return err
		}
		for _, name := range course.SortedNames(want) {
			if verdict.Compare(name, got[name], want[name], 0) != nil {
				return e.Fails(call.function, call.in, "%s of a first call changed when the function was called a second time; "+
					"a result belongs to the caller, so return a new slice each time", name)
			}
		}
	}
	return nil
}

// longPrompt draws a prompt that is longer than the context.
func longPrompt(rng *rand.Rand) wire.Values {
	in := drawGenerate(rng)
	vocab, length := in["lm_head.weight"].Shape[0], int(in["context_length"].I64[0])
	return course.With(course.With(in, "stop", wire.Int(-1)), "prompt", course.IDs(rng, vocab, length+course.Between(rng, 1, 4)))
}

// badPrompts puts prompts and settings to Generate that it must refuse.
func badPrompts(e *course.Exam) error {
	good := drawGenerate(rand.New(rand.NewPCG(10, 3)))
	vocab := int64(good["lm_head.weight"].Shape[0])
	empty := course.With(good, "prompt", wire.Ints([]int64{}, 0))
	parts := []func(*course.Exam) error{
		course.Refuses("lm.generate", "an empty prompt", empty),
		course.Refuses("lm.generate", "an empty prompt", course.With(empty, "max_new", wire.Int(0))),
		course.Refuses("lm.generate", "a temperature that is not a number", badGenerate("temperature", math.NaN())),
		course.Refuses("lm.generate", "a top-p that is not a number", badGenerate("top_p", math.NaN())),
		course.Refuses("lm.generate", "a negative top-p", badGenerate("top_p", -0.5)),
	}
	for _, id := range []int64{vocab, -1} {
		long := make([]int64, good["context_length"].I64[0]+2) // more than the model reads at once
		long[0] = id
		parts = append(parts,
			course.Refuses("lm.generate", "an id outside the vocabulary in the prompt", course.With(good, "prompt", wire.Ints([]int64{1, id}, 2))),
			course.Refuses("lm.generate", "an id outside the vocabulary in the prompt", course.With(good, "prompt", wire.Ints(long, len(long)))))
	}
	return course.All(parts...)(e)
}
