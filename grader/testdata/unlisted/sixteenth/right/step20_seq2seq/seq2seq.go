//go:build unlisted

package seq2seq

import (
	"container/heap"
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
	"math"
	"runtime"
	"slices"
	"sync"
)

// attend-without-joining: attend without joining
//
// Why: Attend neither splits nor joins: each head's queries, keys and values are computed where they belong, x_b
// times the head's K rows of the weight, and y is a sum over the heads, heads_bh times the head's K columns of
// W_O. Backward multiplies by the same parts, and the four Linears are there only for their weights.
// Right: (heads, joined)·W_Oᵀ is the sum over the heads of head·(its columns of W_O)ᵀ, "head h owns rows h·K to
// (h+1)·K", the weights are looked up in every call, Attention.Weights is (B, H, N, M), and y, dx and dMemory are
// memory of the layer's own.
type Attend struct {
	Q, K, V, Output *linear.Linear      // each (D, D)
	Attention       attention.Attention // of all heads; its Weights are (B, H, N, M)

	heads     int
	x, memory *tensor.Tensor // what Forward was given
	q, k, v   *tensor.Tensor // (B, H, N, K), (B, H, M, K), (B, H, M, K)
	mixed     *tensor.Tensor // (B, H, N, K), what Attention returned
	y         *tensor.Tensor // (B, N, D)
	dHeads    *tensor.Tensor // (B, H, N, K)
	dx        *tensor.Tensor // (B, N, D)
	dMemory   *tensor.Tensor // (B, M, D)
}

func (a *Attend) Forward(x, memory *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	d := a.Output.Weight.Value.Dim(0)
	tensor.CheckShape("Attend.Forward: x", x, tensor.Any, tensor.Any, d)
	batch, n := x.Dim(0), x.Dim(1)
	tensor.CheckShape("Attend.Forward: memory", memory, batch, tensor.Any, d)
	mask = a.forHeads(mask, batch, n, memory.Dim(1))

	a.x, a.memory = x, memory
	a.q = a.project(a.q, x, a.Q)
	a.k = a.project(a.k, memory, a.K)
	a.v = a.project(a.v, memory, a.V)
	a.mixed = a.Attention.Forward(a.q, a.k, a.v, mask)
	a.y = tensor.Reuse(a.y, x.Shape...)
	a.y.Zero()
	for i := range a.mixed.Matrices() {
		tensor.MulAdd(a.y.MatrixAt(i/a.heads), a.mixed.MatrixAt(i), a.columns(i%a.heads).T())
	}
	return a.y
}

func (a *Attend) project(dst, x *tensor.Tensor, l *linear.Linear) *tensor.Tensor {
	w := l.Weight.Value.Matrix()
	width := w.Rows / a.heads
	dst = tensor.Reuse(dst, x.Dim(0), a.heads, x.Dim(1), width)
	for i := range dst.Matrices() {
		tensor.Mul(dst.MatrixAt(i), x.MatrixAt(i/a.heads), w.Block(i%a.heads*width, 0, width, w.Cols).T())
	}
	return dst
}

func (a *Attend) columns(h int) tensor.Matrix {
	w := a.Output.Weight.Value.Matrix()
	width := w.Cols / a.heads
	return w.Block(0, h*width, w.Rows, width)
}

