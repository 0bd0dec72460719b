//go:build unlisted

package classic

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// all-in-float64: all in float64
//
// Why: LayerNorm keeps a value of an own type for each row and no scratch: sums with Neumaier's correction, Backward element by element
// in float64 with the gradients of gain and bias collected in float64 and added once. GELU splits at 0: x*(1 - erfc(x/sqrt 2)/2) on the
// right, erfc on the left, the same function. FeedForward adds the biases' gradients up column by column in float64.
func GELU(dst, x []float32) {
	checkLength("GELU: x", x, dst)
	for i, v := range x {
		v := float64(v)
		tail := math.Erfc(math.Abs(v)/math.Sqrt2) / 2 // the share beyond |v|
		if v > 0 {
			tail = 1 - tail
		}
		dst[i] = float32(v * tail)
	}
}

func addRows(sum, x *tensor.Tensor) {
	width := sum.Len()
	for i := range sum.Data {
		column := 0.0
		for at := i; at < len(x.Data); at += width {
			column += float64(x.Data[at])
		}
		sum.Data[i] += float32(column)
	}
}

type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x      *tensor.Tensor // (…, D), what Forward was given
	rows   []standard     // (N)
	y, dx  *tensor.Tensor // (…, D), reused
	dg, db []float64      // (D), of one Backward
}

type standard struct{ mean, r float64 }

func (s standard) of(v float32) float64 { return (float64(v) - s.mean) * s.r }

type adder struct{ sum, lost float64 }

func (a *adder) add(v float64) {
	t := a.sum + v
	if math.Abs(a.sum) >= math.Abs(v) {
		a.lost += (a.sum - t) + v
	} else {
		a.lost += (v - t) + a.sum
	}
	a.sum = t
}

func (a *adder) total() float64 { return a.sum + a.lost }

func measure(x []float32) standard {
	var sum, squares adder
	for _, v := range x {
		sum.add(float64(v))
	}
	s := standard{mean: sum.total() / float64(len(x))}
	for _, v := range x {
		d := float64(v) - s.mean
		squares.add(d * d)
	}
	s.r = 1 / math.Sqrt(squares.total()/float64(len(x))+Eps)
	return s
}

func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.rows = l.rows[:0]
	for n := range x.Rows() {
		s := measure(x.Row(n))
		l.rows = append(l.rows, s)
		yn := l.y.Row(n)
		for i, v := range x.Row(n) {
			y := s.of(v) * float64(g[i])
			if l.Bias != nil {
				y += float64(l.Bias.Value.Data[i])
			}
			yn[i] = float32(y)
		}
	}
	return l.y
}

func (l *LayerNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// For one row write h = (x − μ)·r for the normalised row, so y = h ⊙ g + b.
	// (1) b_i and g_i are met in every row:      db_i = Σ_n dy_ni,  dg_i = Σ_n dy_ni·h_ni
	// (2) What reaches h:                        dh_i = dy_i·g_i
	// (3) h_i = (x_i − μ)·r depends on x directly, which contributes r·dh_j to dx_j,
	// (4) through μ, in which every x_j is:      ∂μ/∂x_j = 1/D
	//     Every h_i feels that, times −r:        −r·(1/D)·Σ_i dh_i = −r·mean(dh)
	// (5) and through r:                         ∂r/∂x_j = −r³·(x_j − μ)/D = −r²·h_j/D
	//     (σ² is smallest at μ: that it moves with x_j changes nothing here.)
	//     Every h_i feels that, times x_i − μ = h_i/r:  −r·h_j·mean(dh ⊙ h)
	// (6) All three ways together:               dx_j = r·(dh_j − mean(dh) − h_j·mean(dh ⊙ h))
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("LayerNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	l.dg = append(l.dg[:0], make([]float64, len(g))...)
	l.db = append(l.db[:0], make([]float64, len(g))...)
	for n, s := range l.rows {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
		var level, along float64 // the means of dh and of dh ⊙ h
		for i, v := range xn {
			h, dh := s.of(v), float64(dyn[i])*float64(g[i])
			level += dh / float64(len(g))
			along += dh * h / float64(len(g))
			l.dg[i] += float64(dyn[i]) * h
			l.db[i] += float64(dyn[i])
		}
		for i, v := range xn {
			dxn[i] = float32(s.r * (float64(dyn[i])*float64(g[i]) - level - s.of(v)*along))
		}
	}
	for i := range g {
		l.Gain.Grad.Data[i] = float32(float64(l.Gain.Grad.Data[i]) + l.dg[i])
		if l.Bias != nil {
			l.Bias.Grad.Data[i] = float32(float64(l.Bias.Grad.Data[i]) + l.db[i])
		}
	}
	return l.dx
}

// dropout-as-a-list: dropout as a list
//
// Why: Dropout keeps no tensor of factors: a list of the places that the last Forward dropped, and its factor (1 in evaluation, with an
// empty list). y and dx are a copy times the factor, with zeros put at these places, so Inf and NaN are dropped as well, and Backward
// does not ask for Training. One u is drawn for every number in training, none else. FeedForward's bias gradients are a product with
// a row of ones, added by MulAdd.
type Dropout struct {
	// Training is set by whoever trains. Without it Forward and Backward return the
	// numbers that they are given, and draw none.
	Training bool

	p      float64
	rng    *rand.Rand
	zeros  []int          // the places that the last Forward dropped
	factor float32        // of all others
	shape  []int          // of x, nil before the first Forward
	y, dx  *tensor.Tensor // the shape of x, reused
}

func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	d.zeros, d.factor, d.shape = d.zeros[:0], 1, append([]int{}, x.Shape...)
	if d.Training {
		d.factor = float32(1 / (1 - d.p))
		for i := range x.Data {
			if d.rng.Float64() < d.p {
				d.zeros = append(d.zeros, i)
			}
		}
	}
	d.y = d.through(d.y, x)
	return d.y
}

