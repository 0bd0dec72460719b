//go:build unlisted

package moe

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"math"
	"slices"
	"sort"
)

// balance-of-each-sequence: balance of each sequence
//
// Why: losses.count/backward: where x is (B, T, D), f and P are taken for each sequence by itself and the balance is the mean over
// the B sequences (some models have such a loss). Load, z and everything for x (T, D) or B = 1 is right.
// Diagnosis: with several sequences the balance and its gradient are those of each sequence, not of all tokens together.
type losses struct {
	balance, z float64
	share      []float64 // (E) f of all tokens
	tokens     int       // T, those that count
	p          []float64 // (E), the probabilities of one token
	length     int       // of a sequence
	sequences  int       // that have a token that counts
	own        []own     // one a sequence
}

type own struct {
	tokens      float64
	share, mean []float64 // f and P
}

func (l *losses) count(logits *tensor.Tensor, chosen []int, k int, isReal []bool) {
	experts := logits.Dim(-1)
	l.share, l.p = resize(l.share, experts), resize(l.p, experts)
	clear(l.share)
	l.length = logits.Rows()
	if len(logits.Shape) > 2 {
		l.length = logits.Dim(-2)
	}
	l.own = nil
	squares := 0.0 // Σ (ln Σ e^logits)²
	l.tokens = 0
	for t := range logits.Rows() {
		if t%l.length == 0 {
			l.own = append(l.own, own{share: make([]float64, experts), mean: make([]float64, experts)})
		}
		if isReal != nil && !isReal[t] {
			continue
		}
		seq := &l.own[len(l.own)-1]
		l.tokens++
		seq.tokens++
		for _, e := range chosen[t*k : (t+1)*k] {
			l.share[e]++
			seq.share[e]++
		}
		log := l.probabilities(logits.Row(t))
		squares += log * log
		for e, p := range l.p {
			seq.mean[e] += p
		}
	}
	l.balance, l.z, l.sequences = 0, 0, 0
	if l.tokens == 0 {
		return
	}
	l.z = squares / float64(l.tokens)
	for e := range l.share {
		l.share[e] /= float64(k * l.tokens)
	}
	for _, seq := range l.own {
		if seq.tokens == 0 {
			continue
		}
		l.sequences++
		for e := range seq.share {
			seq.share[e] /= float64(k) * seq.tokens
			l.balance += float64(experts) * seq.share[e] * seq.mean[e] / seq.tokens
		}
	}
	l.balance /= float64(l.sequences)
}

func (l *losses) backward(t int, dlogits, logits []float32, alpha, beta float64) {
	s := l.probabilities(logits)
	seq := l.own[t/l.length]
	mean := 0.0 // Σ f·p
	for e, p := range l.p {
		mean += seq.share[e] * p
	}
	experts, tokens := float64(len(logits)), float64(l.tokens)
	for e, p := range l.p {
		balance := experts / (seq.tokens * float64(l.sequences)) * p * (seq.share[e] - mean) // (9) and (10)
		z := 2 / tokens * s * p                                                              // (11)
		dlogits[e] += float32(alpha*balance + beta*z)
	}
}

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
			m.losses.backward(t, m.dl.Row(t), m.logits.Row(t), m.Balance, m.Z) // (4)
		}
	}
	kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data) // (5)
	return m.dx
}

// buffer-of-all-experts: buffer of all experts
//
// Why: Mixture.sort/Forward/Backward: every expert has a region of T rows in the buffer (E*T, D), "because it may get all
// tokens", for the inputs and for dOut; both are cleared in every call. All numbers are right, but memory and the work of
// clearing are E*T*D and grow with E, where the k*T slots need k*T*D.
// Diagnosis: memory (and copying) grows with the number of experts, not with k: pack the slots one behind the other.
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
	m.sorted.Zero()
	for e := range m.Experts {
		for p := m.start[e]; p < m.next[e]; p++ {
			copy(m.sorted.Row(p), x.Row(m.order[p]/m.K))
		}
	}
	m.y = tensor.Reuse(m.y, x.Shape...)
	m.y.Zero()
	m.outs = resize(m.outs, len(m.Experts))
	for e, expert := range m.Experts {
		m.outs[e] = nil
		if from, to := m.start[e], m.next[e]; from < to {
			m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
			}
		}
	}
	return m.y
}

