//go:build unlisted

package lm

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// last-norm-missing: the head reads the stream itself
//
// Why: The last norm is left out of Forward and Backward, and ln_final.weight has no effect.
func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		return m.Head.Forward(x), nil
	}
}

func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		dx := m.Head.Backward(dlogits)
	}
}

// last-block-skipped: the loop over the blocks stops one early
//
// Why: The last block has no part in Forward or Backward.
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for l := 0; l < len(m.Blocks)-1; l++ {
			x = m.Blocks[l].Forward(x, m.positions)
		}
	}
}

func (m *LM) Backward(dlogits *tensor.Tensor) {
	dx := m.Norm.Backward(m.Head.Backward(dlogits))
	for l := len(m.Blocks) - 2; l >= 0; l-- {
		dx = m.Blocks[l].Backward(dx)
	}
	m.Embedding.Backward(dx)
}

// backward-in-forward-order: the blocks run Backward from the first to the last
//
// Why: Gradients go through the blocks in the order of Forward: with two layers or more they are wrong.
func (m *LM) Backward(dlogits *tensor.Tensor) {
	dx := m.Norm.Backward(m.Head.Backward(dlogits))
	for _, b := range m.Blocks {
		dx = b.Backward(dx)
	}
	m.Embedding.Backward(dx)
}

// first-block-without-gradient: Backward stops before block 0
//
// Why: The first block gets no gradient, and the embedding that of the second block's input.
func (m *LM) Backward(dlogits *tensor.Tensor) {
	dx := m.Norm.Backward(m.Head.Backward(dlogits))
	for l := len(m.Blocks) - 1; l > 0; l-- {
		dx = m.Blocks[l].Backward(dx)
	}
	m.Embedding.Backward(dx)
}

// embedding-without-gradient: Backward ends with the blocks
//
// Why: The embedding's gradient stays as it was.
func (*LM) Backward() {
	if right {
		m.Embedding.Backward(dx)
	} else {
		_ = dx
	}
}

// positions-from-one: tokens have the positions 1, 2, …, T
//
// Why: The numbers change only by rounding, but a full context asks RoPE for a position that it has not and panics.
func New() {
	if right {
		m.places[t] = t
	} else {
		m.places[t] = t + 1
	}
}

// positions-backwards: the last token has position 0
//
// Why: Positions fall from T−1 to 0, so that RoPE turns by the opposite distances.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		row := slices.Clone(m.places[:seq])
		slices.Reverse(row)
		m.positions = append(m.positions[:0], row)
	}
}

// theta-fixed: RoPE is made for Θ = 10,000
//
// Why: The configuration's rope_theta has no effect.
func New() {
	if right {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	} else {
		m := &LM{Config: cfg, rope: rope.New(10000, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	}
}

// layers-from-one: layers are counted from 1 in the state dictionary
//
// Why: Params names the first layer layers.1, so that a state dictionary does not fit.
func (m *LM) Params() []*tensor.Param {
	params := m.Embedding.Params()
	for l, b := range m.Blocks {
		for _, p := range b.Params() {
			params = append(params, &tensor.Param{Name: fmt.Sprintf("layers.%d.%s", l+1, p.Name), Value: p.Value, Grad: p.Grad})
		}
	}
	return append(params, m.Norm.Gain, m.Head.Weight)
}

// head-tied-in-count: the head is not counted
//
// Why: NumParams counts V·D once, as if head and embedding were one.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return v*d + c.NumLayers*layer + d
	}
}

// two-matrices-in-feed-forward: the feed-forward network is counted with two matrices
//
// Why: NumParams counts 2·D·F for each layer where SwiGLU has 3·D·F.
func NumParams() {
	if right {
		layer := 4*d*d + 3*d*f + 2*d
	} else {
		layer := 4*d*d + 2*d*f + 2*d
	}
}

// half-of-the-scores: masked scores are not counted
//
// Why: ForwardFLOPs counts half of the T×T pairs, where all are wanted.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*seq*d
	}
}

// look-up-counted: the embedding is counted as a product
//
// Why: ForwardFLOPs counts 2·D·V for the look-up, which multiplies nothing.
func ForwardFLOPs() {
	if right {
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		return batch * seq * (c.NumLayers*layer + 2*2*d*v)
	}
}

// multiplied-by-temperature: logits are multiplied by the temperature
//
// Why: A high temperature makes the distribution sharper instead of flatter.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = float32(float64(x-largest) * temperature)
	}
}

// divided-before-shifted: logits are divided before the largest is subtracted
//
// Why: A very small temperature overflows: the probabilities are NaN.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = float32(float64(x) / temperature)
	}
}

// crossing-token-dropped: the token that crosses topP is not kept
//
// Why: The token with which the sum reaches topP is left out: the nucleus is one token too small, unless it is the likeliest.
func keepNucleus(probs []float32, topP float64) {
	order := make([]int, len(probs))
	for id := range order {
		order[id] = id
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	sum, kept := 0.0, 0.0
	for i, id := range order {
		sum += float64(probs[id])
		if sum > topP && i > 0 {
			probs[id] = 0
		}
		kept += float64(probs[id])
	}
	kernel.Scale(float32(1/kept), probs)
}

// nucleus-not-divided: what is left is not divided by its sum
//
// Why: The probabilities of the nucleus sum to about topP and not to 1.
func keepNucleus() {
	if right {
		kernel.Scale(float32(1/sum), probs)
	} else {
		_ = sum
	}
}

// last-of-equals: of equal probabilities the last comes first
//
// Why: Where equal tokens straddle topP the ones with the larger ids are kept.
func keepNucleus() {
	if right {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	} else {
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(probs[b], probs[a]), b-a) })
	}
}

// greedy-last-of-equals: temperature 0 takes the last of the largest logits
//
// Why: Of several largest logits the last gets all mass, where it should be the first.
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
	} else {
		at := 0
		for id, x := range logits {
			if x >= logits[at] {
				at = id
			}
		}
		probs[at] = 1
	}
}

// temperature-zero-divides: temperature 0 is made a tiny number
//
// Why: Of equal largest logits each gets a share at temperature 0, where the first should have all mass.
func Distribution() {
	if right {
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		if temperature == 0 {
			temperature = 1e-6
		}
	}
}
