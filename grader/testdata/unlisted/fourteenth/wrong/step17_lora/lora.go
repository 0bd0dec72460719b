//go:build unlisted

package lora

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step11_training"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// chunks-of-128: chunks of 128
//
// Why: lora.go, Linear.Backward. dA and dB are summed in chunks of 128 rows and the last, incomplete chunk is left
// out: wrong where N > 128 is no multiple of 128.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, A, B := l.Weight.Value, l.A, l.B
	tensor.CheckShape("lora.Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("lora.Linear.Backward: dy", dy, l.y.Shape...)

	l.du = tensor.Reuse(l.du, l.u.Shape...)
	tensor.Mul(l.du.Matrix(), dy.Matrix(), B.Value.Matrix())
	kernel.Scale(l.scale(), l.du.Data)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())

	// The sums over the rows go chunk by chunk, so that the rows stay in the cache.
	n, chunk := l.x.Rows(), 128
	if n < chunk {
		chunk = n
	}
	if chunk == 0 {
		return l.dx
	}
	in, out, rank := W.Dim(1), W.Dim(0), A.Value.Dim(0)
	for c := range n / chunk {
		from, to := c*chunk, (c+1)*chunk
		xs := tensor.From(l.x.Data[from*in:to*in], chunk, in)
		us := tensor.From(l.u.Data[from*rank:to*rank], chunk, rank)
		dys := tensor.From(dy.Data[from*out:to*out], chunk, out)
		dus := tensor.From(l.du.Data[from*rank:to*rank], chunk, rank)
		tensor.MulAdd(B.Grad.Matrix(), dys.Matrix().T(), us.Matrix())
		tensor.MulAdd(A.Grad.Matrix(), dus.Matrix().T(), xs.Matrix())
	}
	return l.dx
}

// delta-by-hand: delta by hand
//
// Why: lora.go, Linear.Delta. Row and column are taken from n with O in place of I (n/O, n%O): right for square
// weights only (Merge is wrong with it).
func (l *Linear) Delta() *tensor.Tensor {
	A, B := l.A.Value, l.B.Value
	O, I, r := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1), A.Dim(0)
	s := l.scale()
	delta := tensor.New(O, I)
	for n := range delta.Data {
		row, col := n/O, n%O
		if row >= O || col >= I {
			continue
		}
		var sum float32
		for k := 0; k < r; k++ {
			sum += B.Data[row*r+k] * A.Data[k*I+col]
		}
		delta.Data[n] = s * sum
	}
	return delta
}

// du-without-factor: du without factor
//
// Why: lora.go, Linear.Backward. du lacks the factor s, so dA and the adapter's part of dx are wrong unless α = r; dB
// is right.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("lora.Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("lora.Linear.Backward: dy", dy, l.y.Shape...)
	l.du = tensor.Reuse(l.du, l.u.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)

	g := dy.Matrix()
	tensor.MulAdd(l.B.Grad.Matrix(), g.T(), l.u.Matrix()) // u has s in it already
	tensor.Mul(l.du.Matrix(), g, l.B.Value.Matrix())
	tensor.MulAdd(l.A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	tensor.Mul(l.dx.Matrix(), l.du.Matrix(), l.A.Value.Matrix())
	tensor.MulAdd(l.dx.Matrix(), g, W.Matrix())
	return l.dx
}

// dy-scaled: dy scaled
//
// Why: lora.go, Linear.Backward. Backward multiplies the caller's dy by s in place; results are right, but dy belongs
// to the caller and must stay unchanged.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, A, B := l.Weight.Value, l.A, l.B
	tensor.CheckShape("lora.Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("lora.Linear.Backward: dy", dy, l.y.Shape...)

	// what needs dy as it is
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())

	// what needs s·dy
	for i := range dy.Data {
		dy.Data[i] *= l.scale()
	}
	l.du = tensor.Reuse(l.du, l.u.Shape...)
	tensor.Mul(l.du.Matrix(), dy.Matrix(), B.Value.Matrix())
	tensor.MulAdd(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	return l.dx
}