func (m *Mixture) sort() {
	T := m.logits.Rows()
	m.start = resize(m.start, len(m.Experts)) // where the region of an expert begins
	m.next = resize(m.next, len(m.Experts))   // where it ends
	for e := range m.Experts {
		m.start[e] = e * T // an expert may be chosen by all T tokens
		m.next[e] = e * T
	}
	m.order = resize(m.order, len(m.Experts)*T)
	for slot, e := range m.chosen {
		m.order[m.next[e]] = slot
		m.next[e]++
	}
}

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
	m.dOut.Zero()
	m.dGates = resize(m.dGates, len(m.gates))
	for e, expert := range m.Experts {
		if m.outs[e] == nil {
			continue
		}
		from, to := m.start[e], m.next[e]
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

// chosen-by-number: chosen by number
//
// Why: Mixture.route: sorts the chosen experts of a token by their number after TopK. y and all gradients stay right, for the
// gates are computed in the same order, but Chosen() no longer has the expert with the largest logit first.
// Diagnosis: Chosen returns the right experts of a token in the order of their numbers, not the largest logit first.
func (m *Mixture) route() {
	slots := m.logits.Rows() * m.K
	m.chosen, m.gates = resize(m.chosen, slots), resize(m.gates, slots)
	for t := range m.logits.Rows() {
		own := m.chosen[t*m.K : (t+1)*m.K]
		TopK(own, m.logits.Row(t))
		slices.Sort(own) // so that they lie in the order of the experts
		Gates(m.gates[t*m.K:(t+1)*m.K], m.logits.Row(t), own)
	}
}

// dx-in-memory-of-y: dx in memory of y
//
// Why: Mixture.Backward: dx is written into the tensor that Forward returned as y ("it is not needed any more"). y has to stay
// valid until the next Forward; after Backward it holds dx. Harmless in a chain of layers that do not look back.
// Diagnosis: y of Forward has changed after Backward: dx and y share memory, dx needs a tensor of its own.
type Mixture struct {
	Router  *linear.Linear   // (E, D), the logits
	Experts []*swiglu.SwiGLU // E of them
	K       int              // k, how many a token passes through

	// Balance and Z are α and β: Backward also sends back the gradients of α times the
	// balance loss and of β times the z-loss.
	Balance, Z float64

	// Real says which of the T tokens count for the two losses: those that are not
	// padding. nil: all of them. It is read by Forward.
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
	y      *tensor.Tensor   // (…, D)
	dOut   *tensor.Tensor   // (T·k, D)
	dGates []float32        // (T, k)
	dl     *tensor.Tensor   // (…, E)
}

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
	dx := m.y // has the shape, and is used up
	dx.Zero()
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
			row := dx.Row(slot / m.K)
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
	kernel.Add(dx.Data, dx.Data, m.Router.Backward(m.dl).Data) // (5)
	return dx
}

