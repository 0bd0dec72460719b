//go:build unlisted

package moe

import (
	"container/heap"
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"math"
	"slices"
	"sync"
)

// full-softmax-renormalised: full softmax renormalised
//
// Why: The gates are the full softmax in float64, of which the chosen are divided by their sum (in logarithms, so that nothing
// underflows): the theorem of the lesson says it is the same. TopK inserts every logit into a short sorted list (of equal
// ones the earlier stays in front). GatesBackward goes through the renormalisation and the full softmax step by step:
// dp, then dl = p*(dp - sum dp*p), which gives 0 for those not chosen; there it writes 0.
func TopK(chosen []int, logits []float32) {
	checkChosen("TopK", len(chosen), len(logits))
	have := 0
	for i, l := range logits {
		at := have
		for at > 0 && l > logits[chosen[at-1]] {
			at--
		}
		if at == len(chosen) {
			continue
		}
		have = min(have+1, len(chosen))
		copy(chosen[at+1:have], chosen[at:have-1])
		chosen[at] = i
	}
}

func Gates(gates, logits []float32, chosen []int) {
	checkLength("Gates: gates", len(gates), len(chosen))
	checkChosen("Gates: chosen", len(chosen), len(logits))
	logP := logSoftmax(logits, nil)
	if len(chosen) == 1 {
		gates[0] = exp(logP[chosen[0]])
		return
	}
	kept := make([]float64, len(chosen)) // ln p of the chosen
	for n, e := range chosen {
		kept[n] = logP[e]
	}
	total := logOfSum(kept)
	for n, lp := range kept {
		gates[n] = exp(lp - total) // p over the sum of the chosen p
	}
}

func logSoftmax(logits []float32, dst []float64) []float64 {
	dst = resize(dst, len(logits))
	for i, l := range logits {
		dst[i] = float64(l)
	}
	log := logOfSum(dst)
	for i := range dst {
		dst[i] -= log
	}
	return dst
}

func logOfSum(x []float64) float64 {
	top := slices.Max(x)
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	checkLength("GatesBackward: dgates", len(dgates), len(chosen))
	checkLength("GatesBackward: gates", len(gates), len(chosen))
	checkLength("GatesBackward: dlogits", len(dlogits), len(logits))
	checkChosen("GatesBackward: chosen", len(chosen), len(logits))
	// In logarithms: with a = ln p, a gate of k ≥ 2 is e^a over the sum of the chosen e^a.
	da := make([]float64, len(logits)) // the gradient of ln p
	if len(chosen) == 1 {
		da[chosen[0]] = float64(dgates[0]) * float64(gates[0])
	} else {
		sum := 0.0
		for n := range chosen {
			sum += float64(dgates[n]) * float64(gates[n])
		}
		for n, e := range chosen {
			da[e] = float64(gates[n]) * (float64(dgates[n]) - sum)
		}
		// These sum to 0, and ln p is l less a number that is the same for all: dl = da.
		for e, d := range da {
			dlogits[e] = float32(d)
		}
		return
	}
	// ln p = l − ln Σ e^l:  dl = da − p·Σ da
	total := da[chosen[0]]
	for e, lp := range logSoftmax(logits, nil) {
		dlogits[e] = float32(da[e] - math.Exp(lp)*total)
	}
}

// goroutines-joined: goroutines joined
//
// Why: The experts run at the same time, one goroutine each, forward and backward; each writes only to its own piece of the sorted
// buffers, to its own entry of outs and dIns and to the gates of its own slots. y and dx are added up by the caller's goroutine
// after Wait, expert by expert. A panic in an expert is handed to the caller. No data race; results do not depend on the order.
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
	dIns   []*tensor.Tensor // what the Backward of every expert returned
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
	clear(m.outs)
	m.busy(func(e, from, to int) { m.outs[e] = m.Experts[e].Forward(m.sorted.SliceRows(from, to)) })
	for e, out := range m.outs {
		if out == nil {
			continue
		}
		for p, slot := range m.order[m.start[e]:m.start[e+1]] {
			kernel.Axpy(m.gates[slot], out.Row(p), m.y.Row(slot/m.K))
		}
	}
	return m.y
}

