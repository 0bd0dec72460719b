package early

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
)

// How a slope is found: a tensor is moved by a small part of the size of its
// numbers. With sound steps the worst disagreement was an eightieth of what is
// allowed here, in all milestones, before and after the training.
const (
	nudge     = 2e-3
	smallest  = 0.1  // a size is taken to be no smaller than this,
	largest   = 1    // and no larger
	slopeOff  = 0.02 // of the larger of both
	lossNoise = 1e-6 // in a loss, from rounding
)

// examine reports what does not fit together, on one batch: the student's loss
// with the one that is computed here, and the gradient of every tensor with the
// slope of the loss. A check of one step alone cannot see how the steps fit.
func (t *training) examine(step int) error {
	rng := rand.New(rand.NewPCG(2, uint64(step)))
	ids, targets := t.batch()
	said, err := t.gradients(ids, targets)
	if err != nil {
		return err
	}
	loss, err := t.measure(ids, targets)
	if err != nil {
		return err
	}
	if math.Abs(said-loss) > 1e-4*(1+loss) {
		t.send(run.Event{Doubt: &run.Doubt{Kind: run.WrongLoss, Step: step, Got: said, Want: loss}})
	}
	for _, p := range t.model.Params() {
		if err := t.slope(p, ids, targets, step, rng); err != nil {
			return err
		}
	}
	return nil
}

// slope moves one tensor a little to and fro and reports it if the loss does not
// change as its gradient says.
func (t *training) slope(p *tensor.Param, ids, targets [][]int, step int, rng *rand.Rand) error {
	size, values := 0.0, p.Value.Clone()
	for _, x := range values.Data {
		size += float64(x) * float64(x)
	}
	by := nudge * min(largest, max(smallest, math.Sqrt(size/float64(values.Len()))))
	said, direction := 0.0, make([]float64, values.Len())
	for i, g := range p.Grad.Data {
		direction[i] = rng.NormFloat64()
		said += direction[i] * float64(g)
	}
	var losses [2]float64
	for i, sign := range []float64{-1, 1} {
		for j, x := range values.Data {
			p.Value.Data[j] = x + float32(sign*by*direction[j])
		}
		var err error
		if losses[i], err = t.measure(ids, targets); err != nil {
			return err
		}
	}
	copy(p.Value.Data, values.Data)
	found := (losses[1] - losses[0]) / (2 * by)
	if math.Abs(found-said) > slopeOff*max(math.Abs(found), math.Abs(said))+lossNoise/by {
		t.send(run.Event{Doubt: &run.Doubt{Kind: run.WrongSlope, Step: step, Name: p.Name, Got: said, Want: found}})
	}
	return nil
}
