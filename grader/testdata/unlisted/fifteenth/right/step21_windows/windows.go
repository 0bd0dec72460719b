//go:build unlisted

package windows

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// cache-token-major: cache token major
//
// Why: cache.go, all. A ring of whole tokens (D numbers, heads side by side), softmax in float64 in the loop, heads
// in parallel on disjoint columns: nothing to complain about.
type Cache struct {
	m             *lm.LM
	rope          *rope.RoPE
	keys, values  [][]float32 // one for each layer, (s+W)·D
	window, sinks int
	read, limit   int

	where   [][]int        // (N, 1)
	x, out  *tensor.Tensor // (N, D)
	q, k    *tensor.Tensor // (N, H, 1, K)
	scratch [][]float64    // one for each head: scores, then K sums
}

func Slot(p, window, sinks int) int {
	for p >= sinks {
		return sinks + (p-sinks)%window
	}
	return p
}

func New(m *lm.LM, window, sinks, maxLen int) *Cache {
	if min(window, maxLen) < 1 || sinks < 0 {
		panic(tensor.ShapeError{Op: "windows.New: window, maxLen and sinks", Got: []int{window, maxLen, sinks}})
	}
	d, heads := m.Config.DModel, m.Config.NumHeads
	places := window + sinks
	c := &Cache{m: m, window: window, sinks: sinks, limit: maxLen, rope: rope.New(m.Config.RopeTheta, d/heads, maxLen)}
	for range m.Blocks {
		c.keys = append(c.keys, make([]float32, places*d))
		c.values = append(c.values, make([]float32, places*d))
	}
	for range heads {
		c.scratch = append(c.scratch, make([]float64, places+d/heads))
	}
	return c
}

func (c *Cache) Len() int { return c.read }

func (c *Cache) Bytes() int {
	return 2 * len(c.keys) * (c.sinks + c.window) * c.m.Config.DModel * 4
}

func (c *Cache) Forward(ids []int) (*tensor.Tensor, error) {
	n, d := len(ids), c.m.Config.DModel
	if n > c.limit-c.read {
		return nil, fmt.Errorf("windows: no room for %d tokens behind %d, the text ends at %d", n, c.read, c.limit)
	}
	e, err := c.m.Embedding.Forward([][]int{ids})
	if err != nil {
		return nil, fmt.Errorf("windows: reading: %w", err)
	}
	c.x = tensor.Reuse(c.x, n, d)
	copy(c.x.Data, e.Data)
	for len(c.where) < n {
		c.where = append(c.where, make([]int, 1))
	}
	for i := range n {
		c.where[i][0] = c.read + i
	}
	for l, b := range c.m.Blocks {
		plus(c.x, c.attend(l, b.Attn, b.Norm1.Forward(c.x)))
		plus(c.x, b.FFN.Forward(b.Norm2.Forward(c.x)))
	}
	c.read += n
	return c.m.Head.Forward(c.m.Norm.Forward(c.x)), nil
}

func plus(x, y *tensor.Tensor) {
	for i, v := range y.Data {
		x.Data[i] += v
	}
}

func (c *Cache) attend(l int, m *attention.MultiHead, x *tensor.Tensor) *tensor.Tensor {
	n, d, heads := x.Dim(0), x.Dim(1), c.m.Config.NumHeads
	width := d / heads
	qkv := m.QKV.Forward(x)
	c.q, c.k = tensor.Reuse(c.q, n, heads, 1, width), tensor.Reuse(c.k, n, heads, 1, width)
	for i := range n {
		copy(c.q.Data[i*d:][:d], qkv.Row(i))
		copy(c.k.Data[i*d:][:d], qkv.Row(i)[d:])
	}
	c.q = c.rope.Forward(c.q, c.q, c.where[:n])
	c.k = c.rope.Forward(c.k, c.k, c.where[:n])
	c.out = tensor.Reuse(c.out, n, d)

	var all sync.WaitGroup
	for h := range heads {
		all.Add(1)
		go func() {
			defer all.Done()
			mine := span{from: h * width, to: (h + 1) * width}
			for i := range n {
				c.token(l, h, c.read+i, mine, c.q.Data[i*d:], c.k.Data[i*d:], qkv.Row(i)[2*d:], c.out.Row(i))
			}
		}()
	}
	all.Wait()
	return m.Output.Forward(c.out)
}

func (c *Cache) token(l, h, p int, at span, q, k, v, y []float32) {
	d, keys, values := c.m.Config.DModel, c.keys[l], c.values[l]
	slot := Slot(p, c.window, c.sinks) * d
	copy(keys[slot+at.from:slot+at.to], k[at.from:at.to])
	copy(values[slot+at.from:slot+at.to], v[at.from:at.to])

	seen := min(p+1, c.sinks+c.window)
	scores, sums := c.scratch[h][:seen], c.scratch[h][c.sinks+c.window:]
	largest, root := math.Inf(-1), math.Sqrt(float64(at.to-at.from))
	for j := range scores {
		s := 0.0
		for e := at.from; e < at.to; e++ {
			s += float64(q[e]) * float64(keys[j*d+e])
		}
		scores[j] = s / root
		largest = max(largest, scores[j])
	}
	clear(sums)
	total := 0.0
	for j, s := range scores {
		w := math.Exp(s - largest)
		total += w
		for e := range sums {
			sums[e] += w * float64(values[j*d+at.from+e])
		}
	}
	for e, s := range sums {
		y[at.from+e] = float32(s / total)
	}
}

