//go:build unlisted

package attention

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// scale-of-the-values: the scale is 1/√C, the width of a value, in both directions
//
// Why: the scores are to be divided by √K, the width of a query; with C ≠ K the
// weights, y and all gradients differ.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(v.Dim(-1)), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data) // (4)
	} else {
		kernel.Scale(scale(a.v.Dim(-1)), a.dScores.Data) // (4)
	}
}

// dk-without-the-scale: only dq is divided by √K, after its product
//
// Why: dk = dSᵀ q / √K; a finite difference along k gives a gradient √K times smaller.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data) // (4)

		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
		for i := range dy.Matrices() {
			dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
			ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
			tensor.Mul(dq, ds, k)     // (5) (N, M)·(M, K) = (N, K)
			tensor.Mul(dk, ds.T(), q) // (6) (M, N)·(N, K) = (M, K)
		}
	} else {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
		for i := range dy.Matrices() {
			dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
			ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
			tensor.Mul(dq, ds, k)     // (5) (N, M)·(M, K) = (N, K)
			tensor.Mul(dk, ds.T(), q) // (6) (M, N)·(N, K) = (M, K)
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data) // (4)
	}
}

// queries-scaled-in-place: divides the caller's q by √K instead of the scores
//
// Why: Forward changes none of its inputs, but q is smaller afterwards; a second
// Forward with the same q scales it again and gives other weights. All the rest
// is consistent.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T()) // (N, K)·(K, M) = (N, M)
		}
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(width), q.Data) // N·K numbers are fewer than N·M
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T()) // (N, K)·(K, M) = (N, M)
		}
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data) // (4)

		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
		for i := range dy.Matrices() {
			dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
			ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
			tensor.Mul(dq, ds, k)     // (5) (N, M)·(M, K) = (N, K)
			tensor.Mul(dk, ds.T(), q) // (6) (M, N)·(N, K) = (M, K)
		}
	} else {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
		for i := range dy.Matrices() {
			dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
			ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
			tensor.Mul(dq, ds, k)     // (5)
			tensor.Mul(dk, ds.T(), q) // (6) q is scaled already
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data) // (4)
	}
}

// dy-scaled-in-place: after dv, divides the caller's dy by √K, and with it dP and dS
//
// Why: the gradients are right, but dy is not to be changed: the caller's tensor
// holds smaller numbers afterwards, and a second Backward with it is wrong.
func (*Attention) Backward() {
	if right {
		for i := range dy.Matrices() {
			dv, dp := a.dv.MatrixAt(i), a.dScores.MatrixAt(i)
			p, v, dy := a.weights.MatrixAt(i), a.v.MatrixAt(i), dy.MatrixAt(i)
			tensor.Mul(dv, p.T(), dy) // (1) (M, N)·(N, C) = (M, C)
			tensor.Mul(dp, dy, v.T()) // (2) (N, C)·(C, M) = (N, M)
		}
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1) // (3)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)                  // (4)
	} else {
		for i := range dy.Matrices() {
			tensor.Mul(a.dv.MatrixAt(i), a.weights.MatrixAt(i).T(), dy.MatrixAt(i)) // (1)
		}
		kernel.Scale(scale(a.q.Dim(-1)), dy.Data) // (4) everything after this is linear in dy
		for i := range dy.Matrices() {
			tensor.Mul(a.dScores.MatrixAt(i), dy.MatrixAt(i), a.v.MatrixAt(i).T()) // (2)
		}
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1) // (3)
	}
}

// backward-spends-the-weights: the gradient of the scores is written over the weights
//
// Why: Weights is valid until the next Forward, but after Backward it holds dS;
// a second Backward for the same Forward gives other gradients.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1) // (3)
	} else {
		a.dScores = softmax.Backward(a.weights, a.weights, a.dScores, -1) // (3) the weights are not needed any more
	}
}

// dq-added-to-the-last: dq is added to what its buffer holds from the call before
//
// Why: the first Backward is right; with the second, dq is the sum of both. dq
// belongs to the last Forward alone.
func (*Attention) Backward() {
	if right {
		tensor.Mul(dq, ds, k) // (5) (N, M)·(M, K) = (N, K)
	} else {
		tensor.MulAdd(dq, ds, k) // (5) (N, M)·(M, K) = (N, K)
	}
}

// dk-in-the-memory-of-dq: one buffer name too often, so dk is made in dq's memory
//
// Why: where the memory is large enough dq and dk
// are the same tensor, and dq holds dk.
func (*Attention) Backward() {
	if right {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	} else {
		a.dq = tensor.Reuse(a.dq, a.q.Shape...)
		a.dk = tensor.Reuse(a.dq, a.k.Shape...)
	}
}

