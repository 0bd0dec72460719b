package windows

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

const epsilon = 1e-6

// Linear goes through the text token by token: once in Forward, twice in Backward, the second
// time from its end. Nothing is kept of the states; they are summed up again.
type Linear struct {
	Chunk int // has no meaning here

	q, k, v, y *tensor.Tensor
	a, b       *tensor.Tensor // φ of q and k
	dens       []float32
	dq, dk, dv *tensor.Tensor
	weights    *tensor.Tensor
	s, z       []float32 // (K, C) and (K)
}

func (l *Linear) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Linear.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Forward: k", k, q.Shape...)
	tensor.CheckLead("Linear.Forward: v", v, q.Lead(1), tensor.Any)
	n := q.Dim(-2)
	checkMask(mask, q.Matrices(), n, n)
	if l.Chunk < 0 {
		panic(tensor.ShapeError{Op: "Linear.Forward: a negative Chunk", Got: q.Shape})
	}
	if mask != nil && mask.Attend != nil {
		panic(tensor.ShapeError{Op: "Linear.Forward: length of mask.Attend", Got: []int{len(mask.Attend)}, Want: []int{0}})
	}
	l.q, l.k = q, k
	if l.v == nil || !l.v.SameShape(v) {
		l.v = v.Clone()
	}
	copy(l.v.Data, v.Data)
	l.a, l.b = tensor.Reuse(l.a, q.Shape...), tensor.Reuse(l.b, k.Shape...)
	Phi(l.a.Data, q.Data)
	Phi(l.b.Data, k.Data)
	l.y = tensor.Reuse(l.y, v.Shape...)
	if len(l.dens) != v.Rows() {
		l.dens = make([]float32, v.Rows())
	}
	for t := range v.Rows() {
		l.begin(t%n == 0)
		l.take(t)
		y := l.y.Row(t)
		clear(y)
		l.read(y, l.a.Row(t))
		l.dens[t] = kernel.Dot(l.a.Row(t), l.z) + epsilon
		for i := range y {
			y[i] /= l.dens[t]
		}
	}
	return l.y
}

// begin clears the sums where a text begins.
func (l *Linear) begin(begins bool) {
	width, c := l.q.Dim(-1), l.v.Dim(-1)
	if len(l.s) != width*c || len(l.z) != width {
		l.s, l.z = make([]float32, width*c), make([]float32, width)
	}
	if begins {
		clear(l.s)
		clear(l.z)
	}
}

// take adds key and value of a token.
func (l *Linear) take(t int) {
	c := l.v.Dim(-1)
	for x, f := range l.b.Row(t) {
		kernel.Axpy(f, l.v.Row(t), l.s[x*c:][:c])
		l.z[x] += f
	}
}

// read adds aᵀS to y.
func (l *Linear) read(y, a []float32) {
	c := len(y)
	for x, f := range a {
		kernel.Axpy(f, l.s[x*c:][:c], y)
	}
}

func (l *Linear) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Linear.Backward: q of Forward", l.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	n, c := l.q.Dim(-2), l.v.Dim(-1)
	l.dq, l.dk, l.dv = tensor.Reuse(l.dq, l.q.Shape...), tensor.Reuse(l.dk, l.k.Shape...), tensor.Reuse(l.dv, l.v.Shape...)
	for t := range dy.Rows() {
		l.begin(t%n == 0)
		l.take(t)
		along := kernel.Dot(dy.Row(t), l.y.Row(t))
		for x := range l.dq.Row(t) {
			l.dq.Row(t)[x] = (kernel.Dot(dy.Row(t), l.s[x*c:][:c]) - along*l.z[x]) / l.dens[t]
		}
	}
	for t := dy.Rows() - 1; t >= 0; t-- {
		l.begin(t%n == n-1) // s and z hold the gradients of the sums from here on
		along := kernel.Dot(dy.Row(t), l.y.Row(t))
		for x, f := range l.a.Row(t) {
			kernel.Axpy(f/l.dens[t], dy.Row(t), l.s[x*c:][:c])
			l.z[x] -= f * along / l.dens[t]
		}
		clear(l.dv.Row(t))
		for x, f := range l.b.Row(t) {
			kernel.Axpy(f, l.s[x*c:][:c], l.dv.Row(t))
			l.dk.Row(t)[x] = kernel.Dot(l.v.Row(t), l.s[x*c:][:c]) + l.z[x]
		}
	}
	PhiBackward(l.dq.Data, l.q.Data, l.dq.Data)
	PhiBackward(l.dk.Data, l.k.Data, l.dk.Data)
	return l.dq, l.dk, l.dv
}

func (l *Linear) Weights() *tensor.Tensor {
	n := l.q.Dim(-2)
	l.weights = tensor.ReuseLead(l.weights, l.q.Lead(1), n)
	for t := range l.weights.Rows() {
		row := l.weights.Row(t)
		clear(row)
		for j := range t%n + 1 {
			row[j] = kernel.Dot(l.a.Row(t), l.b.Row(t/n*n+j)) / l.dens[t]
		}
	}
	return l.weights
}

func (l *Linear) ReadsWhole() bool { return true }