func (c *Cache) next(n int) []int { panic("nobody calls this") }

func head(t *tensor.Tensor, i int) *tensor.Tensor { panic("nobody calls this") }

func (c *Cache) split(dst, qkv *tensor.Tensor, first int) *tensor.Tensor { panic("nobody calls this") }

// forms-plain: forms plain
//
// Why: forms.go, all. φ as max(x, 0) + e^min(x, 0), Quadratic query by query and State.Read in one walk through S, in
// float64: nothing to complain about.
func Phi(y, x []float32) {
	checkLength("Phi: x", len(x), len(y))
	for i := 0; i < len(x); i++ {
		y[i] = float32(phi(x[i]))
	}
}

func phi(x float32) float64 { return float64(max(x, 0)) + math.Exp(float64(min(x, 0))) }

func PhiBackward(dx, x, dy []float32) {
	checkLength("PhiBackward: x", len(x), len(dx))
	checkLength("PhiBackward: dy", len(dy), len(dx))
	for i, g := range dy {
		slope := 1.0
		if x[i] < 0 {
			slope = math.Exp(float64(x[i]))
		}
		dx[i] = float32(float64(g) * slope)
	}
}

func Quadratic(q, k, v *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Quadratic: q", q, tensor.Any, tensor.Any)
	tensor.CheckShape("Quadratic: k", k, q.Shape...)
	tensor.CheckShape("Quadratic: v", v, q.Dim(0), tensor.Any)
	n, c := v.Dim(0), v.Dim(1)
	y, sums := tensor.New(n, c), make([]float64, c)
	for i := range n {
		clear(sums)
		total := 1e-6
		for j := 0; j <= i; j++ {
			w := 0.0
			for d, x := range q.Row(i) {
				w += phi(x) * phi(k.Row(j)[d])
			}
			total += w
			for d, x := range v.Row(j) {
				sums[d] += w * float64(x)
			}
		}
		for d, s := range sums {
			y.Row(i)[d] = float32(s / total)
		}
	}
	return y
}

type State struct {
	S *tensor.Tensor // (K, C)
	Z *tensor.Tensor // (K)

	sums []float64 // (C)
}

func NewState(width, c int) *State {
	return &State{tensor.New(width, c), tensor.New(width), make([]float64, c)}
}

func (s *State) Read(y, q, k, v []float32) {
	checkLength("State.Read: q", len(q), s.Z.Len())
	checkLength("State.Read: k", len(k), s.Z.Len())
	checkLength("State.Read: v", len(v), len(s.sums))
	checkLength("State.Read: y", len(y), len(s.sums))
	clear(s.sums)
	total := 1e-6
	for d := range q {
		a, b, row := phi(q[d]), phi(k[d]), s.S.Row(d)
		s.Z.Data[d] = float32(float64(s.Z.Data[d]) + b)
		total += a * float64(s.Z.Data[d])
		for e, x := range v {
			row[e] = float32(float64(row[e]) + b*float64(x))
			s.sums[e] += a * float64(row[e])
		}
	}
	for e, x := range s.sums {
		y[e] = float32(x / total)
	}
}

// linear-two-passes: linear two passes
//
// Why: linear.go and chunks.go, all. Chunks in float64 loops, heads in parallel; Backward walks forwards with S for
// dq and backwards with R for dk and dv, and keeps no states: nothing to complain about.
func upperZero(m tensor.Matrix) {
	for i := 0; i < m.Rows; i++ {
		for j := i + 1; j < m.Cols; j++ {
			m.Set(0, i, j)
		}
	}
}

func inParallel(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		}()
	}
	done.Wait()
}

func phiOf(dst []float64, x []float32) []float64 {
	for _, x := range x {
		if x < 0 {
			dst = append(dst, math.Exp(float64(x)))
		} else {
			dst = append(dst, float64(x)+1)
		}
	}
	return dst
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, x := range x {
		sum += x * y[i]
	}
	return sum
}

func axpy(alpha float64, x, y []float64) {
	for i, x := range x {
		y[i] += alpha * x
	}
}

