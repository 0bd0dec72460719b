//go:build mistake

package lm

import "math"

// temperature-without-effect: the temperature has no effect: it is left out, or divides the
// probabilities and not the logits
//
// Why: softmax(logits/temperature): a temperature of 2 takes the root of every ratio of two
// probabilities. After the softmax, a factor that all have in common goes away when they are made
// to sum to 1 again.
//
// Hint: Divide the logits, then take the softmax.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = x - largest
	}
}

// temperature-without-effect/not-renormalised: the probabilities are divided by the temperature
// instead of the logits
//
// With: temperature-without-effect
func Distribution() {
	if right {
		softmax.Softmax(p, p, 0)
	} else {
		softmax.Softmax(p, p, 0)
		kernel.Scale(float32(1/temperature), probs)
	}
}

// temperature-multiplied: the logits are multiplied by the temperature instead of divided
//
// Why: Hot means random: a high temperature makes all tokens alike, a low one leaves only the
// likeliest.
//
// Hint: logits/temperature.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = float32(float64(x-largest) * temperature)
	}
}

// temperature-after-nucleus: the nucleus is cut first and the temperature applied to what is left
//
// Why: How many tokens make up the mass p depends on the temperature.
//
// Hint: First the temperature, then the cut.
func Distribution() {
	if right {
		probs[i] = float32(float64(x-largest) / temperature)
	} else {
		probs[i] = x - largest
	}
	if right {
		if topP < 1 {
			keepNucleus(probs, topP)
		}
	} else {
		if topP < 1 {
			keepNucleus(probs, topP)
		}
		sum := 0.0
		for i, q := range probs {
			probs[i] = float32(math.Pow(float64(q), 1/temperature))
			sum += float64(probs[i])
		}
		kernel.Scale(float32(1/sum), probs)
	}
}

// greedy-last: of several largest logits the last one is chosen at temperature 0
//
// Why: A rule for ties is arbitrary, but every run and every implementation has to have the same
// one.
//
// Hint: Of equals the first: compare with >, not with >=.
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
	} else {
		best := 0
		for i, x := range logits {
			if x >= logits[best] {
				best = i
			}
		}
		probs[best] = 1
	}
}

// greedy-shared: several largest logits share the mass at temperature 0
//
// Why: Temperature 0 leaves nothing to chance.
//
// Hint: All mass on the first largest logit.
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
	} else {
		for i, x := range logits {
			if x == largest {
				probs[i] = 1
			}
		}
		kernel.Scale(1/kernel.Sum(probs), probs)
	}
}

// greedy-shared/tiny: temperature 0 is taken for a very small one, at which several largest logits
// share the mass
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
		return probs
	} else {
		temperature = 1e-9
	}
}

// temperature-0-divides: temperature 0 divides by zero: the probabilities are NaN
//
// Why: 0/0 is NaN. The limit of the softmax exists, but the formula does not reach it.
//
// Hint: Treat temperature 0 before anything is divided.
func Distribution() {
	if right {
		if temperature == 0 {
			probs[slices.Index(logits, largest)] = 1
			return probs
		}
	} else {
	}
}

// temperature-0-as-1: temperature 0 is taken for no temperature at all
//
// Why: In many interfaces 0 stands for a default. Here it is the limit of small temperatures.
//
// Hint: All mass on the first largest logit.
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
		return probs
	} else {
		temperature = 1
	}
}
