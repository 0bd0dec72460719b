package course

const loopFile = "run.go"

// loopMistakes are about the loop of updates.
func loopMistakes() []Mistake {
	const rate = "CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)"
	const loss = "loss, err := t.Loss(ids, targets)\n"
	return []Mistake{
		{
			ID: "rate-of-next-update", Title: "the loop takes each update at the next one's learning rate",
			File: loopFile, Old: rate, New: "CosineSchedule(r.Step+1, o.LRMax, o.LRMin, o.Warmup, o.Steps)",
			Why:  "Updates are counted from 1: update t has the rate of t.",
			Hint: "CosineSchedule(Steps + 1, …) before the update, where Steps is how many were made.",
		},
		{
			ID: "updates-from-zero", Title: "the loop counts updates from 0 when it asks for the learning rate",
			File: loopFile, Old: rate, New: "CosineSchedule(r.Step-1, o.LRMax, o.LRMin, o.Warmup, o.Steps)",
			Why:  "With a warm-up the rate of update 0 is 0: the first batch is wasted.",
			Hint: "The first update has the rate of t = 1.",
		},
		{
			ID: "warmup-counted-twice", Title: "the cosine of the loop ends at Warmup + Steps instead of at Steps",
			File: loopFile, Old: rate, New: "CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Warmup+o.Steps)",
			Why:  "The training ends before the rate has come down.",
			Hint: "The last argument is Options.Steps.",
		},
		{
			ID: "one-update-too-many", Title: "the loop makes one update too many",
			File: loopFile, Old: "for t.Optimizer.Steps < o.Steps {", New: "for t.Optimizer.Steps <= o.Steps {",
			Why:  "With ≤ a run that is resumed when it was finished goes on by one more each time.",
			Hint: "Go on while Steps < Options.Steps.",
		},
		{
			ID: "steps-of-this-call", Title: "the loop counts the updates of this call instead of all the model has had",
			File: loopFile, Old: "	for t.Optimizer.Steps < o.Steps {", New: "	for range o.Steps {",
			Why:  "A resumed run would begin to count anew, and train for longer than an unbroken one.",
			Hint: "The optimiser's Steps come back with the checkpoint; count those.",
		},
		{
			ID: "last-not-saved", Title: "the checkpoint is saved every SaveEvery updates, but not after the last one",
			File: loopFile, Old: "return step == last || every > 0 && step%every == 0", New: "return every > 0 && step%every == 0",
			Why:  "The updates after the last multiple of SaveEvery are lost.",
			Hint: "Save after the last update too.",
		},
		{
			ID: "not-saved-when-cancelled", Title: "nothing is saved when the run is cancelled",
			File: loopFile, Old: "return errors.Join(ctx.Err(), t.save())", New: "return ctx.Err()",
			Why:  "Whoever presses Ctrl-C wants to go on later from where the run was.",
			Hint: "Save first, then return the context's error.",
		},
		{
			ID: "evaluation-trains", Title: "an evaluation updates the parameters",
			File: loopFile, Old: loss, New: "update, err := t.Step(ids, targets, t.Options.LRMin)\n		loss := update.Loss\n",
			Why:  "Then the validation text is a part of the training text, and its loss says nothing about new text.",
			Hint: "Evaluate calls Loss, which changes nothing.",
		},
		{
			ID: "evaluation-draws-from-training", Title: "an evaluation draws its batches from the training's random generator",
			File: loopFile, Old: "text.Batch(rng, t.Options.Batch, t.Options.Context)", New: "text.Batch(t.rng, t.Options.Batch, t.Options.Context)",
			More: []Edit{{"	rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))\n", "	_ = rand.NewPCG(t.Options.Seed, evaluationStream)\n"}},
			Why:  "How often one looks would change what is learnt, and two evaluations could not be compared.",
			Hint: "Make a new generator with a fixed seed for every evaluation.",
		},
		{
			ID: "restored-without-means", Title: "a resumed run begins with AdamW's means at 0",
			File: loopFile, Old: "		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)\n		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)\n", New: "		_, _ = i, p\n",
			Why:  "With t large the bias correction is over, so means that begin at 0 again give steps of the wrong length: the loss jumps.",
			Hint: "Restore copies M and V of every parameter.",
		},
		{
			ID: "restored-without-step", Title: "a resumed run begins at update 1",
			File: loopFile, Old: "	t.Optimizer.Steps = s.Step\n", New: "",
			Why:  "The warm-up and the bias correction would start again, and the run would be too long.",
			Hint: "Restore sets Optimizer.Steps.",
		},
		{
			ID: "restored-without-generator", Title: "a resumed run draws the first batches once more",
			File: loopFile, Old: "if err := t.generator.UnmarshalBinary(s.RNG); err != nil {", New: "if err := new(rand.PCG).UnmarshalBinary(s.RNG); err != nil {",
			Why:  "A generator that starts from the seed gives the batches that the run has seen already.",
			Hint: "Restore takes up the generator's state with UnmarshalBinary.",
		},
	}
}