type Linear struct {
	Chunk int

	chunk int            // as Forward has read it
	q, k  *tensor.Tensor // the caller's
	v     *tensor.Tensor // a copy
	den   []float64      // φ(q)·z + ε of every query
	y     *tensor.Tensor

	weights    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

type text struct {
	l                 *Linear
	at, n, width, c   int
	lo, hi            int
	a, b              []float64 // φ(q) and φ(k) of the chunk
	v1, g             []float64 // [v, 1] and [dnum, dden] of the chunk
	sum, width1, ones []float64
}

func (l *Linear) text(at int) *text {
	n, width, c := l.q.Dim(-2), l.q.Dim(-1), l.v.Dim(-1)
	return &text{l: l, at: at, n: n, width: width, c: c, sum: make([]float64, width*(c+1)),
		width1: make([]float64, width), ones: make([]float64, c+1)}
}

func (t *text) load(lo int, dy *tensor.Tensor) {
	t.lo, t.hi = lo, min(lo+t.l.chunk, t.n)
	t.a, t.b, t.v1, t.g = t.a[:0], t.b[:0], t.v1[:0], t.g[:0]
	for i := t.lo; i < t.hi; i++ {
		r := t.at*t.n + i
		t.a, t.b = phiOf(t.a, t.l.q.Row(r)), phiOf(t.b, t.l.k.Row(r))
		for _, x := range t.l.v.Row(r) {
			t.v1 = append(t.v1, float64(x))
		}
		t.v1 = append(t.v1, 1)
		if dy == nil {
			continue
		}
		dyy, y := 0.0, t.l.y.Row(r)
		for d, x := range dy.Row(r) {
			dyy += float64(x) * float64(y[d])
			t.g = append(t.g, float64(x)/t.l.den[r])
		}
		t.g = append(t.g, -dyy/t.l.den[r])
	}
}

func (t *text) aRow(i int) []float64 { return t.a[(i-t.lo)*t.width:][:t.width] }

func (t *text) bRow(i int) []float64 { return t.b[(i-t.lo)*t.width:][:t.width] }

func (t *text) v1Row(i int) []float64 { return t.v1[(i-t.lo)*(t.c+1):][:t.c+1] }

func (t *text) gRow(i int) []float64 { return t.g[(i-t.lo)*(t.c+1):][:t.c+1] }

func (t *text) add(x, y func(i int) []float64) {
	for i := t.lo; i < t.hi; i++ {
		yi := y(i)
		for d, xd := range x(i) {
			axpy(xd, yi, t.sum[d*(t.c+1):][:t.c+1])
		}
	}
}

func (l *Linear) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Linear.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n := q.Lead(2), q.Dim(-2)
	tensor.CheckLead("Linear.Forward: k", k, lead, n, q.Dim(-1))
	tensor.CheckLead("Linear.Forward: v", v, lead, n, tensor.Any)
	checkMask(mask, q.Matrices(), n, n)
	if mask != nil && len(mask.Attend) != 0 {
		panic(tensor.ShapeError{Op: "Linear.Forward: only the causal order: mask.Attend", Got: []int{len(mask.Attend)},
			Want: []int{0}})
	}
	if l.Chunk < 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("Linear.Forward: a chunk of %d", l.Chunk), Got: []int{l.Chunk}})
	}
	l.chunk = l.Chunk
	if l.chunk == 0 {
		l.chunk = 48
	}
	l.chunk = max(1, min(l.chunk, n))
	l.q, l.k = q, k
	l.v = tensor.Reuse(l.v, v.Shape...)
	copy(l.v.Data, v.Data)
	if cap(l.den) < q.Rows() {
		l.den = make([]float64, q.Rows())
	}
	l.den = l.den[:q.Rows()]
	l.y = tensor.Reuse(l.y, v.Shape...)
	inParallel(q.Matrices(), func(at int) { l.text(at).forward() })
	return l.y
}

func (t *text) forward() {
	num := t.ones
	for lo := 0; lo < t.n; lo = t.hi {
		t.load(lo, nil)
		for i := t.lo; i < t.hi; i++ {
			clear(num)
			a := t.aRow(i)
			for d, x := range a {
				axpy(x, t.sum[d*(t.c+1):][:t.c+1], num)
			}
			for j := t.lo; j <= i; j++ {
				axpy(dot(a, t.bRow(j)), t.v1Row(j), num)
			}
			r := t.at*t.n + i
			t.l.den[r] = num[t.c] + epsilon
			y := t.l.y.Row(r)
			for d := range y {
				y[d] = float32(num[d] / t.l.den[r])
			}
		}
		t.add(t.bRow, t.v1Row)
	}
}

func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Linear.Backward: q of Forward", l.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dq, l.dk = tensor.Reuse(l.dq, l.q.Shape...), tensor.Reuse(l.dk, l.k.Shape...)
	l.dv = tensor.Reuse(l.dv, l.v.Shape...)
	inParallel(l.q.Matrices(), func(at int) {
		l.text(at).queries(dy)
		l.text(at).keys(dy)
	})
	return l.dq, l.dk, l.dv
}

func (t *text) queries(dy *tensor.Tensor) {
	da := t.width1
	for lo := 0; lo < t.n; lo = t.hi {
		t.load(lo, dy)
		for i := t.lo; i < t.hi; i++ {
			g := t.gRow(i)
			for d := range da {
				da[d] = dot(t.sum[d*(t.c+1):][:t.c+1], g)
			}
			for j := t.lo; j <= i; j++ {
				axpy(dot(g, t.v1Row(j)), t.bRow(j), da)
			}
			back(t.l.dq.Row(t.at*t.n+i), t.l.q.Row(t.at*t.n+i), da, t.aRow(i))
		}
		t.add(t.bRow, t.v1Row)
	}
}