func (m *Mixture) busy(do func(e, from, to int)) {
	var wg sync.WaitGroup
	panics := make([]any, len(m.Experts))
	for e := range m.Experts {
		from, to := m.start[e], m.start[e+1]
		if from == to {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { panics[e] = recover() }()
			do(e, from, to)
		}()
	}
	wg.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
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
	m.dIns = resize(m.dIns, len(m.Experts))
	m.busy(func(e, from, to int) {
		for p, slot := range m.order[from:to] {
			row := dy.Row(slot / m.K)
			kernel.ScaleTo(m.dOut.Row(from+p), m.gates[slot], row) // (1)
			m.dGates[slot] = kernel.Dot(row, m.outs[e].Row(p))     // (1)
		}
		m.dIns[e] = m.Experts[e].Backward(m.dOut.SliceRows(from, to))
	})
	for e, out := range m.outs {
		if out == nil {
			continue
		}
		for p, slot := range m.order[m.start[e]:m.start[e+1]] {
			row := m.dx.Row(slot / m.K)
			kernel.Add(row, row, m.dIns[e].Row(p)) // (2)
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

// lists-of-each-expert: lists of each expert
//
// Why: No common sorted buffer: every expert has a list of its visits (token, choice) and tensors of its own for what it is given,
// what it made and the gradient, which are used again; an expert without visits is not called. y and dx are summed in float64
// in a row of scratch for each token, from the visits of this token in the order of its choice.
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

	work   []station      // (E)
	place  []int          // (T·k) the row that a slot has at its expert
	y, dx  *tensor.Tensor // (…, D)
	dGates []float32      // (T, k)
	dl     *tensor.Tensor // (…, E)
	sum    []float64      // (D)
}

type station struct {
	slots    []int          // its visits, t·k+n
	in, dOut *tensor.Tensor // (visits, D)
	out, dIn *tensor.Tensor // (visits, D), the expert's own
}

func (m *Mixture) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Mixture.Forward: x", x, tensor.Lead, m.Router.Weight.Value.Dim(1))
	if m.Real != nil {
		checkLength("Mixture.Forward: length of Real", len(m.Real), x.Rows())
	}
	m.x, m.counted = x, slices.Clone(m.Real)
	m.logits = m.Router.Forward(x)
	m.route()
	m.losses.count(m.logits, m.chosen, m.K, m.counted)
	m.visit()
	for e := range m.work {
		w := &m.work[e]
		if len(w.slots) == 0 {
			continue
		}
		w.in = tensor.Reuse(w.in, len(w.slots), x.Dim(-1))
		for row, slot := range w.slots {
			copy(w.in.Row(row), x.Row(slot/m.K))
		}
		w.out = m.Experts[e].Forward(w.in)
	}
	m.y = tensor.Reuse(m.y, x.Shape...)
	m.gather(m.y, func(slot int) (float64, []float32) {
		return float64(m.gates[slot]), m.work[m.chosen[slot]].out.Row(m.place[slot])
	})
	return m.y
}

func (m *Mixture) visit() {
	m.work = resize(m.work, len(m.Experts))
	for e := range m.work {
		m.work[e].slots = m.work[e].slots[:0]
	}
	m.place = resize(m.place, len(m.chosen))
	for slot, e := range m.chosen {
		m.place[slot] = len(m.work[e].slots)
		m.work[e].slots = append(m.work[e].slots, slot)
	}
}

func (m *Mixture) gather(dst *tensor.Tensor, part func(slot int) (float64, []float32)) {
	m.sum = resize(m.sum, dst.Dim(-1))
	for t := range dst.Rows() {
		clear(m.sum)
		for n := range m.K {
			factor, row := part(t*m.K + n)
			for j, v := range row {
				m.sum[j] += factor * float64(v)
			}
		}
		row := dst.Row(t)
		for j, v := range m.sum {
			row[j] = float32(v)
		}
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
	m.dGates = resize(m.dGates, len(m.gates))
	for e := range m.work {
		w := &m.work[e]
		if len(w.slots) == 0 {
			continue
		}
		w.dOut = tensor.Reuse(w.dOut, w.in.Shape...)
		for row, slot := range w.slots {
			g, dyt, out, sum := m.gates[slot], dy.Row(slot/m.K), w.out.Row(row), 0.0
			for j, d := range dyt {
				w.dOut.Row(row)[j] = g * d
				sum += float64(d) * float64(out[j])
			}
			m.dGates[slot] = float32(sum)
		}
		w.dIn = m.Experts[e].Backward(w.dOut)
	}
	m.dx = tensor.Reuse(m.dx, m.x.Shape...)
	m.gather(m.dx, func(slot int) (float64, []float32) {
		return 1, m.work[m.chosen[slot]].dIn.Row(m.place[slot])
	})
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

func (m *Mixture) sort() { _ = m.K } // nothing is sorted

// losses-when-asked: losses when asked
//
// Why: Forward only keeps a copy of the logits of the tokens that count and of their choices; f, P, balance, z and the gradients
// by expert are worked out when somebody asks first (Losses, Load, Sum, Backward with alpha or beta). The closed form of both
// gradients is one expression, p*(a*(f - f.p) + b*s). Everything in float64. The load does not change with later calls.
type tally struct {
	rows    []int     // the tokens that count
	p       []float64 // (rows, E) their logits, which become their probabilities
	chosen  []int     // (rows, k)
	experts int

	known      bool
	s          []float64 // ln Σ e^logits of each row
	f, mean    []float64
	balance, z float64
}

func (l *tally) record(logits *tensor.Tensor, chosen []int, k int, isReal []bool) {
	l.experts, l.known = logits.Dim(-1), false
	l.rows, l.p, l.chosen = l.rows[:0], l.p[:0], l.chosen[:0]
	for t := range logits.Rows() {
		if isReal != nil && !isReal[t] {
			continue
		}
		l.rows = append(l.rows, t)
		for _, v := range logits.Row(t) {
			l.p = append(l.p, float64(v))
		}
		l.chosen = append(l.chosen, chosen[t*k:(t+1)*k]...)
	}
}

func (l *tally) row(i int) []float64 { return l.p[i*l.experts : (i+1)*l.experts] }

func (l *tally) find() {
	if l.known {
		return
	}
	l.known = true
	l.f, l.mean, l.s = resize(l.f, l.experts), resize(l.mean, l.experts), l.s[:0]
	clear(l.f)
	clear(l.mean)
	l.balance, l.z = 0, 0
	if len(l.rows) == 0 {
		return
	}
	for _, e := range l.chosen {
		l.f[e]++
	}
	for e := range l.f {
		l.f[e] /= float64(len(l.chosen))
	}
	T := float64(len(l.rows))
	for i := range l.rows {
		p := l.row(i)
		top := math.Inf(-1)
		for _, v := range p {
			top = math.Max(top, v)
		}
		sum := 0.0
		for e, v := range p {
			p[e] = math.Exp(v - top)
			sum += p[e]
		}
		for e := range p {
			p[e] /= sum
			l.mean[e] += p[e] / T
		}
		s := top + math.Log(sum)
		l.s = append(l.s, s)
		l.z += s * s / T
	}
	for e := range l.f {
		l.balance += float64(l.experts) * l.f[e] * l.mean[e]
	}
}

func (l *tally) gradient(alpha, beta float64, dlogits *tensor.Tensor) {
	l.find()
	T := float64(len(l.rows))
	a, b := alpha*float64(l.experts)/T, beta*2/T
	for i, t := range l.rows {
		p, mean := l.row(i), 0.0
		for e := range p {
			mean += p[e] * l.f[e]
		}
		row := dlogits.Row(t)
		for e := range p {
			row[e] = float32(float64(row[e]) + p[e]*(a*(l.f[e]-mean)+b*l.s[i]))
		}
	}
}

func (m *Mixture) Losses() (balance, z float64) {
	m.tally.find()
	return m.tally.balance, m.tally.z
}

func (m *Mixture) Load() []float64 {
	m.tally.find()
	return m.tally.f
}

func Sum(layers []*Mixture) (balance, z float64) {
	for i := len(layers) - 1; i >= 0; i-- {
		b, s := layers[i].Losses()
		balance += b
		z += s
	}
	return balance, z
}

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
	tally   tally

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
	m.x, m.counted = x, slices.Clone(m.Real)
	m.logits = m.Router.Forward(x)
	m.route()
	m.sort()
	m.tally.record(m.logits, m.chosen, m.K, m.counted)

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
	}
	if m.Balance != 0 || m.Z != 0 {
		m.tally.gradient(m.Balance, m.Z, m.dl) // (4)
	}
	kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data) // (5)
	return m.dx
}