func (d *Dropout) through(dst, x *tensor.Tensor) *tensor.Tensor {
	dst = tensor.Reuse(dst, x.Shape...)
	kernel.ScaleTo(dst.Data, d.factor, x.Data)
	for _, i := range d.zeros {
		dst.Data[i] = 0
	}
	return dst
}

func (d *Dropout) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (16) y is x times a number that does not depend on x:  dx_i = dy_i/(1 − p) where u_i ≥ p, else 0
	if d.shape == nil {
		panic(tensor.ShapeError{Op: "Dropout.Backward: no Forward came before; dy", Got: dy.Shape})
	}
	tensor.CheckShape("Dropout.Backward: dy", dy, d.shape...)
	d.dx = d.through(d.dx, dy) // (16)
	return d.dx
}

type FeedForward struct {
	W1  *linear.Linear // (F, D)
	B1  *tensor.Param  // (F)
	W2  *linear.Linear // (D, F)
	B2  *tensor.Param  // (D)
	Act Activation

	x        *tensor.Tensor // (…, D), what Forward was given
	pre, act *tensor.Tensor // (…, F): x W1ᵀ + b1, and the function of it
	y        *tensor.Tensor // (…, D), reused by every Forward
	dPre     *tensor.Tensor // (…, F), reused by every Backward
	ones     *tensor.Tensor // (1, N)
}

func (f *FeedForward) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Forward was pre = x W1ᵀ + b1, act = a(pre), y = act W2ᵀ + b2.
	// (9)  b2 is added to every row:                  db2  = Σ_n dy_n
	// (10) y is a Linear of act:                      dAct = dy W2
	// (11) act is an element-wise function of pre:    dPre = dAct ⊙ a'(pre)
	// (12) b1 is added to every row:                  db1  = Σ_n dPre_n
	// (13) pre is a Linear of x:                      dx   = dPre W1
	tensor.CheckShape("FeedForward.Backward: x of Forward", f.x, tensor.Lead, f.W1.Weight.Value.Dim(1))
	tensor.CheckShape("FeedForward.Backward: dy", dy, f.x.Shape...)
	f.addRows(f.B2.Grad, dy)  // (9)
	dAct := f.W2.Backward(dy) // (10), and the gradient of W2
	f.dPre = tensor.Reuse(f.dPre, dAct.Shape...)
	f.Act.Backward(f.dPre.Data, f.pre.Data, dAct.Data) // (11)
	f.addRows(f.B1.Grad, f.dPre)                       // (12)
	return f.W1.Backward(f.dPre)                       // (13), and the gradient of W1
}

func (f *FeedForward) addRows(sum, x *tensor.Tensor) {
	f.ones = tensor.Reuse(f.ones, 1, x.Rows())
	f.ones.Fill(1)
	tensor.MulAdd(sum.Matrix(), f.ones.Matrix(), x.Matrix()) // (1, N)·(N, width)
}