func (t *text) keys(dy *tensor.Tensor) {
	db, dv1 := t.width1, t.ones
	for lo := (t.n - 1) / t.l.chunk * t.l.chunk; lo >= 0 && t.n > 0; lo -= t.l.chunk {
		t.load(lo, dy)
		for j := t.lo; j < t.hi; j++ {
			b, v1 := t.bRow(j), t.v1Row(j)
			clear(dv1)
			for d := range db {
				r := t.sum[d*(t.c+1):][:t.c+1]
				db[d] = dot(r, v1)
				axpy(b[d], r, dv1)
			}
			for i := j; i < t.hi; i++ {
				axpy(dot(t.gRow(i), v1), t.aRow(i), db)
				axpy(dot(t.aRow(i), b), t.gRow(i), dv1)
			}
			row := t.at*t.n + j
			back(t.l.dk.Row(row), t.l.k.Row(row), db, b)
			for d := range t.c {
				t.l.dv.Row(row)[d] = float32(dv1[d])
			}
		}
		t.add(t.aRow, t.gRow)
	}
}

func back(dx, x []float32, dphi, phi []float64) {
	for d, g := range dphi {
		if x[d] < 0 {
			g *= phi[d]
		}
		dx[d] = float32(g)
	}
}

func (l *Linear) Weights() *tensor.Tensor {
	n := l.q.Dim(-2)
	l.weights = tensor.ReuseLead(l.weights, l.q.Lead(2), n, n)
	inParallel(l.q.Rows(), func(r int) {
		a, row := phiOf(nil, l.q.Row(r)), l.weights.Row(r)
		clear(row)
		var b []float64
		for j := range r%n + 1 {
			b = phiOf(b[:0], l.k.Row(r-r%n+j))
			row[j] = float32(dot(a, b) / l.den[r])
		}
	})
	return l.weights
}

func (o piece) of(t *tensor.Tensor) tensor.Matrix { panic("nobody calls this") }

func (l *Linear) each(do func(at int, o piece)) { panic("nobody calls this") }

func (l *Linear) eachBack(do func(at int, o piece)) { panic("nobody calls this") }

func (l *Linear) piece(at int) piece { panic("nobody calls this") }

func (l *Linear) chunkWeights(o piece) tensor.Matrix { panic("nobody calls this") }

func chunkOf(wanted, n int) int { panic("nobody calls this") }

func withOnes(v1, v *tensor.Tensor) *tensor.Tensor { panic("nobody calls this") }

// window-flat-rows: window flat rows
//
// Why: windows.go, all. Query by query in flat float64 loops, N·(W + s) weights kept: nothing to complain about.
type Window struct {
	W, Sinks int

	q, k, v *tensor.Tensor
	mask    *attention.Mask
	shape   reach

	probs      []float32 // for every query room for the weights of all it can see
	weights    *tensor.Tensor
	y          *tensor.Tensor
	dq, dk, dv *tensor.Tensor

	row, out []float64
}

type reach struct{ window, sinks, queries, keys int }

func (r reach) most() int { return min(r.window+r.sinks, r.keys) }

func (r reach) of(i int) (sinks, from, to int) {
	p := i + r.keys - r.queries
	if p < 0 {
		return 0, 0, 0
	}
	from = max(0, p-r.window+1)
	return min(r.sinks, from), from, p + 1
}

func (a *Window) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Window.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Window.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Window.Forward: v", v, lead, m, tensor.Any)
	c := v.Dim(-1)
	checkMask(mask, q.Matrices(), n, m)
	if a.W < 0 || a.Sinks < 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("Window.Forward: W = %d, Sinks = %d", a.W, a.Sinks), Got: q.Shape})
	}
	w := a.W
	if w == 0 {
		w = 32
	}
	a.q, a.k, a.v, a.mask = q, k, v, mask
	a.shape = reach{window: min(w, m), sinks: min(a.Sinks, m), queries: n, keys: m}

	most := a.shape.most()
	if need := q.Rows() * most; cap(a.probs) < need {
		a.probs = make([]float32, need)
	} else {
		a.probs = a.probs[:need]
	}
	clear(a.probs)
	a.row, a.out = room(a.row, most), room(a.out, c)
	a.y = tensor.ReuseLead(a.y, lead, n, c)

	root := 1 / math.Sqrt(float64(width))
	for r := range q.Rows() {
		leading, i := r/n, r%n
		qr, probs := q.Data[r*width:(r+1)*width], a.probs[r*most:(r+1)*most]

		largest := math.Inf(-1)
		seen := a.visit(i, func(at, j int) {
			a.row[at] = math.Inf(-1)
			if !allows(mask, leading, i, j) {
				return
			}
			kr := k.Data[(leading*m+j)*width:][:width]
			s := 0.0
			for d, x := range qr {
				s += float64(x) * float64(kr[d])
			}
			a.row[at] = s * root
			largest = max(largest, a.row[at])
		})

		clear(a.out)
		if !math.IsInf(largest, -1) {
			total := 0.0
			for at := range seen {
				a.row[at] = math.Exp(a.row[at] - largest)
				total += a.row[at]
			}
			a.visit(i, func(at, j int) {
				p := a.row[at] / total
				probs[at] = float32(p)
				if p == 0 {
					return
				}
				for d, x := range v.Data[(leading*m+j)*c:][:c] {
					a.out[d] += p * float64(x)
				}
			})
		}
		for d, x := range a.out {
			a.y.Data[r*c+d] = float32(x)
		}
	}
	return a.y
}

