package course

import "github.com/stubformer/stubformer/reference/wire"

func trainingFunctions() []Function {
	adam := []Arg{{"beta1", wire.F64, "", "β1"}, {"beta2", wire.F64, "", "β2"}, {"eps", wire.F64, "", "ε"}, {"weight_decay", wire.F64, "", "λ"}}
	updates := append([]Arg{{"ids", wire.I64, "S B T", "a batch for each of S updates"}, {"targets", wire.I64, "S B T", ""}, {"num_heads", wire.I64, "", "H"},
		{"rope_theta", wire.F64, "", "Θ"}, {"context_length", wire.I64, "", ""}, {"<state dictionary>", wire.F32, "", "every parameter under its name"},
		{"lr", wire.F64, "S", "the rate of each update"}, {"max_norm", wire.F64, "", ""}}, adam...)
	updated := []Arg{{"losses", wire.F64, "S", "before each update"}, {"final.<name>", wire.F32, "", "every parameter at the end"}}
	options := []Arg{{"vocab_size", wire.I64, "", "V"}, {"context", wire.I64, "", "T"}, {"batch", wire.I64, "", "B"}, {"shards", wire.I64, "", ""}, {"seed", wire.I64, "", ""},
		{"steps", wire.I64, "", "S"}, {"warmup", wire.I64, "", ""}, {"lr_max", wire.F64, "", ""}, {"lr_min", wire.F64, "", ""}}
	n := len(options)
	oneBatch := append(options[:n:n], Arg{"ids", wire.I64, "B T", ""}, Arg{"targets", wire.I64, "B T", ""})
	gradients := []Arg{{"g1", wire.F32, "…", ""}, {"g2", wire.F32, "…", ""}, {"g3", wire.F32, "…", ""}}
	state := []Arg{{"rope_theta", wire.F64, "", "part of the configuration"}, {"step", wire.I64, "", ""}, {"seed", wire.I64, "", "of the random generator"},
		{"<params/…, m/…, v/…>", wire.F32, "", "the tensors"}}
	return []Function{
		{"adamw.run", "S steps of AdamW", append([]Arg{{"p", wire.F32, "n", ""}, {"grads", wire.F32, "S n", ""}, {"lr", wire.F64, "", ""}}, adam...),
			[]Arg{{"params", wire.F32, "S n", "after each step"}, {"gradients", wire.F32, "S n", "after each step, unchanged; an external program may leave them out"}, {"m", wire.F32, "n", ""}, {"v", wire.F32, "n", ""}}},
		{"schedule", "linear warm-up to lr_max, half a cosine to lr_min, then lr_min", []Arg{{"t", wire.I64, "S", ""}, {"lr_max", wire.F64, "", ""}, {"lr_min", wire.F64, "", ""},
			{"warmup", wire.I64, "", ""}, {"cosine_end", wire.I64, "", ""}}, []Arg{{"lr", wire.F64, "S", ""}}},
		{"clip", "scales all gradients by max_norm/(norm + 1e-6) if their common norm is above max_norm", append(gradients[:3:3], Arg{"max_norm", wire.F64, "", ""}),
			append(gradients[:3:3], Arg{"norm", wire.F64, "", "before"})},
		{"tokens.write", "writes tokens over a file that holds 7, 8, 9", []Arg{{"tokens", wire.I64, "n", ""}}, []Arg{{"refused", wire.I64, "", "1 if turned down"},
			{"message", wire.Text, "n", ""}, {"bytes", wire.I64, "n", "of the file afterwards"}, {"same_file", wire.I64, "", "1 if it was written in place"}, {"files", wire.I64, "", "in the folder afterwards"}}},
		{"tokens.open", "opens a file of the given bytes, or one that is missing", []Arg{{"bytes", wire.I64, "n", ""}, {"missing", wire.I64, "", "0 or 1"}}, []Arg{{"n", wire.I64, "", "tokens"}}},
		{"batch.draw", "draws batches from a text", []Arg{{"tokens", wire.I64, "n", ""}, {"batch", wire.I64, "", "B"}, {"context", wire.I64, "", "T"}, {"draws", wire.I64, "", "S"}, {"seed", wire.I64, "", ""}},
			[]Arg{{"ids", wire.I64, "S B T", ""}, {"targets", wire.I64, "S B T", ""}}},
		{"checkpoint.roundtrip", "saves a state and loads it", state, append(state[:3:3], Arg{"draws", wire.I64, "3", "the generator's next numbers"}, Arg{"d_model", wire.I64, "", "4"}, state[3])},
		{"checkpoint.load", "loads a file of the given content", []Arg{{"content", wire.Text, "n", ""}}, nil},
		{"checkpoint.damaged", "saves a state, damages the file in several ways and loads each", append(state[:4:4], Arg{"keep", wire.I64, "n", "bytes that are left; −1 for all"}, Arg{"flip", wire.I64, "n", "byte with wrong bits; −1 for none"}, Arg{"bits", wire.I64, "n", "those that are wrong: 1 for the lowest"}),
			[]Arg{{"size", wire.I64, "", "of the sound file"}, {"refused", wire.I64, "n", "1 if turned down"}, {"messages", wire.Text, "n", "a line for each"}}},
		{"checkpoint.replace", "saves a state, the next step over it, one with NaN as rope_theta over that, and one into a folder that does not exist", state,
			[]Arg{{"same_file", wire.I64, "", "1 if the second was written into the first's file"}, {"failed", wire.I64, "", "1 if the third Save failed"}, {"step", wire.I64, "", "of what is there then"},
				{"nowhere_failed", wire.I64, "", "1 if the fourth failed"}, {"files", wire.I64, "", "in the folder at the end"}}},
		{"train.trajectory", "S updates: loss, gradients, clipping, AdamW on every parameter", updates, updated},
		{"train.shards", "the same with the batch cut into the given number of shards; update s takes only the first rows[s] sequences of its batch",
			append(updates[:len(updates):len(updates)], Arg{"shards", wire.I64, "", ""}, Arg{"rows", wire.I64, "S", ""}), updated},
		{"train.run", "the training loop on a small model; cut after some update and resumed from its checkpoint if cut is not 0",
			append(options[:n:n], Arg{"tokens", wire.I64, "n", "the text"}, Arg{"validation", wire.I64, "n", "another"}, Arg{"eval_every", wire.I64, "", ""}, Arg{"save_every", wire.I64, "", ""},
				Arg{"procs", wire.I64, "", "processors"}, Arg{"cut", wire.I64, "", ""}),
			[]Arg{{"steps", wire.I64, "S", "1, 2, …"}, {"saved", wire.I64, "S", "step of the checkpoint on the disk after each update"}, {"told", wire.I64, "n", "updates that report a checkpoint"}, {"losses", wire.F64, "S", ""}, {"lr", wire.F64, "S", ""},
				{"norms", wire.F64, "S", ""}, {"evaluations", wire.F64, "S", "NaN where there was none"}, {"procs", wire.I64, "", "processors afterwards"}, updated[1]}},
		{"train.restore", "puts six states to a trainer that do not fit it", options, []Arg{{"refused", wire.I64, "6", "1 if turned down"}, {"changed", wire.I64, "6", "1 if the trainer is another after it"}, {"messages", wire.Text, "n", "a line for each"}}},
		{"train.overfit", "S updates from one batch", oneBatch, updated[:1]},
		{"train.bad_batch", "an update from a batch that is to be turned down", oneBatch, []Arg{{"refused", wire.I64, "", "0 or 1"}, {"message", wire.Text, "n", ""}, {"changed", wire.I64, "", "1 if a parameter did"}}},
		{"train.steady", "what an update allocates once training is under way", oneBatch, []Arg{{"bytes", wire.F64, "", "of new memory, an update"}, {"model", wire.F64, "", "bytes of all parameters"}}},
	}
}

