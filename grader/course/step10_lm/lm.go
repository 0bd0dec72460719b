// Package lm says how step 10 is checked; what its functions look like says
// fixtures/step10_lm/functions.txt.
package lm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step10", Name: "lm", Folder: "step10_lm", Track: course.Core,
		Title:     "The language model",
		Needs:     []string{"step01", "step02", "step03", "step04", "step05", "step06", "step07", "step08", "step09"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step10_lm"),
		Checks: []course.Check{
			{ID: "lm.forward", Title: "the logits agree with PyTorch", Points: 12, Run: course.Agrees("lm.forward")},
			{ID: "lm.forward.fresh", Title: "the logits on fresh random models; an empty batch is fine", Points: 5, Run: course.All(course.AgreesFresh("lm.forward", DrawLM), emptyBatchLM)},
			{ID: "lm.forward.bad_input", Title: "unknown ids, sequences that are too long and a state dictionary that does not fit are errors", Points: 5, Run: course.All(
				course.Refuses("lm.forward", "id 99 with a vocabulary of 11", badLM(99, 4), "99"),
				course.Refuses("lm.forward", "a sequence of 9 with a context length of 8", badLM(1, 9), "9", "8"),
				course.Refuses("lm.forward", "a state dictionary without ln_final.weight", badState("ln_final.weight", wire.Value{}), "ln_final.weight"),
				course.Refuses("lm.forward", "a state dictionary with an lm_head.weight of shape (3, 5)", badState("lm_head.weight", wire.Float32s(make([]float32, 15), 3, 5)), "lm_head.weight"),
				course.Refuses("lm.forward", "a state dictionary with an entry extra.weight", badState("extra.weight", course.Ones(3)), "extra.weight"))},
			{ID: "lm.backward", Title: "the loss and every gradient agree with PyTorch", Points: 15, Run: course.Agrees("lm.backward")},
			{ID: "lm.backward.fresh", Title: "the loss and every gradient on fresh random models", Points: 5, Run: gradientsFresh},
			{ID: "lm.forward.again", Title: "a model that is asked again and again answers as if it were new; wrong calls are refused; every tensor has a stream of its own", Points: 5,
				Run: course.All(course.AskedAgain(course.Layer{Forward: "lm.forward", Input: "ids", Draw: DrawLM}), refusedForward, sideBySide, atOnce, wrongCalls, wrongConfigs, ownStreams)},
			{ID: "lm.replica", Title: "a replica shares the values and has gradients of its own", Points: 5, Backward: true, Run: replicasAgree},
			{ID: "lm.init", Title: "a fresh model has the right names, shapes and spreads, and its seed settles it", Points: 10, Run: course.All(freshModel, seedSettles,
				course.Refuses("lm.init", "4 heads in a model of width 10", course.With(course.With(modelConfig(1), "d_model", wire.Int(10)), "num_heads", wire.Int(4)), "10", "4"))},
			{ID: "lm.init.loss", Title: "a fresh model knows nothing: its loss is close to ln V", Points: 5, Run: initialLoss},
			{ID: "lm.accounting", Title: "parameters and FLOPs are counted right", Points: 10, Run: course.All(course.Agrees("lm.accounting"), course.AgreesFresh("lm.accounting", drawAccounting), countsAgree)},
			{ID: "sample.probs", Title: "temperature and top-p shape the distribution as they should", Points: 10, Run: course.All(course.Agrees("sample.probs"), course.AgreesFresh("sample.probs", drawLogits), sharpest, nucleusEnds, settingsHeld)},
			{ID: "sample.draw", Title: "draws follow the distribution and repeat with their seed", Points: 5, Run: course.All(drawsFollow, drawsFromLess)},
			{ID: "sample.edges", Title: "draws at both ends of the line, from 50,000 tokens, and from nothing; results that stay; prompts that are refused", Points: 3,
				Run: course.All(drawsAtTheEdges, nothingToDraw, resultsStay, badPrompts)},
			{ID: "lm.generate", Title: "generation: greedy choices, the stop token, a context longer than the model's, the same text for the same seed", Points: 5, Run: course.All(
				course.Agrees("lm.generate"), stopsFresh, stopsAtZero, course.AgreesFresh("lm.generate", longPrompt), textRepeats, drawnAnew, stopEnds, coldIsGreedy,
				course.Refuses("lm.generate", "top-p 0", badGenerate("top_p", 0)),
				course.Refuses("lm.generate", "top-p 1.5", badGenerate("top_p", 1.5)),
				course.Refuses("lm.generate", "temperature −1", badGenerate("temperature", -1)),
				course.Refuses("lm.generate", "a model whose logits hold a NaN", notFinite(math.NaN())),
				course.Refuses("lm.generate", "a model whose logits hold an infinity", notFinite(math.Inf(1))),
				course.Refuses("lm.generate", "a model whose logits hold an infinity", notFinite(math.Inf(-1))))},
		},
		Inside: []string{"lm.forward.again", "sample.edges"},
		Hints:  lmHints(),
	}
}

