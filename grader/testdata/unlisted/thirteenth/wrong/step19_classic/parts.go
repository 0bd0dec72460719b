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
)

// dpre-in-memory-of-act: dpre in memory of act
//
// Why: FeedForward.Backward: writes dPre into the memory of act, which W2 keeps as its x. W2.Backward has been called by then, so one
// Backward is right; a second Backward of the same Forward (gradients added up twice) gets dW2 from dPre instead of act.
// Diagnosis: the second Backward of one Forward gives another gradient of W2: what W2 was given has been overwritten.
type FeedForward struct {
	W1  *linear.Linear // (F, D)
	B1  *tensor.Param  // (F)
	W2  *linear.Linear // (D, F)
	B2  *tensor.Param  // (D)
	Act Activation

	x        *tensor.Tensor // (…, D), what Forward was given
	pre, act *tensor.Tensor // (…, F): x W1ᵀ + b1, and the function of it
	y        *tensor.Tensor // (…, D), reused by every Forward
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
	addRows(f.B2.Grad, dy)                           // (9)
	dAct := f.W2.Backward(dy)                        // (10), and the gradient of W2
	dPre := f.act                                    // is used up
	f.Act.Backward(dPre.Data, f.pre.Data, dAct.Data) // (11)
	addRows(f.B1.Grad, dPre)                         // (12)
	return f.W1.Backward(dPre)                       // (13), and the gradient of W1
}

// draws-float32: draws float32
//
// Why: Dropout.Forward: draws rng.Float32() and not rng.Float64(). Of the same generator these are other bits, so other numbers are kept;
// the share and the factor are right, and one is drawn for every number, so statistics see nothing.
// Diagnosis: the numbers that are kept are not those with Float64() >= p: they are drawn as Float32.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	d.keep = tensor.Reuse(d.keep, x.Shape...)
	kept := float32(1 / (1 - d.p))
	for i := range d.keep.Data {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case float64(d.rng.Float32()) >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
	d.y = tensor.Reuse(d.y, x.Shape...)
	through(d.y.Data, x.Data, d.keep.Data)
	return d.y
}

// dropped-infinity-is-nan: dropped infinity is nan
//
// Why: Dropout: y = x*keep and dx = dy*keep with keep 0 for what is dropped: 0*Inf and 0*NaN are NaN, where y (and dx) are to be 0 for a
// dropped number, whatever it is. All finite numbers are right (but for -0).
// Diagnosis: a dropped Inf or NaN becomes NaN, not 0: choose, do not multiply.
func through(y, x, keep []float32) {
	kernel.Mul(y, x, keep)
}

// dx-in-memory-of-the-norm: dx in memory of the norm
//
// Why: PostNorm.Backward: adds F's dx to the tensor that Norm.Backward returned, and returns that: dx is right, but "what Norm and F
// return is left as it is" does not hold. A Norm or an F that keeps its dx or the dy it was given (F was given ds) has it changed.
// Diagnosis: the tensor that Norm returned is changed after Backward; dx needs memory of its own.
type PostNorm struct {
	F    Layer
	Norm Layer

	sum *tensor.Tensor // the shape of x, reused
}

func (p *PostNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// (17) y = Norm(s), s = x + f(x):    ds = Norm.Backward(dy)
	// (18) x reaches s directly, with derivative 1, and through f:  dx = ds + F.Backward(ds)
	// (19) So no term of dx passes by a norm: in a stack of L blocks the gradient
	//      goes through 2·L of them, where step 09 leaves a way through none.
	ds := p.Norm.Backward(dy) // (17)
	dx := p.F.Backward(ds)
	kernel.Add(ds.Data, ds.Data, dx.Data) // (18)
	return ds
}

// eps-left-out-in-backward: eps left out in backward
//
// Why: LayerNorm.Backward: works with r = 1/sqrt(variance), without Eps, where Forward has it. Ordinary rows agree to five digits; rows
// of small spread (0.003 and less) get gradients that are too large, rows of equal numbers NaN.
// Diagnosis: dx and dg do not belong to Forward where the variance is about Eps or below: Eps is missing in Backward's r.
type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x        *tensor.Tensor // (…, D), what Forward was given
	mean     []float64      // (N), μ of every row
	variance []float64      // (N), σ² of every row
	y, dx    *tensor.Tensor // (…, D), reused
	h, dh    *tensor.Tensor // (D), one normalised row and its gradient, reused
}

