// Package moe is a feed-forward network of several experts, of which every token
// passes through a few: a mixture of experts.
//
// Letters: T tokens (all leading dimensions together), D d_model, E experts, F d_ff of
// an expert, k experts of a token; "…" stands for any leading dimensions, usually (B, T).
// The numbers at the lines are those of the lesson's derivation.
package moe

import (
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
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

	x       *tensor.Tensor // (…, D), what Forward was given
	counted []bool         // a copy of Real, as Forward read it
	logits  *tensor.Tensor // (…, E)
	chosen  []int          // (T, k), the experts of every token
	gates   []float32      // (T, k)
	losses  losses

	order  []int            // (T·k) the slots t·k+n, sorted by their expert
	start  []int            // (E+1) where the slots of an expert begin in order
	next   []int            // (E+1) where the next one goes
	sorted *tensor.Tensor   // (T·k, D), the tokens in this order
	outs   []*tensor.Tensor // what every expert made of its tokens, nil if it had none
	y, dx  *tensor.Tensor   // (…, D)
	dOut   *tensor.Tensor   // (T·k, D)
	dGates []float32        // (T, k)
	dl     *tensor.Tensor   // (…, E)
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
	tensor.CheckShape("Mixture.Forward: x", x, tensor.Lead, m.Router.Weight.Value.Dim(1))
	if m.Real != nil {
		checkLength("Mixture.Forward: length of Real", len(m.Real), x.Rows())
	}
	m.x, m.counted = x, slices.Clone(m.Real)
	m.logits = m.Router.Forward(x)
	m.route()
	m.sort()
	m.losses.count(m.logits, m.chosen, m.K, m.counted)

	m.sorted = tensor.Reuse(m.sorted, len(m.order), x.Dim(-1))
	for p, slot := range m.order {
		copy(m.sorted.Row(p), x.Row(slot/m.K))
	}
	m.y = tensor.Reuse(m.y, x.Shape...)
	m.y.Zero()
	m.outs = resize(m.outs, len(m.Experts))
	for e, expert := range m.Experts {
		m.outs[e] = nil
		if from, to := m.start[e], m.start[e+1]; from < to {
			m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
			}
		}
	}
	return m.y
}

// route chooses the experts of every token, and weighs them.
func (m *Mixture) route() {
	slots := m.logits.Rows() * m.K
	m.chosen, m.gates = resize(m.chosen, slots), resize(m.gates, slots)
	for t := range m.logits.Rows() {
		own := m.chosen[t*m.K : (t+1)*m.K]
		TopK(own, m.logits.Row(t))
		Gates(m.gates[t*m.K:(t+1)*m.K], m.logits.Row(t), own)
	}
}

// sort puts the slots in the order of their experts, by counting: those of one expert
// stay as they come.
func (m *Mixture) sort() {
	m.start = resize(m.start, len(m.Experts)+1)
	clear(m.start)
	for _, e := range m.chosen {
		m.start[e+1]++
	}
	for e := range m.Experts {
		m.start[e+1] += m.start[e]
	}
	m.order = resize(m.order, len(m.chosen))
	m.next = append(m.next[:0], m.start...)
	for slot, e := range m.chosen {
		m.order[m.next[e]] = slot
		m.next[e]++
	}
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It returns dx
// (…, D), adds to the gradients of the router and of the experts, and belongs to the
// last Forward. To these gradients it adds those of α·balance + β·z, see Losses. dx is
// valid until the next Backward. It panics with a ShapeError if dy does not have the
// shape of y or no Forward came before.
func (m *Mixture) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (1) y = Σ g·out is linear in out:             dOut  = g·dy, for every slot
	//     and linear in g:                          dg    = Σ_d dy·out, the gates are no constants
	// (2) out = Expert(x):                          dx   += Expert.Backward(dOut), added to the token's row
	// (3) g = Gates(logits, chosen):                dl    = GatesBackward(dg)
	//     the choice is constant but at ties, and has no derivative.
	// (4) The two losses are functions of logits:   dl   += theirs, see losses.backward
	// (5) logits = x W_rᵀ is a Linear:              dx   += dl W_r, and the gradient of W_r
	tensor.CheckShape("Mixture.Backward: x of Forward", m.x, tensor.Lead, m.Router.Weight.Value.Dim(1))
	tensor.CheckShape("Mixture.Backward: dy", dy, m.x.Shape...)
	m.dx = tensor.Reuse(m.dx, m.x.Shape...)
	m.dx.Zero()
	m.dOut = tensor.Reuse(m.dOut, len(m.order), m.x.Dim(-1))
	m.dGates = resize(m.dGates, len(m.gates))
	for e, expert := range m.Experts {
		if m.outs[e] == nil {
			continue
		}
		from, to := m.start[e], m.start[e+1]
		for p, slot := range m.order[from:to] {
			row := dy.Row(slot / m.K)
			kernel.ScaleTo(m.dOut.Row(from+p), m.gates[slot], row) // (1)
			m.dGates[slot] = kernel.Dot(row, m.outs[e].Row(p))     // (1)
		}
		d := expert.Backward(m.dOut.SliceRows(from, to))
		for p, slot := range m.order[from:to] {
			row := m.dx.Row(slot / m.K)
			kernel.Add(row, row, d.Row(p)) // (2)
		}
	}
	m.dl = tensor.Reuse(m.dl, m.logits.Shape...)
	for t := range m.dl.Rows() {
		from, to := t*m.K, (t+1)*m.K
		GatesBackward(m.dl.Row(t), m.dGates[from:to], m.gates[from:to], m.logits.Row(t), m.chosen[from:to]) // (3)
		if m.counted == nil || m.counted[t] {
			m.losses.backward(m.dl.Row(t), m.logits.Row(t), m.Balance, m.Z) // (4)
		}
	}
	kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data) // (5)
	return m.dx
}

// Chosen returns the experts of the tokens of the last Forward: those of token t are
// at t·k to (t+1)·k, the one with the largest logit first. It is valid until the next
// Forward.
func (m *Mixture) Chosen() []int { return m.chosen }

// resize returns memory for n elements, s's own where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
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
