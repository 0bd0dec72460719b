package flash

import "github.com/stubformer/stubformer/reference/tensor"

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It
// returns dq (…, N, K), dk (…, M, K) and dv (…, M, C), and belongs to the last
// Forward. The weights are computed again, tile by tile, from q, k and L:
//
//	D   = Σ dy ⊙ y             (N)     by the row
//	P   = e^(S−L)              (R, J)  in every tile, 0 where the mask hides a pair
//	dv += Pᵀ dy                (J, C)
//	dS  = P ⊙ (dy vᵀ − D)/√K   (R, J)
//	dq += dS k                 (R, K)
//	dk += dSᵀ q                (J, K)
//
// The three are valid until the next Backward. It panics with a ShapeError if dy does
// not have the shape of y or no Forward came before.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	panic(tensor.TODO("step16: Attention.Backward"))
}
