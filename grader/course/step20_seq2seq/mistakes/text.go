//go:build mistake

package seq2seq

import (
	"math"
)

// rate-without-d: the learning rate is not divided by √D
//
// Why: A wider model has smaller steps.
//
// Hint: D^(−½) times the minimum.
func Rate() {
	if right {
		return min(1/math.Sqrt(s), s*math.Pow(float64(warmup), -1.5)) / math.Sqrt(float64(dModel))
	} else {
		return min(1/math.Sqrt(s), s*math.Pow(float64(warmup), -1.5))
	}
}

// rate-larger: the larger of both terms is taken
//
// Why: The rate would begin at 1/√D and never stop rising.
//
// Hint: min.
func Rate() {
	if right {
		return min(1/math.Sqrt(s), s*math.Pow(float64(warmup), -1.5)) / math.Sqrt(float64(dModel))
	} else {
		return max(1/math.Sqrt(s), s*math.Pow(float64(warmup), -1.5)) / math.Sqrt(float64(dModel))
	}
}

// rate-from-zero: updates are counted from 0
//
// Why: The first update would have the rate of the second.
//
// Hint: step is 1 in the first update, and is taken as it is.
func Rate() {
	if right {
		s := float64(step)
	} else {
		s := float64(step + 1)
	}
}

// rate-by-warmup: the rising term is step/warmup
//
// Why: Then both terms are not equal at step = warmup, and the rate jumps out of every proportion.
//
// Hint: step·warmup^(−3/2).
func Rate() {
	if right {
		return min(1/math.Sqrt(s), s*math.Pow(float64(warmup), -1.5)) / math.Sqrt(float64(dModel))
	} else {
		return min(1/math.Sqrt(s), s/float64(warmup)) / math.Sqrt(float64(dModel))
	}
}

// not-shifted-right: the decoder reads the tokens that it is to answer
//
// Why: It copies what it reads: nearly every token is right in training, and it writes nonsense.
//
// Hint: inputs: Begin, then the target.
func Teach() {
	if right {
		input[0] = Begin
		copy(input[1:], target)
	} else {
		copy(input, target)
		input[len(target)] = End
	}
}

// no-begin: the decoder reads the target from its second place on, and padding first
//
// Why: The first place says: begin.
//
// Hint: inputs[0] = Begin.
func Teach() {
	if right {
		input[0] = Begin
	} else {
		input[0] = Pad
	}
}

// no-end: no label is End
//
// Why: The model never learns to stop.
//
// Hint: label[len(target)] = End.
func Teach() {
	if right {
		label[len(target)] = End
	} else {

	}
}

// end-at-the-end: End is the last label of every row, and not the one behind the target
//
// Why: Shorter targets would be taught to go on.
//
// Hint: label[len(target)] = End.
func Teach() {
	if right {
		label[len(target)] = End
	} else {
		label[longest] = End
	}
}

// labels-are-padding: labels behind End are Pad, which counts
//
// Why: The model would be trained to write padding.
//
// Hint: Ignored.
func Teach() {
	if right {
		input[t], label[t] = Pad, Ignored
	} else {
		input[t], label[t] = Pad, Pad
	}
}

// label-everywhere: every token has a label, not only those that are chosen
//
// Why: Most tokens are seen by the encoder: to repeat them teaches nothing.
//
// Hint: Ignored where a token is not chosen.
func Corrupt() {
	if right {
		input[t], label[t] = id, Ignored
	} else {
		input[t], label[t] = id, id
		if id == Pad {
			label[t] = Ignored
		}
	}
}

// always-the-mask: every chosen token becomes the mask
//
// Why: Where nothing is masked, in use, the model would have learnt nothing about tokens that are there: that is what
// the other fifth is for.
//
// Hint: 0.8, 0.1 and 0.1.
func Corrupt() {
	if right {
		switch v := rng.Float64(); {
		case v < Masked:
			input[t] = mask
		case v < Masked+Replaced:
			input[t] = First + int(rng.Float64()*float64(vocab-First))
		}
	} else {
		rng.Float64()
		input[t] = mask
	}
}

// draw-for-padding: a number is drawn for padding too
//
// Why: The draws belong to the tokens: how much padding stands beside a text must not change what is chosen.
//
// Hint: Look for Pad before the draw.
func Corrupt() {
	if right {
		if id == Pad || rng.Float64() >= Chosen {
			continue
		}
	} else {
		if u := rng.Float64(); id == Pad || u >= Chosen {
			continue
		}
	}
}

// special-tokens-drawn: a replaced token may become Pad, Begin or End
//
// Why: They are no words.
//
// Hint: First + ⌊w·(vocab − First)⌋.
func Corrupt() {
	if right {
		input[t] = First + int(rng.Float64()*float64(vocab-First))
	} else {
		input[t] = int(rng.Float64() * float64(vocab))
	}
}
