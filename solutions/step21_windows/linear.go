package windows

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
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
	// A column of ones beside v makes z a column of S, and the denominator one of sums:
	// (9)  a = φ(q), b = φ(k), v₁ = [v, 1], S₁ = [S, z]
	// (10) A = a bᵀ, and 0 where the key comes after the query
	// (11) [num, den] = a S₁ + A v₁     S₁ is what came before the chunk
	// (12) y = num/(den + ε)
	// (13) S₁ += bᵀ v₁                  for the next chunk
	tensor.CheckShape("Linear.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Linear.Forward: k", k, lead, n, width)
	tensor.CheckLead("Linear.Forward: v", v, lead, n, tensor.Any)
	checkMask(mask, q.Matrices(), n, n)
	if l.Chunk < 0 || mask != nil && len(mask.Attend) > 0 {
		op := fmt.Sprintf("Linear.Forward: chunks of %d tokens, and no mask but the causal one: q", l.Chunk)
		panic(tensor.ShapeError{Op: op, Got: q.Shape})
	}
	c, chunk := v.Dim(-1), chunkOf(l.Chunk, n)
	l.q, l.k = q, k
	l.a, l.b = tensor.Reuse(l.a, q.Shape...), tensor.Reuse(l.b, k.Shape...)
	Phi(l.a.Data, q.Data) // (9)
	Phi(l.b.Data, k.Data)
	l.v1 = withOnes(tensor.ReuseLead(l.v1, lead, n, c+1), v)
	l.states = tensor.Reuse(l.states, q.Matrices(), (n+chunk-1)/chunk, width, c+1)
	l.states.Zero()
	l.sums, l.w = tensor.ReuseLead(l.sums, lead, n, c+1), tensor.Reuse(l.w, chunk, chunk)
	l.each(func(at int, o piece) {
		s1, num := l.states.MatrixAt(at), o.of(l.sums)
		w := l.chunkWeights(o)            // A, by (10)
		tensor.Mul(num, o.of(l.a), s1)    // (11) (J, K)·(K, C+1) = (J, C+1)
		tensor.MulAdd(num, w, o.of(l.v1)) // (11) (J, J)·(J, C+1)
		if !o.last {
			next := l.states.MatrixAt(at + 1)
			tensor.Copy(next, s1)
			tensor.MulAdd(next, o.of(l.b).T(), o.of(l.v1)) // (13) (K, J)·(J, C+1)
		}
	})
	l.y = tensor.ReuseLead(l.y, lead, n, c)
	for t := range l.y.Rows() {
		sums := l.sums.Row(t)
		kernel.ScaleTo(l.y.Row(t), 1/(sums[c]+epsilon), sums[:c]) // (12)
	}
	return l.y
}

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It returns dq
// and dk (…, N, K) and dv (…, N, C), and belongs to the last Forward. The three are valid
// until the next Backward. It panics with a ShapeError if dy does not have the shape of y
// or no Forward came before.
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

// Weights returns A/(Σ A + ε) (…, N, N) of the last Forward, what every query takes of
// every value, for those who want to see it. It is made when it is asked for, and valid
// until the next Forward.
func (l *Linear) Weights() *tensor.Tensor {
	n := l.q.Dim(-2)
	l.weights = tensor.ReuseLead(l.weights, l.q.Lead(2), n, n)
	for i := range l.q.Matrices() {
		all := l.weights.MatrixAt(i)
		tensor.Mul(all, l.a.MatrixAt(i), l.b.MatrixAt(i).T())
		upperZero(all)
		for t := range n {
			row := l.weights.Row(i*n + t)
			kernel.Scale(1/(kernel.Sum(row)+epsilon), row)
		}
	}
	return l.weights
}

// ReadsWhole says that a model with this attention is asked for whole texts: the cache of
// step 12 hands over masks, and its keys would be read again for every token.
func (l *Linear) ReadsWhole() bool { return true }