func (a *Window) visit(i int, do func(at, j int)) int {
	sinks, from, to := a.shape.of(i)
	for j := range sinks {
		do(j, j)
	}
	for j := from; j < to; j++ {
		do(sinks+j-from, j)
	}
	return sinks + to - from
}

func (a *Window) Weights() *tensor.Tensor {
	n, m, most := a.shape.queries, a.shape.keys, a.shape.most()
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero()
	for r := range a.q.Rows() {
		a.visit(r%n, func(at, j int) { a.weights.Data[r*m+j] = a.probs[r*most+at] })
	}
	return a.weights
}

func (a *Window) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Window.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Window.Backward: dy", dy, a.y.Shape...)
	n, m, most := a.shape.queries, a.shape.keys, a.shape.most()
	width := a.q.Dim(-1)
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	a.dk.Zero()
	a.dv.Zero()
	a.out = room(a.out, width)

	root := 1 / math.Sqrt(float64(width))
	for r := range a.q.Rows() {
		leading, i := r/n, r%n
		qr, g, probs := a.q.Row(r), dy.Row(r), a.probs[r*most:(r+1)*most]
		mean := 0.0
		a.visit(i, func(at, j int) {
			p, dp := float64(probs[at]), 0.0
			vr, dvr := a.v.Row(leading*m+j), a.dv.Row(leading*m+j)
			for d, x := range g {
				dp += float64(x) * float64(vr[d])
				dvr[d] += float32(p * float64(x))
			}
			a.row[at] = dp
			if p != 0 {
				mean += p * dp
			}
		})
		clear(a.out)
		a.visit(i, func(at, j int) {
			if probs[at] == 0 {
				return
			}
			ds := float64(probs[at]) * (a.row[at] - mean) * root
			kr, dkr := a.k.Row(leading*m+j), a.dk.Row(leading*m+j)
			for d := range kr {
				a.out[d] += ds * float64(kr[d])
				dkr[d] += float32(ds * float64(qr[d]))
			}
		})
		for d, x := range a.out {
			a.dq.Data[r*width+d] = float32(x)
		}
	}
	return a.dq, a.dk, a.dv
}

func room(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

func (a *Window) each(do func(i int, b block)) { panic("nobody calls this") }

func (a *Window) tile(t *tensor.Tensor, i int, b block, part span) tensor.Matrix {
	panic("nobody calls this")
}

func (a *Window) keys(t *tensor.Tensor, i int, part span) tensor.Matrix { panic("nobody calls this") }

func (a *Window) hide(s tensor.Matrix, i int, b block, part span) { panic("nobody calls this") }

func scale(width int) float32 { panic("nobody calls this") }

// window-gather-parallel: window gather parallel
//
// Why: windows.go, all. The keys a block sees are gathered side by side, multiplied at once and their gradients
// scattered back; heads in parallel: nothing to complain about.
type Window struct {
	W, Sinks int

	q, k, v *tensor.Tensor
	mask    *attention.Mask
	plan    []stretch // the same for all heads
	most    int       // of the keys of all blocks
	planned [4]int    // what the plan was made for

	p, weights, y, dq, dk, dv *tensor.Tensor

	desks []*desk
}

type stretch struct {
	first, end int
	keys       []int
	hidden     []bool // (end−first, len(keys)), for the window alone
}

type desk struct{ k, v, s, dk, dv *tensor.Tensor }

func plan(n, m, w, sinks int) (all []stretch, most int) {
	rows := max(1, min(w, n, 48))
	for first := 0; first < n; first += rows {
		s := stretch{first: first, end: min(first+rows, n)}
		low, high := first+m-n-w+1, s.end-1+m-n // positions
		for j := 0; j < min(sinks, low, m); j++ {
			s.keys = append(s.keys, j)
		}
		for j := max(low, 0); j <= high; j++ {
			s.keys = append(s.keys, j)
		}
		for i := first; i < s.end; i++ {
			p := i + m - n
			for _, j := range s.keys {
				s.hidden = append(s.hidden, !(j <= p && (j < sinks || p-j < w)))
			}
		}
		all, most = append(all, s), max(most, len(s.keys))
	}
	return all, most
}

func (a *Window) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Window.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckLead("Window.Forward: k", k, q.Lead(2), tensor.Any, q.Dim(-1))
	tensor.CheckLead("Window.Forward: v", v, q.Lead(2), k.Dim(-2), tensor.Any)
	n, m := q.Dim(-2), k.Dim(-2)
	checkMask(mask, q.Matrices(), n, m)
	w := a.W
	switch {
	case a.W < 0 || a.Sinks < 0:
		panic(tensor.ShapeError{Op: fmt.Sprintf("Window.Forward: W %d, sinks %d", a.W, a.Sinks), Got: q.Shape})
	case a.W == 0:
		w = 32
	}
	a.q, a.k, a.v, a.mask = q, k, v, mask
	if want := [4]int{n, m, min(w, n+m), min(a.Sinks, m)}; a.plan == nil || a.planned != want {
		a.plan, a.most = plan(want[0], want[1], want[2], want[3])
		a.planned = want
	}
	rows := 0
	if len(a.plan) > 0 {
		rows = a.plan[0].end
	}
	a.p = tensor.Reuse(a.p, q.Matrices(), len(a.plan), rows, a.most)
	a.y = tensor.ReuseLead(a.y, q.Lead(2), n, v.Dim(-1))
	a.eachHead(func(d *desk, i int) {
		for at, s := range a.plan {
			d.gather(a, i, s)
			p := a.tile(i, at)
			tensor.Mul(p, a.q.MatrixAt(i).Block(s.first, 0, s.end-s.first, q.Dim(-1)), d.k.Matrix().T())
			a.weigh(p, i, s)
			tensor.Mul(a.y.MatrixAt(i).Block(s.first, 0, s.end-s.first, v.Dim(-1)), p, d.v.Matrix())
		}
	})
	return a.y
}

