package training

import (
	"github.com/stubformer/stubformer/grader/course"
)

func productHints() []course.Hint {
	return []course.Hint{
		{For: "matmul", Text: "Element (i, p) of a is a.Data[i·Down + p·Right], whether a is transposed or not: T only lets Down and Right change places. The same for b. With these two numbers no form needs code of its own."},
		{For: "matmul.naive", Text: "Three loops, over i, j and p. Sum in a variable; at the end it is stored, or added to what C holds."},
		{For: "matmul", Text: "Let pack copy the rows of a matrix into panels of as many rows as the tile has: for every step the numbers of all of the panel's rows side by side, zeros where there is no row. A panel is the transpose of its rows. For b, pack the rows of b.T()."},
		{For: "matmul", Text: "Every block of k but the first adds to C, whatever accumulate says: pass accumulate || p0 > 0 to the micro-kernel. k = 0 has no first block: clear C by hand, unless it is to be added to."},
		{For: "matmul.fresh", Text: "A tile at the edge sticks out of C. Let the micro-kernel write into a scratch tile of its full size and carry the part inside over, adding to C or overwriting it. Do not read C when it is to be overwritten: NaN times 0 is NaN."},
		{For: "matmul.large", Text: "Panels in a block begin at depth·width distances, where depth is that of this block; the last blocks in k and n are smaller than the others."},
		{For: "matmul.strided", Text: "Neighbours in a column are Down apart, which may be more than the width of the matrix. Never write a whole row of dst.Down elements."},
		{For: "matmul.strided", Text: "A panic in a goroutine ends the whole program, and no caller can recover from it. So the slices are looked at before the first goroutine starts: is there a last element, (Rows−1)·Down + (Cols−1)·Right?"},
		{For: "matmul.procs", Text: "Give each goroutine rows (or columns) of C of its own, cut at multiples of the tile. Nothing then depends on how many goroutines there are. Do not cut k: partial sums would be added in another order."},
		{For: "matmul.model", Text: "Attention multiplies small matrices, one per head, and a batch of one token has a single row: sizes below the tile must work as well as large ones."},
		{For: "matmul.speed", Text: "kernel.Best() returns the fastest micro-kernel of this machine: its tile is MR × NR, and Tile computes one from a panel of A and a panel of B. All the arithmetic belongs there; your loops bring it the panels."},
		{For: "matmul.speed", Text: "Pack a block of B once, then walk over all rows of A with it. If packing takes longer than multiplying, you are packing inside the innermost loop."},
		{For: "micro", Text: "For every p take the column a[p·rows : (p+1)·rows] and the row b[p·cols : (p+1)·cols], and add their outer product to rows·cols sums. Write the sums to C once, at the end."},
		{For: "micro.simd", Text: "Begin with one row: two Float32x16 of sums, two of b, and one BroadcastFloat32x16 of a. Then four rows: eight sums. StoreSlice and LoadFloat32x16Slice do the ends of it."},
		{For: "micro.simd", Text: "Walk with a, b = a[TileRows:], b[TileCols:] while len(a) ≥ TileRows && len(b) ≥ TileCols: the compiler then knows that the loads are in bounds."},
		{For: "micro.simd", Text: "Ask archsimd.X86.AVX512() before you use Float32x16, archsimd.X86.AVX2() and .FMA() before Float32x8, and call archsimd.ClearAVXUpperBits() before you return: without it all scalar code that follows is slow."},
	}
}