func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.mean = slices.Grow(l.mean[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	l.variance = slices.Grow(l.variance[:0], x.Rows())[:x.Rows()]
	for n := range l.variance {
		xn, yn := x.Row(n), l.y.Row(n)
		mean, variance := moments(xn)
		l.mean[n], l.variance[n] = mean, variance
		normalise(yn, xn, mean, 1/math.Sqrt(variance+Eps)) // h = (x − μ)·r
		kernel.Mul(yn, yn, g)                              // y = h ⊙ g
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
	l.h, l.dh = tensor.Reuse(l.h, len(g)), tensor.Reuse(l.dh, len(g))
	h, dh, d := l.h.Data, l.dh.Data, float32(len(g))
	for n, variance := range l.variance {
		r := 1 / math.Sqrt(variance)
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		normalise(h, l.x.Row(n), l.mean[n], r)
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h) // (1) dg += dy ⊙ h
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data) // (1) db += dy
		}
		kernel.Mul(dh, dyn, g)           // (2) dh = dy ⊙ g
		along := kernel.Dot(dh, h) / d   // mean(dh ⊙ h)
		level := kernel.Sum(dh) / d      // mean(dh)
		kernel.AddConst(dxn, -level, dh) // (3) and (4)
		kernel.Axpy(-along, h, dxn)      // (5)
		kernel.Scale(float32(r), dxn)    // (6)
	}
	return l.dx
}

// gain-gradient-without-r: gain gradient without r
//
// Why: LayerNorm.Backward: dg is summed from dy*(x - mu), the centred row, and not from the normalised row h = (x - mu)*r. dx and db
// are right; the gain's gradient is off by 1/r for each row, which looks like another learning rate of the gain.
// Diagnosis: dg misses the factor r of the row.
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
	l.h, l.dh = tensor.Reuse(l.h, len(g)), tensor.Reuse(l.dh, len(g))
	h, dh, d := l.h.Data, l.dh.Data, float32(len(g))
	for n, r := range l.r {
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		normalise(h, l.x.Row(n), l.mean[n], r)
		for i, v := range l.x.Row(n) {
			l.Gain.Grad.Data[i] += dyn[i] * float32(float64(v)-l.mean[n]) // (1) dg += dy ⊙ (x − μ)
		}
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data) // (1) db += dy
		}
		kernel.Mul(dh, dyn, g)           // (2) dh = dy ⊙ g
		along := kernel.Dot(dh, h) / d   // mean(dh ⊙ h)
		level := kernel.Sum(dh) / d      // mean(dh)
		kernel.AddConst(dxn, -level, dh) // (3) and (4)
		kernel.Axpy(-along, h, dxn)      // (5)
		kernel.Scale(float32(r), dxn)    // (6)
	}
	return l.dx
}

// gelu-table-of-the-package: gelu table of the package
//
// Why: GELU: values from a table of the package for -6 to 6 with linear interpolation, which the first call fills (outside: erfc).
// Within float32 rounding of the definition nearly everywhere, but the table is made without a lock: of two goroutines
// (two layers, each in a shard of its own) the second reads entries that the first has not written: a data race.
// Diagnosis: data race on a variable of the package in GELU; fill it in init or with sync.Once, or compute erfc.
func GELU(dst, x []float32) {
	checkLength("GELU: x", x, dst)
	if phi == nil {
		phi = make([]float64, 12*perUnit+2)
		for i := range phi {
			phi[i] = below(float64(i)/perUnit - 6)
		}
	}
	for i, v := range x {
		v := float64(v)
		if !(v > -6 && v < 6) {
			dst[i] = float32(v * below(v))
			continue
		}
		at := (v + 6) * perUnit
		n := int(at)
		dst[i] = float32(v * (phi[n] + (at-float64(n))*(phi[n+1]-phi[n])))
	}
}

