// Package training says how step 11 is checked; what its functions look like says
// fixtures/step11_training/functions.txt.
package training

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step11", Name: "training", Folder: "step11_training", Track: course.Core,
		Title:     "Training: matrix product, optimiser, data, checkpoints, the loop",
		Needs:     []string{"step07", "step10"},
		Uses:      course.Join(course.Computing(), course.Vectors(), course.Files()),
		Functions: fixtures.Contract("step11_training"),
		Checks: []course.Check{
			{ID: "matmul.naive", Title: "the product from its definition", Points: 2, Run: productsAgree("matmul.naive")},
			{ID: "matmul", Title: "the blocked product agrees with PyTorch in every form", Points: 5, Run: course.Agrees("matmul")},
			{ID: "matmul.fresh", Title: "fresh random sizes, sizes of 0 and 1, NaN in what is overwritten", Points: 4, Run: productsAgree("matmul")},
			{ID: "matmul.large", Title: "sizes beyond every block, in each direction", Points: 4, Run: largeProducts},
			{ID: "matmul.strided", Title: "parts of wider matrices; nothing outside them is read or written", Points: 3, Run: course.All(stridedProducts, shortRefused)},
			{ID: "matmul.procs", Title: "the same result, bit for bit, on one processor and on four", Points: 2, Run: productOnProcs},
			{ID: "matmul.model", Title: "a whole model, forward and backward, on your product", Points: 2, Backward: true, Run: modelOnProduct},
			{ID: "matmul.speed", Title: "many times faster than three plain loops", Points: 4, Run: productSpeed, Timed: true},
			{ID: "micro.tile", Title: "the micro-kernel: k = 0, 1, odd and large; overwriting and adding", Points: 3, Run: tilesAgree},
			{ID: "micro.simd", Title: "the micro-kernel with vector instructions, alone and under the product", Points: 3, Run: course.All(tilesAgree, productsOnTile)},
			{ID: "micro.simd.speed", Title: "the vectorised micro-kernel is many times faster than plain loops", Points: 2, Run: tileSpeed, Timed: true},

			{ID: "adamw", Title: "AdamW, step by step", Points: 8, Run: adamwAgrees},
			{ID: "adamw.fresh", Title: "AdamW on fresh random gradients", Points: 4, Run: adamwFresh},
			{ID: "schedule", Title: "warm-up, cosine and floor", Points: 7, Run: course.All(course.Agrees("schedule"), scheduleWithoutCosine, scheduleFresh)},
			{ID: "clip", Title: "clipping by the global norm agrees with PyTorch", Points: 5, Run: course.Agrees("clip")},
			{ID: "clip.fresh", Title: "clipping on fresh random gradients", Points: 2, Run: clipFresh},

			{ID: "tokens", Title: "token files: written whole or not at all; bad ones are errors", Points: 4, Run: tokenFiles},
			{ID: "batch.windows", Title: "batches are windows of the text, targets one token further, drawn from the generator that is given", Points: 3, Run: batchWindows},
			{ID: "batch.starts", Title: "every window is equally likely, the first and the last too", Points: 3, Run: batchStarts},

			{ID: "checkpoint.roundtrip", Title: "a checkpoint comes back bit for bit", Points: 4, Run: checkpointReturns},
			{ID: "checkpoint.damaged", Title: "a foreign, a truncated and a damaged file are refused", Points: 4, Run: damagedRefused},
			{ID: "checkpoint.replace", Title: "a checkpoint is replaced by renaming; a failed Save leaves the old one", Points: 4, Run: checkpointReplaced},

			{ID: "train.trajectory", Title: "some updates of a small model agree with PyTorch", Points: 6, Run: course.All(trajectoryAgrees, beginsRight)},
			{ID: "train.shards", Title: "the same with fresh random models and unequal shards", Points: 2, Run: shardsAgree},
			{ID: "train.run", Title: "the loop: updates counted from 1, rates, evaluations, checkpoints when they are due", Points: 2, Run: course.All(loopReports, knownRuns, standingStill, drawsOn, quietly)},
			{ID: "train.resume", Title: "a run that was cut and resumed equals an unbroken one bit for bit", Points: 2, Run: runResumes},
			{ID: "train.restore", Title: "a state that does not fit is refused, and then nothing has changed", Points: 1, Run: unfitRefused},
			{ID: "train.procs", Title: "a run on one processor equals a run on three bit for bit", Points: 2, Run: runOnProcs},
			{ID: "train.overfit", Title: "one batch can be learnt by heart, in however many shards", Points: 1, Run: overfits},
			{ID: "train.bad_batch", Title: "an unknown token is an error and changes nothing, and neither does Loss", Points: 1, Run: course.All(badBatchRefused, lossKeeps)},
			{ID: "train.steady", Title: "an update in the steady state makes no new tensors", Points: 1, Run: steadyStep},
		},
		Parts: []course.Part{
			{Letter: "a", Name: "product", Title: "Training, part a: the matrix product", Checks: []string{"matmul", "micro"},
				Files: []string{"matmul.go", "micro.go", "micro_nosimd.go", "micro_simd.go"}},
			{Letter: "b", Name: "adamw", Title: "Training, part b: the optimiser", Checks: []string{"adamw"}, Files: []string{"adamw.go"}},
			{Letter: "c", Name: "schedule", Title: "Training, part c: the learning rate", Checks: []string{"schedule"}, Files: []string{"schedule.go"}},
			{Letter: "d", Name: "clip", Title: "Training, part d: the bound of the gradient", Checks: []string{"clip"}, Files: []string{"clip.go"}},
			{Letter: "e", Name: "data", Title: "Training, part e: the text", Checks: []string{"tokens", "batch"}, Files: []string{"data.go"}},
			{Letter: "f", Name: "checkpoint", Title: "Training, part f: checkpoints", Checks: []string{"checkpoint"}, Files: []string{"checkpoint.go"}},
			{Letter: "g", Name: "loop", Title: "Training, part g: the loop", Checks: []string{"train"}, Files: []string{"train.go", "run.go"}},
		},
		Builds: []course.Build{{Checks: "micro.simd", Files: "micro", Env: []string{"GOEXPERIMENT=simd", "GODEBUG=asyncpreemptoff=1"}, Missing: noSIMD()}},
		Inside: []string{"matmul.speed", "micro.", "tokens", "batch.", "checkpoint.",
			"train.run", "train.resume", "train.restore", "train.procs", "train.overfit", "train.bad_batch", "train.steady"},
		Truths:  truths(),
		Derived: derived(),
		Hints:   append(productHints(), trainingHints()...),
	}
}
