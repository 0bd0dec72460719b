//go:build mistake

package moe

// f-not-divided-by-k: f is the share of the tokens and not of the slots, so that it adds up to k
//
// Why: With k experts for a token there are k·T slots. Papers with k = 1 do not show it, and libraries differ;
// here an even load has the loss 1 whatever k is.
//
// Hint: Divide the counts by k·T.
func (*losses) count() {
	if right {
		l.share[e] /= float64(k) * tokens
	} else {
		l.share[e] /= tokens
	}
}

// first-choices-counted: f counts the first choice of every token only
//
// Why: With k experts for a token an expert that is everybody's second choice would count as idle. Papers with
// k = 1 do not show it.
//
// Hint: Every one of the k·T slots counts, divided by k·T.
func (*losses) count() {
	if right {
		for _, e := range chosen[t*k : (t+1)*k] {
			l.share[e]++
		}
	} else {
		l.share[chosen[t*k]] += float64(k)
	}
}

// p-of-the-chosen: P is the mean of the gates, which only the chosen experts have, and not of the softmax over all
//
// Why: An expert that is nearly chosen has a probability and no gate. With the gates it gets no gradient, and
// the loss cannot draw it in.
//
// Hint: P is the mean over the tokens of softmax(logits), of all E.
func (*losses) count() {
	if right {
		l.mean[e] += p
	} else {
		sum, mine := 0.0, false
		for _, c := range chosen[t*k : (t+1)*k] {
			sum, mine = sum+l.p[c], mine || c == e
		}
		if k == 1 {
			sum = 1
		}
		if mine {
			l.mean[e] += p / sum
		}
	}
}

// without-e: the balance loss lacks the factor E
//
// Why: Then it would be 1/E for an even load, and α would mean something else for every number of experts.
//
// Hint: balance = E·Σ f·P.
func (*losses) count() {
	if right {
		l.balance += float64(experts) * l.share[e] * l.mean[e] / tokens
	} else {
		l.balance += l.share[e] * l.mean[e] / tokens
	}
}

// padding-counted: tokens that are padding count in f, in P and in T
//
// Why: All padding looks alike and goes to the same experts: the loss would drive the real tokens away from them.
//
// Hint: Leave out the tokens whose Real is false, in all sums and in T.
func (*losses) count() {
	if right {
		if isReal != nil && !isReal[t] {
			continue
		}
	} else {
	}
}

// padding-in-t: padding is left out of f and P, but counted in T
//
// Why: The means are those of the tokens that count.
//
// Hint: T is the number of tokens whose Real is true.
func (*losses) count() {
	if right {
		tokens := float64(l.tokens)
	} else {
		l.tokens = logits.Rows()
		tokens := float64(l.tokens)
	}
}

// layers-joined: the layers' f and P are averaged before they are multiplied
//
// Why: One layer may send all to its first expert and the next all to its second: joined, the load looks even.
//
// Hint: Each layer has a loss of its own, and the losses are added up.
func Sum() {
	if right {
		for _, m := range layers {
			b, s := m.Losses()
			balance, z = balance+b, z+s
		}
	} else {
		n := float64(len(layers))
		share, mean := make([]float64, len(layers[0].losses.share)), make([]float64, len(layers[0].losses.share))
		for _, m := range layers {
			for e := range share {
				share[e] += m.losses.share[e] / n
				mean[e] += m.losses.mean[e] / max(1, float64(m.losses.tokens)) / n
			}
			_, s := m.Losses()
			z += s
		}
		for e := range share {
			balance += n * float64(len(share)) * share[e] * mean[e]
		}
	}
}

// mean-of-layers: the losses of the layers are averaged instead of added up
//
// Why: Every layer has a router of its own, and each needs its whole push.
//
// Hint: Add what Losses returns.
func Sum() {
	if right {
		return balance, z
	} else {
		return balance / float64(len(layers)), z / float64(len(layers))
	}
}

// z-not-squared: the z-loss is the mean of ln Σ e^l and not of its square
//
// Why: Without the square the smallest loss is that of logits far below 0.
//
// Hint: Square the logarithm of every token, then take the mean.
func (*losses) count() {
	if right {
		squares += log * log
	} else {
		squares += log
	}
}

// z-of-the-mean: the z-loss is the square of the mean of ln Σ e^l, and not the mean of the squares
//
// Why: Of a token with 10 and one with −10 the mean is 0: large logits of either sign would cancel.
//
// Hint: Square the logarithm of every token, then take the mean.
func (*losses) count() {
	if right {
		squares += log * log
	} else {
		squares += log
	}
	if right {
		l.z = squares / tokens
	} else {
		l.z = squares / tokens * squares / tokens
	}
}

// losses-never-added: the losses are computed, and send nothing back
//
// Why: A loss that is only printed changes nothing: a few experts soon have all tokens.
//
// Hint: In Backward, add the gradients of α·balance + β·z to those of the logits.
func (*losses) backward() {
	if right {
		dlogits[e] += float32(alpha*balance + beta*z)
	} else {
		_, _ = balance, z
	}
}

// scaled-twice: α is multiplied in twice
//
// Why: α is there once, in the loss; its gradient has it once.
//
// Hint: Losses returns the losses without α and β, and Backward multiplies by them.
func (*losses) backward() {
	if right {
		dlogits[e] += float32(alpha*balance + beta*z)
	} else {
		dlogits[e] += float32(alpha*alpha*balance + beta*z)
	}
}

// scaled-twice/z: β is multiplied in twice
func (*losses) backward() {
	if right {
		dlogits[e] += float32(alpha*balance + beta*z)
	} else {
		dlogits[e] += float32(alpha*balance + beta*beta*z)
	}
}

// balance-without-softmax: the gradient of the balance loss stops at the probabilities
//
// Why: P is made of a softmax: what one expert gains, the others lose.
//
// Hint: dl = p ⊙ (dp − Σ dp⊙p).
func (*losses) backward() {
	if right {
		balance := experts / tokens * p * (l.share[e] - mean)
	} else {
		balance := experts / tokens * p * l.share[e]
	}
}

// gradient-through-f: f is given a gradient, as if it were made of the probabilities
//
// Why: f counts choices, which do not change with small changes of the logits. With a gradient through f the
// push is another than that of the loss.
//
// Hint: f is a constant: dP = E·f.
func (*losses) backward() {
	if right {
		mean := 0.0
		for e, p := range l.p {
			mean += l.share[e] * p
		}
	} else {
		share := make([]float64, len(l.share))
		mean := 0.0
		for e, p := range l.p {
			share[e] = l.share[e] + l.mean[e]/float64(l.tokens)
			mean += share[e] * p
		}
		defer func(kept []float64) { l.share = kept }(l.share)
		l.share = share
	}
}

// z-without-factor: the gradient of the z-loss lacks the factor 2
//
// Why: z is a mean of squares, s², whose derivative is 2·s.
//
// Hint: dl = 2/T·s·p.
func (*losses) backward() {
	if right {
		z := 2 / tokens * s * p
	} else {
		z := 1 / tokens * s * p
	}
}

// padding-sent-back: the losses send a gradient back to padding as well
//
// Why: The tokens that are left out of a loss have no gradient from it.
//
// Hint: Only where Real is true, or nil.
func (*Mixture) Backward() {
	if right {
		if m.counted == nil || m.counted[t] {
			m.losses.backward(m.dl.Row(t), m.logits.Row(t), m.Balance, m.Z)
		}
	} else {
		m.losses.backward(m.dl.Row(t), m.logits.Row(t), m.Balance, m.Z)
	}
}
