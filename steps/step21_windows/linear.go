package windows

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// epsilon is ε, which keeps the denominator from 0.
const epsilon = 1e-6

// Linear is causal linear attention in chunks. It has no parameters. The zero value is
// ready for use, and can stand in for the Attention of step 08.
//
// Source: Katharopoulos et al., "Transformers are RNNs", 2020, sections 3.2 and 3.3; in
// chunks as in Sun et al., "Retentive Network", 2023, section 2.1.
type Linear struct {
	// Chunk is J, the tokens of a chunk, of which the last may have fewer; 0 stands for a
	// number of your choice, such as 64. It is read by Forward.
	Chunk int

	// Yours: what Backward needs, and the tensors that are used again in every call.
}

// Forward computes, for the tokens up to each one's own,
//
//	S = Σⱼ φ(kⱼ) vⱼᵀ             (K, C)
//	z = Σⱼ φ(kⱼ)                 (K)
//	y = φ(q)ᵀS / (φ(q)·z + ε)    (C)     ε = 10⁻⁶
//
// chunk by chunk: what came before a chunk lies in its S and z, and inside it every query
// meets the J keys as in ordinary attention. q and k are (…, N, K), v and y (…, N, C).
//
// Forward keeps q, k and v for Backward: the caller leaves them unchanged until then. y
// is valid until the next Forward. It panics with a ShapeError if the shapes do not fit
// together, if Chunk is negative, or if mask has an Attend or is made for another N: only
// the causal order can be kept this way, and is kept without a mask, too.
func (l *Linear) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	panic(tensor.TODO("step21: Linear.Forward"))
}

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It returns dq
// and dk (…, N, K) and dv (…, N, C), and belongs to the last Forward. The three are valid
// until the next Backward. It panics with a ShapeError if dy does not have the shape of y
// or no Forward came before.
func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	panic(tensor.TODO("step21: Linear.Backward"))
}

// Weights returns A/(Σ A + ε) (…, N, N) of the last Forward, what every query takes of
// every value, for those who want to see it. It is made when it is asked for, and valid
// until the next Forward.
func (l *Linear) Weights() *tensor.Tensor {
	panic(tensor.TODO("step21: Linear.Weights"))
}

// ReadsWhole says that a model with this attention is asked for whole texts: the cache of
// step 12 hands over masks, and its keys would be read again for every token.
func (l *Linear) ReadsWhole() bool { return true }
