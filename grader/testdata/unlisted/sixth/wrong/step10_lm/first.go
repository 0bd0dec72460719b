//go:build unlisted

package lm

import (
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// one-more-than-reaches: a nucleus whose sum is exactly topP gets one token more
//
// Why: of 0.5, 0.25, 0.25 with topP 0.5 the first token alone reaches it.
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if sum > topP {
			probs[id] = 0
		}
	}
}

// nucleus-not-divided: what is left is not divided by its sum
//
// Why: the probabilities of the nucleus must sum to 1.
func keepNucleus() {
	if right {
		kernel.Scale(float32(1/sum), probs)
	} else {
	}
}

// last-of-equals-first: the order is turned round after sorting, and equals with it
//
// Why: of equals the first comes first; at the edge of the nucleus the wrong one stays.
func keepNucleus() {
	if right {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	} else {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[a], probs[b]) })
		slices.Reverse(order)
	}
}

// nucleus-before-the-temperature: the nucleus is chosen at temperature 1
//
// Why: it is the softmax of logits/temperature that is cut.
func Distribution() {
	if right {
		if topP < 1 {
			keepNucleus(probs, topP)
		}
	} else {
		if topP < 1 {
			plain := tensor.New(len(logits))
			copy(plain.Data, logits)
			softmax.Softmax(plain, plain, 0)
			keepNucleus(plain.Data, topP)
			sum := 0.0
			for i, x := range plain.Data {
				if x == 0 {
					probs[i] = 0
				}
				sum += float64(probs[i])
			}
			kernel.Scale(float32(1/sum), probs)
		}
	}
}

// distribution-over-the-logits: the probabilities are written over the caller's logits
//
// Why: Distribution changes its input; a second call with the same logits gives something else.
func Distribution() {
	if right {
		probs := make([]float32, len(logits))
		largest := kernel.Max(logits)
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		probs := logits
		largest := kernel.Max(logits)
		if temperature == 0 {
			best := slices.Index(logits, largest)
			clear(probs)
			probs[best] = 1
			return probs
		}
	}
}

// distribution-in-a-package-variable: every call returns the same memory
//
// Why: nothing says that a distribution is valid only until the next call; two of them are equal.
func Distribution() {
	if right {
		probs := make([]float32, len(logits))
	} else {
		if cap(probsRoom) < len(logits) {
			probsRoom = make([]float32, len(logits))
		}
		probs := probsRoom[:len(logits)]
		clear(probs)
	}
}

var probsRoom []float32

// last-of-the-largest: temperature 0 takes the last of equal logits
//
// Why: all mass on the largest logit, the first of equals.
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
		return probs
	} else {
		best := 0
		for i, x := range logits {
			if x >= logits[best] {
				best = i
			}
		}
		probs[best] = 1
		return probs
	}
}

// divided-without-a-shift: the logits are divided by the temperature as they are
//
// Why: a small temperature makes them overflow, and the distribution is NaN.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = float32(float64(x) / temperature)
	}
}

// tiny-temperature-is-zero: temperatures below 0.1 are taken for 0
//
// Why: only 0 is greedy; logits that lie close together keep some probability each.
func Distribution() {
	if right {
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		if temperature < 0.1 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	}
}

// nan-temperature-passes: the bounds are asked the other way round, so that a NaN is within them
//
// Why: it must panic unless temperature ≥ 0 and 0 < topP ≤ 1.
func Distribution() {
	if right {
		if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	} else {
		if temperature < 0 || topP <= 0 || topP > 1 {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	}
}

// top-p-zero-passes: topP = 0 is taken, as the greediest
//
// Why: it must panic unless 0 < topP.
func Distribution() {
	if right {
		if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	} else {
		if !(temperature >= 0) || !(topP >= 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	}
}

// line-of-length-one: the place on the line is between 0 and 1 whatever the probabilities sum to
//
// Why: they need not sum to 1; of (1, 1) the second is never drawn, and of (0.3, 0.3) often nothing.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		u := rng.Float64()
		if total == 0 {
			u = 0
		}
	}
}

// last-token-instead-of-a-panic: when no token is found the last is returned
//
// Why: probabilities that hold a NaN or sum to 0 must panic.
func Draw() {
	if right {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	} else {
		return len(probs) - 1
	}
}

// end-belongs-to-the-token: u ≤ sum decides
//
// Why: with u = 0 a first token of probability 0 is drawn.
func Draw() {
	if right {
		if u < sum {
			return id
		}
	} else {
		if u <= sum {
			return id
		}
	}
}

// drawn-from-the-process: the number comes from the process's generator and not from rng
//
// Why: the same rng must give the same tokens.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		u := rand.Float64() * total
	}
}

// prompt-grown-in-place: new tokens are appended to the caller's prompt
//
// Why: a prompt that is a part of a longer slice gets what lies behind it overwritten.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// stop-token-kept: the stop token is appended before it is recognised
//
// Why: it is not part of the text.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
		text = append(text, next)
	} else {
		text = append(text, next)
		if next == s.Stop {
			break
		}
	}
}

// token-zero-never-stops: Stop 0 is taken for none
//
// Why: −1 stands for none; 0 is a token.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
	} else {
		if s.Stop > 0 && next == s.Stop {
			break
		}
	}
}

// full-context-ends: the text ends when the context is full
//
// Why: the model then reads the last ContextLength tokens and goes on to MaxNew.
func (*LM) Generate() {
	if right {
		text = append(text, next)
	} else {
		text = append(text, next)
		if len(text) >= m.Config.ContextLength {
			break
		}
	}
}

