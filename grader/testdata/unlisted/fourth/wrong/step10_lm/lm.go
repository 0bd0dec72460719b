//go:build unlisted

package lm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
)

// writes-behind-the-prompt: Generate appends the new tokens to the caller's slice
//
// Why: a prompt that is the beginning of a longer slice has room behind its end, and what the caller keeps there is overwritten.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// token-0-cannot-stop: a Stop of 0 is taken for “not set”
//
// Why: 0 is a token like any other, and −1 means none. With Stop 0 the text goes on past the token 0.
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

// nan-is-in-range: Generate refuses what is below or above, which a NaN is not
//
// Why: a Sampling out of range is an error. With a Temperature or TopP of NaN, Generate panics in Distribution.
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

// the-place-0-belongs-to-nobody: Draw takes the first token whose sum reaches u, not the first whose sum exceeds it
//
// Why: Float64 may return 0. Then the first token is drawn even if its probability is 0.
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

// cold-taken-for-frozen: every temperature below 0.01 counts as 0
//
// Why: logits that differ by less than the temperature have nearly equal probabilities, however small it is; here the largest takes all.
func Distribution() {
	if right {
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
		if temperature < 0.01 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	}
}

// draw-in-float32: Draw adds up in float32
//
// Why: behind a probability near 1, a long tail of small ones adds nothing to the sum: none of its tokens is ever drawn, though together they have a share.
func Draw(probs []float32, rng *rand.Rand) int {
	total := float32(0)
	for _, p := range probs {
		total += p
	}
	u := rng.Float64() * float64(total)
	sum := float32(0)
	for id, p := range probs {
		sum += p
		if u < float64(sum) {
			return id
		}
	}
	panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
}

// replica-shares-the-positions: a replica begins with the model's own row of positions
//
// Why: it is written in place. After a Forward of the model, a Forward of the replica on a shorter text changes the positions that the model's Backward needs.
func (*LM) Replica() {
	if right {
		r := &LM{Config: m.Config, rope: m.rope, places: m.places}
	} else {
		r := &LM{Config: m.Config, rope: m.rope, places: m.places, positions: m.positions}
	}
}

// layer-10-drawn-as-another: the stream of a layer is named with one character for its number
//
// Why: the stream is that of the name in the state dictionary. Layers from 10 on are drawn from “layers.:.…” and are other numbers; their names are right.
func New() {
	if right {
		weight := func(name string, out, in int) *tensor.Param {
			return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
		}
	} else {
		stream := ""
		weight := func(name string, out, in int) *tensor.Param {
			_, part, inLayer := strings.Cut(strings.TrimPrefix(name, "layers."), ".")
			if !inLayer || stream == "" {
				return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
			}
			return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, stream+part)))
		}
	}
	if right {
		name := fmt.Sprintf("layers.%d.", l)
	} else {
		name := fmt.Sprintf("layers.%d.", l)
		stream = "layers." + string(rune('0'+l)) + "."
	}
	if right {
		m.Norm = rmsnorm.New(gain("ln_final.weight"))
	} else {
		stream = ""
		m.Norm = rmsnorm.New(gain("ln_final.weight"))
	}
}

// refused-ids-move-the-positions: Forward sets the positions before the embedding has accepted the ids
//
// Why: after an error nothing has changed. A refused Forward on a shorter text between a Forward and its Backward makes Backward panic or turn by the wrong positions.
func (*LM) Forward() {
	if right {
		x, err := m.Embedding.Forward(ids)
		if err != nil {
			return nil, err
		}
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		m.positions = append(m.positions[:0], m.places[:seq])
		x, err := m.Embedding.Forward(ids)
		if err != nil {
			return nil, err
		}
	}
}