// projections-and-bits: projections and bits
//
// Why: LayerNorm.Backward in the form of the lesson's last sentence on it: h is written out for all rows in Forward, r*dh is put into dx
// first, and what lies along (1, ..., 1) and along h is taken out of it by two sums. ReLU goes by the sign bit (a NaN stays, of either
// sign, -0 becomes 0), its slope by comparing bits as integers. GELU's slope is put together from a table-free own type; PostNorm sums
// with Axpy into a copy. Positions keeps the tensor of each row's position.
func GELUBackward(dx, x, dy []float32) {
	// (7) Φ' is the density of the normal distribution, φ(x) = e^(−x²/2)/√(2π).
	// (8) By the product rule GELU'(x) = Φ(x) + x·φ(x).
	checkLength("GELUBackward: x", x, dx)
	checkLength("GELUBackward: dy", dy, dx)
	for i, v := range x {
		v := float64(v)
		dx[i] = float32(float64(dy[i]) * bell{v}.slope())
	}
}

type bell struct{ x float64 }

func (b bell) density() float64 { return math.Exp(-0.5*b.x*b.x) * 0.3989422804014327 }

func (b bell) slope() float64 { return below(b.x) + b.x*b.density() }

func ReLU(dst, x []float32) {
	checkLength("ReLU: x", x, dst)
	for i, v := range x {
		bits := math.Float32bits(v)
		if negative := bits>>31 == 1 && bits<<1 <= 0xff<<24; negative { // up to −Inf, and no NaN
			bits = 0
		}
		dst[i] = math.Float32frombits(bits)
	}
}

func ReLUBackward(dx, x, dy []float32) {
	checkLength("ReLUBackward: x", x, dx)
	checkLength("ReLUBackward: dy", dy, dx)
	for i, v := range x {
		dx[i] = 0
		if bits := int32(math.Float32bits(v)); bits > 0 && bits <= 0xff<<23 { // above 0, up to Inf, and no NaN
			dx[i] = dy[i]
		}
	}
}

type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x     *tensor.Tensor // (…, D), what Forward was given
	mean  []float64      // (N), μ of every row
	r     []float64      // (N), 1/√(σ² + Eps) of every row
	y, dx *tensor.Tensor // (…, D), reused
	h     *tensor.Tensor // (…, D), the normalised rows
}

func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.h = tensor.Reuse(l.h, x.Shape...)
	l.mean = slices.Grow(l.mean[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		mean, variance := moments(xn)
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
		normalise(l.h.Row(n), xn, mean, l.r[n]) // h = (x − μ)·r
		kernel.Mul(yn, l.h.Row(n), g)           // y = h ⊙ g
		if l.Bias != nil {
			kernel.Add(yn, yn, l.Bias.Value.Data) // y = h ⊙ g + b
		}
	}
	return l.y
}

func (l *LayerNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// For one row write h = (x − μ)·r for the normalised row, so y = h ⊙ g + b.
	// (1) b_i and g_i are met in every row:      db_i = Σ_n dy_ni,  dg_i = Σ_n dy_ni·h_ni
	// (2) What reaches h:                        dh_i = dy_i·g_i
	// (3) h_i = (x_i − μ)·r depends on x directly, which contributes r·dh_j to dx_j,
	// (4) through μ, in which every x_j is:      ∂μ/∂x_j = 1/D
	//     Every h_i feels that, times −r:        −r·(1/D)·Σ_i dh_i = −r·mean(dh)
	// (5) and through r:                         ∂r/∂x_j = −r³·(x_j − μ)/D = −r²·h_j/D
	//     (σ² is smallest at μ: that it moves with x_j changes nothing here.)
	//     Every h_i feels that, times x_i − μ = h_i/r:  −r·h_j·mean(dh ⊙ h)
	// (6) All three ways together:               dx_j = r·(dh_j − mean(dh) − h_j·mean(dh ⊙ h))
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("LayerNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	for n, r := range l.r {
		dyn, dxn, h := dy.Row(n), l.dx.Row(n), l.h.Row(n)
		var level, along float64 // r times mean(dh) and mean(dh ⊙ h)
		for i, d := range dyn {
			l.Gain.Grad.Data[i] += d * h[i] // (1)
			if l.Bias != nil {
				l.Bias.Grad.Data[i] += d // (1)
			}
			dh := r * float64(d) * float64(g[i]) // (2) and (3)
			level += dh
			along += dh * float64(h[i])
		}
		level /= float64(len(g))
		along /= float64(len(g))
		for i, d := range dyn {
			dxn[i] = float32(r*float64(d)*float64(g[i]) - level - along*float64(h[i])) // (4) and (5)
		}
	}
	return l.dx
}

type Positions struct {
	Weight *tensor.Param // (T_max, D)

	places []int          // of every row
	y, dx  *tensor.Tensor // (…, T, D), reused
}

