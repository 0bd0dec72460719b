//go:build mistake

package moe

// ties-to-the-last: of equal logits the one at the higher place is chosen
//
// Why: Which of two equal experts takes a token has to be settled, or two programs that are right differ.
//
// Hint: The first of equal ones wins with >, the last with ≥.
func TopK() {
	if right {
		if (best < 0 || l > logits[best]) && !slices.Contains(chosen[:n], i) {
			best = i
		}
	} else {
		if (best < 0 || l >= logits[best]) && !slices.Contains(chosen[:n], i) {
			best = i
		}
	}
}

// smallest-chosen: the experts with the smallest logits are chosen
//
// Why: A large logit says that the expert suits the token.
//
// Hint: Compare with >.
func TopK() {
	if right {
		if (best < 0 || l > logits[best]) && !slices.Contains(chosen[:n], i) {
			best = i
		}
	} else {
		if (best < 0 || l < logits[best]) && !slices.Contains(chosen[:n], i) {
			best = i
		}
	}
}

// chosen-by-place: the chosen experts stand in the order of their places, not of their logits
//
// Why: The first choice is the one with the largest logit, and the gates stand in the same order.
//
// Hint: Look for the largest first, and for the next one among the rest.
func TopK() {
	if right {
		chosen[n] = best
	} else {
		chosen[n] = best
		slices.Sort(chosen[:n+1])
	}
}

// not-renormalised: with k ≥ 2 the gates are the probabilities over all experts, and add up to less than 1
//
// Why: What is left out of the sum is missing in the output, the more the less sure the router is.
//
// Hint: Take the softmax of the k chosen logits, or divide the k probabilities by their sum.
func Gates() {
	if right {
		for n, i := range chosen {
			gates[n] = logits[i]
		}
		log := logSumExp(gates)
		for n, l := range gates {
			gates[n] = exp(float64(l) - log)
		}
	} else {
		log := logSumExp(logits)
		for n, i := range chosen {
			gates[n] = exp(float64(logits[i]) - log)
		}
	}
}

// one-is-certain: with k = 1 the gate is the softmax over the chosen logit alone, which is 1
//
// Why: The softmax of one number is 1 whatever it is: the router gets no gradient, and never learns. That gates
// over the chosen are the renormalised full ones is true for k = 1 too, and useless there.
//
// Hint: With k = 1 the gate is e^(l − ln Σ e^l), with the sum over all experts.
func Gates() {
	if right {
		gates[0] = exp(float64(logits[chosen[0]]) - logSumExp(logits))
		return
	} else {
		gates[0] = 1
		return
	}
}

// others-are-zero: the logits that were not chosen are set to 0, and not to −∞
//
// Why: e^0 is 1: an expert that nobody asked takes its share of the sum.
//
// Hint: Sum over the chosen alone, or put −∞ in the place of the others.
func Gates() {
	if right {
		log := logSumExp(gates)
		for n, l := range gates {
			gates[n] = exp(float64(l) - log)
		}
	} else {
		all := make([]float32, len(logits))
		copy(all, gates)
		log := logSumExp(all)
		for n, l := range gates {
			gates[n] = exp(float64(l) - log)
		}
	}
}

// softmax-twice: the softmax is taken twice, of all logits and then of the chosen probabilities
//
// Why: Probabilities lie between 0 and 1: a softmax of them is nearly even, however sure the router is.
//
// Hint: The softmax of the chosen logits, not of their probabilities.
func Gates() {
	if right {
		gates[n] = logits[i]
	} else {
		gates[n] = exp(float64(logits[i]) - logSumExp(logits))
	}
}

// no-maximum: the gates are computed without the largest logit taken off
//
// Why: e^89 is too large for float32, and e^710 for float64.
//
// Hint: Subtract the largest logit of the token before you take exponentials.
func logSumExp() {
	if right {
		for _, v := range x {
			largest = max(largest, v)
		}
	} else {
		largest = 0
	}
}

// gate-derivative-diagonal: the derivative of the gates lacks the term Σ dg·g
//
// Why: Every gate of a softmax depends on every logit: what one gains, the others lose.
//
// Hint: dl = g ⊙ (dg − Σ dg⊙g).
func GatesBackward() {
	if right {
		dlogits[i] = gates[n] * (dgates[n] - mean)
	} else {
		dlogits[i] = gates[n] * dgates[n]
	}
}

// derivative-with-a-mean: the derivative of the gates has the mean of dg·g in the place of the sum
//
// Why: The gates are weights that add up to 1: Σ dg·g is a mean already. Divided by k once more it is too
// small, and what the logits get no longer adds up to 0.
//
// Hint: dl = g ⊙ (dg − Σ dg⊙g), with the sum as it is.
func GatesBackward() {
	if right {
		mean += dgates[n] * g
	} else {
		mean += dgates[n] * g / float32(len(gates))
	}
}

// one-derivative-diagonal: with k = 1 only the chosen logit gets a gradient
//
// Why: The probability of the chosen expert depends on the logits of all others.
//
// Hint: dl_m = −dg·p_c·p_m for every expert m, and dg·p_c more for the chosen one.
func GatesBackward() {
	if right {
		dlogits[m] = -dp * exp(float64(l)-log)
	} else {
		dlogits[m] = 0
		if m == c {
			dlogits[m] = -dp * exp(float64(l)-log)
		}
	}
}

// gradient-not-cleared: the gradients of the logits that were not chosen are what was there before
//
// Why: dlogits is overwritten: an expert that was not chosen has the gradient 0.
//
// Hint: clear(dlogits) first.
func GatesBackward() {
	if right {
		clear(dlogits)
	} else {
	}
}

// softmax-over-tokens: the softmax of an expert's logits is taken over the tokens
//
// Why: The experts compete for a token, and not the tokens for an expert: what one text says would depend on
// what else is in the batch.
//
// Hint: The numbers of one row of logits, (T, E), add up to 1 in the softmax.
func (*Mixture) route() {
	if right {
		Gates(m.gates[t*m.K:(t+1)*m.K], m.logits.Row(t), own)
	} else {
		for n, e := range own {
			column := make([]float32, m.logits.Rows())
			for o := range column {
				column[o] = m.logits.Row(o)[e]
			}
			m.gates[t*m.K+n] = exp(float64(column[t]) - logSumExp(column))
		}
	}
}