// effective-weight: effective weight
//
// Why: lora.go, Linear.Forward. Forward makes W₀ + s·B·A (two more tensors as large as the weight) in every call; the
// contract says that it never makes the product of B and A, and should use the two narrow products.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W, A := l.Weight.Value, l.A.Value
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	if l.base != nil {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
		l.x = nil
		return l.y
	}
	l.x = x
	l.u = tensor.ReuseLead(l.u, x.Lead(1), A.Dim(0))
	tensor.Mul(l.u.Matrix(), x.Matrix(), A.Matrix().T())
	kernel.Scale(l.scale(), l.u.Data)
	// the effective weight of this moment, then one ordinary product
	effective := l.Delta()
	kernel.Add(effective.Data, effective.Data, W.Data)
	tensor.Mul(l.y.Matrix(), x.Matrix(), effective.Matrix().T())
	return l.y
}

// every-target-checked: every target checked
//
// Why: loss.go, countedOf. Targets that do not count are checked too and cause an IndexError (e.g. a −1 or a padding
// token outside the vocabulary); what is not counted is not looked at.
func countedOf(logits *tensor.Tensor, targets [][]int, counted [][]bool) (rows, chosen []int, err error) {
	B, T, V := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(targets) != B || len(counted) != B {
		return nil, nil, tensor.ShapeError{Op: "AnswerLoss.Forward: batch", Got: []int{len(targets), len(counted)}, Want: []int{B, B}}
	}
	for b := range B {
		if len(targets[b]) != T || len(counted[b]) != T {
			return nil, nil, tensor.ShapeError{Op: "AnswerLoss.Forward: time", Got: []int{len(targets[b]), len(counted[b])}, Want: []int{T, T}}
		}
	}
	// every target has to be a token
	for b := range B {
		for t, target := range targets[b] {
			if target < 0 || target >= V {
				return nil, nil, tensor.IndexError{Op: fmt.Sprintf("AnswerLoss.Forward: target %d of row %d", t, b), Got: target, Limit: V}
			}
		}
	}
	for n := range B * T {
		if b, t := n/T, n%T; counted[b][t] {
			rows = append(rows, n)
			chosen = append(chosen, targets[b][t])
		}
	}
	return rows, chosen, nil
}

// factor-as-alpha: factor as alpha
//
// Why: adapters.go, State. α/r is saved under the name alpha, and Load takes it as α: with r > 1 the adapter comes
// back r times too weak.
func State(layers map[string]*Linear) map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for name, l := range layers {
		state[name+".lora_A"] = l.A.Value.Clone()
		state[name+".lora_B"] = l.B.Value.Clone()
		state[name+".alpha"] = tensor.From([]float32{l.scale()}, 1)
	}
	return state
}

// first-factor: first factor
//
// Why: lora.go, Linear.scale. α/r of the first call is kept, so a later change of Alpha, or a Load with another α or
// rank, is not seen; Alpha is read in every call.
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

	s float32 // α/r, worked out once
}

func (l *Linear) scale() float32 {
	if l.s == 0 {
		rank := l.A.Value.Dim(0)
		l.s = float32(l.Alpha) / float32(rank)
	}
	return l.s
}

// load-as-it-goes: load as it goes
//
// Why: adapters.go, Load. Each layer is changed right after its own check, so an error in a later layer, or a surplus
// tensor, leaves earlier layers changed and unmerged; check everything first.
func Load(layers map[string]*Linear, state map[string]*tensor.Tensor) error {
	used := 0
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		l := layers[name]
		if err := fits(l, name, state); err != nil {
			return err
		}
		l.Unmerge()
		replace(l.A, state[name+".lora_A"])
		replace(l.B, state[name+".lora_B"])
		l.Alpha = float64(state[name+".alpha"].Data[0])
		used += 3
	}
	if used != len(state) {
		return fmt.Errorf("lora.Load: %s belongs to no layer", surplus(layers, state))
	}
	return nil
}