// pairwise-forms: pairwise forms
//
// Why: Gates in the closed form g_n = 1/sum_j e^(l_j - l_n) (a too large exponential is Inf, and 1/Inf is 0), the backward pass by
// pairs: dl_m = sum_n g_m*g_n*(dg_m - dg_n) for k >= 2, the same as g_m*(dg_m - sum dg*g) since the gates sum to 1; k = 1 likewise
// over all experts. TopK by a heap of places (larger logit first, of equal ones the lower place). The sort goes backwards.
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
	for _, e := range m.chosen {
		m.start[e]++
	}
	for e := range m.Experts {
		m.start[e+1] += m.start[e] // where the slots of e end
	}
	m.start[len(m.Experts)] = len(m.chosen)
	m.order = resize(m.order, len(m.chosen))
	for slot := len(m.chosen) - 1; slot >= 0; slot-- {
		e := m.chosen[slot]
		m.start[e]-- // in the end where they begin
		m.order[m.start[e]] = slot
	}
}

func TopK(chosen []int, logits []float32) {
	checkChosen("TopK", len(chosen), len(logits))
	h := &places{logits: logits, at: make([]int, len(logits))}
	for i := range h.at {
		h.at[i] = i
	}
	heap.Init(h)
	for n := range chosen {
		chosen[n] = heap.Pop(h).(int)
	}
}

