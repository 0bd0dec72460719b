package windows

import "github.com/stubformer/stubformer/reference/tensor"

// Phi computes y = φ(x) for every number: elu(x) + 1, which is positive,
//
//	φ(x) = x + 1    for x ≥ 0
//	φ(x) = e^x      for x < 0
//
// y may be x. It panics with a ShapeError if the lengths differ.
//
// Source: Katharopoulos et al., 2020, equation 7.
func Phi(y, x []float32) {
	panic(tensor.TODO("step21: Phi"))
}

// PhiBackward computes dx = dy·φ'(x) for every number, φ'(x) = 1 for x ≥ 0 and e^x below.
// dx may be dy. It panics with a ShapeError if the lengths differ.
func PhiBackward(dx, x, dy []float32) {
	panic(tensor.TODO("step21: PhiBackward"))
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
	panic(tensor.TODO("step21: Quadratic"))
}

// State is what linear attention knows of a text, however long it was: the whole memory
// of one head that reads token by token.
type State struct {
	S *tensor.Tensor // (K, C), Σ φ(k) vᵀ
	Z *tensor.Tensor // (K), Σ φ(k)

	// Yours: room for φ of one query and one key.
}

// NewState returns the state before the first token: zeros.
func NewState(width, c int) *State {
	panic(tensor.TODO("step21: NewState"))
}

// Read reads one token, and writes what its query finds to y:
//
//	S += φ(k) vᵀ,  z += φ(k)          first: a token sees itself
//	y  = φ(q)ᵀS / (φ(q)·z + ε)
//
// q and k are of length K, v and y of length C. It panics with a ShapeError if one is not,
// and is as before then.
func (s *State) Read(y, q, k, v []float32) {
	panic(tensor.TODO("step21: State.Read"))
}

// checkLength panics with a ShapeError unless n is what was wanted.
func checkLength(op string, n, want int) {
	if n != want {
		panic(tensor.ShapeError{Op: op, Got: []int{n}, Want: []int{want}})
	}
}