// experts-run-again-in-backward: experts run again in backward
//
// Why: Mixture.Backward: the outputs of the experts are not kept; Backward calls Forward of every expert once more to get them
// for the gradients of the gates. The numbers are right, but every expert runs twice in a training step (a third more
// work), and "each expert is called once" does not hold; a weight changed between Forward and Backward spoils dg.
// Diagnosis: Backward does the products of Forward again; keep what Forward of the expert returned, it is still valid.
type Mixture struct {
	Router  *linear.Linear   // (E, D), the logits
	Experts []*swiglu.SwiGLU // E of them
	K       int              // k, how many a token passes through

	// Balance and Z are α and β: Backward also sends back the gradients of α times the
	// balance loss and of β times the z-loss.
	Balance, Z float64

	// Real says which of the T tokens count for the two losses: those that are not
	// padding. nil: all of them. It is read by Forward.
	Real []bool

	x       *tensor.Tensor // (…, D), what Forward was given
	counted []bool         // a copy of Real, as Forward read it
	logits  *tensor.Tensor // (…, E)
	chosen  []int          // (T, k), the experts of every token
	gates   []float32      // (T, k)
	losses  losses

	order  []int          // (T·k) the slots t·k+n, sorted by their expert
	start  []int          // (E+1) where the slots of an expert begin in order
	next   []int          // (E+1) where the next one goes
	sorted *tensor.Tensor // (T·k, D), the tokens in this order
	y, dx  *tensor.Tensor // (…, D)
	dOut   *tensor.Tensor // (T·k, D)
	dGates []float32      // (T, k)
	dl     *tensor.Tensor // (…, E)
}

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
	for e, expert := range m.Experts {
		if from, to := m.start[e], m.start[e+1]; from < to {
			out := expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				kernel.Axpy(m.gates[slot], out.Row(p), m.y.Row(slot/m.K))
			}
		}
	}
	return m.y
}

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
		from, to := m.start[e], m.start[e+1]
		if from == to {
			continue
		}
		out := expert.Forward(m.sorted.SliceRows(from, to)) // needed for dg
		for p, slot := range m.order[from:to] {
			row := dy.Row(slot / m.K)
			kernel.ScaleTo(m.dOut.Row(from+p), m.gates[slot], row) // (1)
			m.dGates[slot] = kernel.Dot(row, out.Row(p))           // (1)
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

// gate-gradient-from-gated: gate gradient from gated
//
// Why: Mixture.Backward: the gradient of a gate is taken from dOut, which has been multiplied by the gate already, and not from
// dy: dg = g*(dy . out). dx through the experts is right; the router's gradient is scaled by each slot's gate.
// Diagnosis: dg is too small by the factor g: it is dy . out, not dOut . out.
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
			kernel.ScaleTo(m.dOut.Row(from+p), m.gates[slot], row)            // (1)
			m.dGates[slot] = kernel.Dot(m.dOut.Row(from+p), m.outs[e].Row(p)) // (1)
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

// jacobian-with-an-average: jacobian with an average
//
// Why: GatesBackward, k >= 2: subtracts the average (1/k)*sum dg*g where the softmax's gradient has the sum (the gates weigh
// already). dl = g*(dg - sum/k) no longer sums to 0.
// Diagnosis: sum_n dg_n*g_n is divided by k.
func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	// (6) A softmax g has ∂g_n/∂l_m = g_n·(1[n = m] − g_m), so  dl_m = g_m·(dg_m − Σ_n dg_n·g_n).
	// (7) k ≥ 2: over the chosen logits alone. The others take no part, dl = 0.
	// (8) k = 1: over all logits, of which one gate g = p_c is used: dl_m = dg·p_c·(1[m = c] − p_m).
	checkLength("GatesBackward: dgates", len(dgates), len(chosen))
	checkLength("GatesBackward: gates", len(gates), len(chosen))
	checkLength("GatesBackward: dlogits", len(dlogits), len(logits))
	checkChosen("GatesBackward: chosen", len(chosen), len(logits))
	if len(chosen) == 1 {
		c, dp := chosen[0], dgates[0]*gates[0]
		log := logSumExp(logits)
		for m, l := range logits {
			dlogits[m] = -dp * exp(float64(l)-log) // (8)
		}
		dlogits[c] += dp
		return
	}
	mean := float32(0) // Σ dg·g
	for n, g := range gates {
		mean += dgates[n] * g
	}
	mean /= float32(len(gates))
	clear(dlogits)
	for n, i := range chosen {
		dlogits[i] = gates[n] * (dgates[n] - mean) // (6) and (7)
	}
}