var phi []float64

const perUnit = 1 << 14

// level-of-dy: level of dy
//
// Why: LayerNorm.Backward: the term for the mean takes the mean of dy, not of dh = dy*g; the other term is right. With a gain of equal
// ones (as it is drawn: all 1) nothing is wrong, so training begins rightly and drifts off as the gain learns.
// Diagnosis: dx: the mean that is subtracted is that of dy, before the gain.
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
	l.h, l.dh = tensor.Reuse(l.h, len(g)), tensor.Reuse(l.dh, len(g))
	h, dh, d := l.h.Data, l.dh.Data, float32(len(g))
	for n, r := range l.r {
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		normalise(h, l.x.Row(n), l.mean[n], r)
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h) // (1) dg += dy ⊙ h
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data) // (1) db += dy
		}
		kernel.Mul(dh, dyn, g)           // (2) dh = dy ⊙ g
		along := kernel.Dot(dh, h) / d   // mean(dh ⊙ h)
		level := kernel.Sum(dyn) / d     // mean(dy)
		kernel.AddConst(dxn, -level, dh) // (3) and (4)
		kernel.Axpy(-along, h, dxn)      // (5)
		kernel.Scale(float32(r), dxn)    // (6)
	}
	return l.dx
}

// mask-kept-while-the-shape-stays: mask kept while the shape stays
//
// Why: Dropout.Forward: draws a new mask only where there is none of this shape (or p of training was off in between): "the memory is
// used again" together with what is in it. In training every batch has the same shape, so the same numbers are dropped for ever.
// The first call is right in every number.
// Diagnosis: the second Forward of the same shape draws nothing and drops what the first dropped.
type Dropout struct {
	// Training is set by whoever trains. Without it Forward and Backward return the
	// numbers that they are given, and draw none.
	Training bool

	p     float64
	rng   *rand.Rand
	keep  *tensor.Tensor // the shape of x: 1/(1 − p) where a number is kept, else 0
	y, dx *tensor.Tensor // the shape of x, reused

	trained bool // Training, when keep was made
}

func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	if d.keep == nil || !d.keep.SameShape(x) || d.trained != d.Training {
		d.keep = tensor.Reuse(d.keep, x.Shape...)
		d.trained = d.Training
		kept := float32(1 / (1 - d.p))
		for i := range d.keep.Data {
			switch {
			case !d.Training:
				d.keep.Data[i] = 1
			case d.rng.Float64() >= d.p:
				d.keep.Data[i] = kept
			default:
				d.keep.Data[i] = 0
			}
		}
	}
	d.y = tensor.Reuse(d.y, x.Shape...)
	through(d.y.Data, x.Data, d.keep.Data)
	return d.y
}

// mean-again-for-every-number: mean again for every number
//
// Why: LayerNorm.Forward and normalise: mean and variance are functions of the row that are called for every number of it. The numbers
// are right, the work is N*D*D in place of N*D: four times the width takes sixteen times as long.
// Diagnosis: the time grows with the square of the width: take mean and variance of a row once.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.mean = slices.Grow(l.mean[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		for i, v := range xn {
			yn[i] = float32((float64(v) - mean(xn)) / math.Sqrt(variance(xn)+Eps)) // h = (x − μ)·r
		}
		l.mean[n], l.r[n] = mean(xn), 1/math.Sqrt(variance(xn)+Eps)
		kernel.Mul(yn, yn, g) // y = h ⊙ g
		if l.Bias != nil {
			kernel.Add(yn, yn, l.Bias.Value.Data) // y = h ⊙ g + b
		}
	}
	return l.y
}

func mean(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum / float64(len(x))
}

func variance(x []float32) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (float64(v) - m) * (float64(v) - m)
	}
	return sum / float64(len(x))
}

