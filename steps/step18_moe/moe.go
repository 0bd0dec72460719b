// Package moe is a feed-forward network of several experts, of which every token
// passes through a few: a mixture of experts.
//
// Letters: T tokens (all leading dimensions together), D d_model, E experts, F d_ff of
// an expert, k experts of a token; "…" stands for any leading dimensions, usually (B, T).
//
// What is given is written out: New, Params, and in mixed.go what lets a Mixture stand in
// a model.
package moe

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
)

// Mixture is the mixture of experts. For every token a router chooses K of the
// experts, and how much of each:
//
//	y = Σ gᵢ·Expertᵢ(x), over the K chosen
//
// Source: Shazeer et al., "Outrageously Large Neural Networks", 2017, section 2; in the
// form of Jiang et al., "Mixtral of Experts", 2024, section 2.1.
type Mixture struct {
	Router  *linear.Linear   // (E, D), the logits
	Experts []*swiglu.SwiGLU // E of them
	K       int              // k, how many a token passes through

	// Balance and Z are α and β: Backward also sends back the gradients of α times the
	// balance loss and of β times the z-loss.
	Balance, Z float64

	// Real says which of the T tokens count for the two losses: those that are not
	// padding. nil: all of them. Forward reads it; before Backward it may be another one.
	Real []bool

	// Yours: what Forward keeps for Backward, and the tensors that are used again in every
	// call.
}

// New returns a mixture of the given experts, of which the k with the largest logits
// take a token. router is (E, D). It panics with a ShapeError if router or an expert
// does not fit, or unless 1 ≤ k ≤ E.
func New(router *tensor.Param, experts []*swiglu.SwiGLU, k int) *Mixture {
	tensor.CheckShape("moe.New: router", router.Value, len(experts), tensor.Any)
	checkChosen("moe.New: k", k, len(experts))
	for _, e := range experts {
		tensor.CheckShape("moe.New: weight w1 of an expert", e.W1.Weight.Value, tensor.Any, router.Value.Dim(1))
	}
	return &Mixture{Router: linear.New(router), Experts: experts, K: k}
}

// Params returns the router's weight, then the three weights of every expert.
func (m *Mixture) Params() []*tensor.Param {
	params := m.Router.Params()
	for _, e := range m.Experts {
		params = append(params, e.Params()...)
	}
	return params
}

// Forward computes, for every token,
//
//	logits = x W_rᵀ                        (T, E)
//	chosen = TopK(logits)                  (T, k)
//	gates  = Gates(logits, chosen)         (T, k)
//	y      = Σ_n gates_n·Expert_chosen_n(x)    (T, D)
//
// The tokens are sorted by expert, so that each expert is called once, with all of its
// tokens and no others, and one that nobody chose is not called. x and y are (…, D).
// Forward keeps x for Backward: the caller leaves it unchanged until then. y is valid
// until the next Forward. It panics with a ShapeError if the last dimension of x is not
// D or Real has another length than T.
func (m *Mixture) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step18: Mixture.Forward"))
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It returns dx
// (…, D), adds to the gradients of the router and of the experts, and belongs to the
// last Forward. To these gradients it adds those of α·balance + β·z, see Losses. dx is
// valid until the next Backward. It panics with a ShapeError if dy does not have the
// shape of y or no Forward came before.
func (m *Mixture) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step18: Mixture.Backward"))
}

// Chosen returns the experts of the tokens of the last Forward: those of token t are
// at t·k to (t+1)·k, the one with the largest logit first. It is valid until the next
// Forward.
func (m *Mixture) Chosen() []int {
	panic(tensor.TODO("step18: Mixture.Chosen"))
}

// checkChosen panics with a ShapeError unless there are 1 to limit of something.
func checkChosen(op string, n, limit int) {
	if n < 1 || n > limit {
		panic(tensor.ShapeError{Op: op, Got: []int{n}, Want: []int{limit}})
	}
}

// checkLength panics with a ShapeError unless n is what was wanted.
func checkLength(op string, n, want int) {
	if n != want {
		panic(tensor.ShapeError{Op: op, Got: []int{n}, Want: []int{want}})
	}
}