func trainingHints() []course.Hint {
	return []course.Hint{
		{For: "adamw", Text: "Count the steps from 1: at t = 0 the corrections 1 − βᵗ are 0. They divide m and v for this step's update only; the running means themselves stay uncorrected."},
		{For: "adamw", Text: "Decay is not a gradient. It is applied to the parameter, p −= lr·λ·p, and never enters m or v; added to the gradient it would be divided by √v̂, which is what decoupling avoids."},
		{For: "adamw", Text: "mHat := m/(1 − β1ᵗ), vHat := v/(1 − β2ᵗ), p −= lr·mHat/(√vHat + ε). ε is added to the root, not under it. Compute 1 − β2 in float64."},
		{For: "schedule", Text: "Three cases: t below warmup, t below cosineEnd, and the rest. At t = warmup the cosine begins with lr_max; at t = cosineEnd it has come to lr_min."},
		{For: "schedule", Text: "progress = (t − warmup)/(cosineEnd − warmup) as a quotient of floating-point numbers: in integers it is 0 until the end."},
		{For: "schedule", Text: "lrMin + (1 + math.Cos(math.Pi·progress))/2·(lrMax − lrMin)"},
		{For: "clip", Text: "One norm for the whole model: the squares of all gradients in one sum, then one square root, then one factor for all."},
		{For: "clip", Text: "Only a gradient that is too long is scaled. One that is shorter than max_norm stays as it is."},
		{For: "clip", Text: "norm > maxNorm: every element times maxNorm/(norm + 1e-6). Return the norm from before."},
		{For: "tokens", Text: "binary.LittleEndian.AppendUint16 makes the bytes; tensor.MapUint16 opens them and already turns down an odd length. Check all ids before you write the first."},
		{For: "tokens", Text: "os.Create(path + \".tmp\"), Write, Sync, Close, os.Rename. If any of them fails, remove the temporary file and return the error."},
		{For: "batch", Text: "A window has context + 1 tokens: the ids are its first context, the targets its last. So targets[i] is the token after ids[i]."},
		{For: "batch", Text: "The last window begins at Len − context − 1. rng.IntN(n) draws from 0 to n − 1, so n is Len − context: one more than the last start."},
		{For: "batch", Text: "for each row: start := rng.IntN(Len − context); ids[b][i] = At(start + i); targets[b][i] = At(start + i + 1). Check first that Len − context is at least 1."},
		{For: "checkpoint", Text: "math.Float32bits and math.Float32frombits keep every bit of a number, NaN and −0 too; printing it does not. encoding/json has no NaN at all: keep the numbers out of the header."},
		{For: "checkpoint", Text: "Write through io.MultiWriter(file, sha256.New()) and end with the checksum. Read through io.TeeReader, and compare before you return anything."},
		{For: "checkpoint.damaged", Text: "Store the length of the file near its beginning: then a short file is recognised at once. Check every length that the header names against what is left before you make a slice of it."},
		{For: "checkpoint.replace", Text: "Write path + \".tmp\", call Sync, close it, and os.Rename it to path: a rename happens or does not. On any error remove the temporary file."},
		{For: "train", Text: "An update: clear the gradients, Forward, cross-entropy, Backward, clip, optimiser. Backward adds, so gradients that are not cleared are those of all steps so far."},
		{For: "train.trajectory", Text: "A shard's cross-entropy is a mean over the shard. Scale its gradient by the shard's share of the batch, n_s/N, before Backward, and add up n_s/N·loss_s."},
		{For: "train.shards", Text: "Shards of 2 and 1 sequences do not count the same. Fewer sequences than shards: use as many shards as there are sequences, and add the gradients of those alone."},
		{For: "train.run", Text: "Update t = Steps + 1 of the optimiser: rate CosineSchedule(t, …), batch, Step, evaluation if t is a multiple of EvalEvery or the last, checkpoint if it is one of SaveEvery or the last, report."},
		{For: "train.run", Text: "Evaluate with a new generator from the seed each time, and never with the one that draws the training batches."},
		{For: "train.resume", Text: "Four things settle what comes next: the parameters, AdamW's two means, its count of steps, and the generator (rand.PCG's MarshalBinary). Restore puts back all four."},
		{For: "train.resume", Text: "Keep the *rand.PCG beside the *rand.Rand made from it, and draw every batch from that one. When ctx is cancelled, finish the update, save, and return ctx.Err()."},
		{For: "train.procs", Text: "Cut the batch into Options.Shards parts and not into GOMAXPROCS. Add the gradients after all goroutines are done, shard 0, 1, 2, …, and not in the order in which they end."},
		{For: "train.restore", Text: "Look at everything before you copy anything: the configuration, both means of every parameter with their shapes, the generator. LoadState looks at the parameters itself, and changes nothing if they do not fit; then the generator has to be put back."},
		{For: "train.overfit", Text: "If the loss does not fall: is the rate passed on, are the gradients cleared, does Step move the model's own parameters and not a replica's copy?"},
		{For: "train.bad_batch", Text: "Forward and the loss return errors. Collect those of all shards, and touch the optimiser only if there is none."},
		{For: "train.steady", Text: "Replicas, gradients and moments are made in NewTrainer; a step makes nothing but what starting goroutines takes."},
	}
}