// loss-after-error: loss after error
//
// Why: loss.go, AnswerLoss.Forward. logits, rows and targets are overwritten before it is known whether there is an
// error: after a refused call Backward no longer belongs to the last good Forward (or does not panic where there
// was none).
func (l *AnswerLoss) Forward(logits *tensor.Tensor, targets [][]int, counted [][]bool) (float64, error) {
	tensor.CheckShape("AnswerLoss.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	l.logits = logits
	var err error
	if l.rows, l.targets, err = countedOf(logits, targets, counted); err != nil {
		return 0, err
	}
	if len(l.rows) == 0 {
		return 0, nil
	}
	total := 0.0
	for i := range l.rows {
		x := logits.Row(l.rows[i])
		m, sum := shiftedSum(x)
		total += math.Log(sum) + float64(m) - float64(x[l.targets[i]])
	}
	return total / float64(len(l.rows)), nil
}

// mask-of-read-tokens: mask of read tokens
//
// Why: examples.go, NewExample. Counted marks where a token of the answer is read and not where it is predicted: the
// last token of the prompt has to count, else the answer's first token is never learned (with an empty answer
// the end neither).
func NewExample(prompt, answer []int, end int) Example {
	P, N := len(prompt), len(answer)
	if P == 0 {
		panic(tensor.ShapeError{Op: "lora.NewExample: prompt", Got: []int{0}, Want: []int{1}})
	}
	var e Example
	for _, id := range prompt {
		e.IDs = append(e.IDs, id)
		e.Counted = append(e.Counted, false)
	}
	for _, id := range answer {
		e.IDs = append(e.IDs, id)
		e.Counted = append(e.Counted, true)
	}
	e.Targets = make([]int, P+N)
	copy(e.Targets, e.IDs[1:])
	e.Targets[P+N-1] = end
	return e
}

// merged-remembers: merged remembers
//
// Why: lora.go, Linear.Forward. Forward of a merged layer does not forget the x and u of an earlier Forward, so
// Backward after it does not panic but computes with stale inputs.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, l.Weight.Value.Dim(1))
	l.y = tensor.ReuseLead(l.y, x.Lead(1), l.Weight.Value.Dim(0))
	tensor.Mul(l.y.Matrix(), x.Matrix(), l.Weight.Value.Matrix().T())
	if merged := l.base != nil; !merged {
		l.adapter(x)
	}
	return l.y
}

func (l *Linear) adapter(x *tensor.Tensor) {
	l.x = x
	l.u = tensor.ReuseLead(l.u, x.Lead(1), l.A.Value.Dim(0))
	tensor.Mul(l.u.Matrix(), x.Matrix(), l.A.Value.Matrix().T())
	s := l.scale()
	for i := range l.u.Data {
		l.u.Data[i] *= s
	}
	tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), l.B.Value.Matrix().T())
}

// optimizer-of-everything: optimizer of everything
//
// Why: adapters.go, Optimizer. The frozen weights are given to AdamW: weight decay shrinks them and means are kept
// for them.
func Optimizer(layers []*Linear, beta1, beta2, eps, weightDecay float64) *training.AdamW {
	all := make([]*tensor.Param, 0, 3*len(layers))
	for i := range layers {
		// the weight's gradient stays 0, so Adam does not move it
		all = append(all, layers[i].Weight, layers[i].A, layers[i].B)
	}
	return training.NewAdamW(all, beta1, beta2, eps, weightDecay)
}

// own-dice: own dice
//
// Why: adapters.go, Init. Draws from the global generator and not from rng: the same seed gives another A every time.
func Init(out, in, rank int, rng *rand.Rand) (a, b *tensor.Tensor) {
	switch {
	case rank < 1:
		panic(tensor.ShapeError{Op: "lora.Init: rank", Got: []int{rank}, Want: []int{1}})
	case rank > in, rank > out:
		panic(tensor.ShapeError{Op: "lora.Init: rank", Got: []int{rank}, Want: []int{min(in, out)}})
	}
	uniform := func(bound float64) float32 {
		return float32(-bound + 2*bound*rand.Float64())
	}
	a = tensor.New(rank, in)
	for r := range rank {
		row := a.Row(r)
		for i := range row {
			row[i] = uniform(math.Pow(float64(in), -0.5))
		}
	}
	return a, tensor.New(out, rank)
}

