// Package classic holds the parts that a Transformer had in 2017, and that GPT-2 had:
// LayerNorm, a feed-forward network with GELU or ReLU and biases, positions that are
// added, dropout, and the norm behind the sum.
// This is step 19; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, D d_model, F d_ff; "…" stands for any leading dimensions,
// usually (B, T). N are the rows of all leading dimensions together.
//
// Several goroutines may call the functions at the same time, and each layers of its own:
// keep nothing in variables of the package.
package classic

import "github.com/stubformer/stubformer/reference/tensor"

// Eps stands inside the root, added to the variance: a row of equal numbers is divided
// by √Eps and not by 0.
const Eps = 1e-5

// LayerNorm computes y = (x − μ)/√(σ² + Eps) ⊙ g + b for every row, with the row's own
// mean μ and variance σ².
type LayerNorm struct {
	Gain *tensor.Param // (D)
	Bias *tensor.Param // (D), or nil: none is added

	// Yours: the x that Forward was given, μ and r of every row (below), because Backward
	// needs them, and the tensors that are returned, so that they can be used again.
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
// x and y are (…, D). Sum in float64, and the distances from μ, not the squares of x: of a
// row whose mean is a thousand times its spread, mean(x²) − μ² in float32 is noise. μ and r
// stay float64 until (x − μ)·r is rounded: float32(μ) would lose four digits of such a row.
// Forward keeps x itself, not a copy, for Backward: the caller leaves it unchanged until then.
// Take the memory of y from tensor.Reuse; y is valid until the next Forward. x is not
// changed. It panics with a ShapeError if the last dimension of x is not D.
//
// Source: Ba, Kiros and Hinton, "Layer Normalization", 2016, section 3.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: LayerNorm.Forward"))
}

// Backward takes dy (…, D), the gradient of the loss with respect to the y of the last
// Forward, and computes the gradients of what made it. With the normalised row
// h_ni = (x_ni − μ_n)·r_n and its gradient dh_ni = dy_ni·g_i:
//
//	dx_nj = r_n·(dh_nj − (1/D)·Σ_i dh_ni − h_nj·(1/D)·Σ_i dh_ni·h_ni)    returned, (…, D)
//	dg_i += Σ_n dy_ni·h_ni                               added to Gain.Grad, (D)
//	db_i += Σ_n dy_ni                                    added to Bias.Grad, (D), if there is a bias
//
// What the gradients held before stays in the sums. dx is valid until the next Backward.
// dy and x are not changed. It panics with a ShapeError if no Forward came before or dy
// does not have the shape of y.
func (l *LayerNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step19: LayerNorm.Backward"))
}

// Params returns the gain and, if there is one, the bias.
func (l *LayerNorm) Params() []*tensor.Param {
	if l.Bias == nil {
		return []*tensor.Param{l.Gain}
	}
	return []*tensor.Param{l.Gain, l.Bias}
}
