//go:build unlisted

package lm

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step09_block"
)

// replica-copies-values: replica has copies of the values
//
// Why: after an update of the model its replica still computes with the old parameters.
func (*LM) Replica() {
	if right {
		r := &LM{Config: m.Config, rope: m.rope, places: m.places}
	} else {
		m = m.copied()
		r := &LM{Config: m.Config, rope: m.rope, places: m.places}
	}
}

func (m *LM) copied() *LM {
	c := New(m.Config, 0)
	theirs := c.Params()
	for i, p := range m.Params() {
		copy(theirs[i].Value.Data, p.Value.Data)
	}
	return c
}

// replica-shares-last-gain: last gain of a replica is the model's own parameter
//
// Why: two workers add to the same gradient of ln_final.weight, which then counts twice or is a race.
func (*LM) Replica() {
	if right {
		r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
	} else {
		r.Norm = rmsnorm.New(m.Norm.Gain)
	}
}

// positions-go-on: positions begin where the last Forward ended
//
// Why: one RoPE table is soon used up: the second or third Forward of a full context panics with an IndexError.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		row := make([]int, seq)
		for t := range row {
			row[t] = m.seen + t
		}
		m.seen += seq
		m.positions = [][]int{row}
	}
}

type LM struct {
	Config    Config
	Embedding *embedding.Embedding // (V, D)
	Blocks    []*block.Block       // L of them
	Norm      *rmsnorm.RMSNorm     // (D)
	Head      *linear.Linear       // (V, D)

	rope      *rope.RoPE
	places    []int
	positions [][]int
	seen      int
}

// too-long-is-cut: rows longer than the context are cut to its last tokens
//
// Why: too many tokens should be an error; here the logits are (B, ContextLength, V) without one.
func (*LM) Forward() {
	if right {
		return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
	} else {
		cut := make([][]int, len(ids))
		for b, row := range ids {
			cut[b] = row[max(0, len(row)-m.Config.ContextLength):]
		}
		ids, seq = cut, m.Config.ContextLength
	}
}

// length-after-embedding: length is checked after the embedding has seen the ids
//
// Why: after this error the embedding's Backward belongs to ids that the rest of the model never saw.
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

// one-stream-for-all-weights: all matrices are drawn from one stream after the other
//
// Why: a tensor's numbers depend on what was drawn before it: more layers change the head's first values.
func New() {
	if right {
		weight := func(name string, out, in int) *tensor.Param {
			return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
		}
	} else {
		stream := initializers.Rand(seed, "weights")
		weight := func(name string, out, in int) *tensor.Param {
			return tensor.NewParam(name, initializers.LinearWeight(out, in, stream))
		}
	}
}

// layers-from-one-stream: name that chooses the stream lacks the number of the layer
//
// Why: all layers begin with the same numbers.
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		stream, l := name, 0
		if n, _ := fmt.Sscanf(name, "layers.%d.%s", &l, &stream); n == 2 {
			stream = "layers." + stream
		}
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, stream)))
	}
}

// theta-always-ten-thousand: RoPE is made with Θ = 10,000 whatever the configuration says
//
// Why: a model with another rope_theta computes the logits of one with 10,000.
func New() {
	if right {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	} else {
		m := &LM{Config: cfg, rope: rope.New(10000, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	}
}

// tied-head-counted: head is counted as tied to the embedding
//
// Why: NumParams lacks the V·D parameters of the head, which has a matrix of its own.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return v*d + c.NumLayers*layer + d
	}
}

// half-the-scores: scores and weighted values are counted for half of the pairs
//
// Why: masked pairs count as well; ForwardFLOPs is too small by L·2·T·D for each token.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*seq*d
	}
}