// no-forward-gives-nothing: Backward before any Forward returns three nils
//
// Why: the stub promises a panic with a ShapeError if no Forward came before.
func (*Attention) Backward() {
	if right {
		tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	} else {
		if a.q == nil {
			return nil, nil, nil
		}
	}
}

// y-keeps-its-old-shape: y is made anew only if the number of elements differs
//
// Why: after (2, 3, N, C) an input of (3, 2, N, C), or of as many numbers in
// another arrangement, gets a y of the old shape, and Backward refuses the right dy.
func (*Attention) Forward() {
	if right {
		a.y = tensor.ReuseLead(a.y, lead, n, c)
	} else {
		if a.y == nil || a.y.Len() != q.Matrices()*n*c {
			a.y = tensor.ReuseLead(nil, lead, n, c)
		}
	}
}

// lead-of-keys-not-compared: k may have any leading dimensions
//
// Why: k (3, 2, M, K) for q (2, 3, N, K), and a k with more matrices than q, must
// panic with a ShapeError. They are computed with, the wrong ones side by side.
func (*Attention) Forward() {
	if right {
		tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
		m := k.Dim(-2)
		tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	} else {
		tensor.CheckShape("Attention.Forward: k", k, tensor.Lead, tensor.Any, width)
		m := k.Dim(-2)
		tensor.CheckLead("Attention.Forward: v", v, k.Lead(2), m, tensor.Any)
	}
}

// mask-after-and-renormalised: forbidden weights are zeroed after the softmax and the rest divided by its sum
//
// Why: a query that may attend nowhere gets 0/0 = NaN where the contract has 0;
// and where a forbidden score is far above the others, theirs underflow to 0 first.
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
		if mask != nil && len(mask.Attend) > 0 {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
			for r := range a.weights.Rows() {
				row := a.weights.Row(r)
				kernel.Scale(1/kernel.Sum(row), row)
			}
		}
	}
}

// inputs-copied-only-once: keeps copies of q, k and v, made anew only when q's shape changes
//
// Why: the second Forward with the same shapes leaves the old copies, and Backward
// multiplies with q, k and v of the first call.
func (*Attention) Forward() {
	if right {
		a.q, a.k, a.v = q, k, v
	} else {
		if a.q == nil || !a.q.SameShape(q) || !a.k.SameShape(k) || !a.v.SameShape(v) {
			a.q, a.k, a.v = q.Clone(), k.Clone(), v.Clone()
		}
	}
}

// mask-for-the-first-matrix-only: a mask of N·M entries is laid over the first leading index only
//
// Why: all heads and sequences but the first attend to everything.
func (mask *Mask) hide(scores []float32) {
	if mask == nil {
		return
	}
	for i, attend := range mask.Attend {
		if !attend {
			scores[i] = float32(math.Inf(-1))
		}
	}
}

// mask-checked-by-its-size: only the product N·M of a mask is compared
//
// Why: a mask made for (M, N) must panic with a ShapeError; it is laid over the
// scores with its rows in the wrong places.
func (*Mask) check() {
	if right {
		if mask.N != n || mask.M != m {
			panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
		}
	} else {
		if mask.N*mask.M != n*m {
			panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
		}
	}
}

// mask-of-one-matrix-only: a mask with entries for each leading index is refused
//
// Why: Attend may have N·M entries for each leading index; such a mask panics.
func (*Mask) check() {
	if right {
		if length := len(mask.Attend); length != n*m && length != leading*n*m {
			panic(tensor.ShapeError{Op: "Attention.Forward: length of mask.Attend", Got: []int{length}, Want: []int{leading * n * m}})
		}
	} else {
		if length := len(mask.Attend); length != n*m {
			panic(tensor.ShapeError{Op: "Attention.Forward: length of mask.Attend", Got: []int{length}, Want: []int{n * m}})
		}
	}
}

// causal-without-itself: a token may attend to those before it and not to itself
//
// Why: Attend[i·n + j] = (j ≤ i); here the diagonal is false and token 0 sees nothing.
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j < i
	}
}

// causal-from-a-package-table: Causal keeps the masks that it made and hands out the same one again
//
// Why: a caller who forbids one more pair in his mask changes the mask of everybody
// else with the same n; and the package keeps a map that several goroutines write.
func Causal(n int) *Mask {
	if mask := causalMasks[n]; mask != nil {
		return mask
	}
	mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	for i := range n {
		for j := range i + 1 {
			mask.Attend[i*n+j] = true
		}
	}
	causalMasks[n] = mask
	return mask
}

var causalMasks = map[int]*Mask{}