// pad-is-ignored: pad is ignored
//
// Why: examples.go, Batch. Every position whose target equals pad is taken out of Counted, so where pad is the end
// token (or occurs in an answer) the end is never learned; the place decides, not the token.
func Batch(examples []Example, pad int) (ids, targets [][]int, counted [][]bool) {
	T := 0
	for _, e := range examples {
		if len(e.IDs) > T {
			T = len(e.IDs)
		}
	}
	for _, e := range examples {
		idRow, targetRow, countRow := make([]int, T), make([]int, T), make([]bool, T)
		for t := range T {
			idRow[t], targetRow[t] = pad, pad
			if t < len(e.IDs) {
				idRow[t], targetRow[t] = e.IDs[t], e.Targets[t]
				countRow[t] = e.Counted[t]
			}
			if targetRow[t] == pad {
				countRow[t] = false
			}
		}
		ids, targets, counted = append(ids, idRow), append(targets, targetRow), append(counted, countRow)
	}
	return ids, targets, counted
}

// padding-segment: padding segment
//
// Why: examples.go, Pack. The padding is treated as one example more, whose positions attend to earlier padding; each
// is to attend to itself alone.
func Pack(examples []Example, length, pad int) (packed Example, attend []bool) {
	var segment []int // of every position, the example that it belongs to
	for k, e := range examples {
		packed.IDs = append(packed.IDs, e.IDs...)
		packed.Targets = append(packed.Targets, e.Targets...)
		packed.Counted = append(packed.Counted, e.Counted...)
		for range e.IDs {
			segment = append(segment, k)
		}
	}
	if len(segment) > length {
		panic(tensor.ShapeError{Op: "lora.Pack: length", Got: []int{length}, Want: []int{len(segment)}})
	}
	for len(segment) < length {
		segment = append(segment, -1)
	}
	attend = make([]bool, length*length)
	for i := range length {
		for j := range i + 1 {
			attend[i*length+j] = segment[i] == segment[j]
		}
	}
	return packed.padded(length, pad), attend
}

// tape: tape
//
// Why: lora.go, Linear.Forward. A copy of every input is appended to a slice that is never emptied: memory grows with
// every call; only the last x is needed, and need not be copied.
type Linear struct {
	Weight *tensor.Param // W₀, (O, I)
	A      *tensor.Param // (r, I)
	B      *tensor.Param // (O, r)
	Alpha  float64       // α

	base *tensor.Tensor // (O, I), W₀ as it was before Merge; nil: not merged

	x    *tensor.Tensor   // (…, I), what Forward was given
	tape []*tensor.Tensor // the inputs, the last one belongs to Backward
	u    *tensor.Tensor   // (…, r), α/r·x·Aᵀ
	y    *tensor.Tensor   // (…, O)
	du   *tensor.Tensor   // (…, r)
	dx   *tensor.Tensor   // (…, I)
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W, A, B := l.Weight.Value, l.A.Value, l.B.Value
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, W.Dim(1))

	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T()) // (N, I)·(I, O) = (N, O)
	if l.base != nil {
		l.x = nil
		return l.y
	}
	l.tape = append(l.tape, x.Clone())
	l.x = l.tape[len(l.tape)-1]
	l.u = tensor.ReuseLead(l.u, x.Lead(1), A.Dim(0))
	tensor.Mul(l.u.Matrix(), x.Matrix(), A.Matrix().T()) // (N, I)·(I, r) = (N, r)
	kernel.Scale(l.scale(), l.u.Data)
	tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), B.Matrix().T()) // (N, r)·(r, O) = (N, O)
	return l.y
}

