//go:build unlisted

package windows

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
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

// cache-half-read: cache half read
//
// Why: cache.go, Cache.Forward/one. A call with an id outside the vocabulary has already read the ids before it (Len
// has grown, the rings are written); after an error everything must be as before.
type Cache struct {
	m             *lm.LM
	rope          *rope.RoPE
	keys, values  [][]float32 // one for each layer, (s+W)·D
	window, sinks int
	read, limit   int

	where   [][]int        // (N, 1)
	x, out  *tensor.Tensor // (N, D)
	q, k    *tensor.Tensor // (N, H, 1, K)
	logits  *tensor.Tensor // (N, V)
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
	if n := len(ids); n > c.limit-c.read {
		return nil, fmt.Errorf("windows: no room for %d tokens behind %d, the text ends at %d", n, c.read, c.limit)
	}
	c.logits = tensor.Reuse(c.logits, len(ids), c.m.Config.VocabSize)
	for i := range ids {
		y, err := c.one(ids[i : i+1])
		if err != nil {
			return nil, err
		}
		copy(c.logits.Row(i), y.Data)
	}
	return c.logits, nil
}

func (c *Cache) one(ids []int) (*tensor.Tensor, error) {
	n, d := len(ids), c.m.Config.DModel
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

// cache-history: cache history
//
// Why: cache.go, Cache.attend/New/Bytes. The keys and values of all tokens are kept in slices that grow with the text
// (right logits, but memory is not that of a ring, nothing is allocated in New, and Bytes reports what a ring
// would have).
type Cache struct {
	model         *lm.LM
	rope          *rope.RoPE
	rings         []ring // one for each block
	window, sinks int
	length        int // tokens that have been read
	maxLen        int // T_max

	attention attention.Attention // of one query
	positions [][]int             // (1, N)
	x         *tensor.Tensor      // (N, D), the stream of activations
	q, k, v   *tensor.Tensor      // (1, H, N, K)
	see, get  *tensor.Tensor      // what one query sees
	joined    *tensor.Tensor      // (N, D), the heads side by side
}

type ring struct{ keys, values [][]float32 }

func newest(to *tensor.Tensor, all []float32, sinks, window, width int) *tensor.Tensor {
	p := len(all) / width
	kept := min(sinks, max(0, p-window))
	from := max(kept, p-window)
	to = tensor.Reuse(to, kept+p-from, width)
	copy(to.Data, all[:kept*width])
	copy(to.Data[kept*width:], all[from*width:])
	return to
}

func New(m *lm.LM, window, sinks, maxLen int) *Cache {
	if window < 1 || sinks < 0 || maxLen < 1 {
		op := "windows.New: window and maxLen must be at least 1, sinks at least 0"
		panic(tensor.ShapeError{Op: op, Got: []int{window, maxLen, sinks}})
	}
	heads, width := m.Config.NumHeads, m.Config.DModel/m.Config.NumHeads
	c := &Cache{model: m, window: window, sinks: sinks, maxLen: maxLen}
	c.rope = rope.New(m.Config.RopeTheta, width, maxLen)
	for range m.Blocks {
		c.rings = append(c.rings, ring{
			keys:   make([][]float32, heads),
			values: make([][]float32, heads),
		})
	}
	return c
}

func (c *Cache) Bytes() int {
	return 2 * 4 * len(c.rings) * (c.sinks + c.window) * c.model.Config.DModel
}

func (c *Cache) attend(m *attention.MultiHead, r ring, x *tensor.Tensor) *tensor.Tensor {
	d, heads := x.Dim(1), c.model.Config.NumHeads
	qkv := m.QKV.Forward(x) // (N, 3D)
	c.q, c.k, c.v = c.split(c.q, qkv, 0), c.split(c.k, qkv, d), c.split(c.v, qkv, 2*d)
	c.q = c.rope.Forward(c.q, c.q, c.positions)
	c.k = c.rope.Forward(c.k, c.k, c.positions)
	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for h := range heads {
		q, k, v := head(c.q, h), head(c.k, h), head(c.v, h)
		for i := range x.Dim(0) {
			r.keys[h] = append(r.keys[h], k.Row(i)...)
			r.values[h] = append(r.values[h], v.Row(i)...)
			c.see = newest(c.see, r.keys[h], c.sinks, c.window, d/heads)
			c.get = newest(c.get, r.values[h], c.sinks, c.window, d/heads)
			y := c.attention.Forward(q.Slice(i, i+1), c.see, c.get, nil)
			copy(c.joined.Row(i)[h*d/heads:], y.Data)
		}
	}
	return m.Output.Forward(c.joined)
}

// cache-prompt-first: cache prompt first
//
// Why: cache.go, Cache.attend. All tokens of a call are written to the ring before the first of them reads it, so a
// prompt longer than the free places overwrites keys that its first tokens still see, and shows them later ones.
func (c *Cache) attend(m *attention.MultiHead, r ring, x *tensor.Tensor) *tensor.Tensor {
	d, heads, places := x.Dim(1), c.model.Config.NumHeads, c.sinks+c.window
	qkv := m.QKV.Forward(x) // (N, 3D)
	c.q, c.k, c.v = c.split(c.q, qkv, 0), c.split(c.k, qkv, d), c.split(c.v, qkv, 2*d)
	c.q = c.rope.Forward(c.q, c.q, c.positions)
	c.k = c.rope.Forward(c.k, c.k, c.positions)
	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for h := range heads {
		q, k, v := head(c.q, h), head(c.k, h), head(c.v, h)
		keys, values := head(r.keys, h), head(r.values, h) // (s+W, K)
		for i := range x.Dim(0) {
			slot := Slot(c.length+i, c.window, c.sinks)
			copy(keys.Row(slot), k.Row(i))
			copy(values.Row(slot), v.Row(i))
		}
		for i := range x.Dim(0) {
			seen := min(c.length+i+1, places)
			y := c.attention.Forward(q.Slice(i, i+1), keys.Slice(0, seen), values.Slice(0, seen), nil)
			copy(c.joined.Row(i)[h*d/heads:], y.Data)
		}
	}
	return m.Output.Forward(c.joined)
}

// cache-rope-clamped: cache rope clamped
//
// Why: cache.go, New and Cache.Forward. Positions from the model's ContextLength on are clamped to ContextLength − 1;
// RoPE must turn by the position in the text, with a table for maxLen.
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
	c := &Cache{m: m, window: window, sinks: sinks, limit: maxLen, rope: rope.New(m.Config.RopeTheta, d/heads, m.Config.ContextLength)}
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
		c.where[i][0] = min(c.read+i, c.m.Config.ContextLength-1) // RoPE's table ends there
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

// linear-r-not-reset: linear r not reset
//
// Why: linear.go, Linear.Backward. R is set to 0 only where the last chunk is full, so with a chunk that does not
// divide N it goes on from one head to the next (and from one Backward to the next) in dk and dv.
func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// From (12) back to (9), and from the last chunk to the first: what a chunk added to S₁
	// is read by those behind it, whose gradients of S₁ have been added up in R.
	// (14) y = num/(den + ε):             dnum = dy/(den + ε), dden = −(dy·y)/(den + ε)
	//      g = [dnum, dden]
	// (15) [num, den] = a S₁ + A v₁:      dA = g v₁ᵀ, 0 where A is
	// (16)   a is in a S₁ and in A:       da = g S₁ᵀ + dA b
	// (17)   b is in A, and in later S₁:  db = dAᵀ a + v₁ Rᵀ
	// (18)   v₁ likewise:                 dv₁ = Aᵀ g + b R
	// (19)   S₁ reaches all chunks before:  R += aᵀ g
	// (20) a = φ(q), b = φ(k):            dq = da ⊙ φ'(q), dk = db ⊙ φ'(k)
	tensor.CheckShape("Linear.Backward: q of Forward", l.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	c := dy.Dim(-1)
	l.dsums, l.dw = tensor.Reuse(l.dsums, l.sums.Shape...), tensor.Reuse(l.dw, l.w.Shape...)
	for t := range dy.Rows() {
		g, den := l.dsums.Row(t), l.sums.Row(t)[c]+epsilon
		kernel.ScaleTo(g[:c], 1/den, dy.Row(t)) // (14)
		g[c] = -kernel.Dot(dy.Row(t), l.y.Row(t)) / den
	}
	l.dq, l.dk = tensor.Reuse(l.dq, l.q.Shape...), tensor.Reuse(l.dk, l.k.Shape...)
	l.dv = tensor.Reuse(l.dv, dy.Shape...)
	l.dstate = tensor.Reuse(l.dstate, l.q.Dim(-1), c+1)
	l.dv1 = tensor.Reuse(l.dv1, l.w.Dim(0), c+1)
	n, chunk := l.q.Dim(-2), l.w.Dim(0)
	l.eachBack(func(at int, o piece) {
		if (o.first+chunk)%n == 0 { // the end of a text
			l.dstate.Zero() // nobody reads what the last chunk would add
		}
		s1, r, g := l.states.MatrixAt(at), l.dstate.Matrix(), o.of(l.dsums)
		a, b, v1 := o.of(l.a), o.of(l.b), o.of(l.v1)
		w, dw := l.chunkWeights(o), l.dw.Matrix().Block(0, 0, o.n, o.n)
		tensor.Mul(dw, g, v1.T()) // (15) (J, C+1)·(C+1, J) = (J, J)
		upperZero(dw)

		tensor.Mul(o.of(l.dq), g, s1.T())    // (16) (J, C+1)·(C+1, K)
		tensor.MulAdd(o.of(l.dq), dw, b)     // (16) (J, J)·(J, K)
		tensor.Mul(o.of(l.dk), dw.T(), a)    // (17)
		tensor.MulAdd(o.of(l.dk), v1, r.T()) // (17) (J, C+1)·(C+1, K)
		dv1 := l.dv1.Matrix().Block(0, 0, o.n, c+1)
		tensor.Mul(dv1, w.T(), g)                        // (18)
		tensor.MulAdd(dv1, b, r)                         // (18) (J, K)·(K, C+1)
		tensor.Copy(o.of(l.dv), dv1.Block(0, 0, o.n, c)) // the ones have no gradient
		tensor.MulAdd(r, a.T(), g)                       // (19) (K, J)·(J, C+1)
	})
	PhiBackward(l.dq.Data, l.q.Data, l.dq.Data) // (20)
	PhiBackward(l.dk.Data, l.k.Data, l.dk.Data)
	return l.dq, l.dk, l.dv
}

// linear-r-too-early: linear r too early
//
// Why: linear.go, Linear.Backward. R += aᵀg comes before (17) and (18), so a chunk's own queries are counted in R,
// once more and without the causal order, in dk and dv.
func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// From (12) back to (9), and from the last chunk to the first: what a chunk added to S₁
	// is read by those behind it, whose gradients of S₁ have been added up in R.
	// (14) y = num/(den + ε):             dnum = dy/(den + ε), dden = −(dy·y)/(den + ε)
	//      g = [dnum, dden]
	// (15) [num, den] = a S₁ + A v₁:      dA = g v₁ᵀ, 0 where A is
	// (16)   a is in a S₁ and in A:       da = g S₁ᵀ + dA b
	// (17)   b is in A, and in later S₁:  db = dAᵀ a + v₁ Rᵀ
	// (18)   v₁ likewise:                 dv₁ = Aᵀ g + b R
	// (19)   S₁ reaches all chunks before:  R += aᵀ g
	// (20) a = φ(q), b = φ(k):            dq = da ⊙ φ'(q), dk = db ⊙ φ'(k)
	tensor.CheckShape("Linear.Backward: q of Forward", l.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	c := dy.Dim(-1)
	l.dsums, l.dw = tensor.Reuse(l.dsums, l.sums.Shape...), tensor.Reuse(l.dw, l.w.Shape...)
	for t := range dy.Rows() {
		g, den := l.dsums.Row(t), l.sums.Row(t)[c]+epsilon
		kernel.ScaleTo(g[:c], 1/den, dy.Row(t)) // (14)
		g[c] = -kernel.Dot(dy.Row(t), l.y.Row(t)) / den
	}
	l.dq, l.dk = tensor.Reuse(l.dq, l.q.Shape...), tensor.Reuse(l.dk, l.k.Shape...)
	l.dv = tensor.Reuse(l.dv, dy.Shape...)
	l.dstate = tensor.Reuse(l.dstate, l.q.Dim(-1), c+1)
	l.dv1 = tensor.Reuse(l.dv1, l.w.Dim(0), c+1)
	l.eachBack(func(at int, o piece) {
		if o.last {
			l.dstate.Zero() // nobody reads what the last chunk would add
		}
		s1, r, g := l.states.MatrixAt(at), l.dstate.Matrix(), o.of(l.dsums)
		a, b, v1 := o.of(l.a), o.of(l.b), o.of(l.v1)
		tensor.MulAdd(r, a.T(), g) // (19) (K, J)·(J, C+1)
		w, dw := l.chunkWeights(o), l.dw.Matrix().Block(0, 0, o.n, o.n)
		tensor.Mul(dw, g, v1.T()) // (15) (J, C+1)·(C+1, J) = (J, J)
		upperZero(dw)

		tensor.Mul(o.of(l.dq), g, s1.T())    // (16) (J, C+1)·(C+1, K)
		tensor.MulAdd(o.of(l.dq), dw, b)     // (16) (J, J)·(J, K)
		tensor.Mul(o.of(l.dk), dw.T(), a)    // (17)
		tensor.MulAdd(o.of(l.dk), v1, r.T()) // (17) (J, C+1)·(C+1, K)
		dv1 := l.dv1.Matrix().Block(0, 0, o.n, c+1)
		tensor.Mul(dv1, w.T(), g)                        // (18)
		tensor.MulAdd(dv1, b, r)                         // (18) (J, K)·(K, C+1)
		tensor.Copy(o.of(l.dv), dv1.Block(0, 0, o.n, c)) // the ones have no gradient
	})
	PhiBackward(l.dq.Data, l.q.Data, l.dq.Data) // (20)
	PhiBackward(l.dk.Data, l.k.Data, l.dk.Data)
	return l.dq, l.dk, l.dv
}

// linear-takes-masks: linear takes masks
//
// Why: linear.go, Linear.Forward. A mask with an Attend is silently ignored and not refused with a ShapeError.
// (chunks.go is only its helper file.)
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

// phi-backward-alias: phi backward alias
//
// Why: forms.go, PhiBackward. Where dx is dy, φ' is written over dy before dy is read, and the result is φ'²;
// (linear.go, which is otherwise right, avoids that by buffers of its own).
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
	for i := range dx { // φ'(x)
		dx[i] = 1
		if x[i] < 0 {
			dx[i] = exp(x[i])
		}
	}
	for i := range dx {
		dx[i] *= dy[i]
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

type Linear struct {
	// Chunk is J, the tokens of a chunk, of which the last may have fewer; 0 stands for
	// 64. It is read by Forward.
	Chunk int

	q, k   *tensor.Tensor // what Forward was given
	a, b   *tensor.Tensor // (…, N, K), φ(q) and φ(k)
	v1     *tensor.Tensor // (…, N, C+1), v and a column of ones
	states *tensor.Tensor // (…, N/J, K, C+1): S and z before every chunk
	sums   *tensor.Tensor // (…, N, C+1): numerator and denominator of y
	y      *tensor.Tensor // (…, N, C)
	w      *tensor.Tensor // (J, J), the weights A of a chunk

	weights     *tensor.Tensor // (…, N, N), if somebody has asked for them
	dsums       *tensor.Tensor // (…, N, C+1), the gradient of sums
	dstate, dv1 *tensor.Tensor // (K, C+1), (J, C+1)
	dw          *tensor.Tensor // (J, J)
	dq, dk, dv  *tensor.Tensor // (…, N, K), (…, N, K), (…, N, C)
	da, db      *tensor.Tensor // (…, N, K)
}

func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// From (12) back to (9), and from the last chunk to the first: what a chunk added to S₁
	// is read by those behind it, whose gradients of S₁ have been added up in R.
	// (14) y = num/(den + ε):             dnum = dy/(den + ε), dden = −(dy·y)/(den + ε)
	//      g = [dnum, dden]
	// (15) [num, den] = a S₁ + A v₁:      dA = g v₁ᵀ, 0 where A is
	// (16)   a is in a S₁ and in A:       da = g S₁ᵀ + dA b
	// (17)   b is in A, and in later S₁:  db = dAᵀ a + v₁ Rᵀ
	// (18)   v₁ likewise:                 dv₁ = Aᵀ g + b R
	// (19)   S₁ reaches all chunks before:  R += aᵀ g
	// (20) a = φ(q), b = φ(k):            dq = da ⊙ φ'(q), dk = db ⊙ φ'(k)
	tensor.CheckShape("Linear.Backward: q of Forward", l.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	c := dy.Dim(-1)
	l.dsums, l.dw = tensor.Reuse(l.dsums, l.sums.Shape...), tensor.Reuse(l.dw, l.w.Shape...)
	for t := range dy.Rows() {
		g, den := l.dsums.Row(t), l.sums.Row(t)[c]+epsilon
		kernel.ScaleTo(g[:c], 1/den, dy.Row(t)) // (14)
		g[c] = -kernel.Dot(dy.Row(t), l.y.Row(t)) / den
	}
	l.dq, l.dk = tensor.Reuse(l.dq, l.q.Shape...), tensor.Reuse(l.dk, l.k.Shape...)
	l.da, l.db = tensor.Reuse(l.da, l.q.Shape...), tensor.Reuse(l.db, l.q.Shape...)
	l.dv = tensor.Reuse(l.dv, dy.Shape...)
	l.dstate = tensor.Reuse(l.dstate, l.q.Dim(-1), c+1)
	l.dv1 = tensor.Reuse(l.dv1, l.w.Dim(0), c+1)
	l.eachBack(func(at int, o piece) {
		if o.last {
			l.dstate.Zero() // nobody reads what the last chunk would add
		}
		s1, r, g := l.states.MatrixAt(at), l.dstate.Matrix(), o.of(l.dsums)
		a, b, v1 := o.of(l.a), o.of(l.b), o.of(l.v1)
		w, dw := l.chunkWeights(o), l.dw.Matrix().Block(0, 0, o.n, o.n)
		tensor.Mul(dw, g, v1.T()) // (15) (J, C+1)·(C+1, J) = (J, J)
		upperZero(dw)

		tensor.Mul(o.of(l.da), g, s1.T())    // (16) (J, C+1)·(C+1, K)
		tensor.MulAdd(o.of(l.da), dw, b)     // (16) (J, J)·(J, K)
		tensor.Mul(o.of(l.db), dw.T(), a)    // (17)
		tensor.MulAdd(o.of(l.db), v1, r.T()) // (17) (J, C+1)·(C+1, K)
		dv1 := l.dv1.Matrix().Block(0, 0, o.n, c+1)
		tensor.Mul(dv1, w.T(), g)                        // (18)
		tensor.MulAdd(dv1, b, r)                         // (18) (J, K)·(K, C+1)
		tensor.Copy(o.of(l.dv), dv1.Block(0, 0, o.n, c)) // the ones have no gradient
		tensor.MulAdd(r, a.T(), g)                       // (19) (K, J)·(J, C+1)
	})
	PhiBackward(l.dq.Data, l.q.Data, l.da.Data) // (20)
	PhiBackward(l.dk.Data, l.k.Data, l.db.Data)
	return l.dq, l.dk, l.dv
}

// slot-p-mod-w: slot p mod w
//
// Why: cache.go, Slot. Behind the sinks it is p mod W for (p − s) mod W, so where s is no multiple of W the places do
// not fill in order, and while it fills the cache reads empty places and misses new tokens.
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
	if p >= sinks {
		p = sinks + p%window
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

// state-fixed-room: state fixed room
//
// Why: forms.go, State.Read. φ(q) and φ(k) have room for 128 numbers, and with K > 128 the rest of a head is silently
// left out of S, z and y.
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

const maxWidth = 128

type State struct {
	S *tensor.Tensor // (K, C)
	Z *tensor.Tensor // (K)

	a, b [maxWidth]float64 // φ(q), φ(k); zeros behind K
	sums []float64         // (C)
}

func NewState(width, c int) *State {
	return &State{S: tensor.New(width, c), Z: tensor.New(width), sums: make([]float64, c)}
}

func (s *State) Read(y, q, k, v []float32) {
	checkLength("State.Read: q", len(q), s.Z.Len())
	checkLength("State.Read: k", len(k), s.Z.Len())
	checkLength("State.Read: v", len(v), len(s.sums))
	checkLength("State.Read: y", len(y), len(s.sums))
	clear(s.sums)
	total := 1e-6
	for d := range min(len(q), maxWidth) {
		s.a[d], s.b[d] = phi(q[d]), phi(k[d])
	}
	for d := range min(len(q), maxWidth) {
		a, b, row := s.a[d], s.b[d], s.S.Row(d)
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

// state-largest-of-epsilon: state largest of epsilon
//
// Why: forms.go, State.Read. The denominator is max(φ(q)·z, ε) for φ(q)·z + ε, which is seen where φ(q)·z is as small
// as ε (very negative q and k).
func (s *State) Read(y, q, k, v []float32) {
	width, c := s.S.Dim(0), s.S.Dim(1)
	checkLength("State.Read: q", len(q), width)
	checkLength("State.Read: k", len(k), width)
	checkLength("State.Read: v", len(v), c)
	checkLength("State.Read: y", len(y), c)
	Phi(s.a, q)
	Phi(s.b, k)
	for i, b := range s.b {
		kernel.Axpy(b, v, s.S.Row(i))
	}
	kernel.Add(s.Z.Data, s.Z.Data, s.b)
	clear(y)
	for i, a := range s.a {
		kernel.Axpy(a, s.S.Row(i), y)
	}
	kernel.Scale(1/max(kernel.Dot(s.a, s.Z.Data), epsilon), y) // never divided by 0
}

// window-backward-by-parts: window backward by parts
//
// Why: windows.go, Window.Backward/softmaxBack. Σⱼ Pⱼ·dPⱼ is taken separately over the sinks and over the window, but
// a row's softmax runs over both; dq and dk are wrong as soon as both are there.
func (a *Window) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// Forward was S = q kᵀ/√K, P = softmax(S), y = P v, for blocks of queries. The keys of
	// two blocks overlap, and what a key is sent back by both is added up.
	// (4) y = P v:             dv += Pᵀ dy
	// (5)                      dP = dy vᵀ
	// (6) P = softmax(S):      dS = P ⊙ (dP − Σⱼ Pⱼ·dPⱼ), by the row; 0 where P is 0
	// (7) S = q kᵀ/√K:         dq += dS·k/√K
	// (8)                      dk += dSᵀ·q/√K
	tensor.CheckShape("Window.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Window.Backward: dy", dy, a.y.Shape...)
	a.dp = tensor.Reuse(a.dp, a.p.Shape...)
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	for _, sum := range []*tensor.Tensor{a.dp, a.dq, a.dk, a.dv} {
		sum.Zero()
	}
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			tensor.MulAdd(a.keys(a.dv, i, part), a.tile(a.p, i, b, part).T(), b.rows(dy, i)) // (4)
			tensor.Mul(a.tile(a.dp, i, b, part), b.rows(dy, i), a.keys(a.v, i, part).T())    // (5)
		}
	})
	a.each(func(i int, b block) { // from here on dS
		for _, part := range b.parts {
			softmaxBack(a.tile(a.dp, i, b, part), a.tile(a.p, i, b, part))
		}
	})
	kernel.Scale(scale(a.q.Dim(-1)), a.dp.Data) // (7), (8)
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			ds := a.tile(a.dp, i, b, part)
			tensor.MulAdd(b.rows(a.dq, i), ds, a.keys(a.k, i, part))     // (7)
			tensor.MulAdd(a.keys(a.dk, i, part), ds.T(), b.rows(a.q, i)) // (8)
		}
	})
	return a.dq, a.dk, a.dv
}