func (a *Attend) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (1) y is a Linear of joined:                  dJoined = dy W_O
	// (2) joined is heads in another order:         dHeads  = dJoined, split the same way
	// (3) heads = Attention(q, k, v):               dq, dk, dv by (1) to (6) of step 08
	// (4) q, joined, is a Linear of x:              dx      = dq W_Q
	// (5) k and v, joined, are Linears of memory:   dMemory = dk W_K + dv W_V
	tensor.CheckShape("Attend.Backward: x of Forward", a.x, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Attend.Backward: dy", dy, a.x.Shape...)
	a.dHeads = tensor.Reuse(a.dHeads, a.mixed.Shape...)
	grad, width := a.Output.Weight.Grad.Matrix(), a.mixed.Dim(3)
	for i := range a.dHeads.Matrices() {
		b, h := i/a.heads, i%a.heads
		tensor.Mul(a.dHeads.MatrixAt(i), dy.MatrixAt(b), a.columns(h)) // (1) and (2)
		tensor.MulAdd(grad.Block(0, h*width, grad.Rows, width), dy.MatrixAt(b).T(), a.mixed.MatrixAt(i))
	}
	dq, dk, dv := a.Attention.Backward(a.dHeads) // (3)
	a.dx, a.dMemory = tensor.Reuse(a.dx, a.x.Shape...), tensor.Reuse(a.dMemory, a.memory.Shape...)
	a.dx.Zero()
	a.dMemory.Zero()
	a.back(a.dx, a.x, dq, a.Q)           // (4), and the gradient of W_Q
	a.back(a.dMemory, a.memory, dk, a.K) // (5), and that of W_K
	a.back(a.dMemory, a.memory, dv, a.V) // (5), and that of W_V
	return a.dx, a.dMemory
}

func (a *Attend) back(dx, x, d *tensor.Tensor, l *linear.Linear) {
	w, grad, width := l.Weight.Value.Matrix(), l.Weight.Grad.Matrix(), d.Dim(3)
	for i := range d.Matrices() {
		b, first := i/a.heads, i%a.heads*width
		tensor.MulAdd(dx.MatrixAt(b), d.MatrixAt(i), w.Block(first, 0, width, w.Cols))
		tensor.MulAdd(grad.Block(first, 0, width, w.Cols), d.MatrixAt(i).T(), x.MatrixAt(b))
	}
}

func (a *Attend) split(dst, src *tensor.Tensor) *tensor.Tensor { panic("nobody calls this") }

func join(dst, src *tensor.Tensor) *tensor.Tensor { panic("nobody calls this") }

// beam-heap-and-parents: beam heap and parents
//
// Why: Hypotheses are nodes with a pointer to what they continue, so that no tokens are copied until the result is
// known, and a round keeps its best continuations in a heap whose root is the worst of them; nothing is sorted but
// what is kept.
// Right: the heap's order is total, the larger sum, then the earlier hypothesis, then the lower token, so that
// exactly "those with the largest sums, as many as width less the hypotheses that have ended so far" are kept, in
// the order of the contract. Ended ones come first in the end, and next is asked once behind each live hypothesis,
// with a prefix that it neither keeps nor changes.
type node struct {
	parent *node   // what it continues, nil for Begin
	token  int     // behind that
	length int     // without Begin and End
	sum    float64 // of ln p of all tokens, End among them
	place  int     // among the continuations of its round
}

func (n *node) text(first ...int) []int {
	all := make([]int, len(first)+n.length)
	copy(all, first)
	if n.parent != nil && n.token == End {
		n = n.parent
	}
	for at := len(all) - 1; n.parent != nil; n, at = n.parent, at-1 {
		all[at] = n.token
	}
	return all
}

func (n *node) before(other *node) bool {
	if n.sum != other.sum {
		return n.sum > other.sum
	}
	return n.place < other.place
}

type worst []*node

func (w worst) Len() int { return len(w) }

func (w worst) Less(i, j int) bool { return w[j].before(w[i]) }

func (w worst) Swap(i, j int) { w[i], w[j] = w[j], w[i] }

func (w *worst) Push(x any) { *w = append(*w, x.(*node)) }

func (w *worst) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

func Beam(next Next, width, maxLen int, alpha float64) (tokens []int, score float64) {
	if width < 1 {
		panic(tensor.ShapeError{Op: "seq2seq.Beam: width, which is at least 1", Got: []int{width}})
	}
	live, ended := []*node{{}}, []*node(nil)
	for range maxLen {
		if len(live) == 0 {
			break
		}
		kept := continued(live, next, width-len(ended))
		live = nil
		for _, n := range kept {
			if n.token == End {
				ended = append(ended, n)
			} else {
				live = append(live, n)
			}
		}
	}
	tokens, score = []int{}, math.Inf(-1)
	for _, n := range append(ended, live...) {
		if s := n.sum / math.Pow((5+float64(n.length))/6, alpha); s > score {
			tokens, score = n.text(), s
		}
	}
	return tokens, score
}