func lmHints() []course.Hint {
	return []course.Hint{
		{For: "lm.forward", Text: "Embedding, then every block in turn, then the final norm, then the head. The head is a Linear with a weight of its own."},
		{For: "lm.forward", Text: "One RoPE of d_k = D/H serves all layers. The positions of a batch are one row: 0, 1, …, T−1."},
		{For: "lm.forward.bad_input", Text: "Embedding.Forward already returns an error for an unknown id: pass it on. Check the length of the sequence before anything else."},
		course.AgainHint("lm.forward.again"),
		{For: "lm.forward.again", Text: "Every call is checked whole before anything is kept: the rows of ids are equally long, dlogits has the shape of the last logits, and a Backward needs a Forward before it. Every tensor is drawn from a stream of its own, whose name is the one in the state dictionary."},
		{For: "lm.backward", Text: "Backward runs the layers in the opposite order, handing each one's dx to the one before."},
		{For: "lm.backward", Text: "d := Head.Backward(dlogits); d = Norm.Backward(d); blocks from last to first; Embedding.Backward(d)."},
		{For: "lm.replica", Text: "A replica is the same layers built again around Param.Replica() of every parameter. What it shares are the values; gradients and buffers are its own."},
		{For: "lm.init", Text: "Every tensor gets its own stream: initializers.Rand(seed, name) with its name in the state dictionary. Three of step 01's initialisers cover all of them."},
		{For: "lm.init", Text: "The q, k and v projections live in one (3D, D) matrix, but each is initialised as a (D, D) one, under its own name."},
		{For: "lm.accounting", Text: "Per layer: 4 matrices of D², 3 of D·F, 2 gains of D. Then two of V·D and one last gain."},
		{For: "lm.accounting", Text: "A product (m, k)·(k, n) costs 2·m·n·k. Per layer and sequence: 2T·(4D² + 3DF) for the weights and 2·2T²·D for scores and values. Once: 2T·D·V for the head."},
		{For: "sample.probs", Text: "Divide the logits by the temperature, then softmax. Sort by probability and keep tokens until their sum reaches p; the token that crosses p is kept."},
		{For: "sample.probs", Text: "What is kept is divided by its sum. Temperature 0 is the limit: all mass on the largest logit, the first of equals."},
		{For: "sample.draw", Text: "Draw u in [0, 1) and walk down the cumulative sum until it passes u. Never return a token of probability 0."},
		{For: "sample.edges", Text: "rng.Float64() can be exactly 0, and it can lie so close to 1 that a sum in float32 ends below it. Add up in float64, multiply by the sum of the same numbers in the same order, and step over what has no probability."},
		{For: "lm.generate", Text: "Each round: the last context_length tokens through Forward, the logits of the last position, Distribution, Draw. Stop before you append the stop token."},
	}
}

// drawLM draws a small model and a batch for it.
func DrawLM(rng *rand.Rand) wire.Values {
	heads, pairs := course.Between(rng, 2, 3), course.Between(rng, 2, 3)
	d := heads * 2 * pairs
	vocab, layers, f := d+course.Between(rng, 1, 7), course.Between(rng, 1, 3), d+course.Between(rng, 8, 15)
	b, t := course.Between(rng, 1, 3), course.Between(rng, 4, 7)
	in := wire.Values{
		"ids": course.IDs(rng, vocab, b, t), "num_heads": wire.Int(heads), "rope_theta": wire.Float(800), "context_length": wire.Int(8),
		"token_embeddings.weight": course.Normal(rng, 1, vocab, d), "ln_final.weight": course.Gain(rng, d),
		"lm_head.weight": course.Normal(rng, 1/math.Sqrt(float64(d)), vocab, d),
	}
	for l := range layers {
		name := fmt.Sprintf("layers.%d.", l)
		in[name+"ln1.weight"], in[name+"ln2.weight"] = course.Gain(rng, d), course.Gain(rng, d)
		for _, p := range []string{"q", "k", "v", "output"} {
			in[name+"attn."+p+"_proj.weight"] = course.Normal(rng, 1/math.Sqrt(float64(d)), d, d)
		}
		in[name+"ffn.w1.weight"] = course.Normal(rng, 1/math.Sqrt(float64(d)), f, d)
		in[name+"ffn.w3.weight"] = course.Normal(rng, 1/math.Sqrt(float64(d)), f, d)
		in[name+"ffn.w2.weight"] = course.Normal(rng, 1/math.Sqrt(float64(f)), d, f)
	}
	return in
}

