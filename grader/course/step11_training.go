package course

import "github.com/stubformer/stubformer/reference/wire"

func trainingStep() *Step {
	return &Step{
		ID: "step11", Name: "training", Folder: "step11_training",
		Title:     "Training: matrix product, optimiser, data, checkpoints, the loop",
		Needs:     []string{"step07", "step10"},
		Functions: append(productFunctions(), trainingFunctions()...),
		Checks: []Check{
			{"matmul.naive", "the product from its definition", 2, productsAgree("matmul.naive")},
			{"matmul", "the blocked product agrees with PyTorch in every form", 5, agrees("matmul")},
			{"matmul.fresh", "fresh random sizes, sizes of 0 and 1, NaN in what is overwritten", 4, productsAgree("matmul")},
			{"matmul.large", "sizes beyond every block, in each direction", 4, largeProducts},
			{"matmul.strided", "parts of wider matrices; nothing outside them is read or written", 3, stridedProducts},
			{"matmul.procs", "the same result, bit for bit, on one processor and on four", 2, productOnProcs},
			{"matmul.model", "a whole model, forward and backward, on your product", 2, modelOnProduct},
			{"matmul.speed", "many times faster than three plain loops", 4, productSpeed},
			{"micro.tile", "the micro-kernel: k = 0, 1, odd and large; overwriting and adding", 3, tilesAgree},
			{"micro.simd", "the micro-kernel with vector instructions, alone and under the product", 3, all(tilesAgree, productsOnTile)},
			{"micro.simd.speed", "the vectorised micro-kernel is many times faster than plain loops", 2, tileSpeed},

			{"adamw", "AdamW, step by step", 8, adamwAgrees},
			{"adamw.fresh", "AdamW on fresh random gradients", 4, adamwFresh},
			{"schedule", "warm-up, cosine and floor", 7, all(agrees("schedule"), scheduleWithoutCosine, scheduleFresh)},
			{"clip", "clipping by the global norm agrees with PyTorch", 5, agrees("clip")},
			{"clip.fresh", "clipping on fresh random gradients", 2, clipFresh},

			{"tokens", "token files: written whole or not at all; bad ones are errors", 4, tokenFiles},
			{"batch.windows", "batches are windows of the text, targets one token further, drawn from the generator that is given", 3, batchWindows},
			{"batch.starts", "every window is equally likely, the first and the last too", 3, batchStarts},

			{"checkpoint.roundtrip", "a checkpoint comes back bit for bit", 4, checkpointReturns},
			{"checkpoint.damaged", "a foreign, a truncated and a damaged file are refused", 4, damagedRefused},
			{"checkpoint.replace", "a checkpoint is replaced by renaming; a failed Save leaves the old one", 4, checkpointReplaced},

			{"train.trajectory", "some updates of a small model agree with PyTorch", 6, trajectoryAgrees},
			{"train.shards", "the same with fresh random models and unequal shards", 2, shardsAgree},
			{"train.run", "the loop: updates counted from 1, rates, evaluations, checkpoints when they are due", 2, loopReports},
			{"train.resume", "a run that was cut and resumed equals an unbroken one bit for bit", 2, runResumes},
			{"train.restore", "a state that does not fit is refused, and then nothing has changed", 1, unfitRefused},
			{"train.procs", "a run on one processor equals a run on three bit for bit", 2, runOnProcs},
			{"train.overfit", "one batch can be learnt by heart, in however many shards", 1, overfits},
			{"train.bad_batch", "an unknown token is an error and changes nothing", 1, badBatchRefused},
			{"train.steady", "an update in the steady state makes no new tensors", 1, steadyStep},
		},
		Builds: []Build{{Checks: "micro.simd", Files: "micro", Env: []string{"GOEXPERIMENT=simd", "GODEBUG=asyncpreemptoff=1"}, Missing: noSIMD()}},
		Inside: []string{"matmul.speed", "micro.", "tokens", "batch.", "checkpoint.",
			"train.run", "train.resume", "train.restore", "train.procs", "train.overfit", "train.bad_batch", "train.steady"},
		Truths: truths(),
		Hints:  append(productHints(), trainingHints()...),
	}
}

func productFunctions() []Function {
	a := Arg{"a", wire.F32, "m k", "or (k, m) if trans_a is 1"}
	b := Arg{"b", wire.F32, "k n", "or (n, k) if trans_b is 1"}
	before := Arg{"c_before", wire.F32, "m n", "what C holds before"}
	flags := []Arg{{"trans_a", wire.I64, "", "0 or 1"}, {"trans_b", wire.I64, "", "0 or 1"}, {"accumulate", wire.I64, "", "0: overwrite C; 1: add to it"}}
	c := []Arg{{"c", wire.F32, "m n", ""}}
	in := append([]Arg{a, b, before}, flags...)
	seconds := []Arg{{"baseline", wire.F64, "", "seconds of plain loops, the best of the rounds"}, {"own", wire.F64, "", "seconds of the subject's own"}}
	return []Function{
		{"matmul", "C = op(A)·op(B), or C += op(A)·op(B)", in, c},
		{"matmul.naive", "the same from its definition", in, c},
		{"matmul.strided", "the same for parts of wider matrices: the rows of a, b and c_before are longer than m, n and k say",
			append(in[:6:6], Arg{"m", wire.I64, "", ""}, Arg{"n", wire.I64, "", ""}, Arg{"k", wire.I64, "", ""}), c},
		{"matmul.procs", "matmul on the given number of processors", append(in[:6:6], Arg{"procs", wire.I64, "", ""}),
			append(c[:1:1], Arg{"procs", wire.I64, "", "their number afterwards; an external program may leave it out"})},
		{"matmul.model", "lm.backward (step10) with every product of the model done by the subject's own", modelArgs(), []Arg{
			{"loss", wire.F64, "", "in nats"}, {"grad.<name>", wire.F32, "", "for every parameter"}}},
		{"matmul.speed", "how long products of R pairs of matrices take, and what they are", []Arg{{"a", wire.F32, "R m k", ""}, {"b", wire.F32, "R k n", ""},
			{"plain", wire.I64, "", "1: measure plain loops too"}}, append(seconds[:2:2], Arg{"c", wire.F32, "R m n", "the products that were measured"})},
		{"micro.size", "the size of the micro-kernel's tile", nil, []Arg{{"rows", wire.I64, "", ""}, {"cols", wire.I64, "", ""}}},
		{"micro.tile", "one tile: C_ij = Σ_p a_pi·b_pj", []Arg{{"a", wire.F32, "k rows", "packed panel of A"}, {"b", wire.F32, "k cols", "packed panel of B"},
			{"c_before", wire.F32, "rows ldc", "rows may be longer than the tile's; what is beyond stays"}, flags[2]}, []Arg{{"c", wire.F32, "rows ldc", ""}}},
		{"micro.speed", "how long R tiles take, and what they are", []Arg{{"a", wire.F32, "R k rows", "packed panels of A"}, {"b", wire.F32, "R k cols", "packed panels of B"}},
			append(seconds[:2:2], Arg{"c", wire.F32, "R rows cols", "the tiles that were measured"})},
	}
}

// modelArgs describe a model, its parameters and a batch.
func modelArgs() []Arg {
	return []Arg{{"ids", wire.I64, "B T", ""}, {"targets", wire.I64, "B T", ""}, {"num_heads", wire.I64, "", "H"}, {"rope_theta", wire.F64, "", "Θ"},
		{"context_length", wire.I64, "", ""}, {"<state dictionary>", wire.F32, "", "every parameter under its name"}}
}