func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	table := l.Weight.Value
	tensor.CheckShape("Positions.Forward: x", x, tensor.Lead, tensor.Any, table.Dim(1))
	if seq := x.Dim(-2); first < 0 || first+seq > table.Dim(0) {
		panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)),
			Limit: table.Dim(0)})
	}
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.places = l.places[:0]
	for len(l.places) < x.Rows() { // the next sequence
		for t := range x.Dim(-2) {
			l.places = append(l.places, first+t)
		}
	}
	for n := range x.Rows() {
		kernel.Add(l.y.Row(n), x.Row(n), table.Row(l.position(n)))
	}
	return l.y
}

func (l *Positions) position(n int) int { return l.places[n] }

func (p *PostNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	fx := p.F.Forward(x)
	tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
	p.sum = tensor.Reuse(p.sum, x.Shape...)
	copy(p.sum.Data, x.Data)
	kernel.Axpy(1, fx.Data, p.sum.Data) // s = x + f(x)
	return p.Norm.Forward(p.sum)        // y = Norm(s)
}

// rows-in-goroutines: rows in goroutines
//
// Why: LayerNorm shares the rows out to four goroutines: each writes its own rows of y, mean, r and dx, and has sums of its own for the
// gradients of gain and bias, which the caller adds up after Wait, always in the same order. Sinusoids computes its rows likewise,
// with math.Sincos for a pair. Nothing is shared between instances and there is no data race.
type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x      *tensor.Tensor // (…, D), what Forward was given
	mean   []float64      // (N), μ of every row
	r      []float64      // (N), 1/√(σ² + Eps) of every row
	y, dx  *tensor.Tensor // (…, D), reused
	h, dh  *tensor.Tensor // (workers, D), one normalised row and its gradient, reused
	dg, db *tensor.Tensor // (workers, D), the sums of each
}

func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.mean = slices.Grow(l.mean[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	share(len(l.r), func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			xn, yn := x.Row(n), l.y.Row(n)
			mean, variance := moments(xn)
			l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
			normalise(yn, xn, mean, l.r[n]) // h = (x − μ)·r
			kernel.Mul(yn, yn, g)           // y = h ⊙ g
			if l.Bias != nil {
				kernel.Add(yn, yn, l.Bias.Value.Data) // y = h ⊙ g + b
			}
		}
	})
	return l.y
}

const workers = 4

func share(n int, do func(worker, lo, hi int)) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { do(w, n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}

func (l *LayerNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// For one row write h = (x − μ)·r for the normalised row, so y = h ⊙ g + b.
	// (1) b_i and g_i are met in every row:      db_i = Σ_n dy_ni,  dg_i = Σ_n dy_ni·h_ni
	// (2) What reaches h:                        dh_i = dy_i·g_i
	// (3) h_i = (x_i − μ)·r depends on x directly, which contributes r·dh_j to dx_j,
	// (4) through μ, in which every x_j is:      ∂μ/∂x_j = 1/D
	//     Every h_i feels that, times −r:        −r·(1/D)·Σ_i dh_i = −r·mean(dh)
	// (5) and through r:                         ∂r/∂x_j = −r³·(x_j − μ)/D = −r²·h_j/D
	//     (σ² is smallest at μ: that it moves with x_j changes nothing here.)
	//     Every h_i feels that, times x_i − μ = h_i/r:  −r·h_j·mean(dh ⊙ h)
	// (6) All three ways together:               dx_j = r·(dh_j − mean(dh) − h_j·mean(dh ⊙ h))
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("LayerNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	l.h, l.dh = tensor.Reuse(l.h, workers, len(g)), tensor.Reuse(l.dh, workers, len(g))
	l.dg, l.db = tensor.Reuse(l.dg, workers, len(g)), tensor.Reuse(l.db, workers, len(g))
	l.dg.Zero()
	l.db.Zero()
	share(len(l.r), func(worker, lo, hi int) {
		h, dh, d := l.h.Row(worker), l.dh.Row(worker), float32(len(g))
		for n := lo; n < hi; n++ {
			dyn, dxn := dy.Row(n), l.dx.Row(n)
			normalise(h, l.x.Row(n), l.mean[n], l.r[n])
			kernel.MulAdd(l.dg.Row(worker), dyn, h)     // (1) dg += dy ⊙ h
			kernel.Axpy(1, dyn, l.db.Row(worker))       // (1) db += dy
			kernel.Mul(dh, dyn, g)                      // (2) dh = dy ⊙ g
			kernel.AddConst(dxn, -kernel.Sum(dh)/d, dh) // (3) and (4)
			kernel.Axpy(-kernel.Dot(dh, h)/d, h, dxn)   // (5)
			kernel.Scale(float32(l.r[n]), dxn)          // (6)
		}
	})
	for w := range workers {
		kernel.Axpy(1, l.dg.Row(w), l.Gain.Grad.Data)
		if l.Bias != nil {
			kernel.Axpy(1, l.db.Row(w), l.Bias.Grad.Data)
		}
	}
	return l.dx
}

func Sinusoids(maxLen, d int) *tensor.Tensor {
	table := tensor.New(maxLen, d)
	share(maxLen, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			row := table.Row(p)
			for j := 0; j < d; j += 2 { // 2i
				sin, cos := math.Sincos(float64(p) / math.Pow(10000, float64(j)/float64(d)))
				row[j] = float32(sin)
				if j+1 < d {
					row[j+1] = float32(cos)
				}
			}
		}
	})
	return table
}

