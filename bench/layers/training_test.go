package layers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
	"github.com/stubformer/stubformer/steps/step11_training"
)

// newTrainer returns a trainer and a batch. It skips the test if the steps are
// not implemented.
func newTrainer(tb testing.TB, layers, dModel int) (t *training.Trainer, ids, targets [][]int) {
	defer func() {
		if p := recover(); p != nil {
			tb.Skip(p)
		}
	}()
	t, err := training.NewTrainer(
		lm.Config{VocabSize: V, ContextLength: T, DModel: dModel, NumLayers: layers, NumHeads: H, DFF: F, RopeTheta: theta},
		training.Options{Batch: B, Context: T, Shards: 4, Steps: 1 << 30, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8,
			WeightDecay: 0.1, MaxNorm: 1})
	if err != nil {
		tb.Fatal(err)
	}
	ids, targets = tokens(V), tokens(V)
	if _, err := t.Step(ids, targets, 1e-4); err != nil {
		tb.Fatal(err)
	}
	return t, ids, targets
}

// BenchmarkTrainingStep is one update of the small configuration: forward,
// backward, clipping and AdamW.
func BenchmarkTrainingStep(b *testing.B) {
	t, ids, targets := newTrainer(b, 4, D)
	for _, p := range products {
		restore := tensor.UseProduct(p.product)
		run(b, "impl="+p.name, func() {
			if _, err := t.Step(ids, targets, 1e-4); err != nil {
				b.Fatal(err)
			}
		})
		restore()
	}
}

// A steady training step allocates nothing. AllocsPerRun measures on one
// processor. On several the runtime itself makes a descriptor of a goroutine now
// and then, until each processor has a stock of them.
func TestTrainingStepAllocatesNothing(t *testing.T) {
	trainer, ids, targets := newTrainer(t, 2, 32)
	defer tensor.UseProduct(training.MatMul)()
	allocs := testing.AllocsPerRun(20, func() {
		if _, err := trainer.Step(ids, targets, 1e-4); err != nil {
			t.Fatal(err)
		}
	})
	require.Zero(t, allocs)
}
