package windows

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Phi computes y = φ(x) for every number: elu(x) + 1, which is positive,
//
//	φ(x) = x + 1    for x ≥ 0
//	φ(x) = e^x      for x < 0
//
// y may be x. It panics with a ShapeError if the lengths differ.
//
// Source: Katharopoulos et al., 2020, equation 7.
func Phi(y, x []float32) {
	checkLength("Phi: x", len(x), len(y))
	for i, x := range x {
		if x >= 0 {
			y[i] = x + 1
		} else {
			y[i] = exp(x)
		}
	}
}

// PhiBackward computes dx = dy·φ'(x) for every number, φ'(x) = 1 for x ≥ 0 and e^x below.
// dx may be dy. It panics with a ShapeError if the lengths differ.
func PhiBackward(dx, x, dy []float32) {
	checkLength("PhiBackward: x", len(x), len(dx))
	checkLength("PhiBackward: dy", len(dy), len(dx))
	for i, x := range x {
		dx[i] = dy[i]
		if x < 0 {
			dx[i] *= exp(x)
		}
	}
}

// Quadratic computes what Linear computes, as ordinary attention does, by way of all
// pairs:
//
//	A = φ(q)φ(k)ᵀ             (N, N)  0 where the key comes after the query
//	y = A v / (Σⱼ A + ε)      (N, C)
//
// q and k are (N, K), v is (N, C), and y a new tensor. It panics with a ShapeError if they
// do not fit together.
func Quadratic(q, k, v *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Quadratic: q", q, tensor.Any, tensor.Any)
	n := q.Dim(0)
	tensor.CheckShape("Quadratic: k", k, n, q.Dim(1))
	tensor.CheckShape("Quadratic: v", v, n, tensor.Any)
	a, b := tensor.New(q.Shape...), tensor.New(k.Shape...)
	Phi(a.Data, q.Data)
	Phi(b.Data, k.Data)
	weights, y := tensor.New(n, n), tensor.New(n, v.Dim(1))
	tensor.Mul(weights.Matrix(), a.Matrix(), b.Matrix().T()) // (N, K)·(K, N)
	upperZero(weights.Matrix())
	tensor.Mul(y.Matrix(), weights.Matrix(), v.Matrix()) // (N, N)·(N, C)
	for t := range n {
		kernel.Scale(1/(kernel.Sum(weights.Row(t))+epsilon), y.Row(t))
	}
	return y
}

// State is what linear attention knows of a text, however long it was: the whole memory
// of one head that reads token by token.
type State struct {
	S *tensor.Tensor // (K, C), Σ φ(k) vᵀ
	Z *tensor.Tensor // (K), Σ φ(k)

	a, b []float32 // φ of one query and one key
}

// NewState returns the state before the first token: zeros.
func NewState(width, c int) *State {
	return &State{S: tensor.New(width, c), Z: tensor.New(width), a: make([]float32, width), b: make([]float32, width)}
}

// Read reads one token, and writes what its query finds to y:
//
//	S += φ(k) vᵀ,  z += φ(k)          first: a token sees itself
//	y  = φ(q)ᵀS / (φ(q)·z + ε)
//
// q and k are of length K, v and y of length C. It panics with a ShapeError if one is not,
// and is as before then.
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
	kernel.Scale(1/(kernel.Dot(s.a, s.Z.Data)+epsilon), y)
}

// exp is e^x.
func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// checkLength panics with a ShapeError unless n is what was wanted.
func checkLength(op string, n, want int) {
	if n != want {
		panic(tensor.ShapeError{Op: op, Got: []int{n}, Want: []int{want}})
	}
}