func DrawLMBackward(rng *rand.Rand) wire.Values {
	in := DrawLM(rng)
	in["targets"] = course.IDs(rng, in["lm_head.weight"].Shape[0], in["ids"].Shape...)
	return in
}

// drawGenerate draws a prompt, sometimes one longer than the context, to be continued
// greedily and without a stop token.
func drawGenerate(rng *rand.Rand) wire.Values {
	in := DrawLM(rng)
	delete(in, "ids")
	in["prompt"] = course.IDs(rng, in["lm_head.weight"].Shape[0], course.Between(rng, 1, 11))
	in["max_new"], in["stop"], in["seed"] = wire.Int(9), wire.Int(-1), wire.Int(1)
	in["temperature"], in["top_p"] = wire.Float(0), wire.Float(1)
	return in
}

// stopsFresh generates with a stop token that the model comes to choose.
func stopsFresh(e *course.Exam) error {
	draw := func(rng *rand.Rand) wire.Values {
		in := drawGenerate(rng)
		if free, err := e.Truth("lm.generate", in); err == nil { // or else the case itself is kept back
			in["stop"] = wire.Int(int(free["ids"].I64[course.Between(rng, 2, 8)]))
		}
		return in
	}
	return course.AgreesFresh("lm.generate", draw)(e)
}

// stopsAtZero generates with the stop token 0, which is a token like any other.
func stopsAtZero(e *course.Exam) error {
	draw := func(rng *rand.Rand) wire.Values {
		in := drawGenerate(rng)
		if free, err := e.Truth("lm.generate", in); err == nil {
			in = exchanged(in, free["ids"].I64[course.Between(rng, 2, 8)])
		}
		return course.With(in, "stop", wire.Int(0))
	}
	return course.AgreesForEach(course.Drawing{Function: "lm.generate", Draw: draw}, course.Drawing{Function: "lm.generate", Draw: draw})(e)
}

// exchanged is a call in which a token and token 0 have changed their ids.
func exchanged(in wire.Values, id int64) wire.Values {
	for _, name := range []string{"token_embeddings.weight", "lm_head.weight"} {
		w := in[name]
		w.F32 = slices.Clone(w.F32)
		d := int64(w.Shape[1])
		for i := range d {
			w.F32[i], w.F32[id*d+i] = w.F32[id*d+i], w.F32[i]
		}
		in = course.With(in, name, w)
	}
	prompt := in["prompt"]
	prompt.I64 = slices.Clone(prompt.I64)
	for i, p := range prompt.I64 {
		switch p {
		case 0:
			prompt.I64[i] = id
		case id:
			prompt.I64[i] = 0
		}
	}
	return course.With(in, "prompt", prompt)
}

// badGenerate is a valid call but for one setting.
func badGenerate(setting string, value float64) wire.Values {
	return course.With(drawGenerate(rand.New(rand.NewPCG(10, 3))), setting, wire.Float(value))
}

func drawAccounting(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 7, 2, 90)
	in := wire.Values{"num_heads": wire.Int(2), "d_model": wire.Int(4 * n[0])}
	for i, name := range []string{"vocab_size", "context_length", "num_layers", "d_ff", "batch", "seq"} {
		in[name] = wire.Int(n[i+1])
	}
	return in
}

func drawLogits(rng *rand.Rand) wire.Values {
	return wire.Values{"logits": course.Normal(rng, 2, course.Between(rng, 5, 40)), "temperature": wire.Float(0.3 + 1.5*rng.Float64()), "top_p": wire.Float(0.2 + 0.79*rng.Float64())}
}

// badLM has one given id and a sequence of t tokens, with a vocabulary of 11
// and a context length of 8.
func badLM(id int64, t int) wire.Values {
	rng := rand.New(rand.NewPCG(10, 1))
	in := DrawLM(rng)
	d := in["lm_head.weight"].Shape[1]
	in["token_embeddings.weight"], in["lm_head.weight"] = course.Normal(rng, 1, 11, d), course.Normal(rng, 1, 11, d)
	in["ids"] = course.IDs(rng, 11, 1, t)
	in["ids"].I64[2] = id
	return in
}

// badState is a valid call with one entry of the state dictionary replaced, or
// left out if v is empty.
func badState(name string, v wire.Value) wire.Values {
	in := course.With(badLM(1, 4), name, v)
	if v.DType == "" {
		delete(in, name)
	}
	return in
}
