package course

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

func lmStep() *Step {
	state := Arg{"<state dictionary>", wire.F32, "", "every parameter under its name: token_embeddings.weight, layers.0.attn.q_proj.weight, …, lm_head.weight"}
	shape := []Arg{{"num_heads", wire.I64, "", "H"}, {"rope_theta", wire.F64, "", "Θ"}, {"context_length", wire.I64, "", "longest sequence"}, state}
	config := []Arg{
		{"vocab_size", wire.I64, "", "V"}, {"context_length", wire.I64, "", "longest sequence"}, {"d_model", wire.I64, "", "D"},
		{"num_layers", wire.I64, "", "L"}, {"num_heads", wire.I64, "", "H"}, {"d_ff", wire.I64, "", "F"}, {"rope_theta", wire.F64, "", "Θ"},
	}
	ids := Arg{"ids", wire.I64, "B T", "token ids"}
	gradients := []Arg{{"loss", wire.F64, "", "in nats"}, {"grad.<name>", wire.F32, "", "for every parameter of the state dictionary"}}
	return &Step{
		ID: "step10", Name: "lm", Folder: "step10_lm",
		Title: "The language model",
		Needs: []string{"step01", "step02", "step03", "step04", "step05", "step06", "step07", "step08", "step09"},
		Functions: []Function{
			{"lm.forward", "embed, L blocks sharing one RoPE, final norm, head", append([]Arg{ids}, shape...), []Arg{{"logits", wire.F32, "B T V", ""}}},
			{"lm.backward", "the loss (mean cross-entropy) and the gradient of every parameter",
				append([]Arg{ids, {"targets", wire.I64, "B T", "the next tokens"}}, shape...),
				gradients},
			{"lm.replica", "what lm.backward computes, with the rows of the batch divided among the model and two replicas, and their gradients added up",
				append([]Arg{ids, {"targets", wire.I64, "B T", "the next tokens"}}, shape...), gradients},
			{"lm.init", "a fresh model: its state dictionary", append(slices.Clone(config), Arg{"seed", wire.I64, "", ""}), []Arg{state}},
			{"lm.accounting", "parameters, and FLOPs of the matrix products of a forward pass (2·m·n·k each)",
				append(config[:6:6], Arg{"batch", wire.I64, "", "B"}, Arg{"seq", wire.I64, "", "T"}),
				[]Arg{{"params", wire.I64, "", ""}, {"forward_flops", wire.I64, "", ""}}},
			{"sample.probs", "softmax(logits/temperature) cut to the smallest set of likeliest tokens whose probabilities reach top_p, then renormalised; temperature 0 = the first largest logit",
				[]Arg{{"logits", wire.F32, "V", ""}, {"temperature", wire.F64, "", ""}, {"top_p", wire.F64, "", ""}}, []Arg{{"probs", wire.F32, "V", ""}}},
			{"sample.draw", "n draws from a distribution", []Arg{{"probs", wire.F32, "V", ""}, {"n", wire.I64, "", ""}, {"seed", wire.I64, "", ""}}, []Arg{{"ids", wire.I64, "n", ""}}},
			{"lm.generate", "new tokens after a prompt, up to max_new or the stop token, which is not returned; a long context keeps its last context_length tokens",
				append([]Arg{{"prompt", wire.I64, "T", ""}, {"max_new", wire.I64, "", ""}, {"temperature", wire.F64, "", ""}, {"top_p", wire.F64, "", ""},
					{"stop", wire.I64, "", "-1 for none"}, {"seed", wire.I64, "", ""}}, shape...), []Arg{{"ids", wire.I64, "n", ""}}},
		},
		Checks: []Check{
			{"lm.forward", "the logits agree with PyTorch", 20, agrees("lm.forward")},
			{"lm.forward.fresh", "the logits on fresh random models; an empty batch is fine", 5, all(agreesFresh("lm.forward", drawLM), emptyBatchLM)},
			{"lm.forward.bad_input", "unknown ids, sequences that are too long and a state dictionary that does not fit are errors", 5, all(
				refuses("lm.forward", "id 99 with a vocabulary of 11", badLM(99, 4), "99"),
				refuses("lm.forward", "a sequence of 9 with a context length of 8", badLM(1, 9), "9", "8"),
				refuses("lm.forward", "a state dictionary without ln_final.weight", badState("ln_final.weight", wire.Value{}), "ln_final.weight"),
				refuses("lm.forward", "a state dictionary with an lm_head.weight of shape (3, 5)", badState("lm_head.weight", wire.Float32s(make([]float32, 15), 3, 5)), "lm_head.weight"),
				refuses("lm.forward", "a state dictionary with an entry extra.weight", badState("extra.weight", ones(3)), "extra.weight"))},
			{"lm.backward", "the loss and every gradient agree with PyTorch", 15, agrees("lm.backward")},
			{"lm.backward.fresh", "the loss and every gradient on fresh random models", 5, gradientsFresh},
			{"lm.replica", "a replica shares the values and has gradients of its own", 5, replicasAgree},
			{"lm.init", "a fresh model has the right names, shapes and spreads, and its seed settles it", 10, all(freshModel, seedSettles,
				refuses("lm.init", "4 heads in a model of width 10", with(with(modelConfig(1), "d_model", wire.Int(10)), "num_heads", wire.Int(4)), "10", "4"))},
			{"lm.init.loss", "a fresh model knows nothing: its loss is close to ln V", 5, initialLoss},
			{"lm.accounting", "parameters and FLOPs are counted right", 10, all(agrees("lm.accounting"), agreesFresh("lm.accounting", drawAccounting), countsAgree)},
			{"sample.probs", "temperature and top-p shape the distribution as they should", 10, all(agrees("sample.probs"), agreesFresh("sample.probs", drawLogits), sharpest, nucleusEnds, settingsHeld)},
			{"sample.draw", "draws follow the distribution and repeat with their seed", 5, all(drawsFollow, drawsFromLess)},
			{"lm.generate", "generation: greedy choices, the stop token, a context longer than the model's, the same text for the same seed", 5, inFull(
				agrees("lm.generate"), agreesFresh("lm.generate", drawGenerate), textRepeats, stopEnds, coldIsGreedy,
				refuses("lm.generate", "top-p 0", badGenerate("top_p", 0)),
				refuses("lm.generate", "top-p 1.5", badGenerate("top_p", 1.5)),
				refuses("lm.generate", "temperature −1", badGenerate("temperature", -1)),
				refuses("lm.generate", "a model whose logits hold a NaN", notFinite(math.NaN())),
				refuses("lm.generate", "a model whose logits hold an infinity", notFinite(math.Inf(1))),
				refuses("lm.generate", "a model whose logits hold an infinity", notFinite(math.Inf(-1))))},
		},
		Hints: lmHints(),
	}
}