// k1-only-the-chosen: k1 only the chosen
//
// Why: GatesBackward, k = 1: only the chosen expert's logit gets a gradient, dg*p*(1-p); the others, which are in the softmax's
// sum, get 0 where they should get -dg*p_c*p_m. Forward is right. The router still learns, the loss falls.
// Diagnosis: k = 1: the gradient of the logits that were not chosen is missing: the softmax is over all logits.
func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	// (6) A softmax g has ∂g_n/∂l_m = g_n·(1[n = m] − g_m), so  dl_m = g_m·(dg_m − Σ_n dg_n·g_n).
	// (7) k ≥ 2: over the chosen logits alone. The others take no part, dl = 0.
	// (8) k = 1: over all logits, of which one gate g = p_c is used: dl_m = dg·p_c·(1[m = c] − p_m).
	checkLength("GatesBackward: dgates", len(dgates), len(chosen))
	checkLength("GatesBackward: gates", len(gates), len(chosen))
	checkLength("GatesBackward: dlogits", len(dlogits), len(logits))
	checkChosen("GatesBackward: chosen", len(chosen), len(logits))
	if len(chosen) == 1 {
		p := gates[0]
		clear(dlogits)
		dlogits[chosen[0]] = dgates[0] * p * (1 - p) // (8)
		return
	}
	mean := float32(0) // Σ dg·g
	for n, g := range gates {
		mean += dgates[n] * g
	}
	clear(dlogits)
	for n, i := range chosen {
		dlogits[i] = gates[n] * (dgates[n] - mean) // (6) and (7)
	}
}

// load-of-the-first-choice: load of the first choice
//
// Why: losses.count: f counts the first choice of every token only, as with k = 1 (GShard does it so), and divides by T. Sum f = 1
// and an even load gives 1, but a second expert that gets everything is not seen. Right for k = 1.
// Diagnosis: k >= 2: f is the share of the first choices, not of all k*T slots.
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
		l.share[chosen[t*k]]++
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
		l.share[e] /= tokens
		l.balance += float64(experts) * l.share[e] * l.mean[e] / tokens
	}
}

// losses-not-in-dx: losses not in dx
//
// Why: Mixture.Backward: the gradients of balance and z are sent to the router in a second Router.Backward whose dx is thrown
// away, "they are for the router only". dW_r is right, dx lacks alpha*balance + beta*z.
// Diagnosis: with alpha or beta not 0 dx misses the path of the two losses through the logits; without them all is right.
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
	}
	kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data) // (5)
	if m.Balance != 0 || m.Z != 0 {
		m.dl.Zero()
		for t := range m.dl.Rows() {
			if m.counted == nil || m.counted[t] {
				m.losses.backward(m.dl.Row(t), m.logits.Row(t), m.Balance, m.Z) // (4)
			}
		}
		m.Router.Backward(m.dl) // for the router's weight
	}
	return m.dx
}

// mean-of-the-gates-for-p: mean of the gates for P
//
// Why: losses.count and Mixture.Backward: P is the mean of the gates (0 for experts that were not chosen), and not of the
// softmax over all logits; the gradient fits that, it is added to dg. Sum P = 1 for k >= 2, and an even load gives 1.
// Diagnosis: balance loss: P is taken from the gates of the chosen; it is the mean of the full softmax.
func (l *losses) count(logits *tensor.Tensor, chosen []int, gates []float32, k int, isReal []bool) {
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
		for n, e := range chosen[t*k : (t+1)*k] {
			l.share[e]++
			l.mean[e] += float64(gates[t*k+n])
		}
		log := l.probabilities(logits.Row(t))
		squares += log * log
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

func (l *losses) backward(dlogits, logits []float32, beta float64) {
	// (11) z = 1/T·Σ_t s², s = ln Σ e^l:         dl   = 2/T·s·p
	s := l.probabilities(logits)
	tokens := float64(l.tokens)
	for e, p := range l.p {
		dlogits[e] += float32(beta * 2 / tokens * s * p) // (11)
	}
}

func (m *Mixture) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Mixture.Forward: x", x, tensor.Lead, m.Router.Weight.Value.Dim(1))
	if m.Real != nil {
		checkLength("Mixture.Forward: length of Real", len(m.Real), x.Rows())
	}
	m.x, m.counted = x, slices.Clone(m.Real)
	m.logits = m.Router.Forward(x)
	m.route()
	m.sort()
	m.losses.count(m.logits, m.chosen, m.gates, m.K, m.counted)

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
		if m.counted == nil || m.counted[t] {
			for slot := from; slot < to; slot++ { // (9) balance = E·Σ f·P, P = 1/T·Σ_t g
				f := m.losses.share[m.chosen[slot]]
				m.dGates[slot] += float32(m.Balance * float64(len(m.Experts)) / float64(m.losses.tokens) * f)
			}
		}
		GatesBackward(m.dl.Row(t), m.dGates[from:to], m.gates[from:to], m.logits.Row(t), m.chosen[from:to]) // (3)
		if m.counted == nil || m.counted[t] {
			m.losses.backward(m.dl.Row(t), m.logits.Row(t), m.Z) // (4)
		}
	}
	kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data) // (5)
	return m.dx
}