func (a *Window) tile(i, at int) tensor.Matrix {
	s := a.plan[at]
	return a.p.MatrixAt(i*len(a.plan)+at).Block(0, 0, s.end-s.first, len(s.keys))
}

func (a *Window) weigh(p tensor.Matrix, i int, s stretch) {
	root := float32(1 / math.Sqrt(float64(a.q.Dim(-1))))
	if p.Cols == 0 {
		return // nobody in this block sees anything
	}
	for r := range p.Rows {
		row := p.Data[r*p.Down:][:p.Cols]
		for c, j := range s.keys {
			row[c] *= root
			if s.hidden[r*len(s.keys)+c] || !allows(a.mask, i, s.first+r, j) {
				row[c] = float32(math.Inf(-1))
			}
		}
		t := tensor.From(row, 1, len(row))
		softmax.Softmax(t, t, -1)
	}
}

func (a *Window) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero()
	for i := range a.q.Matrices() {
		for at, s := range a.plan {
			p := a.tile(i, at)
			for r := range p.Rows {
				for c, j := range s.keys {
					a.weights.Row(i*n + s.first + r)[j] = p.At(r, c)
				}
			}
		}
	}
	return a.weights
}

func (a *Window) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Window.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Window.Backward: dy", dy, a.y.Shape...)
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	a.dk.Zero()
	a.dv.Zero()
	width, c, m := a.q.Dim(-1), a.v.Dim(-1), a.k.Dim(-2)
	root := float32(1 / math.Sqrt(float64(width)))
	a.eachHead(func(d *desk, i int) {
		for at, s := range a.plan {
			d.gather(a, i, s)
			queries, keys := s.end-s.first, len(s.keys)
			p, g := a.tile(i, at), dy.MatrixAt(i).Block(s.first, 0, queries, c)
			d.s = tensor.Reuse(d.s, queries, keys)
			d.dk, d.dv = tensor.Reuse(d.dk, keys, width), tensor.Reuse(d.dv, keys, c)
			tensor.Mul(d.dv.Matrix(), p.T(), g)
			tensor.Mul(d.s.Matrix(), g, d.v.Matrix().T())
			for r := range queries {
				if keys == 0 {
					break
				}
				ds, p := d.s.Row(r), p.Data[r*p.Down:]
				var mean float32
				for j, x := range ds {
					mean += x * p[j]
				}
				for j, x := range ds {
					ds[j] = p[j] * (x - mean) * root
				}
			}
			tensor.Mul(a.dq.MatrixAt(i).Block(s.first, 0, queries, width), d.s.Matrix(), d.k.Matrix())
			tensor.Mul(d.dk.Matrix(), d.s.Matrix().T(), a.q.MatrixAt(i).Block(s.first, 0, queries, width))
			for at, j := range s.keys { // back to where they came from
				sum(a.dk.Row(i*m+j), d.dk.Row(at))
				sum(a.dv.Row(i*m+j), d.dv.Row(at))
			}
		}
	})
	return a.dq, a.dk, a.dv
}

func sum(y, x []float32) {
	for i, x := range x {
		y[i] += x
	}
}

func (d *desk) gather(a *Window, i int, s stretch) {
	m := a.k.Dim(-2)
	d.k, d.v = tensor.Reuse(d.k, len(s.keys), a.k.Dim(-1)), tensor.Reuse(d.v, len(s.keys), a.v.Dim(-1))
	for at, j := range s.keys {
		copy(d.k.Row(at), a.k.Row(i*m+j))
		copy(d.v.Row(at), a.v.Row(i*m+j))
	}
}

