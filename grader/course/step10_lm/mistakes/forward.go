//go:build mistake

package lm

import "math"

// no-final-norm: the last norm is missing: the head reads the blocks' output as it is
//
// Why: Every block adds to the stream, so it grows from layer to layer. A pre-norm model
// normalises it once more at the end.
//
// Hint: logits = Head(Norm(x)).
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

// no-final-norm/forward-only
func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		return m.Head.Forward(x), nil
	}
}

// head-tied: the head uses the embedding's weight instead of its own
//
// Why: GPT-2 ties the two to save V·D parameters. Here the head is not tied: an embedding is drawn
// from N(0, 1), and a head like that begins with a loss far above ln V.
//
// Hint: lm_head.weight is a parameter of its own.
type LM struct {
	Config    Config
	Embedding *embedding.Embedding
	Blocks    []*block.Block
	Norm      *rmsnorm.RMSNorm
	Head      *linear.Linear

	rope      *rope.RoPE
	places    []int
	positions [][]int
	tied      *linear.Linear
}

func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		m.tied = linear.New(m.Embedding.Weight)
		return m.tied.Forward(m.Norm.Forward(x)), nil
	}
}

func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		dx := m.Norm.Backward(m.tied.Backward(dlogits))
	}
}

// head-tied/forward-only
type LM struct {
	Config    Config
	Embedding *embedding.Embedding
	Blocks    []*block.Block
	Norm      *rmsnorm.RMSNorm
	Head      *linear.Linear

	rope      *rope.RoPE
	places    []int
	positions [][]int
	tied      *linear.Linear
}

func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		m.tied = linear.New(m.Embedding.Weight)
		return m.tied.Forward(m.Norm.Forward(x)), nil
	}
}

// head-tied/shared-value: the head uses the embedding's weight, with a gradient of its own
func New() {
	if right {
		m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	} else {
		m.Head = linear.New(tensor.NewParam("lm_head.weight", table))
	}
}

// embedding-scaled: the embeddings are multiplied by √D
//
// Why: The first Transformer scaled its embeddings, to keep the sinusoids it added from covering
// them. Here nothing is added, and every branch begins with a norm.
//
// Hint: Hand Embedding.Forward's result to the first block as it is.
func (*LM) Forward() {
	if right {
		if err != nil {
			return nil, err
		}
	} else {
		if err != nil {
			return nil, err
		}
		for i := range x.Data {
			x.Data[i] *= float32(math.Sqrt(float64(m.Config.DModel)))
		}
	}
}

func (*LM) Backward() {
	if right {
		m.Embedding.Backward(dx)
	} else {
		for i := range dx.Data {
			dx.Data[i] *= float32(math.Sqrt(float64(m.Config.DModel)))
		}
		m.Embedding.Backward(dx)
	}
}

// embedding-scaled/forward-only
func (*LM) Forward() {
	if right {
		if err != nil {
			return nil, err
		}
	} else {
		if err != nil {
			return nil, err
		}
		for i := range x.Data {
			x.Data[i] *= float32(math.Sqrt(float64(m.Config.DModel)))
		}
	}
}

// same-position: all tokens get the same position
//
// Why: Then RoPE turns queries and keys alike, and a sentence is a bag of words.
//
// Hint: The positions are 0, 1, …, T−1.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		m.positions = append(m.positions[:0], make([]int, seq))
	}
}

// theta-ignored: RoPE's Θ is always 10000, whatever the configuration says
//
// Why: Models for long contexts have a larger Θ. A checkpoint is of use only with its own.
//
// Hint: rope.New(cfg.RopeTheta, …).
func New() {
	if right {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	} else {
		m := &LM{Config: cfg, rope: rope.New(10000, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	}
}

// positions-from-1: the positions begin at 1
//
// Why: Only distances count.
//
// Hint: Leave it as it is.
//
// Invisible: a score of turned q and k depends on the difference of their positions only, which
// stays the same; the tables are one row longer
func New() {
	if right {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
		for t := range m.places {
			m.places[t] = t
		}
	} else {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength+1), places: make([]int, cfg.ContextLength)}
		for t := range m.places {
			m.places[t] = t + 1
		}
	}
}
