// Package rmsnorm scales every row of activations to a root mean square of 1.
//
// Shapes: x and y (…, D), gain (D), where … are any leading dimensions. All of
// them together make the rows of a matrix: N rows of length D below.
package rmsnorm

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Eps stands inside the root, added to the mean of the squares: a row of zeros
// is divided by √Eps and not by 0.
const Eps = 1e-5

// RMSNorm computes y = x/√(mean(x²) + Eps) ⊙ g for every row.
//
// The squares of a row are summed in float64: that of a large x overflows float32.
type RMSNorm struct {
	Gain *tensor.Param // (D)

	x     *tensor.Tensor // (…, D), what Forward was given
	r     []float32      // (N), 1/√(mean(x²) + Eps) of every row
	y, dx *tensor.Tensor // (…, D), reused
	h, dh *tensor.Tensor // (D), one normalised row and its gradient, reused
}

// New returns the layer with the given gain (D). It keeps the Param and
// looks into it in every call: training changes the numbers of its tensors, and
// its owner may put others in their place.
// It panics with a ShapeError if the gain is not a vector.
func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	return &RMSNorm{Gain: gain}
}

// Forward normalises every row of x:
//
//	r_n  = 1/√( (1/D)·Σ_j x_nj² + Eps )
//	y_ni = x_ni · r_n · g_i
//
// x and y are (…, D). Forward keeps x for Backward: the caller leaves it
// unchanged until then. y is valid until the next Forward. It panics with a
// ShapeError if the last dimension of x is not D.
//
// Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019,
// eq. 4; Eps as in Llama (Touvron et al., 2023).
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	l.x = x
	l.y = tensor.Reuse(l.y, x.Shape...)
	l.r = slices.Grow(l.r[:0], x.Rows())[:x.Rows()] // N numbers, in the old memory if it is large enough
	for n := range l.r {
		xn, yn := x.Row(n), l.y.Row(n)
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
		kernel.ScaleTo(yn, r, xn) // h = x·r
		kernel.Mul(yn, yn, g)     // y = h ⊙ g
		l.r[n] = r
	}
	return l.y
}

// Backward takes dy (…, D), the gradient of the loss with respect to y. It
// returns dx (…, D), adds the gain's gradient to Gain.Grad, and belongs to the
// last Forward. dx is valid until the next Backward. It panics with a
// ShapeError if dy does not have the shape of y or no Forward came before.
func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	// For one row write h = x·r for the normalised row, so y = h ⊙ g.
	// (1) g_i meets h_i in every row:         dg_i = Σ_n dy_ni·h_ni
	// (2) What reaches h:                     dh_i = dy_i·g_i
	// (3) h_i = x_i·r depends on x directly, which contributes r·dh_j to dx_j,
	// (4) and through r, in which every x_j is: ∂r/∂x_j = −r³·x_j/D
	// (5) Every h_i feels that of r, so the second way contributes Σ_i dh_i·x_i·(−r³·x_j/D)
	//     to dx_j, or with x = h/r:           −r·h_j·(1/D)·Σ_i dh_i·h_i = −r·h_j·mean(dh ⊙ h)
	// (6) Both ways together:                 dx_j = r·(dh_j − h_j·mean(dh ⊙ h))
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	l.h, l.dh = tensor.Reuse(l.h, len(g)), tensor.Reuse(l.dh, len(g))
	dg, h := l.Gain.Grad.Data, l.h.Data
	dh := l.dh.Data
	for n, r := range l.r {
		xn, dyn, dxn := l.x.Row(n), dy.Row(n), l.dx.Row(n)
		kernel.ScaleTo(h, r, xn)                    // h = x·r
		kernel.MulAdd(dg, dyn, h)                   // (1) dg += dy ⊙ h
		kernel.Mul(dh, dyn, g)                      // (2) dh = dy ⊙ g
		mean := kernel.Dot(dh, h) / float32(len(g)) // of dh ⊙ h
		kernel.ScaleTo(dxn, r, dh)                  // (3) dx = r·dh
		kernel.Axpy(-r*mean, h, dxn)                // (5) dx −= r·h·mean(dh ⊙ h), which is (6)
	}
	return l.dx
}

// Params returns the layer's one parameter, the gain.
func (l *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{l.Gain} }
