//go:build unlisted

package lora

import (
	"errors"
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step11_training"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// examples-by-place: examples by place
//
// Why: examples.go, NewExample, Batch, Pack. Nothing to object to: rows filled with pad first and examples put into
// them, the mask from the position where each example starts.
func NewExample(prompt, answer []int, end int) Example {
	p, n := len(prompt), len(answer)
	if p < 1 {
		panic(tensor.ShapeError{Op: "lora.NewExample: prompt", Got: []int{p}, Want: []int{1}})
	}
	at := func(i int) int { // of the text, prompt, answer and end
		switch {
		case i < p:
			return prompt[i]
		case i < p+n:
			return answer[i-p]
		}
		return end
	}
	e := blank(p+n, end)
	for t := range p + n {
		e.IDs[t], e.Targets[t], e.Counted[t] = at(t), at(t+1), t+1 >= p
	}
	return e
}

func Batch(examples []Example, pad int) (ids, targets [][]int, counted [][]bool) {
	width := 0
	for i := range examples {
		width = max(width, len(examples[i].IDs))
	}
	ids, targets = make([][]int, len(examples)), make([][]int, len(examples))
	counted = make([][]bool, len(examples))
	for b, e := range examples {
		row := blank(width, pad)
		row.put(0, e)
		ids[b], targets[b], counted[b] = row.IDs, row.Targets, row.Counted
	}
	return ids, targets, counted
}

func blank(length, pad int) Example {
	return Example{IDs: slices.Repeat([]int{pad}, length), Targets: slices.Repeat([]int{pad}, length),
		Counted: make([]bool, length)}
}

func (e Example) put(at int, other Example) {
	copy(e.IDs[at:], other.IDs)
	copy(e.Targets[at:], other.Targets)
	copy(e.Counted[at:], other.Counted)
}

func Pack(examples []Example, length, pad int) (packed Example, attend []bool) {
	used := 0
	for _, e := range examples {
		used += len(e.IDs)
	}
	if used > length {
		panic(tensor.ShapeError{Op: "lora.Pack: length", Got: []int{length}, Want: []int{used}})
	}
	packed = blank(length, pad)
	start := make([]int, length) // of every position: where its example begins
	for i := range start {
		start[i] = i
	}
	at := 0
	for _, e := range examples {
		packed.put(at, e)
		for i := range e.IDs {
			start[at+i] = at
		}
		at += len(e.IDs)
	}
	attend = make([]bool, length*length)
	for i, from := range start {
		row := attend[i*length : (i+1)*length]
		for j := from; j <= i; j++ {
			row[j] = true
		}
	}
	return packed, attend
}

func (e Example) padded(length, pad int) Example { panic("nobody calls this") }

// flat-float64: flat float64
//
// Why: lora.go, all of Linear. Nothing to object to: the frozen product by the kit, the adapter in flat loops with
// float64 inside, buffers used again.
type Linear struct {
	Weight *tensor.Param // W₀, (O, I)
	A      *tensor.Param // (r, I)
	B      *tensor.Param // (O, r)
	Alpha  float64       // α

	base *tensor.Tensor // (O, I), W₀ as it was before Merge; nil: not merged

	x  *tensor.Tensor // (…, I), what Forward was given
	u  *tensor.Tensor // (…, r), α/r·x·Aᵀ
	y  *tensor.Tensor // (…, O)
	du *tensor.Tensor // (…, r)
	dx *tensor.Tensor // (…, I)

	sumA, sumB []float64 // (r, I) and (O, r), the sums of one Backward
}

func (l *Linear) scale() float64 { return l.Alpha / float64(l.A.Value.Dim(0)) }

func room(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, w.Dim(1))
	l.y = tensor.ReuseLead(l.y, x.Lead(1), w.Dim(0))
	tensor.Mul(l.y.Matrix(), x.Matrix(), w.Matrix().T())
	l.x = nil
	if l.base != nil {
		return l.y
	}
	l.x = x

	rows, in, out, rank, s := x.Rows(), w.Dim(1), w.Dim(0), l.A.Value.Dim(0), l.scale()
	a, b := l.A.Value.Data, l.B.Value.Data
	l.u = tensor.ReuseLead(l.u, x.Lead(1), rank)
	for n := range rows {
		xn, un, yn := x.Data[n*in:(n+1)*in], l.u.Data[n*rank:(n+1)*rank], l.y.Data[n*out:(n+1)*out]
		for k := range un {
			un[k] = float32(s * dot(xn, a[k*in:(k+1)*in]))
		}
		for o := range yn {
			yn[o] = float32(float64(yn[o]) + dot(un, b[o*rank:(o+1)*rank]))
		}
	}
	return l.y
}

