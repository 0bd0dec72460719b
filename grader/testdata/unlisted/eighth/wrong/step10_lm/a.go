//go:build unlisted

package lm

// qkv-drawn-as-one: queries, keys and values are drawn as one (3D, D) matrix
//
// Why: σ² = 2/(D + 3D) is half of what three (D, D) layers have, and the stream is not the one of the three names.
func New() {
	if right {
		for i, part := range []string{"q", "k", "v"} {
			w := weight(name+"attn."+part+"_proj.weight", d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
		}
	} else {
		copy(qkv.Value.Data, weight(name+"attn.qkv_proj.weight", 3*d, d).Value.Data)
	}
}

// keys-from-the-queries-stream: the three parts of an attention come from the stream of the first
//
// Why: q equals k equals v at the start; every tensor has a stream of its own name.
func New() {
	if right {
		w := weight(name+"attn."+part+"_proj.weight", d, d)
	} else {
		_ = part
		w := weight(name+"attn.q_proj.weight", d, d)
	}
}

// streams-without-the-layer: the name of a stream lacks the layer's number
//
// Why: all layers begin with the same numbers, where each tensor is promised its own stream.
func New() {
	if right {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	} else {
		stream, layer, rest := name, 0, ""
		if n, _ := fmt.Sscanf(name, "layers.%d.%s", &layer, &rest); n == 2 {
			stream = "layers." + rest
		}
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, stream)))
	}
}

// length-checked-after-the-embedding: the embedding reads the ids before their number is checked
//
// Why: after the error the embedding belongs to the refused ids; Backward after it puts the gradients into wrong rows or panics.
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

// full-context-refused: exactly ContextLength tokens are too many
//
// Why: only more than ContextLength are an error.
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

// positions-of-the-first-length: the positions are made in the first Forward only
//
// Why: the next Forward with another T panics; generation changes T every time.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		if m.positions == nil {
			m.positions = [][]int{m.places[:seq]}
		}
	}
}

// replica-shares-a-gradient: the last norm of a replica is made from the model's own parameter
//
// Why: a replica has gradients of its own; the gain's gradient is shared and counted twice.
func (*LM) Replica() {
	if right {
		r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
	} else {
		r.Norm = rmsnorm.New(m.Norm.Gain)
	}
}

// replica-copies-the-head: the head of a replica has a copy of the values
//
// Why: the replica shares the values of m; after an update its head is the old one.
func (*LM) Replica() {
	if right {
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		r.Head = linear.New(tensor.NewParam(m.Head.Weight.Name, m.Head.Weight.Value.Clone()))
	}
}

// blocks-backward-from-the-first: the blocks' Backward are called in the order of Forward
//
// Why: with two layers and more every gradient below the norm is wrong.
func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	} else {
		for l := range m.Blocks {
			dx = m.Blocks[l].Backward(dx)
		}
	}
}

// one-table-counted: the embedding and the head are counted once, as if they were tied
//
// Why: the head is not tied to the embedding: NumParams is V·D too small.
func NumParams(c Config) int {
	v, d, f := c.VocabSize, c.DModel, c.DFF
	return v*d + c.NumLayers*(4*d*d+3*d*f+2*d) + d
}

// half-the-scores: scores and weighted values are counted for the allowed pairs only
//
// Why: all T×T pairs count, masked or not.
func ForwardFLOPs(c Config, batch, seq int) int {
	v, d, f := c.VocabSize, c.DModel, c.DFF
	layer := 2*(4*d*d+3*d*f) + 2*(seq+1)*d
	return batch * seq * (c.NumLayers*layer + 2*d*v)
}

// crossing-token-dropped: a token that would cross topP is left out
//
// Why: the token that crosses is kept; here the nucleus is short of topP, and empty if the first token crosses.
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
		sum += float64(probs[id])
	} else {
		if sum > 0 && sum+float64(probs[id]) > topP {
			probs[id] = 0
		}
		sum += float64(probs[id])
	}
}

// last-of-equals: of equal probabilities the last id comes first
//
// Why: of equals the first comes first.
func keepNucleus() {
	if right {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	} else {
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(probs[b], probs[a]), cmp.Compare(b, a)) })
	}
}