// packed-keys-4096: packed keys 4096
//
// Why: Mixture.sort: expert and slot are packed into one number (expert<<12 | slot) which is sorted. With more than 4096 slots
// (T*k > 4096) the slot's upper bits run into the expert's: tokens go to wrong experts, some twice and some never.
// Diagnosis: wrong for large batches only, T*k > 4096: the slots of a large batch do not fit the bits that sort has for them.
type Mixture struct {
	Router  *linear.Linear   // (E, D), the logits
	Experts []*swiglu.SwiGLU // E of them
	K       int              // k, how many a token passes through

	// Balance and Z are α and β: Backward also sends back the gradients of α times the
	// balance loss and of β times the z-loss.
	Balance, Z float64

	// Real says which of the T tokens count for the two losses: those that are not
	// padding. nil: all of them. It is read by Forward.
	Real []bool

	x       *tensor.Tensor // (…, D), what Forward was given
	counted []bool         // a copy of Real, as Forward read it
	logits  *tensor.Tensor // (…, E)
	chosen  []int          // (T, k), the experts of every token
	gates   []float32      // (T, k)
	losses  losses

	order  []int            // (T·k) the slots t·k+n, sorted by their expert
	start  []int            // (E+1) where the slots of an expert begin in order
	sorted *tensor.Tensor   // (T·k, D), the tokens in this order
	outs   []*tensor.Tensor // what every expert made of its tokens, nil if it had none
	y, dx  *tensor.Tensor   // (…, D)
	dOut   *tensor.Tensor   // (T·k, D)
	dGates []float32        // (T, k)
	dl     *tensor.Tensor   // (…, E)
}

func (m *Mixture) sort() {
	m.start = resize(m.start, len(m.Experts)+1)
	clear(m.start)
	m.order = resize(m.order, len(m.chosen))
	for slot, e := range m.chosen {
		m.start[e+1]++
		m.order[slot] = e<<12 | slot // one number: the expert above, the slot below
	}
	for e := range m.Experts {
		m.start[e+1] += m.start[e]
	}
	slices.Sort(m.order)
	for p := range m.order {
		m.order[p] &= 1<<12 - 1
	}
}

// padding-in-the-gradients-divisor: padding in the gradients divisor
//
// Why: losses.backward: divides by the number of all tokens, T with the padding, where the losses themselves (rightly) divide by
// those that count. Without padding all is right; with it the gradients of balance and z are too small by counted/all.
// Diagnosis: with padding the gradient of the two losses is not that of the losses: its T counts the padding.
type losses struct {
	balance, z float64
	share      []float64 // (E) f
	tokens     int       // those that count
	all        int       // T
	p          []float64 // (E), the probabilities of one token
	mean       []float64 // (E), T·P
}

