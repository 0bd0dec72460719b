//go:build unlisted

package lm

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step09_block"
)

// one-stream-for-all: all tensors are drawn one after the other from one stream
//
// Why: A tensor's numbers depend on what was drawn before and not on its name: another number of layers changes the head.
func New() {
	if right {
		weight := func(name string, out, in int) *tensor.Param {
			return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
		}
	} else {
		rng := initializers.Rand(seed, "model")
		weight := func(name string, out, in int) *tensor.Param {
			return tensor.NewParam(name, initializers.LinearWeight(out, in, rng))
		}
	}
}

// layers-alike: the stream's name has no layer number
//
// Why: All layers start with the same weights, because the names from which they are drawn lack the number of the layer.
func New() {
	if right {
		weight := func(name string, out, in int) *tensor.Param {
			return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
		}
	} else {
		weight := func(name string, out, in int) *tensor.Param {
			var l int
			stream := name
			if n, _ := fmt.Sscanf(name, "layers.%d.%s", &l, &stream); n < 2 {
				stream = name
			}
			return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, stream)))
		}
	}
}

// qkv-drawn-at-once: queries, keys and values are drawn as one matrix (3D, D)
//
// Why: The three projections have the variance of a (3D, D) layer, 2/(4D), and a common stream.
func New(cfg Config, seed uint64) *LM {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	d, f := cfg.DModel, cfg.DFF
	m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	for t := range m.places {
		m.places[t] = t
	}
	weight := func(name string, out, in int) *tensor.Param {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	}
	gain := func(name string) *tensor.Param { return tensor.NewParam(name, initializers.Gain(d)) }
	table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	m.Embedding = embedding.New(tensor.NewParam("token_embeddings.weight", table))
	for l := range cfg.NumLayers {
		name := fmt.Sprintf("layers.%d.", l)
		qkv := weight(name+"attn.qkv_proj.weight", 3*d, d)
		attn := attention.NewMultiHead(qkv, weight(name+"attn.output_proj.weight", d, d), cfg.NumHeads, m.rope)
		ffn := swiglu.New(weight(name+"ffn.w1.weight", f, d), weight(name+"ffn.w2.weight", d, f), weight(name+"ffn.w3.weight", f, d))
		m.Blocks = append(m.Blocks, block.New(gain(name+"ln1.weight"), attn, gain(name+"ln2.weight"), ffn))
	}
	m.Norm = rmsnorm.New(gain("ln_final.weight"))
	m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	return m
}

// table-like-a-weight: the embedding is drawn as a linear weight
//
// Why: The embedding's standard deviation is that of a (V, D) layer and not 1.
func New() {
	if right {
		table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	} else {
		table := initializers.LinearWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	}
}

// u-not-scaled: u is compared with the running sum without being multiplied by the total
//
// Why: Probabilities that sum to less than 1 make Draw panic now and then; if they sum to more, the last tokens are never drawn.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		u := rng.Float64()
	}
}

// zero-at-the-beginning: a token is taken where u is not larger than the running sum
//
// Why: For u = 0 Draw returns the first token even if its probability is 0.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for _, p := range probs {
		total += float64(p)
	}
	if !(total > 0) {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	}
	u := rng.Float64() * total
	sum := 0.0
	for id, p := range probs {
		sum += float64(p)
		if u <= sum {
			return id
		}
	}
	return len(probs) - 1
}

// last-token-left-over: the last token is taken if none came before
//
// Why: With probabilities that sum to a little less than 1 a u near 1 gives the last token, even if its probability is 0.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for _, p := range probs {
		total += float64(p)
	}
	if !(total > 0) {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	}
	u, sum := rng.Float64(), 0.0
	for id, p := range probs {
		sum += float64(p)
		if u < sum {
			return id
		}
	}
	return len(probs) - 1
}

// u-from-the-other-end: u is 1 − Float64 and must be less than the running sum
//
// Why: For the smallest number of the generator u is the whole total, no token is found, and Draw panics.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		u := (1 - rng.Float64()) * total
	}
}

// drawn-in-percent: u is a whole number of hundredths
//
// Why: A token of a probability below 0.01 is drawn far too often or never.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		u := float64(rng.IntN(100)) / 100 * total
	}
}

// most-likely-always: Draw returns the token of the largest probability
//
// Why: Nothing is drawn: the same token comes every time, whatever the generator.
func Draw(probs []float32, rng *rand.Rand) int {
	largest := kernel.Max(probs)
	if !(largest > 0) {
		panic("Draw: nothing to draw from")
	}
	return slices.Index(probs, largest)
}

// generator-of-its-own: every round draws from a new generator with a fixed seed
//
// Why: Generate does not use the rng that it is given: another seed gives the same text, and u is the same in every round.
func (*LM) Generate() {
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rand.New(rand.NewPCG(1, 2)))
	}
}

// head-tied: the head starts as a copy of the embedding
//
// Why: lm_head.weight has the numbers of the embedding and not those of its own stream.
func New() {
	if right {
		m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	} else {
		m.Head = linear.New(tensor.NewParam("lm_head.weight", table.Clone()))
	}
}