func dot(x, y []float32) (sum float64) {
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("lora.Linear.Backward: x of Forward", l.x, tensor.Lead, w.Dim(1))
	tensor.CheckShape("lora.Linear.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	tensor.Mul(l.dx.Matrix(), dy.Matrix(), w.Matrix())

	rows, in, out, rank, s := l.x.Rows(), w.Dim(1), w.Dim(0), l.A.Value.Dim(0), l.scale()
	a, b := l.A.Value.Data, l.B.Value.Data
	l.du = tensor.Reuse(l.du, l.u.Shape...)
	l.sumA, l.sumB = room(l.sumA, rank*in), room(l.sumB, out*rank)
	for n := range rows {
		xn, dyn, dxn := l.x.Data[n*in:(n+1)*in], dy.Data[n*out:(n+1)*out], l.dx.Data[n*in:(n+1)*in]
		un, dun := l.u.Data[n*rank:(n+1)*rank], l.du.Data[n*rank:(n+1)*rank]
		for k := range dun {
			sum := 0.0
			for o, g := range dyn {
				l.sumB[o*rank+k] += float64(g) * float64(un[k])
				sum += float64(g) * float64(b[o*rank+k])
			}
			dun[k] = float32(s * sum)
			row, sums := a[k*in:(k+1)*in], l.sumA[k*in:(k+1)*in]
			for i, v := range xn {
				sums[i] += s * sum * float64(v)
				dxn[i] += float32(s * sum * float64(row[i]))
			}
		}
	}
	for i, v := range l.sumA {
		l.A.Grad.Data[i] += float32(v)
	}
	for i, v := range l.sumB {
		l.B.Grad.Data[i] += float32(v)
	}
	return l.dx
}

func (l *Linear) Delta() *tensor.Tensor {
	delta, s, rank := tensor.New(l.Weight.Value.Shape...), l.scale(), l.A.Value.Dim(0)
	in := delta.Dim(1)
	a, b := l.A.Value.Data, l.B.Value.Data
	for o := range delta.Dim(0) {
		for i := range in {
			sum := 0.0
			for k := range rank {
				sum += float64(b[o*rank+k]) * float64(a[k*in+i])
			}
			delta.Data[o*in+i] = float32(s * sum)
		}
	}
	return delta
}

func (l *Linear) Merge() {
	if l.base == nil {
		l.base = l.Weight.Value.Clone()
		for i, d := range l.Delta().Data {
			l.Weight.Value.Data[i] += d
		}
	}
}

// parallel-loss: parallel loss
//
// Why: loss.go, all of AnswerLoss. Nothing to object to: rows shared among goroutines, no race, summed in a fixed
// order; the logarithm of each sum is kept for Backward.
type AnswerLoss struct {
	logits  *tensor.Tensor // (B, T, V), the caller's; nil before the first Forward
	tokens  []token        // those that count
	dlogits *tensor.Tensor // (B, T, V)
}

type token struct {
	row, target int
	top         float32 // the largest logit of the row
	logSum      float64 // log Σ e^(x − top)
}

func (l *AnswerLoss) Forward(logits *tensor.Tensor, targets [][]int, counted [][]bool) (float64, error) {
	tensor.CheckShape("AnswerLoss.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	tokens, err := collect(logits, targets, counted)
	if err != nil {
		return 0, err
	}
	l.logits, l.tokens = logits, tokens
	if len(tokens) == 0 {
		return 0, nil
	}
	share(len(tokens), func(i int) { tokens[i].measure(logits.Row(tokens[i].row)) })
	total := 0.0 // in the order of the tokens: the same in every run
	for _, k := range tokens {
		total += k.logSum - float64(logits.Row(k.row)[k.target]-k.top)
	}
	return total / float64(len(tokens)), nil
}

func (l *AnswerLoss) Backward() *tensor.Tensor {
	tensor.CheckShape("AnswerLoss.Backward: logits of Forward", l.logits, tensor.Any, tensor.Any, tensor.Any)
	l.dlogits = tensor.Reuse(l.dlogits, l.logits.Shape...)
	clear(l.dlogits.Data)
	each := 1 / float64(max(len(l.tokens), 1))
	share(len(l.tokens), func(i int) {
		k := &l.tokens[i]
		dx := l.dlogits.Row(k.row)
		for j, v := range l.logits.Row(k.row) {
			p := math.Exp(float64(v-k.top) - k.logSum)
			if j == k.target {
				p--
			}
			dx[j] = float32(p * each)
		}
	})
	return l.dlogits
}

func (k *token) measure(x []float32) {
	k.top = float32(math.Inf(-1))
	for _, v := range x {
		k.top = max(k.top, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v - k.top))
	}
	k.logSum = math.Log(sum)
}

func share(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n/16)
	if workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
}

