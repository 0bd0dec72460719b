package moe

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
)

// SwiGLU is a Mixture in the form of step 05's network, for which it stands in: three
// weights, in which the experts lie one under the other.
type SwiGLU struct {
	*Mixture
	W1 *linear.Linear // (E+E·F, D): the router, then w1 of every expert
	W2 *linear.Linear // (E·D, F): w2 of every expert
	W3 *linear.Linear // (E·F, D): w3 of every expert

	balance, z float64 // α and β of a whole batch
	tokens     int     // that an update sees in several calls; 0: in one
}

// Params returns the three weights in the order w1, w2, w3.
func (s *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{s.W1.Weight, s.W2.Weight, s.W3.Weight}
}

// Forward is that of the Mixture. An update sees its tokens in several calls, of which
// each counts for as much of the losses as it has of the tokens.
func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	part := 1.0
	if s.tokens > 0 {
		part = float64(x.Rows()) / float64(s.tokens)
	}
	s.Mixture.Balance, s.Mixture.Z = part*s.balance, part*s.z
	return s.Mixture.Forward(x)
}

// Mixed returns a function that stands in for New of step 05, so that a model that
// knows nothing of experts has some in every layer, of which a token passes through k.
// balance and z are α and β, tokens is how many tokens an update has. Where the function
// is given the weights of one network, as step 10 draws them, these are the first
// expert; the others and the router are drawn like it, from streams that begin with the
// first of its numbers.
func Mixed(experts, k int, balance, z float64, tokens int) func(w1, w2, w3 *tensor.Param) *SwiGLU {
	return func(w1, w2, w3 *tensor.Param) *SwiGLU {
		d := w1.Value.Dim(1)
		if w2.Value.Dim(0) == d && w1.Value.Dim(0) == w3.Value.Dim(0) {
			w1, w2, w3 = multiplied(w1, experts, experts), multiplied(w2, 0, experts), multiplied(w3, 0, experts)
		}
		f := w2.Value.Dim(1)
		all := make([]*swiglu.SwiGLU, experts)
		for e := range all {
			gate := experts + e*f // the router's rows come first
			all[e] = swiglu.New(w1.Slice("w1", gate, gate+f), w2.Slice("w2", e*d, (e+1)*d),
				w3.Slice("w3", e*f, (e+1)*f))
		}
		m := New(w1.Slice("router", 0, experts), all, k)
		return &SwiGLU{Mixture: m, W1: linear.New(w1), W2: linear.New(w2), W3: linear.New(w3),
			balance: balance, z: z, tokens: tokens}
	}
}

// multiplied returns a parameter with so many rows for a router, then w, then as many
// others of its shape as make up the number of experts.
func multiplied(w *tensor.Param, router, experts int) *tensor.Param {
	rows, d := w.Value.Dim(0), w.Value.Dim(1)
	seed := uint64(math.Float32bits(w.Value.Data[0]))<<32 | uint64(math.Float32bits(w.Value.Data[w.Value.Len()-1]))
	all := tensor.New(router+experts*rows, d)
	draw := func(at, n int, name string) {
		drawn := initializers.LinearWeight(n, d, initializers.Rand(seed, w.Name+name))
		copy(all.Slice(at, at+n).Data, drawn.Data)
	}
	if router > 0 {
		draw(0, router, ".router")
	}
	copy(all.Slice(router, router+rows).Data, w.Value.Data)
	for e := 1; e < experts; e++ {
		draw(router+e*rows, rows, fmt.Sprintf(".expert.%d", e))
	}
	return tensor.NewParam(w.Name, all)
}