func productHints() []Hint {
	return []Hint{
		{"matmul", "Element (i, p) of a is a.Data[i·Down + p·Right], whether a is transposed or not: T only lets Down and Right change places. The same for b. With these two numbers no form needs code of its own."},
		{"matmul.naive", "Three loops, over i, j and p. Sum in a variable; at the end it is stored, or added to what C holds."},
		{"matmul", "Let pack copy the rows of a matrix into panels of as many rows as the tile has: for every step the numbers of all of the panel's rows side by side, zeros where there is no row. A panel is the transpose of its rows. For b, pack the rows of b.T()."},
		{"matmul", "Every block of k but the first adds to C, whatever accumulate says: pass accumulate || p0 > 0 to the micro-kernel. k = 0 has no first block: clear C by hand, unless it is to be added to."},
		{"matmul.fresh", "A tile at the edge sticks out of C. Let the micro-kernel write into a scratch tile of its full size and carry the part inside over, adding to C or overwriting it. Do not read C when it is to be overwritten: NaN times 0 is NaN."},
		{"matmul.large", "Panels in a block begin at depth·width distances, where depth is that of this block; the last blocks in k and n are smaller than the others."},
		{"matmul.strided", "Neighbours in a column are Down apart, which may be more than the width of the matrix. Never write a whole row of dst.Down elements."},
		{"matmul.procs", "Give each goroutine rows (or columns) of C of its own, cut at multiples of the tile. Nothing then depends on how many goroutines there are. Do not cut k: partial sums would be added in another order."},
		{"matmul.model", "Attention multiplies small matrices, one per head, and a batch of one token has a single row: sizes below the tile must work as well as large ones."},
		{"matmul.speed", "kernel.Best() returns the fastest micro-kernel of this machine: its tile is MR × NR, and Tile computes one from a panel of A and a panel of B. All the arithmetic belongs there; your loops bring it the panels."},
		{"matmul.speed", "Pack a block of B once, then walk over all rows of A with it. If packing takes longer than multiplying, you are packing inside the innermost loop."},
		{"micro", "For every p take the column a[p·rows : (p+1)·rows] and the row b[p·cols : (p+1)·cols], and add their outer product to rows·cols sums. Write the sums to C once, at the end."},
		{"micro.simd", "Begin with one row: two Float32x16 of sums, two of b, and one BroadcastFloat32x16 of a. Then four rows: eight sums. StoreSlice and LoadFloat32x16Slice do the ends of it."},
		{"micro.simd", "Walk with a, b = a[TileRows:], b[TileCols:] while len(a) ≥ TileRows && len(b) ≥ TileCols: the compiler then knows that the loads are in bounds."},
		{"micro.simd", "Ask archsimd.X86.AVX512() before you use Float32x16, archsimd.X86.AVX2() and .FMA() before Float32x8, and call archsimd.ClearAVXUpperBits() before you return: without it all scalar code that follows is slow."},
	}
}