func softmaxBack(dp, p tensor.Matrix) {
	if p.Cols == 0 {
		return
	}
	for r := range p.Rows {
		d, w := dp.Data[r*dp.Down:][:dp.Cols], p.Data[r*p.Down:][:p.Cols]
		kernel.AddConst(d, -kernel.Dot(d, w), d)
		kernel.Mul(d, d, w)
	}
}

// window-eight-blocks: window eight blocks
//
// Why: view.go, newView. A text is cut into eight blocks whatever its length, so scores are N·(N/8 + W + s): work and
// memory are quadratic in N (numbers are right).
func newView(w, sinks, n, m int) view {
	const usual, most = 32, 64
	if w == 0 {
		w = usual
	}
	w, sinks = min(w, max(n, m)), min(sinks, m)
	return view{w, sinks, n, m, max(min(w, most), (n+7)/8)}
}

// window-more-queries: window more queries
//
// Why: windows.go, reach.of. With N > M position p is min(i, M − 1) for i + M − N: the first queries, which see
// nothing, see keys, and all are aligned at the top left.
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
	past := max(0, r.keys-r.queries) // keys that came before the first query
	p := min(past+i, r.keys-1)
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

// window-one-sink-more: window one sink more
//
// Why: view.go, view.sees. j ≤ s for j < s: a key too many counts as a sink, in blocks whose windows reach back to it
// (near the beginning of the text only).
func (v view) sees(i, j int) bool {
	p := i + v.m - v.n // its position: the last query stands where the last key does
	return j <= p && (p-j < v.w || j <= v.sinks)
}