// batchMistakes are about the text and the batches drawn from it.
func batchMistakes() []Mistake {
	const file = "data.go"
	const start, starts = "start := rng.IntN(starts)\n", "starts := t.Len() - context\n"
	const target = "t.targets[b][i] = int(t.file.At(start + i + 1))"
	return []Mistake{
		{
			ID: "targets-unshifted", Title: "the targets are the ids themselves",
			File: file, Old: target, New: "t.targets[b][i] = int(t.file.At(start + i))",
			Why:  "The model learns to repeat its input. The loss falls to 0 within a few hundred updates, and what it writes is one token for ever.",
			Hint: "targets[i] is the token after ids[i]: text[start + i + 1].",
		},
		{
			ID: "targets-before", Title: "the targets are the tokens before the ids instead of those after",
			File: file, Old: target, New: "t.targets[b][i] = int(t.file.At(max(0, start+i-1)))",
			Why:  "The model learns to write backwards, which it can read off its own input.",
			Hint: "text[start + i + 1].",
		},
		{
			ID: "targets-wrap", Title: "the last target of a window is its first token",
			File: file, Old: target, New: "t.targets[b][i] = int(t.file.At(start + (i+1)%context))",
			Why:  "The ids rolled by one are not the tokens that follow: the last one needs the token after the window.",
			Hint: "A window has context + 1 tokens.",
		},
		{
			ID: "last-token-never", Title: "the windows never reach the last token",
			File: file, Old: starts, New: "starts := t.Len() - context - 1\n",
			Why:  "Len − context places are possible, 0 to Len − context − 1. IntN(n) already leaves n out.",
			Hint: "rng.IntN(Len − context).",
		},
		{
			ID: "past-the-end", Title: "some windows reach one token past the end",
			File: file, Old: starts, New: "starts := t.Len() - context + 1\n",
			Why:  "A window needs context + 1 tokens, because of the last target.",
			Hint: "rng.IntN(Len − context).",
		},
		{
			ID: "first-token-never", Title: "the windows never begin at the first token",
			File: file, Old: start, New: "start := min(starts-1, 1+rng.IntN(max(1, starts-1)))\n",
			Why:  "Places are counted from 0.",
			Hint: "rng.IntN(Len − context), and nothing added.",
		},
		{
			ID: "one-start-for-all", Title: "all sequences of a batch begin at the same place",
			File: file, Old: "	for b := range batch {\n		" + start, New: "	" + start + "	for b := range batch {\n",
			Why:  "A batch of equal sequences is no better than one sequence.",
			Hint: "Draw a place for each sequence.",
		},
		{
			ID: "windows-side-by-side", Title: "windows begin only at multiples of context",
			File: file, Old: start, New: "start := rng.IntN(starts) / context * context\n",
			Why:  "Each token then always stands at the same place of its window, and tokens on both sides of a border never meet.",
			Hint: "All places from 0 to Len − context − 1 are equally likely.",
		},
		{
			ID: "other-generator", Title: "the batches do not come from the generator that is given",
			File: file, Old: start, New: "start := rand.IntN(starts)\n",
			Why:  "The global generator cannot be seeded or stored: no run could be repeated or resumed.",
			Hint: "rng.IntN, not rand.IntN.",
		},
		{
			ID: "ids-cut-to-16-bits", Title: "ids that need more than 16 bits are cut off without an error",
			File: file, Old: "if id < 0 || id > math.MaxUint16 {", New: "if id < math.MinInt {",
			Why:  "65536 becomes 0, and nobody will ever know.",
			Hint: "Check each id before you write it.",
		},
		{
			ID: "tokens-big-endian", Title: "the tokens are written with the higher byte first",
			File: file, Old: "data = binary.LittleEndian.AppendUint16(data, uint16(id))", New: "data = binary.BigEndian.AppendUint16(data, uint16(id))",
			Why:  "What writes and what reads must agree; nearly all machines and all files of this course have the lower byte first.",
			Hint: "binary.LittleEndian.",
		},
	}
}