func continued(live []*node, next Next, n int) []*node {
	var kept worst
	place := 0
	for _, parent := range live {
		for token, p := range logSoftmax(next(parent.text(Begin))) {
			longer := node{parent: parent, token: token, length: parent.length + 1, sum: parent.sum + p, place: place}
			if token == End {
				longer.length--
			}
			place++
			switch {
			case len(kept) < n:
				heap.Push(&kept, &longer)
			case n > 0 && longer.before(kept[0]):
				kept[0] = &longer
				heap.Fix(&kept, 0)
			}
		}
	}
	slices.SortFunc(kept, func(a, b *node) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return kept
}

func best(all []hypothesis, n int) []hypothesis { panic("nobody calls this") }

// smoothing-float64-goroutines: smoothing float64 goroutines
//
// Why: Smoothing works in float64 throughout and divides the rows among goroutines: Forward keeps ln Σ e^x of
// every row, Backward works out e^(x − that) − q, over n, and rounds once to float32. The losses of the rows are
// added up in their order, whatever goroutine is done first.
// Right: the same formulas ("−Σ_v q_v·ln softmax(x)_v", "dlogits = (softmax(x) − q)/n … 0 for the others"),
// nothing in variables of the package, each row written by one goroutine, all have ended when the call returns,
// and a refused call changes nothing.
type Smoothing struct {
	Epsilon float64

	logits  *tensor.Tensor // (B, T, V), the caller's
	labels  []int          // B·T
	counted int            // how many of the labels are not Ignored
	epsilon float64        // of the last Forward
	total   []float64      // B·T, ln Σ_v e^x_v of every row that counts
	losses  []float64      // B·T
	dlogits *tensor.Tensor // (B, T, V)
}

func (c *Smoothing) Forward(logits *tensor.Tensor, labels [][]int) (float64, error) {
	tensor.CheckShape("Smoothing.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkLabels(logits, labels); err != nil {
		return 0, err
	}
	c.logits, c.labels, c.counted, c.epsilon = logits, c.labels[:0], 0, c.Epsilon
	for _, row := range labels {
		c.labels = append(c.labels, row...)
	}
	c.total, c.losses = make([]float64, len(c.labels)), make([]float64, len(c.labels))
	share(len(c.labels), func(r int) {
		if label := c.labels[r]; label != Ignored {
			c.row(r, logits.Row(r), label)
		}
	})
	var loss float64
	for r, label := range c.labels {
		if label != Ignored {
			c.counted++
			loss += c.losses[r]
		}
	}
	return loss / float64(max(1, c.counted)), nil
}

func (c *Smoothing) row(r int, x []float32, label int) {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, float64(v))
	}
	var sum, shifted float64
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
		shifted += float64(v) - m
	}
	c.total[r] = m + math.Log(sum)
	c.losses[r] = math.Log(sum) - (1-c.epsilon)*(float64(x[label])-m) - c.epsilon/float64(len(x))*shifted
}

func share(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				f(i)
			}
		})
	}
	wait.Wait()
}

func (c *Smoothing) Backward() *tensor.Tensor {
	// (15) Σ q = 1, so the loss of a row is     ℓ = ln Σ_v e^(x_v) − Σ_v q_v·x_v
	// (16) the first term's derivative is the softmax:  ∂ℓ/∂x_v = softmax(x)_v − q_v
	// (17) the mean over the n tokens that count:       dx = (softmax(x) − q)/n, else 0
	tensor.CheckShape("Smoothing.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	spread, n := c.epsilon/float64(c.logits.Dim(-1)), float64(c.counted)
	share(len(c.labels), func(r int) {
		x, dx, label := c.logits.Row(r), c.dlogits.Row(r), c.labels[r]
		if label == Ignored {
			clear(dx) // (17)
			return
		}
		for v := range dx {
			g := math.Exp(float64(x[v])-c.total[r]) - spread
			if v == label {
				g -= 1 - c.epsilon
			}
			dx[v] = float32(g / n) // (17)
		}
	})
	return c.dlogits
}

// translate-incremental: translate incremental
//
// Why: Translate does not send whole prefixes through the decoder. For every prefix it keeps, until it returns,
// what each layer was given for its last token; a longer prefix sends one token through the layers, whose
// self-attention asks the rows of the prefixes before it, without a mask.
// Right: behind a causal mask what a token becomes depends on those before it alone, so the logits are those of
// the formula up to rounding; the encoder reads the source once, Beam is unchanged, and nothing outlives the call.
// "It is a Forward too: a Backward behind it belongs to no Forward before it."
func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	if err := checkIDs("Transformer.Translate: source", [][]int{source}, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, 0, err
	}
	if len(source) == 0 {
		return nil, 0, tensor.ShapeError{Op: "Transformer.Translate: source without tokens", Got: []int{0}}
	}
	memory, real := m.encode([][]int{source})
	w := &writing{m: m, memory: memory, source: PaddingMask(real, 1), known: map[string]*written{}}
	tokens, score = Beam(func(prefix []int) []float32 { return w.extend(prefix).logits }, width, maxLen, alpha)
	return tokens, score, nil
}