// norm-over-the-sequence: norm over the sequence
//
// Why: LayerNorm.Forward/Backward: where x is (B, T, D), mean and variance are those of a whole sequence, T*D numbers together (as in
// convolutional networks), and the backward pass fits. Right for x (T, D) and (B, 1, D); tokens of a sequence depend on each other.
// Diagnosis: with three dimensions the statistics run over time as well: a token's y changes with its neighbours, later ones too.
type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x      *tensor.Tensor // (…, D), what Forward was given
	mean   []float64      // (N), μ of every row
	r      []float64      // (N), 1/√(σ² + Eps) of every row
	y, dx  *tensor.Tensor // (…, D), reused
	length int
	h, dh  *tensor.Tensor // (D), one normalised row and its gradient, reused
}

func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.length = 1 // rows that have their statistics together
	if len(x.Shape) > 2 {
		l.length = x.Dim(-2)
	}
	l.mean = slices.Grow(l.mean[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		if n%l.length == 0 {
			mean, variance := moments(x.Data[n*len(g) : (n+l.length)*len(g)])
			l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
		} else {
			l.mean[n], l.r[n] = l.mean[n-1], l.r[n-1]
		}
		normalise(yn, xn, l.mean[n], l.r[n]) // h = (x − μ)·r
		kernel.Mul(yn, yn, g)                // y = h ⊙ g
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
	size := l.length * len(g)
	l.h, l.dh = tensor.Reuse(l.h, l.length, len(g)), tensor.Reuse(l.dh, l.length, len(g))
	d := float32(size)
	for first := 0; first < len(l.r); first += l.length {
		for i := range l.length {
			h, dh, dyn := l.h.Row(i), l.dh.Row(i), dy.Row(first+i)
			normalise(h, l.x.Row(first+i), l.mean[first], l.r[first])
			kernel.MulAdd(l.Gain.Grad.Data, dyn, h) // (1) dg += dy ⊙ h
			if l.Bias != nil {
				kernel.Axpy(1, dyn, l.Bias.Grad.Data) // (1) db += dy
			}
			kernel.Mul(dh, dyn, g) // (2) dh = dy ⊙ g
		}
		dx := l.dx.Data[first*len(g) : first*len(g)+size]
		along := kernel.Dot(l.dh.Data, l.h.Data) / d // mean(dh ⊙ h)
		level := kernel.Sum(l.dh.Data) / d           // mean(dh)
		kernel.AddConst(dx, -level, l.dh.Data)       // (3) and (4)
		kernel.Axpy(-along, l.h.Data, dx)            // (5)
		kernel.Scale(float32(l.r[first]), dx)        // (6)
	}
	return l.dx
}

// p-of-zero-draws-nothing: p of zero draws nothing
//
// Why: Dropout.Forward: with p = 0 (in training) it takes the way of evaluation, "nothing is dropped anyway", and draws none. The numbers
// are right, but Forward draws one u for every number in training: another layer with the same generator gets other numbers.
// Diagnosis: p = 0, training: nothing is drawn from rng, where one u for every number is.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	d.keep = tensor.Reuse(d.keep, x.Shape...)
	kept := float32(1 / (1 - d.p))
	for i := range d.keep.Data {
		switch {
		case !d.Training || d.p == 0: // nothing to drop
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
	d.y = tensor.Reuse(d.y, x.Shape...)
	through(d.y.Data, x.Data, d.keep.Data)
	return d.y
}

// refused-position-is-remembered: refused position is remembered
//
// Why: Positions.Forward: stores first before it looks whether all positions are in the table. A refused call changes the layer:
// Backward of the Forward before it adds to the rows of the refused positions (or panics with an index out of range).
// Diagnosis: "with nothing changed": a call that is refused with an IndexError moves the gradient of the last Forward.
func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	table := l.Weight.Value
	tensor.CheckShape("Positions.Forward: x", x, tensor.Lead, tensor.Any, table.Dim(1))
	l.first = first
	if seq := x.Dim(-2); first < 0 || first+seq > table.Dim(0) {
		panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)),
			Limit: table.Dim(0)})
	}
	l.y = tensor.Reuse(l.y, x.Shape...)
	for n := range x.Rows() {
		kernel.Add(l.y.Row(n), x.Row(n), table.Row(l.position(n)))
	}
	return l.y
}