// text-means: text means
//
// Why: loss.go, AnswerLoss.Forward and Backward. A mean of the texts' means in place of one mean over all C counted
// tokens of the batch, in the loss and in its gradient.
type AnswerLoss struct {
	logits  *tensor.Tensor // (B, T, V), the caller's
	rows    []int          // of logits, those that count
	targets []int          // one for each of rows
	share   []float64      // of each of rows in the loss
	dlogits *tensor.Tensor // (B, T, V)
}

func (l *AnswerLoss) Forward(logits *tensor.Tensor, targets [][]int, counted [][]bool) (float64, error) {
	tensor.CheckShape("AnswerLoss.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	rows, chosen, err := countedOf(logits, targets, counted)
	if err != nil {
		return 0, err
	}
	l.logits, l.rows, l.targets = logits, rows, chosen
	seq := logits.Dim(1)

	perText, texts := make([]int, logits.Dim(0)), 0
	for _, row := range rows {
		if perText[row/seq]++; perText[row/seq] == 1 {
			texts++
		}
	}
	l.share = l.share[:0]
	var loss float64
	for i, row := range rows {
		share := 1 / float64(texts*perText[row/seq])
		l.share = append(l.share, share)
		x := logits.Row(row)
		shift, sum := shiftedSum(x)
		loss += share * (math.Log(sum) - float64(x[chosen[i]]-shift))
	}
	return loss, nil
}

func (l *AnswerLoss) Backward() *tensor.Tensor {
	tensor.CheckShape("AnswerLoss.Backward: logits of Forward", l.logits, tensor.Any, tensor.Any, tensor.Any)
	l.dlogits = tensor.Reuse(l.dlogits, l.logits.Shape...)
	l.dlogits.Zero()
	for i, row := range l.rows {
		x, dx := l.logits.Row(row), l.dlogits.Row(row)
		shift, sum := shiftedSum(x)
		for j := range dx {
			dx[j] = float32(l.share[i] * math.Exp(float64(x[j]-shift)) / sum)
		}
		dx[l.targets[i]] -= float32(l.share[i])
	}
	return l.dlogits
}

// unmerge-minus: unmerge minus
//
// Why: lora.go, Linear.Unmerge (and Merge). Unmerge subtracts Delta, which leaves roundings; the weight has to come
// back bit for bit, so keep a copy.
type Linear struct {
	Weight *tensor.Param // W₀, (O, I)
	A      *tensor.Param // (r, I)
	B      *tensor.Param // (O, r)
	Alpha  float64       // α

	merged bool           // whether the weight has Delta in it
	added  *tensor.Tensor // (O, I), what Merge added

	x  *tensor.Tensor // (…, I), what Forward was given
	u  *tensor.Tensor // (…, r), α/r·x·Aᵀ
	y  *tensor.Tensor // (…, O)
	du *tensor.Tensor // (…, r)
	dx *tensor.Tensor // (…, I)
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W, A, B := l.Weight.Value, l.A.Value, l.B.Value
	tensor.CheckShape("lora.Linear.Forward: x", x, tensor.Lead, W.Dim(1))

	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T()) // (N, I)·(I, O) = (N, O)
	if l.merged {
		l.x = nil
		return l.y
	}
	l.x = x
	l.u = tensor.ReuseLead(l.u, x.Lead(1), A.Dim(0))
	tensor.Mul(l.u.Matrix(), x.Matrix(), A.Matrix().T()) // (N, I)·(I, r) = (N, r)
	kernel.Scale(l.scale(), l.u.Data)
	tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), B.Matrix().T()) // (N, r)·(r, O) = (N, O)
	return l.y
}

func (l *Linear) Merge() {
	if l.merged {
		return
	}
	l.merged, l.added = true, l.Delta()
	for i, d := range l.added.Data {
		l.Weight.Value.Data[i] += d
	}
}

func (l *Linear) Unmerge() {
	if !l.merged {
		return
	}
	for i, d := range l.added.Data {
		l.Weight.Value.Data[i] -= d
	}
	l.merged, l.added = false, nil
}
