// Command trained is the last milestone: the Transformer again, and nothing of the
// kit's under it. The matrix product, the optimiser, the rate and the bound of the
// gradient are those of step 11.
package main

import (
	early "github.com/stubformer/stubformer/grader/programs/milestone"
	"github.com/stubformer/stubformer/grader/programs/milestone/whole"
	"github.com/stubformer/stubformer/reference/tensor"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

func main() {
	const warmup, rate = 50, 0.01
	tensor.UseProduct(training.MatMul)
	r := whole.Recipe()
	r.Optimiser = func(params []*tensor.Param) func(step int) {
		o := training.NewAdamW(params, 0.9, 0.95, 1e-8, 0.1)
		return func(step int) {
			training.ClipGradNorm(params, 1)
			o.Step(training.CosineSchedule(step, rate, rate/10, warmup, r.Steps))
		}
	}
	early.Main(r, whole.New)
}