// zero-is-a-tiny-temperature: temperature 0 is taken as 10⁻⁸
//
// Why: of two largest logits that are equal the first has all the mass; here they share it.
func Distribution() {
	if right {
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		temperature = max(temperature, 1e-8)
	}
}

// divided-before-the-shift: the logits are divided by the temperature and not shifted first
//
// Why: a small temperature overflows to +Inf, and the probabilities are NaN.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = float32(float64(x) / temperature)
	}
}

// logits-overwritten: the probabilities are made in the memory of the logits
//
// Why: the logits belong to the caller (the model's tensor) and must not change.
func Distribution() {
	if right {
		probs := make([]float32, len(logits))
		largest := kernel.Max(logits)
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		largest := kernel.Max(logits)
		if temperature == 0 {
			probs := make([]float32, len(logits))
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
		probs := logits
	}
}

// sum-taken-for-one: Draw takes the probabilities to sum to 1 and gives the rest to the last token
//
// Why: they need not sum to 1; with weights of a half in all the last token comes half of the time, even with probability 0.
func Draw(probs []float32, rng *rand.Rand) int {
	u, sum := rng.Float64(), 0.0
	for id, p := range probs {
		sum += float64(p)
		if u < sum {
			return id
		}
	}
	if sum > 0 {
		return len(probs) - 1
	}
	panic(fmt.Sprintf("Draw: the probabilities sum to %g", sum))
}

// nan-draws-the-last: where no token is found the last one is returned
//
// Why: a NaN and a sum of 0 must panic.
func Draw() {
	if right {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	} else {
		return len(probs) - 1
	}
}

// text-in-the-prompts-memory: the new tokens are appended to the prompt
//
// Why: a prompt with room behind it is part of the caller's slice, whose next elements are overwritten.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// stop-in-the-text: the stop token is appended before it is recognised
//
// Why: the stop token is no part of the text.
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

// prompt-checked-by-forward: ids of the prompt are checked only where the model reads them
//
// Why: a bad id before the last ContextLength tokens is accepted, and with MaxNew 0 any.
func (*LM) Generate() {
	if right {
		if i := slices.IndexFunc(prompt, func(id int) bool { return id < 0 || id >= m.Config.VocabSize }); i >= 0 {
			return nil, tensor.IndexError{Op: fmt.Sprintf("Generate: prompt[%d]", i), Got: prompt[i], Limit: m.Config.VocabSize}
		}
		text := slices.Clone(prompt)
	} else {
		text := slices.Clone(prompt)
		_ = tensor.Any
	}
}

// nan-temperature-panics: the temperature is only compared with 0
//
// Why: NaN is out of range and must be an error; here Distribution panics.
func (*LM) Generate() {
	if right {
		switch {
		case len(prompt) == 0:
			return nil, errors.New("Generate: the prompt is empty; the model needs at least one token to begin with")
		case !(s.Temperature >= 0):
			return nil, fmt.Errorf("Generate: temperature is %g; want 0 or more", s.Temperature)
		case !(s.TopP > 0 && s.TopP <= 1):
			return nil, fmt.Errorf("Generate: top-p is %g; want more than 0 and at most 1", s.TopP)
		}
	} else {
		switch {
		case len(prompt) == 0:
			return nil, errors.New("Generate: the prompt is empty; the model needs at least one token to begin with")
		case s.Temperature < 0:
			return nil, fmt.Errorf("Generate: temperature is %g; want 0 or more", s.Temperature)
		case s.TopP <= 0 || s.TopP > 1:
			return nil, fmt.Errorf("Generate: top-p is %g; want more than 0 and at most 1", s.TopP)
		}
	}
}

// infinite-logits-pass: only NaN logits are refused
//
// Why: logits that are not finite are an error; an infinite one panics in Draw or is drawn for ever.
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

// first-tokens-kept: a text that is too long loses its end
//
// Why: the model reads the last ContextLength tokens.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[:min(len(text), m.Config.ContextLength)]
	}
}