type places struct {
	logits []float32
	at     []int
}

func (h *places) Len() int { return len(h.at) }

func (h *places) Less(a, b int) bool {
	i, j := h.at[a], h.at[b]
	if h.logits[i] != h.logits[j] {
		return h.logits[i] > h.logits[j]
	}
	return i < j
}

func (h *places) Swap(a, b int) { h.at[a], h.at[b] = h.at[b], h.at[a] }

func (h *places) Push(x any) { h.at = append(h.at, x.(int)) }

func (h *places) Pop() any {
	last := h.at[len(h.at)-1]
	h.at = h.at[:len(h.at)-1]
	return last
}

func Gates(gates, logits []float32, chosen []int) {
	checkLength("Gates: gates", len(gates), len(chosen))
	checkChosen("Gates: chosen", len(chosen), len(logits))
	if len(chosen) == 1 {
		own, sum := float64(logits[chosen[0]]), 0.0
		for _, l := range logits {
			sum += math.Exp(float64(l) - own)
		}
		gates[0] = float32(1 / sum)
		return
	}
	for n, i := range chosen {
		gates[n] = 0
		if math.IsInf(float64(logits[i]), -1) {
			continue
		}
		sum := 0.0
		for _, j := range chosen {
			sum += math.Exp(float64(logits[j]) - float64(logits[i]))
		}
		gates[n] = float32(1 / sum)
	}
}

func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	checkLength("GatesBackward: dgates", len(dgates), len(chosen))
	checkLength("GatesBackward: gates", len(gates), len(chosen))
	checkLength("GatesBackward: dlogits", len(dlogits), len(logits))
	checkChosen("GatesBackward: chosen", len(chosen), len(logits))
	for e := range dlogits {
		dlogits[e] = 0
	}
	if len(chosen) == 1 { // the other experts' probabilities meet a dg of 0
		c, dg, own := chosen[0], float64(dgates[0]), float64(gates[0])
		log := logSumExp(logits)
		rest := 0.0 // 1 − p of the chosen, without its cancellation
		for e, l := range logits {
			if e != c {
				p := math.Exp(float64(l) - log)
				dlogits[e] = float32(-own * p * dg)
				rest += p
			}
		}
		dlogits[c] = float32(own * rest * dg)
		return
	}
	for m, i := range chosen {
		sum := 0.0
		for n := range chosen {
			sum += float64(gates[m]) * float64(gates[n]) * (float64(dgates[m]) - float64(dgates[n]))
		}
		dlogits[i] = float32(sum)
	}
}
