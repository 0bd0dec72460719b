//go:build mistake

package lm

import (
	"math"
	"strings"
)

// gains-at-0: the gains begin at 0
//
// Why: A norm with gains of 0 returns 0: nothing passes, and no gradient comes back.
//
// Hint: initializers.Gain(d).
func New() {
	if right {
		return tensor.NewParam(name, initializers.Gain(d))
	} else {
		return tensor.NewParam(name, tensor.New(d))
	}
}

// gains-random: the gains are drawn at random
//
// Why: A gain is a factor, and 1 is the one that changes nothing.
//
// Hint: initializers.Gain(d).
func New() {
	if right {
		return tensor.NewParam(name, initializers.Gain(d))
	} else {
		return tensor.NewParam(name, initializers.EmbeddingWeight(1, d, initializers.Rand(seed, name)).Reshape(d))
	}
}

// same-stream: several tensors are drawn from the same stream of random numbers
//
// Why: Two tensors that begin alike compute alike, and gradient descent does not tell them apart
// for a long time.
//
// Hint: initializers.Rand(seed, name), with the whole name in the state dictionary.
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, "weight")))
	}
}

// same-stream/embedding-too: all tensors are drawn from the same stream, the embedding as well
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, "")))
	}
	if right {
		table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	} else {
		table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, ""))
	}
}

// same-stream/layers: all layers are drawn from the same streams: the name lacks the number of the
// layer
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name[len("layers.0."):])))
	}
}

// same-stream/qkv: q, k and v of a layer are drawn from the same stream
func New() {
	if right {
		for i, part := range []string{"q", "k", "v"} {
			w := weight(name+"attn."+part+"_proj.weight", d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
		}
	} else {
		for i := range 3 {
			w := weight(name+"attn.qkv_proj.weight", d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
		}
	}
}

// seed-ignored: the seed is ignored: every model begins with the same numbers
//
// Why: An experiment is repeated with other seeds to see what is chance.
//
// Hint: initializers.Rand(seed, name).
func New(cfg Config, _ uint64) *LM {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	d, f := cfg.DModel, cfg.DFF
	m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	for t := range m.places {
		m.places[t] = t
	}
	weight := func(name string, out, in int) *tensor.Param {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(0, name)))
	}
	gain := func(name string) *tensor.Param { return tensor.NewParam(name, initializers.Gain(d)) }

	table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(0, "token_embeddings.weight"))
	m.Embedding = embedding.New(tensor.NewParam("token_embeddings.weight", table))
	for l := range cfg.NumLayers {
		name := fmt.Sprintf("layers.%d.", l)
		qkv := tensor.NewParam(name+"attn.qkv_proj.weight", tensor.New(3*d, d))
		for i, part := range []string{"q", "k", "v"} {
			w := weight(name+"attn."+part+"_proj.weight", d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
		}
		attn := attention.NewMultiHead(qkv, weight(name+"attn.output_proj.weight", d, d), cfg.NumHeads, m.rope)
		ffn := swiglu.New(weight(name+"ffn.w1.weight", f, d), weight(name+"ffn.w2.weight", d, f), weight(name+"ffn.w3.weight", f, d))
		m.Blocks = append(m.Blocks, block.New(gain(name+"ln1.weight"), attn, gain(name+"ln2.weight"), ffn))
	}
	m.Norm = rmsnorm.New(gain("ln_final.weight"))
	m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	return m
}

// head-sigma-1: the head is drawn like an embedding, with σ = 1
//
// Why: The head has the shape of an embedding, but it multiplies: logits of size √D make the first
// loss many times ln V.
//
// Hint: The head is a linear layer: LinearWeight(V, D).
func New() {
	if right {
		m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	} else {
		m.Head = linear.New(tensor.NewParam("lm_head.weight", initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "lm_head.weight"))))
	}
}

// head-at-0: the head begins at 0
//
// Why: The first loss is then exactly ln V, but at first no gradient reaches any other weight.
//
// Hint: LinearWeight(V, D).
func New() {
	if right {
		m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	} else {
		m.Head = linear.New(tensor.NewParam("lm_head.weight", tensor.New(cfg.VocabSize, d)))
	}
}

// embedding-as-linear: the embedding is drawn like a linear layer, with σ² = 2/(V + D)
//
// Why: An embedding does not sum over its inputs: one row is picked. Its numbers have the size
// that the stream shall have, which is 1.
//
// Hint: EmbeddingWeight(V, D): σ = 1.
func New() {
	if right {
		table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	} else {
		table := initializers.LinearWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	}
}

// sigma-0.02: all weights are drawn with σ = 0.02, as in GPT-2
//
// Why: σ² = 2/(d_in + d_out) keeps the size of activations and gradients through a linear layer,
// whatever its sizes. 0.02 fits one width only.
//
// Hint: LinearWeight(out, in).
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		return tensor.NewParam(name, func() *tensor.Tensor {
			t := tensor.New(out, in)
			initializers.TruncatedNormal(t.Data, 0.02, 3, initializers.Rand(seed, name))
			return t
		}())
	}
	if right {
		table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	} else {
		table := func() *tensor.Tensor {
			t := tensor.New(cfg.VocabSize, d)
			initializers.TruncatedNormal(t.Data, 0.02, 3, initializers.Rand(seed, "token_embeddings.weight"))
			return t
		}()
	}
}

// qkv-as-one: q, k and v are drawn as one matrix (3D, D), whose σ is smaller
//
// Why: σ² = 2/(d_in + d_out) keeps the size of activations and gradients through a linear layer,
// whatever its sizes. That the three lie in one matrix is a matter of speed; each projection is
// (D, D).
//
// Hint: LinearWeight(D, D) for each of the three.
func New() {
	if right {
		copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
	} else {
		whole := initializers.LinearWeight(3*d, d, initializers.Rand(seed, w.Name))
		copy(qkv.Value.Slice(i*d, (i+1)*d).Data, whole.Data)
	}
}

// residual-scaled: the projections back into the stream are drawn smaller by √(2L), as in GPT-2
//
// Why: GPT-2 does this, and it has its merits. Here all linear layers begin alike.
//
// Hint: LinearWeight(out, in), without a factor.
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		return func() *tensor.Param {
			w := initializers.LinearWeight(out, in, initializers.Rand(seed, name))
			if strings.HasSuffix(name, "output_proj.weight") || strings.HasSuffix(name, "w2.weight") {
				for i := range w.Data {
					w.Data[i] /= float32(math.Sqrt(float64(2 * cfg.NumLayers)))
				}
			}
			return tensor.NewParam(name, w)
		}()
	}
}