func lmHints() []Hint {
	return []Hint{
		{"lm.forward", "Embedding, then every block in turn, then the final norm, then the head. The head is a Linear with a weight of its own."},
		{"lm.forward", "One RoPE of d_k = D/H serves all layers. The positions of a batch are one row: 0, 1, …, T−1."},
		{"lm.forward.bad_input", "Embedding.Forward already returns an error for an unknown id: pass it on. Check the length of the sequence before anything else."},
		{"lm.backward", "Backward runs the layers in the opposite order, handing each one's dx to the one before."},
		{"lm.backward", "d := Head.Backward(dlogits); d = Norm.Backward(d); blocks from last to first; Embedding.Backward(d)."},
		{"lm.replica", "A replica is the same layers built again around Param.Replica() of every parameter. What it shares are the values; gradients and buffers are its own."},
		{"lm.init", "Every tensor gets its own stream: initializers.Rand(seed, name) with its name in the state dictionary. Three of step 01's initialisers cover all of them."},
		{"lm.init", "The q, k and v projections live in one (3D, D) matrix, but each is initialised as a (D, D) one, under its own name."},
		{"lm.accounting", "Per layer: 4 matrices of D², 3 of D·F, 2 gains of D. Then two of V·D and one last gain."},
		{"lm.accounting", "A product (m, k)·(k, n) costs 2·m·n·k. Per layer and sequence: 2T·(4D² + 3DF) for the weights and 2·2T²·D for scores and values. Once: 2T·D·V for the head."},
		{"sample.probs", "Divide the logits by the temperature, then softmax. Sort by probability and keep tokens until their sum reaches p; the token that crosses p is kept."},
		{"sample.probs", "What is kept is divided by its sum. Temperature 0 is the limit: all mass on the largest logit, the first of equals."},
		{"sample.draw", "Draw u in [0, 1) and walk down the cumulative sum until it passes u. Never return a token of probability 0."},
		{"lm.generate", "Each round: the last context_length tokens through Forward, the logits of the last position, Distribution, Draw. Stop before you append the stop token."},
	}
}

