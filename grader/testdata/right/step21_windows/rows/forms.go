package windows

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

func Phi(y, x []float32) {
	if len(y) != len(x) {
		panic(tensor.ShapeError{Op: "Phi: y", Got: []int{len(y)}, Want: []int{len(x)}})
	}
	for i, v := range x {
		y[i] = float32(math.Exp(math.Min(float64(v), 0)))
		if v > 0 {
			y[i] += v
		}
	}
}

func PhiBackward(dx, x, dy []float32) {
	if len(dx) != len(x) || len(dy) != len(x) {
		panic(tensor.ShapeError{Op: "PhiBackward: dx and dy for x", Got: []int{len(dx), len(dy)}, Want: []int{len(x), len(x)}})
	}
	for i, v := range x {
		dx[i] = dy[i] * float32(math.Exp(math.Min(float64(v), 0)))
	}
}

// Quadratic has the weights of one query at a time.
func Quadratic(q, k, v *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Quadratic: q", q, tensor.Any, tensor.Any)
	tensor.CheckShape("Quadratic: k", k, q.Shape...)
	tensor.CheckShape("Quadratic: v", v, q.Dim(0), tensor.Any)
	y, a, b := tensor.New(v.Shape...), q.Clone(), k.Clone()
	Phi(a.Data, a.Data)
	Phi(b.Data, b.Data)
	for t := range q.Dim(0) {
		sum := float32(0)
		for j := range t + 1 {
			w := kernel.Dot(a.Row(t), b.Row(j))
			sum += w
			kernel.Axpy(w, v.Row(j), y.Row(t))
		}
		kernel.Scale(1/(sum+epsilon), y.Row(t))
	}
	return y
}

type State struct {
	S *tensor.Tensor
	Z *tensor.Tensor
}

func NewState(width, c int) *State { return &State{tensor.New(width, c), tensor.New(width)} }

func (s *State) Read(y, q, k, v []float32) {
	width, c := s.Z.Len(), s.S.Dim(1)
	if len(q) != width || len(k) != width {
		panic(tensor.ShapeError{Op: "State.Read: q and k", Got: []int{len(q), len(k)}, Want: []int{width, width}})
	}
	if len(v) != c || len(y) != c {
		panic(tensor.ShapeError{Op: "State.Read: v and y", Got: []int{len(v), len(y)}, Want: []int{c, c}})
	}
	a, b := make([]float32, width), make([]float32, width)
	Phi(a, q)
	Phi(b, k)
	den := float64(0)
	out := make([]float64, c)
	for i := range width {
		s.Z.Data[i] += b[i]
		den += float64(a[i]) * float64(s.Z.Data[i])
		for j := range c {
			s.S.Data[i*c+j] += b[i] * v[j]
			out[j] += float64(a[i]) * float64(s.S.Data[i*c+j])
		}
	}
	for j := range c {
		y[j] = float32(out[j] / (den + epsilon))
	}
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

func checkLength(op string, n, want int) {
	if n != want {
		panic(tensor.ShapeError{Op: op, Got: []int{n}, Want: []int{want}})
	}
}