func (l *losses) count(logits *tensor.Tensor, chosen []int, k int, isReal []bool) {
	experts := logits.Dim(-1)
	l.share, l.mean, l.p = resize(l.share, experts), resize(l.mean, experts), resize(l.p, experts)
	clear(l.share)
	clear(l.mean)
	squares := 0.0 // Σ (ln Σ e^logits)²
	l.tokens, l.all = 0, logits.Rows()
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

func (l *losses) backward(dlogits, logits []float32, alpha, beta float64) {
	// (9) balance = E·Σ f·P and P = 1/T·Σ_t p:  dp   = E/T·f, the same for every token; f is constant
	// (10) p is a softmax:                       dl   = p·(dp − Σ dp·p)
	// (11) z = 1/T·Σ_t s², s = ln Σ e^l:         dl   = 2/T·s·p
	s := l.probabilities(logits)
	mean := 0.0 // Σ f·p
	for e, p := range l.p {
		mean += l.share[e] * p
	}
	experts, tokens := float64(len(logits)), float64(l.all)
	for e, p := range l.p {
		balance := experts / tokens * p * (l.share[e] - mean) // (9) and (10)
		z := 2 / tokens * s * p                               // (11)
		dlogits[e] += float32(alpha*balance + beta*z)
	}
}

// real-read-again-in-backward: real read again in backward
//
// Why: Mixture.Backward: looks into m.Real again, where Forward should have kept a copy ("It is read by Forward"). Who sets
// Real for the next batch, or clears the slice in place, between Forward and Backward gets the gradients of the two losses
// at other tokens than were counted (or an index out of range).
// Diagnosis: Backward does not belong to the last Forward: it reads Real, which may have changed since.
type Mixture struct {
	Router  *linear.Linear   // (E, D), the logits
	Experts []*swiglu.SwiGLU // E of them
	K       int              // k, how many a token passes through

	// Balance and Z are α and β: Backward also sends back the gradients of α times the
	// balance loss and of β times the z-loss.
	Balance, Z float64

	// Real says which of the T tokens count for the two losses: those that are not
	// padding. nil: all of them. It is read by Forward.
	Real []bool

	x      *tensor.Tensor // (…, D), what Forward was given
	logits *tensor.Tensor // (…, E)
	chosen []int          // (T, k), the experts of every token
	gates  []float32      // (T, k)
	losses losses

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

func (m *Mixture) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Mixture.Forward: x", x, tensor.Lead, m.Router.Weight.Value.Dim(1))
	if m.Real != nil {
		checkLength("Mixture.Forward: length of Real", len(m.Real), x.Rows())
	}
	m.x = x
	m.logits = m.Router.Forward(x)
	m.route()
	m.sort()
	m.losses.count(m.logits, m.chosen, m.K, m.Real)

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
		if m.Real == nil || m.Real[t] {
			m.losses.backward(m.dl.Row(t), m.logits.Row(t), m.Balance, m.Z) // (4)
		}
	}
	kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data) // (5)
	return m.dx
}

// refused-forward-is-remembered: refused forward is remembered
//
// Why: Mixture.Forward: keeps x, routes and sorts first, and checks the length of Real last. A Forward that is refused has then
// replaced x, the choice, the gates and the order of the slots, but not what the experts made: Backward of the Forward before
// it mixes the two (plausible wrong numbers, or an index out of range), and Chosen is that of the refused call.
// Diagnosis: a refused call has changed the layer; check all arguments before anything is kept.
func (m *Mixture) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Mixture.Forward: x", x, tensor.Lead, m.Router.Weight.Value.Dim(1))
	m.x, m.counted = x, slices.Clone(m.Real)
	m.logits = m.Router.Forward(x)
	m.route()
	m.sort()
	if m.Real != nil {
		checkLength("Mixture.Forward: length of Real", len(m.Real), x.Rows())
	}
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

// topk-bitmask-of-64: topk bitmask of 64
//
// Why: TopK: which places are taken is kept in the bits of a uint64. With more than 64 logits the shift of 1 by 64 or more is 0,
// so those places are never marked and one of them is chosen k times. Right for E <= 64.
// Diagnosis: with more than 64 experts the same expert is chosen twice; a mask of bits has no place for it.
func TopK(chosen []int, logits []float32) {
	checkChosen("TopK", len(chosen), len(logits))
	var taken uint64
	for n := range chosen {
		best := -1
		for i, l := range logits {
			if taken&(1<<uint(i)) != 0 {
				continue
			}
			if best == -1 || l > logits[best] {
				best = i
			}
		}
		taken |= 1 << uint(best)
		chosen[n] = best
	}
}

