package training

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// shard works on one part of every batch: a model with gradients and
// activations of its own.
type shard struct {
	model        *lm.LM
	params       []*tensor.Param
	crossEntropy softmax.CrossEntropy

	ids, targets [][]int // its part of the batch
	share        float64 // how much of the batch that is, 0 for none
	loss         float64 // mean over its part
	err          error
}

func newShard(model *lm.LM) *shard { return &shard{model: model, params: model.Params()} }

// divide gives every shard its part of a batch, lets the workers compute the parts and
// returns the mean loss. A batch of fewer sequences than there are shards leaves the last
// ones without a part.
func (t *Trainer) divide(ids, targets [][]int, learn bool) (loss float64, err error) {
	n, parts := len(ids), min(len(ids), len(t.shards))
	if n == 0 || len(targets) != n {
		return 0, tensor.ShapeError{Op: "Trainer: sequences of targets", Got: []int{len(targets)},
			Want: []int{max(1, n)}}
	}
	for i, s := range t.shards {
		from, to := min(i, parts)*n/parts, min(i+1, parts)*n/parts
		s.ids, s.targets = ids[from:to], targets[from:to]
		s.share = float64(to-from) / float64(n)
	}
	t.workers.run(parts, learn)
	for _, s := range t.shards[:parts] {
		if s.err != nil {
			return 0, s.err
		}
		loss += s.share * s.loss
	}
	return loss, nil
}

// sum adds to the first shard's gradient of parameter i those of the others, in their order.
func sum(i int, shards []*shard) {
	total := shards[0].params[i].Grad.Data
	for _, s := range shards[1:] {
		if s.share > 0 {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	}
}

// compute finds the loss of the shard's part and, if it is to learn, the part's
// share of the batch's gradient. The sequences pass through the model a few at a
// time and Backward adds up their gradients, so that the logits of a large
// vocabulary, T·V for a sequence, need not all be in memory at once.
func (s *shard) compute(learn bool) {
	s.loss, s.err = 0, nil
	if learn {
		for _, p := range s.params {
			p.ZeroGrad() // Backward adds
		}
	}
	few := max(1, maxLogits/(max(1, len(s.ids[0]))*s.model.Config.VocabSize))
	for from := 0; from < len(s.ids) && s.err == nil; from += few {
		to := min(from+few, len(s.ids))
		s.err = s.pass(s.ids[from:to], s.targets[from:to], learn)
	}
}

// maxLogits is the most logits, B·T·V, that a shard computes at once: 2 MiB. One sequence
// is computed at once in any case.
const maxLogits = 1 << 19

// pass takes some of the shard's sequences through the model. The mean over the
// shard is the mean of these means, weighted by the numbers of sequences, and the
// mean over the batch is that of the shards':
//
//	L = Σ_s share_s · L_s,  L_s = Σ_p part_p · L_p    so    ∂L/∂logits_p = share_s · part_p · ∂L_p/∂logits_p
func (s *shard) pass(ids, targets [][]int, learn bool) error {
	logits, err := s.model.Forward(ids)
	if err != nil {
		return err
	}
	loss, err := s.crossEntropy.Forward(logits, targets)
	if err != nil {
		return err
	}
	part := float64(len(ids)) / float64(len(s.ids))
	s.loss += part * loss
	if learn {
		dlogits := s.crossEntropy.Backward()
		kernel.Scale(float32(s.share*part), dlogits.Data)
		s.model.Backward(dlogits)
	}
	return nil
}