func (a *Window) eachHead(do func(d *desk, i int)) {
	workers := max(1, min(runtime.GOMAXPROCS(0), a.q.Matrices()))
	for len(a.desks) < workers {
		a.desks = append(a.desks, new(desk))
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := w; i < a.q.Matrices(); i += workers {
				do(a.desks[w], i)
			}
		}()
	}
	wait.Wait()
}

func (a *Window) each(do func(i int, b block)) { panic("nobody calls this") }

func (a *Window) keys(t *tensor.Tensor, i int, part span) tensor.Matrix { panic("nobody calls this") }

func (a *Window) hide(s tensor.Matrix, i int, b block, part span) { panic("nobody calls this") }

func scale(width int) float32 { panic("nobody calls this") }

// linear-v-not-copied: linear v not copied
//
// Why: linear.go, Linear.Forward. v is kept by reference and read again by Backward, as the contract allows: whoever
// calls leaves it unchanged until then.
func upperZero(m tensor.Matrix) {
	for i := 0; i < m.Rows; i++ {
		for j := i + 1; j < m.Cols; j++ {
			m.Set(0, i, j)
		}
	}
}

func inParallel(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		}()
	}
	done.Wait()
}

func phiOf(dst []float64, x []float32) []float64 {
	for _, x := range x {
		if x < 0 {
			dst = append(dst, math.Exp(float64(x)))
		} else {
			dst = append(dst, float64(x)+1)
		}
	}
	return dst
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, x := range x {
		sum += x * y[i]
	}
	return sum
}

func axpy(alpha float64, x, y []float64) {
	for i, x := range x {
		y[i] += alpha * x
	}
}

type Linear struct {
	Chunk int

	chunk int            // as Forward has read it
	q, k  *tensor.Tensor // the caller's, as is v
	v     *tensor.Tensor
	den   []float64 // φ(q)·z + ε of every query
	y     *tensor.Tensor

	weights    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

type text struct {
	l                 *Linear
	at, n, width, c   int
	lo, hi            int
	a, b              []float64 // φ(q) and φ(k) of the chunk
	v1, g             []float64 // [v, 1] and [dnum, dden] of the chunk
	sum, width1, ones []float64
}

func (l *Linear) text(at int) *text {
	n, width, c := l.q.Dim(-2), l.q.Dim(-1), l.v.Dim(-1)
	return &text{l: l, at: at, n: n, width: width, c: c, sum: make([]float64, width*(c+1)),
		width1: make([]float64, width), ones: make([]float64, c+1)}
}

func (t *text) load(lo int, dy *tensor.Tensor) {
	t.lo, t.hi = lo, min(lo+t.l.chunk, t.n)
	t.a, t.b, t.v1, t.g = t.a[:0], t.b[:0], t.v1[:0], t.g[:0]
	for i := t.lo; i < t.hi; i++ {
		r := t.at*t.n + i
		t.a, t.b = phiOf(t.a, t.l.q.Row(r)), phiOf(t.b, t.l.k.Row(r))
		for _, x := range t.l.v.Row(r) {
			t.v1 = append(t.v1, float64(x))
		}
		t.v1 = append(t.v1, 1)
		if dy == nil {
			continue
		}
		dyy, y := 0.0, t.l.y.Row(r)
		for d, x := range dy.Row(r) {
			dyy += float64(x) * float64(y[d])
			t.g = append(t.g, float64(x)/t.l.den[r])
		}
		t.g = append(t.g, -dyy/t.l.den[r])
	}
}

func (t *text) aRow(i int) []float64 { return t.a[(i-t.lo)*t.width:][:t.width] }

func (t *text) bRow(i int) []float64 { return t.b[(i-t.lo)*t.width:][:t.width] }

func (t *text) v1Row(i int) []float64 { return t.v1[(i-t.lo)*(t.c+1):][:t.c+1] }

func (t *text) gRow(i int) []float64 { return t.g[(i-t.lo)*(t.c+1):][:t.c+1] }

func (t *text) add(x, y func(i int) []float64) {
	for i := t.lo; i < t.hi; i++ {
		yi := y(i)
		for d, xd := range x(i) {
			axpy(xd, yi, t.sum[d*(t.c+1):][:t.c+1])
		}
	}
}

func (l *Linear) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Linear.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n := q.Lead(2), q.Dim(-2)
	tensor.CheckLead("Linear.Forward: k", k, lead, n, q.Dim(-1))
	tensor.CheckLead("Linear.Forward: v", v, lead, n, tensor.Any)
	checkMask(mask, q.Matrices(), n, n)
	if mask != nil && len(mask.Attend) != 0 {
		panic(tensor.ShapeError{Op: "Linear.Forward: only the causal order: mask.Attend", Got: []int{len(mask.Attend)},
			Want: []int{0}})
	}
	if l.Chunk < 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("Linear.Forward: a chunk of %d", l.Chunk), Got: []int{l.Chunk}})
	}
	l.chunk = l.Chunk
	if l.chunk == 0 {
		l.chunk = 48
	}
	l.chunk = max(1, min(l.chunk, n))
	l.q, l.k = q, k
	l.v = v
	if cap(l.den) < q.Rows() {
		l.den = make([]float64, q.Rows())
	}
	l.den = l.den[:q.Rows()]
	l.y = tensor.Reuse(l.y, v.Shape...)
	inParallel(q.Matrices(), func(at int) { l.text(at).forward() })
	return l.y
}