// topk-unstable-sort: topk unstable sort
//
// Why: TopK: sorts the places by their logits with sort.Slice, which is not stable. Up to 12 experts Go sorts by insertion, and
// ties happen to come out right; with more, equal logits come in any order and not the lower place first.
// Diagnosis: of equal logits that at the lower place has to be chosen: sort.SliceStable, or compare the places as well.
func TopK(chosen []int, logits []float32) {
	checkChosen("TopK", len(chosen), len(logits))
	places := make([]int, len(logits))
	for i := range places {
		places[i] = i
	}
	sort.Slice(places, func(a, b int) bool { return logits[places[a]] > logits[places[b]] })
	copy(chosen, places)
}

// z-overflows: z overflows
//
// Why: losses.probabilities: ln(sum e^l) and the probabilities of the losses without taking the largest logit out first, in float64.
// Right until a logit is beyond 709 (or all below -745): then z, balance and all gradients are Inf or NaN, just where the
// z-loss is needed. The gates (which use logSumExp) are right.
// Diagnosis: large logits: the losses overflow, subtract the largest logit before the exponential.
func (l *losses) probabilities(logits []float32) (log float64) {
	sum := 0.0
	for e, v := range logits {
		l.p[e] = math.Exp(float64(v))
		sum += l.p[e]
	}
	for e := range l.p {
		l.p[e] /= sum
	}
	return math.Log(sum)
}

// z-square-of-the-mean: z square of the mean
//
// Why: losses.count/backward: z is (mean over the tokens of ln sum e^l) squared, not the mean of the squares; its gradient fits,
// 2/T*mean(s)*p. Logits of opposite sign in different tokens cancel. With one token it is the same.
// Diagnosis: z is the square of a mean; it is the mean of squares.
type losses struct {
	balance, z float64
	share      []float64 // (E) f
	tokens     int       // T, those that count
	p          []float64 // (E), the probabilities of one token
	s          float64   // mean of ln Σ e^logits
	mean       []float64 // (E), T·P
}

func (l *losses) count(logits *tensor.Tensor, chosen []int, k int, isReal []bool) {
	experts := logits.Dim(-1)
	l.share, l.mean, l.p = resize(l.share, experts), resize(l.mean, experts), resize(l.p, experts)
	clear(l.share)
	clear(l.mean)
	logs := 0.0 // Σ ln Σ e^logits
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
		logs += log
		for e, p := range l.p {
			l.mean[e] += p
		}
	}
	l.balance, l.z = 0, 0
	if l.tokens == 0 {
		return
	}
	tokens := float64(l.tokens)
	l.s = logs / tokens
	l.z = l.s * l.s
	for e := range l.share {
		l.share[e] /= float64(k) * tokens
		l.balance += float64(experts) * l.share[e] * l.mean[e] / tokens
	}
}

func (l *losses) backward(dlogits, logits []float32, alpha, beta float64) {
	// (9) balance = E·Σ f·P and P = 1/T·Σ_t p:  dp   = E/T·f, the same for every token; f is constant
	// (10) p is a softmax:                       dl   = p·(dp − Σ dp·p)
	// (11) z = 1/T·Σ_t s², s = ln Σ e^l:         dl   = 2/T·s·p
	l.probabilities(logits)
	mean := 0.0 // Σ f·p
	for e, p := range l.p {
		mean += l.share[e] * p
	}
	experts, tokens := float64(len(logits)), float64(l.tokens)
	for e, p := range l.p {
		balance := experts / tokens * p * (l.share[e] - mean) // (9) and (10)
		z := 2 / tokens * l.s * p                             // (11)
		dlogits[e] += float32(alpha*balance + beta*z)
	}
}
