package moe

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// losses are the two that keep a router in order, and what their derivatives need.
type losses struct {
	balance, z float64
	share      []float64 // (E) f
	tokens     int       // T, those that count
	p          []float64 // (E), the probabilities of one token
	mean       []float64 // (E), T·P
}

// Losses returns the two losses of the last Forward, without α and β:
//
//	balance = E·Σᵢ fᵢ·Pᵢ         f: the share of expert i of the k·T slots, Σ f = 1
//	                             P: the mean over the tokens of softmax(logits)ᵢ
//	z       = 1/T·Σ_t (ln Σᵢ e^logits)²
//
// Tokens that are padding are in none of these, and T does not count them; without a
// token that counts both are 0. The balance is 1 where the load is even, whatever k and
// E are. f is piecewise constant: the gradient goes through P alone.
//
// Source: Fedus et al., "Switch Transformers", 2021, equations 4 to 6; Zoph et al.,
// "ST-MoE", 2022, equation 5.
func (m *Mixture) Losses() (balance, z float64) { return m.losses.balance, m.losses.z }

// Load returns f, (E), of the last Forward. It is valid until the next one.
func (m *Mixture) Load() []float64 { return m.losses.share }

// Sum returns the losses of several layers: each has an f and a P of its own, and the
// losses are added up.
func Sum(layers []*Mixture) (balance, z float64) {
	for _, m := range layers {
		b, s := m.Losses()
		balance, z = balance+b, z+s
	}
	return balance, z
}

// count finds the losses from the logits (…, E) and the experts chosen (T, k).
func (l *losses) count(logits *tensor.Tensor, chosen []int, k int, isReal []bool) {
	experts := logits.Dim(-1)
	l.share, l.mean, l.p = resize(l.share, experts), resize(l.mean, experts), resize(l.p, experts)
	clear(l.share)
	clear(l.mean)
	squares := 0.0 // Σ (ln Σ e^logits)²
	l.tokens = 0
	for t := range logits.Rows() {
		if isReal != nil && !isReal[t] {
			continue
		}
		l.tokens++
		for _, e := range chosen[t*k : (t+1)*k] {
			l.share[e]++
		}
		log := l.probabilities(logits.Row(t))
		squares += log * log
		for e, p := range l.p {
			l.mean[e] += p
		}
	}
	l.balance, l.z = 0, 0
	if l.tokens == 0 {
		return
	}
	tokens := float64(l.tokens)
	l.z = squares / tokens
	for e := range l.share {
		l.share[e] /= float64(k) * tokens
		l.balance += float64(experts) * l.share[e] * l.mean[e] / tokens
	}
}

// probabilities fills p with the softmax of the logits of a token, and returns ln Σ e^logits.
func (l *losses) probabilities(logits []float32) (log float64) {
	log = logSumExp(logits)
	for e, v := range logits {
		l.p[e] = math.Exp(float64(v) - log)
	}
	return log
}

// backward adds to the gradient of the logits of a token those of α·balance + β·z.
func (l *losses) backward(dlogits, logits []float32, alpha, beta float64) {
	// (9) balance = E·Σ f·P and P = 1/T·Σ_t p:  dp   = E/T·f, the same for every token; f is constant
	// (10) p is a softmax:                       dl   = p·(dp − Σ dp·p)
	// (11) z = 1/T·Σ_t s², s = ln Σ e^l:         dl   = 2/T·s·p
	s := l.probabilities(logits)
	mean := 0.0 // Σ f·p
	for e, p := range l.p {
		mean += l.share[e] * p
	}
	experts, tokens := float64(len(logits)), float64(l.tokens)
	for e, p := range l.p {
		balance := experts / tokens * p * (l.share[e] - mean) // (9) and (10)
		z := 2 / tokens * s * p                               // (11)
		dlogits[e] += float32(alpha*balance + beta*z)
	}
}