// drawLM draws a small model and a batch for it.
func drawLM(rng *rand.Rand) wire.Values {
	heads, pairs := between(rng, 2, 3), between(rng, 2, 3)
	d := heads * 2 * pairs
	vocab, layers, f := d+between(rng, 1, 7), between(rng, 1, 3), d+between(rng, 8, 15)
	b, t := between(rng, 1, 3), between(rng, 4, 7)
	in := wire.Values{
		"ids": ids(rng, vocab, b, t), "num_heads": wire.Int(heads), "rope_theta": wire.Float(800), "context_length": wire.Int(8),
		"token_embeddings.weight": normal(rng, 1, vocab, d), "ln_final.weight": gain(rng, d),
		"lm_head.weight": normal(rng, 1/math.Sqrt(float64(d)), vocab, d),
	}
	for l := range layers {
		name := fmt.Sprintf("layers.%d.", l)
		in[name+"ln1.weight"], in[name+"ln2.weight"] = gain(rng, d), gain(rng, d)
		for _, p := range []string{"q", "k", "v", "output"} {
			in[name+"attn."+p+"_proj.weight"] = normal(rng, 1/math.Sqrt(float64(d)), d, d)
		}
		in[name+"ffn.w1.weight"] = normal(rng, 1/math.Sqrt(float64(d)), f, d)
		in[name+"ffn.w3.weight"] = normal(rng, 1/math.Sqrt(float64(d)), f, d)
		in[name+"ffn.w2.weight"] = normal(rng, 1/math.Sqrt(float64(f)), d, f)
	}
	return in
}

func drawLMBackward(rng *rand.Rand) wire.Values {
	in := drawLM(rng)
	in["targets"] = ids(rng, in["lm_head.weight"].Shape[0], in["ids"].Shape...)
	return in
}

// drawGenerate draws a prompt, sometimes one longer than the context, and as the
// stop token one that the model comes to choose.
func drawGenerate(rng *rand.Rand) wire.Values {
	in := drawLM(rng)
	delete(in, "ids")
	in["prompt"] = ids(rng, in["lm_head.weight"].Shape[0], between(rng, 1, 11))
	in["max_new"], in["stop"], in["seed"] = wire.Int(9), wire.Int(-1), wire.Int(1)
	in["temperature"], in["top_p"] = wire.Float(0), wire.Float(1)
	if free, err := truth("lm.generate", in); err == nil {
		in["stop"] = wire.Int(int(free["ids"].I64[between(rng, 2, 8)]))
	}
	return in
}

// badGenerate is a valid call but for one setting.
func badGenerate(setting string, value float64) wire.Values {
	return with(drawGenerate(rand.New(rand.NewPCG(10, 3))), setting, wire.Float(value))
}

func drawAccounting(rng *rand.Rand) wire.Values {
	n := distinct(rng, 7, 2, 90)
	in := wire.Values{"num_heads": wire.Int(2), "d_model": wire.Int(4 * n[0])}
	for i, name := range []string{"vocab_size", "context_length", "num_layers", "d_ff", "batch", "seq"} {
		in[name] = wire.Int(n[i+1])
	}
	return in
}

func drawLogits(rng *rand.Rand) wire.Values {
	return wire.Values{"logits": normal(rng, 2, between(rng, 5, 40)), "temperature": wire.Float(0.3 + 1.5*rng.Float64()), "top_p": wire.Float(0.2 + 0.79*rng.Float64())}
}

// badLM has one given id and a sequence of t tokens, with a vocabulary of 11
// and a context length of 8.
func badLM(id int64, t int) wire.Values {
	rng := rand.New(rand.NewPCG(10, 1))
	in := drawLM(rng)
	d := in["lm_head.weight"].Shape[1]
	in["token_embeddings.weight"], in["lm_head.weight"] = normal(rng, 1, 11, d), normal(rng, 1, 11, d)
	in["ids"] = ids(rng, 11, 1, t)
	in["ids"].I64[2] = id
	return in
}

// badState is a valid call with one entry of the state dictionary replaced, or
// left out if v is empty.
func badState(name string, v wire.Value) wire.Values {
	in := with(badLM(1, 4), name, v)
	if v.DType == "" {
		delete(in, name)
	}
	return in
}