// relu-swallows-nan: relu swallows nan
//
// Why: ReLU: "if v > 0 then v, else 0": a NaN is not larger than 0 and becomes 0, where the stub says that it stays one. A training
// that has gone wrong looks sound. All other numbers are right.
// Diagnosis: ReLU(NaN) is 0; it has to stay NaN.
func ReLU(dst, x []float32) {
	checkLength("ReLU: x", x, dst)
	for i, v := range x {
		if v > 0 {
			dst[i] = v
		} else {
			dst[i] = 0
		}
	}
}

// scratch-of-1024: scratch of 1024
//
// Why: LayerNorm.Backward: one normalised row and its gradient lie in two arrays of 1024 numbers. Right for D <= 1024; wider rows
// panic with an index out of range (slice bounds), which is no ShapeError.
// Diagnosis: fails for rows wider than 1024: take scratch of the width of the gain.
type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x     *tensor.Tensor // (…, D), what Forward was given
	mean  []float64      // (N), μ of every row
	r     []float64      // (N), 1/√(σ² + Eps) of every row
	y, dx *tensor.Tensor // (…, D), reused
	h, dh [1024]float32  // one normalised row and its gradient
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
	h, dh, d := l.h[:len(g)], l.dh[:len(g)], float32(len(g))
	for n, r := range l.r {
		dyn, dxn := dy.Row(n), l.dx.Row(n)
		normalise(h, l.x.Row(n), l.mean[n], r)
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h) // (1) dg += dy ⊙ h
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data) // (1) db += dy
		}
		kernel.Mul(dh, dyn, g)           // (2) dh = dy ⊙ g
		along := kernel.Dot(dh, h) / d   // mean(dh ⊙ h)
		level := kernel.Sum(dh) / d      // mean(dh)
		kernel.AddConst(dxn, -level, dh) // (3) and (4)
		kernel.Axpy(-along, h, dxn)      // (5)
		kernel.Scale(float32(r), dxn)    // (6)
	}
	return l.dx
}

// sinusoids-turned-step-by-step: sinusoids turned step by step
//
// Why: Sinusoids: row p+1 is made from row p by turning every pair by its angle (the addition theorem), in the float32 numbers of
// the table. Right for short tables; the rounding of every step stays, so that the error grows with p (and the angle of a step
// is rounded as well): a thousand positions on it is far outside float32 rounding.
// Diagnosis: the error grows with the position; compute every angle by itself, in float64.
func Sinusoids(maxLen, d int) *tensor.Tensor {
	table := tensor.New(maxLen, d)
	sin, cos := make([]float32, (d+1)/2), make([]float32, (d+1)/2) // of one step
	s, c := make([]float32, (d+1)/2), make([]float32, (d+1)/2)     // of this position
	for i := range sin {
		angle := 1 / math.Pow(10000, float64(2*i)/float64(d))
		sin[i], cos[i] = float32(math.Sin(angle)), float32(math.Cos(angle))
		s[i], c[i] = 0, 1
	}
	for p := range maxLen {
		row := table.Row(p)
		for i := range s {
			row[2*i] = s[i]
			if 2*i+1 < d {
				row[2*i+1] = c[i]
			}
			s[i], c[i] = s[i]*cos[i]+c[i]*sin[i], c[i]*cos[i]-s[i]*sin[i]
		}
	}
	return table
}

