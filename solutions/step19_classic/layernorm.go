// Package classic holds the parts that a Transformer had in 2017, and that GPT-2 had:
// LayerNorm, a feed-forward network with GELU or ReLU and biases, positions that are
// added, dropout, and the norm behind the sum.
//
// Letters: B batch, T time, D d_model, F d_ff; "…" stands for any leading dimensions,
// usually (B, T). N are the rows of all leading dimensions together. The numbers at the
// lines are those of the lesson's derivations.
package classic

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Eps stands inside the root, added to the variance: a row of equal numbers is divided
// by √Eps and not by 0.
const Eps = 1e-5

// LayerNorm computes y = (x − μ)/√(σ² + Eps) ⊙ g + b for every row, with the row's own
// mean μ and variance σ².
//
// Both are sums in float64: of a row whose mean is large beside its spread, float32 keeps
// the mean alone.
type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	x     *tensor.Tensor // (…, D), what Forward was given
	mean  []float64      // (N), μ of every row
	r     []float64      // (N), 1/√(σ² + Eps) of every row
	y, dx *tensor.Tensor // (…, D), reused
	h, dh *tensor.Tensor // (D), one normalised row and its gradient, reused
}

// NewLayerNorm returns the layer with the given gain and bias, both (D); a nil bias is
// none. It keeps the Params and looks into them in every call: training changes the
// numbers of their tensors, and their owner may put others in their place. It panics with
// a ShapeError if the gain is not a vector, or the bias has another length.
func NewLayerNorm(gain, bias *tensor.Param) *LayerNorm {
	tensor.CheckShape("classic.NewLayerNorm: gain", gain.Value, tensor.Any)
	if bias != nil {
		tensor.CheckShape("classic.NewLayerNorm: bias", bias.Value, gain.Value.Dim(0))
	}
	return &LayerNorm{Gain: gain, Bias: bias}
}

// Forward normalises every row of x:
//
//	μ_n  = (1/D)·Σ_j x_nj
//	σ²_n = (1/D)·Σ_j (x_nj − μ_n)²
//	r_n  = 1/√(σ²_n + Eps)
//	y_ni = (x_ni − μ_n)·r_n·g_i + b_i
//
// x and y are (…, D). Forward keeps x for Backward: the caller leaves it unchanged until
// then. y is valid until the next Forward. It panics with a ShapeError if the last
// dimension of x is not D.
//
// Source: Ba, Kiros and Hinton, "Layer Normalization", 2016, section 3.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("LayerNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.mean = slices.Grow(l.mean[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()]
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		mean, variance := moments(xn)
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
		normalise(yn, xn, mean, l.r[n]) // h = (x − μ)·r
		kernel.Mul(yn, yn, g)           // y = h ⊙ g
		if l.Bias != nil {
			kernel.Add(yn, yn, l.Bias.Value.Data) // y = h ⊙ g + b
		}
	}
	return l.y
}

// moments returns the mean of x, and the mean of the squared distances from it.
func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		d := float64(v) - mean
		variance += d * d
	}
	return mean, variance / float64(len(x))
}

// normalise sets h to (x − mean)·r.
func normalise(h, x []float32, mean, r float64) {
	for i, v := range x {
		h[i] = float32((float64(v) - mean) * r)
	}
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It returns dx
// (…, D), adds to the gradients of the gain and of the bias, and belongs to the last
// Forward. dx is valid until the next Backward. It panics with a ShapeError if dy does
// not have the shape of y or no Forward came before.
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
		level := kernel.Sum(dh) / d      // mean(dh)
		kernel.AddConst(dxn, -level, dh) // (3) and (4)
		kernel.Axpy(-along, h, dxn)      // (5)
		kernel.Scale(float32(r), dxn)    // (6)
	}
	return l.dx
}

// Params returns the gain and, if there is one, the bias.
func (l *LayerNorm) Params() []*tensor.Param {
	if l.Bias == nil {
		return []*tensor.Param{l.Gain}
	}
	return []*tensor.Param{l.Gain, l.Bias}
}