// first-tokens-kept: a text that is too long is cut at its end
//
// Why: the model reads its last ContextLength tokens.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[:min(len(text), m.Config.ContextLength)]
	}
}

// ids-left-to-the-model: Generate does not look at the ids of the prompt
//
// Why: an id outside the vocabulary that is not among the last ContextLength, or with MaxNew 0, is taken.
func (*LM) Generate() {
	if right {
		if i := slices.IndexFunc(prompt, func(id int) bool { return id < 0 || id >= m.Config.VocabSize }); i >= 0 {
			return nil, tensor.IndexError{Op: fmt.Sprintf("Generate: prompt[%d]", i), Got: prompt[i], Limit: m.Config.VocabSize}
		}
	} else {
	}
}

// long-prompt-refused: a prompt of more than ContextLength tokens is an error
//
// Why: the model reads its last ContextLength tokens.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		if len(prompt) > m.Config.ContextLength {
			return nil, fmt.Errorf("Generate: the prompt has %d tokens, more than %d", len(prompt), m.Config.ContextLength)
		}
		text := slices.Clone(prompt)
	}
}

// infinite-logits-pass: only NaN is looked for
//
// Why: logits that are not finite are an error, infinite ones too.
func (*LM) Generate() {
	if right {
		if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
			return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
		}
	} else {
		if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) }) {
			return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
		}
	}
}

// qkv-drawn-as-one: q, k and v are drawn as one weight (3D, D)
//
// Why: its spread is 2/(D + 3D), and the streams are not those of their names.
func New() {
	if right {
		qkv := tensor.NewParam(name+"attn.qkv_proj.weight", tensor.New(3*d, d))
		for i, part := range []string{"q", "k", "v"} {
			w := weight(name+"attn."+part+"_proj.weight", d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
		}
	} else {
		qkv := weight(name+"attn.qkv_proj.weight", 3*d, d)
	}
}

// layers-from-one-stream: the streams of all layers are those of layer 0
//
// Why: every tensor has a stream of its own name; all layers begin with the same numbers.
func New() {
	if right {
		name := fmt.Sprintf("layers.%d.", l)
	} else {
		name := fmt.Sprintf("layers.%d.", 0*l)
	}
}

// ropes-kept-by-width: the tables are kept in a package variable by the width of a head and their length
//
// Why: a second model with another theta gets the first one's angles.
func New() {
	if right {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	} else {
		size := [2]int{d / cfg.NumHeads, cfg.ContextLength}
		if _, ok := ropes.Load(size); !ok {
			ropes.Store(size, rope.New(cfg.RopeTheta, size[0], size[1]))
		}
		r, _ := ropes.Load(size)
		m := &LM{Config: cfg, rope: r.(*rope.RoPE), places: make([]int, cfg.ContextLength)}
	}
}

var ropes sync.Map

// panics-with-a-text: New panics with the text of the error
//
// Why: it is to panic with the error of Validate, which one can ask with errors.As.
func New() {
	if right {
		if err := cfg.Validate(); err != nil {
			panic(err)
		}
	} else {
		if err := cfg.Validate(); err != nil {
			panic("lm.New: " + err.Error())
		}
	}
}

// embedding-gradient-shared: a replica's embedding has the gradient of the model's
//
// Why: a replica has gradients of its own; two workers add to one table at the same time.
func (*LM) Replica() {
	if right {
		r.Embedding = embedding.New(m.Embedding.Weight.Replica())
	} else {
		r.Embedding = embedding.New(m.Embedding.Weight)
	}
}

// head-copied: a replica's head has a copy of the values
//
// Why: a replica shares the values; it does not see the next update of the head.
func (*LM) Replica() {
	if right {
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		r.Head = linear.New(tensor.NewParam(m.Head.Weight.Name, m.Head.Weight.Value.Clone()))
	}
}

// positions-shared-with-the-replica: a replica writes its positions to the memory of the model's
//
// Why: a Forward of the replica with another T breaks the model's Backward.
func (*LM) Replica() {
	if right {
		r := &LM{Config: m.Config, rope: m.rope, places: m.places}
	} else {
		r := &LM{Config: m.Config, rope: m.rope, places: m.places, positions: m.positions}
	}
}

// length-looked-at-late: the embedding has read the ids before their number is looked at
//
// Why: after an error nothing has changed; here Backward of the last good Forward panics.
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

// full-context-refused: ContextLength tokens are one too many
//
// Why: only more than ContextLength tokens are an error.
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

// positions-only-grow: the positions are made anew only for a longer sequence
//
// Why: a shorter sequence after a longer one panics in RoPE.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		if len(m.positions) == 0 || len(m.positions[0]) < seq {
			m.positions = [][]int{m.places[:seq]}
		}
	}
}

// gradients-cleared-by-backward: Backward empties all gradients first
//
// Why: it adds; two parts of a batch one after the other count as the last.
func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		for _, p := range m.Params() {
			p.ZeroGrad()
		}
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	}
}

// scores-under-the-mask-only: half of the scores are counted
//
// Why: they are counted for all T×T pairs, masked or not.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*seq*d
	}
}

// head-tied-to-the-embedding: embedding and head are counted once
//
// Why: the head has a weight of its own.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return v*d + c.NumLayers*layer + d
	}
}