type writing struct {
	m      *Transformer
	memory *tensor.Tensor  // (1, M, D)
	source *attention.Mask // (1, M)
	known  map[string]*written
}

type written struct {
	before *written    // the prefix without its last token
	given  [][]float32 // (L, D), what each layer was given for that token
	logits []float32   // (V), of the token behind it
}

func (w *writing) extend(prefix []int) *written {
	key := fmt.Sprint(prefix)
	if n := w.known[key]; n != nil {
		return n
	}
	n := new(written)
	last := len(prefix) - 1
	if last > 0 {
		n.before = w.extend(prefix[:last])
	}
	m := w.m
	e, err := m.Target.Forward([][]int{prefix[last:]})
	if err != nil {
		panic(err) // the ids are in order
	}
	d := e.Dim(2)
	if m.positions == nil || m.positions.Dim(0) <= last {
		m.positions = classic.Sinusoids(2*last+1, d)
	}
	x := tensor.From(append([]float32(nil), m.positions.Row(last)...), 1, 1, d)
	kernel.Axpy(factor(d), e.Data, x.Data)
	for l, layer := range m.Decoder.Layers {
		n.given = append(n.given, append([]float32(nil), x.Data...))
		all := tensor.New(1, last+1, d)
		for at, t := last, n; t != nil; at, t = at-1, t.before {
			copy(all.Row(at), t.given[l])
		}
		layer.sum1 = plus(layer.sum1, x, layer.Self.Forward(x, all, nil))
		y := layer.Norm1.Forward(layer.sum1)
		layer.sum2 = plus(layer.sum2, y, layer.Cross.Forward(y, w.memory, w.source))
		u := layer.Norm2.Forward(layer.sum2)
		layer.sum3 = plus(layer.sum3, u, layer.FFN.Forward(u))
		x = layer.Norm3.Forward(layer.sum3)
	}
	n.logits = append(n.logits, m.Head.Forward(x).Data...)
	w.known[key] = n
	return n
}

// translate-trims-padding: translate trims padding
//
// Why: Translate cuts the padding behind the source off before the encoder reads it (one token stays where all is
// padding, and an empty source is refused as ever).
// Right: "where the source is Pad, nobody looks", and every text's positions begin with row 0, so the tokens in
// front become the same without what stands behind them, as question 1 of the lesson says: "Nothing that is read"
// changes. Padding inside the source stays where it is, for it counts as a position, and the ids are checked
// before anything is cut.
func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	if err := checkIDs("Transformer.Translate: source", [][]int{source}, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, 0, err
	}
	if len(source) == 0 {
		return nil, 0, tensor.ShapeError{Op: "Transformer.Translate: source without tokens", Got: []int{0}}
	}
	for len(source) > 1 && source[len(source)-1] == Pad {
		source = source[:len(source)-1]
	}
	memory, real := m.encode([][]int{source})
	next := func(prefix []int) []float32 {
		logits := m.decode([][]int{prefix}, memory, real)
		return logits.Row(logits.Rows() - 1)
	}
	tokens, score = Beam(next, width, maxLen, alpha)
	return tokens, score, nil
}
