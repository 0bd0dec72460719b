//go:build unlisted

package lm

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"

	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step09_block"
)

// one-gain-a-layer: counts D gains in a layer in place of 2·D
//
// Why: there are ln1 and ln2; the sum of the sizes of Params is larger by L·D.
func NumParams() {
	if right {
		layer := 4*d*d + 3*d*f + 2*d
	} else {
		layer := 4*d*d + 3*d*f + d
	}
}

// causal-pairs-only: counts scores and weighted values for half of the pairs, since the mask hides the others
//
// Why: the stub counts all T×T pairs, masked or not.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*seq*d
	}
}

// streams-named-without-the-layer: q, k and v draw from streams whose names lack "layers.N."
//
// Why: each tensor draws from Rand(seed, its name in the state dictionary); here
// the projections of all layers are equal.
func New() {
	if right {
		w := weight(name+"attn."+part+"_proj.weight", d, d)
	} else {
		w := weight("attn."+part+"_proj.weight", d, d)
	}
}

// positions-from-one: the first token stands at position 1
//
// Why: positions are 0, …, T−1. Logits hardly differ, RoPE being relative, but a
// sequence of ContextLength tokens panics: its last position is not in the tables.
func New() {
	if right {
		m.places[t] = t
	} else {
		m.places[t] = t + 1
	}
}

// gains-of-blocks-not-replicated: a replica's blocks get the gains' own Params
//
// Why: a replica has gradients of its own; a Backward of the replica adds to the
// gains' gradients of the model (and two workers write to them at once).
func (*LM) Replica() {
	if right {
		r.Blocks = append(r.Blocks, block.New(b.Norm1.Gain.Replica(), attn, b.Norm2.Gain.Replica(), ffn))
	} else {
		r.Blocks = append(r.Blocks, block.New(b.Norm1.Gain, attn, b.Norm2.Gain, ffn))
	}
}

// replica-shares-the-head: a replica works with the model's own head
//
// Why: the head's gradient and its activations are shared: a Forward of the replica
// overwrites the model's logits, and the gradients of lm_head add up in one place.
func (*LM) Replica() {
	if right {
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		r.Head = m.Head
	}
}

// replica-begins-as-a-copy: the struct is copied and its layers replaced, so the slice of positions stays shared
//
// Why: after a Forward of the model, one of its replica with another T writes its
// row into the model's positions: the model's Backward panics, or races with it.
func (*LM) Replica() {
	if right {
		r := &LM{Config: m.Config, rope: m.rope, places: m.places}
	} else {
		copied := *m
		r := &copied
		r.Blocks = nil
	}
}

// params-list-kept: Params makes its list once and returns that slice every time
//
// Why: a caller who sorts the list by name, or reverses it, changes the order of
// every later call; Params promises one order.
func (m *LM) Params() []*tensor.Param {
	if m.params == nil {
		m.params = m.Embedding.Params()
		for l, b := range m.Blocks {
			for _, p := range b.Params() {
				m.params = append(m.params, &tensor.Param{Name: fmt.Sprintf("layers.%d.%s", l, p.Name), Value: p.Value, Grad: p.Grad})
			}
		}
		m.params = append(m.params, m.Norm.Gain, m.Head.Weight)
	}
	return m.params
}

type LM struct {
	Config    Config
	Embedding *embedding.Embedding // (V, D)
	Blocks    []*block.Block       // L of them
	Norm      *rmsnorm.RMSNorm     // (D)
	Head      *linear.Linear       // (V, D)

	rope      *rope.RoPE // shared by all blocks and replicas
	places    []int      // 0, 1, …, ContextLength−1
	positions [][]int    // one row, the first T of places
	params    []*tensor.Param
}

// length-checked-after-the-embedding: the embedding is asked before the length is compared
//
// Why: after an error nothing has changed; here the embedding holds the refused
// ids, and a Backward for the Forward before them panics or adds to their rows.
func (*LM) Forward() {
	if right {
		if seq > m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
		}
		x, err := m.Embedding.Forward(ids)
		if err != nil {
			return nil, err
		}
	} else {
		x, err := m.Embedding.Forward(ids)
		if err != nil {
			return nil, err
		}
		if seq > m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
		}
	}
}

// full-context-refused: a sequence of exactly ContextLength tokens is an error
//
// Why: only more than ContextLength tokens are.
func (*LM) Forward() {
	if right {
		if seq > m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
		}
	} else {
		if seq >= m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
		}
	}
}

// first-block-left-out-of-backward: the loop over the blocks ends before block 0
//
// Why: the parameters of layers.0 get no gradient, and the embedding gets that of
// the stream above block 0.
func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx) // (3)
		}
	} else {
		for l := len(m.Blocks) - 1; l > 0; l-- {
			dx = m.Blocks[l].Backward(dx) // (3)
		}
	}
}