// checkpointMistakes are about what a checkpoint holds and how it is written.
func checkpointMistakes() []Mistake {
	const file = "checkpoint.go"
	const header = "h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}"
	const groups = "for _, group := range slices.Sorted(maps.Keys(groups)) {"
	return []Mistake{
		{
			ID: "checkpoint-without-means", Title: "the checkpoint does not hold AdamW's means",
			File: file, Old: groups, New: "for _, group := range []string{\"params\"} {",
			Why:  "Parameters alone are enough to use a model, but not to go on training it: the means would begin at 0 again.",
			Hint: "Save M and V beside the parameters.",
		},
		{
			ID: "checkpoint-without-v", Title: "the checkpoint holds the mean of the gradient, but not that of its square",
			File: file, Old: groups, New: "for _, group := range []string{\"params\", \"m\"} {",
			Why:  "Without v every step would have the wrong length.",
			Hint: "AdamW has two means.",
		},
		{
			ID: "checkpoint-without-step", Title: "the checkpoint does not hold the number of updates",
			File: file, Old: header, New: "h := header{Config: s.Config, RNG: s.RNG}",
			Why:  "The schedule and the bias correction need it.",
			Hint: "Save State.Step.",
		},
		{
			ID: "checkpoint-without-generator", Title: "the checkpoint does not hold the random generator's state",
			File: file, Old: header, New: "h := header{Config: s.Config, Step: s.Step}",
			Why:  "A resumed run would see the first batches once more.",
			Hint: "Save State.RNG.",
		},
		{
			ID: "checkpoint-without-config", Title: "the checkpoint does not hold the model's configuration",
			File: file, Old: header, New: "h := header{Step: s.Step, RNG: s.RNG}",
			Why:  "Shapes do not tell everything: the number of heads and RoPE's Θ are in no shape.",
			Hint: "Save State.Config.",
		},
		{
			ID: "written-in-place", Title: "the new checkpoint is written into the old one's file",
			File: file, Old: "temporary := path + \".tmp\"", New: "temporary := path",
			Why:  "If the program is killed meanwhile, the old checkpoint is gone and the new one is not whole.",
			Hint: "Write another file in the same folder, Sync, Close, and os.Rename it.",
		},
		{
			ID: "not-renamed", Title: "the checkpoint is written to a second file that is never renamed",
			File: file, Old: "		err = os.Rename(temporary, path)\n", New: "		_, err = os.Stat(temporary)\n",
			Why:  "The rename is what makes the new file the checkpoint.",
			Hint: "os.Rename(temporary, path) when everything is on the disk.",
		},
		{
			ID: "checksum-not-checked", Title: "the checksum is not compared when a checkpoint is loaded",
			File: file, Old: "if string(stored) != string(sum.Sum(nil)) {", New: "if len(stored) != sha256.Size {",
			Why:  "A wrong bit in a weight is a number like any other. Without a checksum the training goes on with it.",
			Hint: "Compute the hash of what you read, and compare it with the one at the end.",
		},
		{
			ID: "file-longer-than-header", Title: "the buffer is not emptied between two parts of a tensor",
			File: file, Old: "		buffer = buffer[:0]\n", New: "",
			Why:  "Small tensors pass through the buffer at once and are right. A large one is written with repetitions.",
			Hint: "Begin each part with buffer[:0].",
		},
		{
			ID: "halves-precision", Title: "the checkpoint stores numbers in 16 bits (bfloat16)",
			File: file, Old: "binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))", New: "binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f)&^0xffff)",
			Why:  "A run that goes on from rounded numbers is another run. Rounding is for the finished model, not for the way there.",
			Hint: "Store all 32 bits: math.Float32bits.",
		},
	}
}