// window-race: window race
//
// Why: windows.go, Window.each. Blocks of one head run in parallel and add to the same rows of dk and dv (windows of
// neighbours overlap, and sinks are shared): a data race that loses gradients now and then.
func (a *Window) each(do func(i int, b block)) {
	var wg sync.WaitGroup
	for i := range a.q.Matrices() {
		for at := range a.view.blocks() {
			wg.Add(1)
			go func() {
				defer wg.Done()
				do(i, a.view.block(at))
			}()
		}
	}
	wg.Wait()
}

// window-scale-kept: window scale kept
//
// Why: windows.go, Window.Forward. 1/√K is computed by the first Forward and kept, so later calls with another K
// (forwards and backwards) are scaled wrongly.
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
	root     float64 // 1/√K, 0 before the first Forward
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

	if a.root == 0 {
		a.root = 1 / math.Sqrt(float64(width))
	}
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
			a.row[at] = s * a.root
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
			ds := float64(probs[at]) * (a.row[at] - mean) * a.root
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

// window-scales-q: window scales q
//
// Why: windows.go, Window.Forward. The caller's q is multiplied by 1/√K in place and divided back: q changes in its
// last bits, and where k is the same tensor as q the scores are scaled twice.
func (a *Window) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	// (1) S = q kᵀ/√K, −Inf where a query does not see a key or the mask does not allow it
	// (2) P = softmax(S), by the row; 0 in a row that sees nothing
	// (3) y = P v
	tensor.CheckShape("Window.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n := q.Lead(2), q.Dim(-2)
	tensor.CheckLead("Window.Forward: k", k, lead, tensor.Any, q.Dim(-1))
	m := k.Dim(-2)
	tensor.CheckLead("Window.Forward: v", v, lead, m, tensor.Any)
	checkMask(mask, q.Matrices(), n, m)
	if a.W < 0 || a.Sinks < 0 {
		op := fmt.Sprintf("Window.Forward: a window of %d keys and %d sinks for q", a.W, a.Sinks)
		panic(tensor.ShapeError{Op: op, Got: q.Shape})
	}

	a.q, a.k, a.v, a.mask, a.view = q, k, v, mask, newView(a.W, a.Sinks, n, m)
	a.p = tensor.Reuse(a.p, q.Matrices(), a.view.blocks(), a.view.rows, a.view.columns())
	a.p.Fill(float32(math.Inf(-1)))
	kernel.Scale(scale(q.Dim(-1)), a.q.Data) // (1) on q, which is smaller than S
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			s, k := a.tile(a.p, i, b, part), a.keys(a.k, i, part)
			tensor.Mul(s, b.rows(a.q, i), k.T()) // (1) (R, K)·(K, J) = (R, J)
			a.hide(s, i, b, part)
		}
	})
	kernel.Scale(1/scale(q.Dim(-1)), a.q.Data) // q is as it was
	a.p = softmax.Softmax(a.p, a.p, -1)        // (2)
	a.y = tensor.ReuseLead(a.y, lead, n, v.Dim(-1))
	a.y.Zero()
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			tensor.MulAdd(b.rows(a.y, i), a.tile(a.p, i, b, part), a.keys(a.v, i, part)) // (3)
		}
	})
	return a.y
}

// window-sinks-twice: window sinks twice
//
// Why: view.go, view.block. Sinks are not cut at the beginning of the block's window, so a sink that the window still
// shows is counted twice in the softmax.
func (v view) block(at int) block {
	first := at * v.rows
	b := block{at: at, first: first, queries: min(v.rows, v.n-first)}
	from := min(max(0, first+v.m-v.n-v.w+1), v.m)
	to := max(from, first+b.queries+v.m-v.n)
	sinks := min(v.sinks, to)
	b.parts = [2]span{{0, sinks, 0}, {from, to, sinks}}
	return b
}