func trainingHints() []Hint {
	return []Hint{
		{"adamw", "Count the steps from 1: at t = 0 the corrections 1 − βᵗ are 0. They divide m and v for this step's update only; the running means themselves stay uncorrected."},
		{"adamw", "Decay is not a gradient. It is applied to the parameter, p −= lr·λ·p, and never enters m or v; added to the gradient it would be divided by √v̂, which is what decoupling avoids."},
		{"adamw", "mHat := m/(1 − β1ᵗ), vHat := v/(1 − β2ᵗ), p −= lr·mHat/(√vHat + ε). ε is added to the root, not under it. Compute 1 − β2 in float64."},
		{"schedule", "Three cases: t below warmup, t below cosineEnd, and the rest. At t = warmup the cosine begins with lr_max; at t = cosineEnd it has come to lr_min."},
		{"schedule", "progress = (t − warmup)/(cosineEnd − warmup) as a quotient of floating-point numbers: in integers it is 0 until the end."},
		{"schedule", "lrMin + (1 + math.Cos(math.Pi·progress))/2·(lrMax − lrMin)"},
		{"clip", "One norm for the whole model: the squares of all gradients in one sum, then one square root, then one factor for all."},
		{"clip", "Only a gradient that is too long is scaled. One that is shorter than max_norm stays as it is."},
		{"clip", "norm > maxNorm: every element times maxNorm/(norm + 1e-6). Return the norm from before."},
		{"tokens", "binary.LittleEndian.AppendUint16 makes the bytes; tensor.MapUint16 opens them and already turns down an odd length. Check all ids before you write the first."},
		{"tokens", "os.Create(path + \".tmp\"), Write, Sync, Close, os.Rename. If any of them fails, remove the temporary file and return the error."},
		{"batch", "A window has context + 1 tokens: the ids are its first context, the targets its last. So targets[i] is the token after ids[i]."},
		{"batch", "The last window begins at Len − context − 1. rng.IntN(n) draws from 0 to n − 1, so n is Len − context: one more than the last start."},
		{"batch", "for each row: start := rng.IntN(Len − context); ids[b][i] = At(start + i); targets[b][i] = At(start + i + 1). Check first that Len − context is at least 1."},
		{"checkpoint", "math.Float32bits and math.Float32frombits keep every bit of a number, NaN and −0 too; printing it does not. encoding/json has no NaN at all: keep the numbers out of the header."},
		{"checkpoint", "Write through io.MultiWriter(file, sha256.New()) and end with the checksum. Read through io.TeeReader, and compare before you return anything."},
		{"checkpoint.damaged", "Store the length of the file near its beginning: then a short file is recognised at once. Check every length that the header names against what is left before you make a slice of it."},
		{"checkpoint.replace", "Write path + \".tmp\", call Sync, close it, and os.Rename it to path: a rename happens or does not. On any error remove the temporary file."},
		{"train", "An update: clear the gradients, Forward, cross-entropy, Backward, clip, optimiser. Backward adds, so gradients that are not cleared are those of all steps so far."},
		{"train.trajectory", "A shard's cross-entropy is a mean over the shard. Scale its gradient by the shard's share of the batch, n_s/N, before Backward, and add up n_s/N·loss_s."},
		{"train.shards", "Shards of 2 and 1 sequences do not count the same. Fewer sequences than shards: use as many shards as there are sequences, and add the gradients of those alone."},
		{"train.run", "Update t = Steps + 1 of the optimiser: rate CosineSchedule(t, …), batch, Step, evaluation if t is a multiple of EvalEvery or the last, checkpoint if it is one of SaveEvery or the last, report."},
		{"train.run", "Evaluate with a new generator from the seed each time, and never with the one that draws the training batches."},
		{"train.resume", "Four things settle what comes next: the parameters, AdamW's two means, its count of steps, and the generator (rand.PCG's MarshalBinary). Restore puts back all four."},
		{"train.resume", "Keep the *rand.PCG beside the *rand.Rand made from it, and draw every batch from that one. When ctx is cancelled, finish the update, save, and return ctx.Err()."},
		{"train.procs", "Cut the batch into Options.Shards parts and not into GOMAXPROCS. Add the gradients after all goroutines are done, shard 0, 1, 2, …, and not in the order in which they end."},
		{"train.restore", "Look at everything before you copy anything: the configuration, both means of every parameter with their shapes, the generator. LoadState looks at the parameters itself, and changes nothing if they do not fit; then the generator has to be put back."},
		{"train.overfit", "If the loss does not fall: is the rate passed on, are the gradients cleared, does Step move the model's own parameters and not a replica's copy?"},
		{"train.bad_batch", "Forward and the loss return errors. Collect those of all shards, and touch the optimiser only if there is none."},
		{"train.steady", "Replicas, gradients and moments are made in NewTrainer; a step makes nothing but what starting goroutines takes."},
	}
}