// slope-always-of-gelu: slope always of gelu
//
// Why: FeedForward.Backward: calls GELUBackward whatever f.Act is. With GELU all is right; with ReLU forward is right and dx, dW1, db1
// are those of another activation (W2's and b2's are right). It trains.
// Diagnosis: with ReLU the gradients before the activation use GELU's slope: Backward has to call f.Act.Backward.
func (f *FeedForward) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// Forward was pre = x W1ᵀ + b1, act = a(pre), y = act W2ᵀ + b2.
	// (9)  b2 is added to every row:                  db2  = Σ_n dy_n
	// (10) y is a Linear of act:                      dAct = dy W2
	// (11) act is an element-wise function of pre:    dPre = dAct ⊙ a'(pre)
	// (12) b1 is added to every row:                  db1  = Σ_n dPre_n
	// (13) pre is a Linear of x:                      dx   = dPre W1
	tensor.CheckShape("FeedForward.Backward: x of Forward", f.x, tensor.Lead, f.W1.Weight.Value.Dim(1))
	tensor.CheckShape("FeedForward.Backward: dy", dy, f.x.Shape...)
	addRows(f.B2.Grad, dy)    // (9)
	dAct := f.W2.Backward(dy) // (10), and the gradient of W2
	f.dPre = tensor.Reuse(f.dPre, dAct.Shape...)
	GELUBackward(f.dPre.Data, f.pre.Data, dAct.Data) // (11)
	addRows(f.B1.Grad, f.dPre)                       // (12)
	return f.W1.Backward(f.dPre)                     // (13), and the gradient of W1
}

// slope-of-the-tanh-form: slope of the tanh form
//
// Why: GELUBackward: the derivative of the form with tanh, of which a formula is easily found, behind a GELU that is x*Phi(x) by erfc.
// Each by itself is a GELU; together the gradient is off by up to about 0.001 and does not belong to Forward.
// Diagnosis: GELU is exact and its derivative that of the approximation by tanh.
func GELUBackward(dx, x, dy []float32) {
	// (7) Φ' is the density of the normal distribution, φ(x) = e^(−x²/2)/√(2π).
	// (8) By the product rule GELU'(x) = Φ(x) + x·φ(x).
	checkLength("GELUBackward: x", x, dx)
	checkLength("GELUBackward: dy", dy, dx)
	for i, v := range x {
		v := float64(v)
		c := math.Sqrt(2 / math.Pi)
		t := math.Tanh(c * (v + 0.044715*v*v*v))
		slope := 0.5*(1+t) + 0.5*v*(1-t*t)*c*(1+3*0.044715*v*v)
		dx[i] = float32(float64(dy[i]) * slope)
	}
}

// time-is-dimension-one: time is dimension one
//
// Why: Positions: takes T from x.Dim(1), which holds for (B, T, D) only. For (T, D) that is D: the positions begin again after D tokens
// (and fewer are checked against the table); for (A, B, T, D) it is B.
// Diagnosis: right for three dimensions alone; time is the last but one, Dim(-2).
func (l *Positions) Forward(x *tensor.Tensor, first int) *tensor.Tensor {
	table := l.Weight.Value
	tensor.CheckShape("Positions.Forward: x", x, tensor.Lead, tensor.Any, table.Dim(1))
	if seq := x.Dim(1); first < 0 || first+seq > table.Dim(0) {
		panic(tensor.IndexError{Op: "Positions.Forward: position", Got: outside(first, table.Dim(0)),
			Limit: table.Dim(0)})
	}
	l.first = first
	l.y = tensor.Reuse(l.y, x.Shape...)
	for n := range x.Rows() {
		kernel.Add(l.y.Row(n), x.Row(n), table.Row(l.position(n)))
	}
	return l.y
}

func (l *Positions) position(n int) int { return l.first + n%l.y.Dim(1) }

// width-rounded-up-when-odd: width rounded up when odd
//
// Why: Sinusoids: works in whole pairs, half = (D+1)/2, and takes 10000^(i/half). For an even D that is 2i/D; for an odd D it is 2i/(D+1),
// so that all frequencies but the first are off. The last column, a sine, is filled.
// Diagnosis: odd D: the exponent is 2i/(D+1), not 2i/D.
func Sinusoids(maxLen, d int) *tensor.Tensor {
	table := tensor.New(maxLen, d)
	for p := range maxLen {
		row := table.Row(p)
		for j := range row {
			pair := j / 2 // i
			angle := float64(p) / math.Pow(10000, float64(pair)/float64((d+1)/2))
			if j%2 == 0 {
				row[j] = float32(math.Sin(angle))
			} else {
				row[j] = float32(math.Cos(angle))
			}
		}
	}
	return table
}