func (t *text) forward() {
	num := t.ones
	for lo := 0; lo < t.n; lo = t.hi {
		t.load(lo, nil)
		for i := t.lo; i < t.hi; i++ {
			clear(num)
			a := t.aRow(i)
			for d, x := range a {
				axpy(x, t.sum[d*(t.c+1):][:t.c+1], num)
			}
			for j := t.lo; j <= i; j++ {
				axpy(dot(a, t.bRow(j)), t.v1Row(j), num)
			}
			r := t.at*t.n + i
			t.l.den[r] = num[t.c] + epsilon
			y := t.l.y.Row(r)
			for d := range y {
				y[d] = float32(num[d] / t.l.den[r])
			}
		}
		t.add(t.bRow, t.v1Row)
	}
}

func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Linear.Backward: q of Forward", l.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dq, l.dk = tensor.Reuse(l.dq, l.q.Shape...), tensor.Reuse(l.dk, l.k.Shape...)
	l.dv = tensor.Reuse(l.dv, l.v.Shape...)
	inParallel(l.q.Matrices(), func(at int) {
		l.text(at).queries(dy)
		l.text(at).keys(dy)
	})
	return l.dq, l.dk, l.dv
}

func (t *text) queries(dy *tensor.Tensor) {
	da := t.width1
	for lo := 0; lo < t.n; lo = t.hi {
		t.load(lo, dy)
		for i := t.lo; i < t.hi; i++ {
			g := t.gRow(i)
			for d := range da {
				da[d] = dot(t.sum[d*(t.c+1):][:t.c+1], g)
			}
			for j := t.lo; j <= i; j++ {
				axpy(dot(g, t.v1Row(j)), t.bRow(j), da)
			}
			back(t.l.dq.Row(t.at*t.n+i), t.l.q.Row(t.at*t.n+i), da, t.aRow(i))
		}
		t.add(t.bRow, t.v1Row)
	}
}

func (t *text) keys(dy *tensor.Tensor) {
	db, dv1 := t.width1, t.ones
	for lo := (t.n - 1) / t.l.chunk * t.l.chunk; lo >= 0 && t.n > 0; lo -= t.l.chunk {
		t.load(lo, dy)
		for j := t.lo; j < t.hi; j++ {
			b, v1 := t.bRow(j), t.v1Row(j)
			clear(dv1)
			for d := range db {
				r := t.sum[d*(t.c+1):][:t.c+1]
				db[d] = dot(r, v1)
				axpy(b[d], r, dv1)
			}
			for i := j; i < t.hi; i++ {
				axpy(dot(t.gRow(i), v1), t.aRow(i), db)
				axpy(dot(t.aRow(i), b), t.gRow(i), dv1)
			}
			row := t.at*t.n + j
			back(t.l.dk.Row(row), t.l.k.Row(row), db, b)
			for d := range t.c {
				t.l.dv.Row(row)[d] = float32(dv1[d])
			}
		}
		t.add(t.aRow, t.gRow)
	}
}

func back(dx, x []float32, dphi, phi []float64) {
	for d, g := range dphi {
		if x[d] < 0 {
			g *= phi[d]
		}
		dx[d] = float32(g)
	}
}

func (l *Linear) Weights() *tensor.Tensor {
	n := l.q.Dim(-2)
	l.weights = tensor.ReuseLead(l.weights, l.q.Lead(2), n, n)
	inParallel(l.q.Rows(), func(r int) {
		a, row := phiOf(nil, l.q.Row(r)), l.weights.Row(r)
		clear(row)
		var b []float64
		for j := range r%n + 1 {
			b = phiOf(b[:0], l.k.Row(r-r%n+j))
			row[j] = float32(dot(a, b) / l.den[r])
		}
	})
	return l.weights
}

func (o piece) of(t *tensor.Tensor) tensor.Matrix { panic("nobody calls this") }

func (l *Linear) each(do func(at int, o piece)) { panic("nobody calls this") }

func (l *Linear) eachBack(do func(at int, o piece)) { panic("nobody calls this") }

func (l *Linear) piece(at int) piece { panic("nobody calls this") }

func (l *Linear) chunkWeights(o piece) tensor.Matrix { panic("nobody calls this") }

func chunkOf(wanted, n int) int { panic("nobody calls this") }

func withOnes(v1, v *tensor.Tensor) *tensor.Tensor { panic("nobody calls this") }