func collect(logits *tensor.Tensor, targets [][]int, counted [][]bool) (tokens []token, err error) {
	if err := grid("targets", targets, logits); err != nil {
		return nil, err
	}
	if err := grid("counted", counted, logits); err != nil {
		return nil, err
	}
	seq, vocab := logits.Dim(1), logits.Dim(2)
	for b := range counted {
		for t, counts := range counted[b] {
			target := targets[b][t]
			if counts && (target < 0 || target >= vocab) {
				return nil, tensor.IndexError{Op: fmt.Sprintf("AnswerLoss.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
			}
			if counts {
				tokens = append(tokens, token{row: b*seq + t, target: target})
			}
		}
	}
	return tokens, nil
}

func grid[T any](name string, rows [][]T, logits *tensor.Tensor) error {
	if len(rows) != logits.Dim(0) {
		return tensor.ShapeError{Op: "AnswerLoss.Forward: " + name, Got: []int{len(rows)}, Want: []int{logits.Dim(0)}}
	}
	for b, row := range rows {
		if len(row) != logits.Dim(1) {
			return tensor.ShapeError{Op: fmt.Sprintf("AnswerLoss.Forward: %s[%d]", name, b), Got: []int{len(row)}, Want: []int{logits.Dim(1)}}
		}
	}
	return nil
}

func shiftedSum(x []float32) (shift float32, sum float64) { panic("nobody calls this") }

func countedOf(logits *tensor.Tensor, targets [][]int, counted [][]bool) (rows, chosen []int, err error) {
	panic("nobody calls this")
}

// plan-then-load: plan then load
//
// Why: adapters.go, Init, Optimizer, State, Load. Nothing to object to: Load copies into a plan and reports all
// errors together before it changes anything; A drawn column by column, evenly in ±1/√in, from rng.
func Init(out, in, rank int, rng *rand.Rand) (a, b *tensor.Tensor) {
	if rank < 1 || rank > in || rank > out {
		panic(tensor.ShapeError{Op: "lora.Init: rank", Got: []int{rank}, Want: []int{min(in, out)}})
	}
	a = tensor.New(rank, in)
	width := 2 / math.Sqrt(float64(in))
	for col := range in { // column by column
		for row := range rank {
			a.Data[row*in+col] = float32((rng.Float64() - 0.5) * width)
		}
	}
	return a, tensor.New(out, rank)
}

func Optimizer(layers []*Linear, beta1, beta2, eps, weightDecay float64) *training.AdamW {
	trained := make([]*tensor.Param, 2*len(layers))
	for i, l := range layers {
		copy(trained[2*i:], l.Params())
	}
	return training.NewAdamW(trained, beta1, beta2, eps, weightDecay)
}

func State(layers map[string]*Linear) map[string]*tensor.Tensor {
	state := make(map[string]*tensor.Tensor, len(parts)*len(layers))
	for name, l := range layers {
		alpha := tensor.New(1)
		alpha.Fill(float32(l.Alpha))
		for i, t := range []*tensor.Tensor{l.A.Value.Clone(), l.B.Value.Clone(), alpha} {
			state[name+"."+parts[i]] = t
		}
	}
	return state
}

var parts = [3]string{"lora_A", "lora_B", "alpha"}

type adapter struct {
	into  *Linear
	a, b  *tensor.Param // copies of the state's, with gradients of zeros
	alpha float64
}

func Load(layers map[string]*Linear, state map[string]*tensor.Tensor) error {
	known := map[string]bool{}
	var plan []adapter
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		for _, part := range parts {
			known[name+"."+part] = true
		}
		next, err := read(name, layers[name], state)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		plan = append(plan, next)
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if !known[name] {
			errs = append(errs, fmt.Errorf("lora.Load: %q belongs to no layer", name))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	// From here on nothing can fail.
	for _, p := range plan {
		p.into.Unmerge()
		p.into.A.Value, p.into.A.Grad = p.a.Value, p.a.Grad
		p.into.B.Value, p.into.B.Grad = p.b.Value, p.b.Grad
		p.into.Alpha = p.alpha
	}
	return nil
}

func read(name string, l *Linear, state map[string]*tensor.Tensor) (adapter, error) {
	var found [3]*tensor.Tensor
	for i, part := range parts {
		if found[i] = state[name+"."+part]; found[i] == nil {
			return adapter{}, fmt.Errorf("lora.Load: %q is missing", name+"."+part)
		}
	}
	rank := 0
	if len(found[0].Shape) > 0 {
		rank = found[0].Dim(0)
	}
	out, in := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1)
	for i, want := range [3][]int{{max(rank, 1), in}, {out, rank}, {1}} {
		if !slices.Equal(found[i].Shape, want) {
			return adapter{}, fmt.Errorf("lora.Load: %q has the shape %v and should have %v",
				name+"."+parts[i], found[i].Shape, want)
		}
	}
	zeros := func(t *tensor.Tensor) *tensor.Param {
		return &tensor.Param{Value: t.Clone(), Grad: tensor.New(t.Shape...)}
	}
	return adapter{into: l, a: zeros(found[0]), b: zeros(found[1]), alpha: float64(found[2].Data[0])}, nil
}

func fits(l *Linear, name string, state map[string]*tensor.Tensor) error { panic("nobody calls this") }

func surplus(layers map[string]*Linear, state map[string]*tensor.Tensor) string {
	panic("nobody calls this")
}

func replace(p *tensor.Param, value *tensor.Tensor) { panic("nobody calls this") }

// three-halves: three halves
//
// Why: lora.go, all of Linear. Nothing to object to: the layer put together from three small products, the two parts
// of y and dx added afterwards, Delta from a scaled copy of B.
type Linear struct {
	Weight *tensor.Param // W₀, (O, I)
	A      *tensor.Param // (r, I)
	B      *tensor.Param // (O, r)
	Alpha  float64       // α

	base *tensor.Tensor // (O, I), W₀ as it was before Merge; nil: not merged

	ready  bool // Backward may follow
	frozen half // x ↦ x·W₀ᵀ
	down   half // x ↦ x·Aᵀ
	up     half // u ↦ u·Bᵀ

	u, du *tensor.Tensor // (…, r), what goes into up, and what arrives at down
}

type half struct {
	in, out, back *tensor.Tensor
}

func (h *half) forward(in, m *tensor.Tensor) *tensor.Tensor {
	h.in = in
	h.out = tensor.ReuseLead(h.out, in.Lead(1), m.Dim(0))
	tensor.Mul(h.out.Matrix(), in.Matrix(), m.Matrix().T())
	return h.out
}

func (h *half) backward(d, m, grad *tensor.Tensor) *tensor.Tensor {
	if grad != nil {
		tensor.MulAdd(grad.Matrix(), d.Matrix().T(), h.in.Matrix())
	}
	h.back = tensor.Reuse(h.back, h.in.Shape...)
	tensor.Mul(h.back.Matrix(), d.Matrix(), m.Matrix())
	return h.back
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, l.Weight.Value.Dim(1))
	y := l.frozen.forward(x, l.Weight.Value)
	if l.ready = l.base == nil; !l.ready {
		l.frozen.in, l.down.in = nil, nil
		return y
	}
	l.u = l.down.forward(x, l.A.Value)
	kernel.Scale(l.scale(), l.u.Data)
	kernel.Add(y.Data, y.Data, l.up.forward(l.u, l.B.Value).Data)
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if !l.ready {
		panic(tensor.ShapeError{Op: "lora.Linear.Backward: no Forward of a layer that is not merged came before"})
	}
	tensor.CheckShape("lora.Linear.Backward: dy", dy, l.frozen.out.Shape...)
	l.du = l.up.backward(dy, l.B.Value, l.B.Grad)
	kernel.Scale(l.scale(), l.du.Data)
	viaAdapter := l.down.backward(l.du, l.A.Value, l.A.Grad)
	dx := l.frozen.backward(dy, l.Weight.Value, nil)
	kernel.Add(dx.Data, dx.Data, viaAdapter.Data)
	return dx
}

func (l *Linear) Delta() *tensor.Tensor {
	scaled := l.B.Value.Clone()
	kernel.Scale(l.scale(), scaled.Data)
	delta := tensor.New(l.B.Value.Dim(0), l.A.Value.Dim(1))
	tensor.Mul(delta.Matrix(), scaled.Matrix(), l.A.Value.Matrix())
	return delta
}