// welford-and-blocks: welford and blocks
//
// Why: LayerNorm takes mean and variance in one pass by Welford's way in float64 (which keeps the digits of a row far from 0, other
// than mean(x^2) - mu^2). Positions adds whole blocks (T, D) of the table to a sequence and of dy to the gradient: the rows of T
// positions lie in one piece. Sinusoids goes by columns, the frequency once for each: exp(-ln 10000*2i/D). PostNorm copies and adds.
func moments(x []float32) (mean, variance float64) {
	squares := 0.0 // Σ (x − mean)² of those so far
	for n, v := range x {
		before := float64(v) - mean
		mean += before / float64(n+1)
		squares += before * (float64(v) - mean)
	}
	return mean, squares / float64(len(x))
}

func Sinusoids(maxLen, d int) *tensor.Tensor {
	table := tensor.New(maxLen, d)
	for j := range d {
		wave := math.Sin
		if j%2 == 1 {
			wave = math.Cos
		}
		frequency := math.Exp(-math.Log(10000) * float64(j-j%2) / float64(d))
		for p := range maxLen {
			table.Data[p*d+j] = float32(wave(float64(p) * frequency))
		}
	}
	return table
}

func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	table := l.Weight.Value
	tensor.CheckShape("Positions.Forward: x", x, tensor.Lead, tensor.Any, table.Dim(1))
	if seq := x.Dim(-2); first < 0 || first+seq > table.Dim(0) {
		panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)),
			Limit: table.Dim(0)})
	}
	l.first = first
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.each(l.y, table, kernelBlock{x.Data, func(y, x, p []float32) { kernel.Add(y, x, p) }})
	return l.y
}

type kernelBlock struct {
	x  []float32
	do func(y, x, positions []float32)
}

func (l *Positions) each(y, table *tensor.Tensor, b kernelBlock) {
	size, from := y.Dim(-2)*y.Dim(-1), l.first*y.Dim(-1)
	if size == 0 {
		return
	}
	for at := 0; at < len(b.x); at += size {
		b.do(y.Data[at:at+size], b.x[at:at+size], table.Data[from:from+size])
	}
}

func (l *Positions) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (14) y = x + P:                             dx = dy
	// (15) A row of P is added in every sequence: dP[p] = Σ dy[…, t] over all with first + t = p
	tensor.CheckShape("Positions.Backward: y of Forward", l.y, tensor.Lead, tensor.Any, l.Weight.Value.Dim(1))
	tensor.CheckShape("Positions.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, dy.Shape...)
	copy(l.dx.Data, dy.Data)                                                                           // (14)
	l.each(dy, l.Weight.Grad, kernelBlock{dy.Data, func(_, dy, p []float32) { kernel.Add(p, p, dy) }}) // (15)
	return l.dx
}

func (p *PostNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	fx := p.F.Forward(x)
	tensor.CheckShape("PostNorm.Forward: f(x)", fx, x.Shape...)
	p.sum = tensor.Reuse(p.sum, x.Shape...)
	copy(p.sum.Data, fx.Data)
	for i, v := range x.Data {
		p.sum.Data[i] += v // s = x + f(x)
	}
	return p.Norm.Forward(p.sum) // y = Norm(s)
}

func (p *PostNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (17) y = Norm(s), s = x + f(x):    ds = Norm.Backward(dy)
	// (18) x reaches s directly, with derivative 1, and through f:  dx = ds + F.Backward(ds)
	// (19) So no term of dx passes by a norm: in a stack of L blocks the gradient
	//      goes through 2·L of them, where step 09 leaves a way through none.
	ds := p.Norm.Backward(dy) // (17)
	p.dx = tensor.Reuse(p.dx, ds.Shape...)
	copy(p.dx.Data, ds.Data)
	for i, v := range p.F.Backward(ds).Data {
		p.dx.Data[i] += v // (18)
	}
	return p.dx
}
