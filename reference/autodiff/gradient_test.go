package autodiff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// operation is one row of the table: a function of one or more tensors.
type operation struct {
	name   string
	shapes [][]int
	lowest float64 // entries are drawn from [lowest, lowest+3)
	f      func(in []*Tensor) *Tensor
}

func shapes(s ...[]int) [][]int { return s }

// operations holds every operation of the package, and a few compositions in
// which a tensor is used more than once.
func operations() []operation {
	mask := []bool{true, false, true, true, false, true}
	return []operation{
		{"nothing", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return in[0] }},
		{"Add", shapes([]int{2, 3}, []int{2, 3}), -1, func(in []*Tensor) *Tensor { return Add(in[0], in[1]) }},
		{"Add/leading", shapes([]int{4, 2, 3}, []int{2, 3}), -1, func(in []*Tensor) *Tensor { return Add(in[0], in[1]) }},
		{"Add/scalar first", shapes([]int{}, []int{2, 3}), -1, func(in []*Tensor) *Tensor { return Add(in[0], in[1]) }},
		{"Sub/inner", shapes([]int{2, 3, 4}, []int{2, 1, 4}), -1, func(in []*Tensor) *Tensor { return Sub(in[0], in[1]) }},
		{"Sub/both", shapes([]int{2, 1, 4}, []int{3, 1}), -1, func(in []*Tensor) *Tensor { return Sub(in[0], in[1]) }},
		{"Mul", shapes([]int{2, 3}, []int{2, 3}), -1, func(in []*Tensor) *Tensor { return Mul(in[0], in[1]) }},
		{"Mul/column", shapes([]int{2, 3}, []int{2, 1}), -1, func(in []*Tensor) *Tensor { return Mul(in[0], in[1]) }},
		{"Mul/itself", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return Mul(in[0], in[0]) }},
		{"Div", shapes([]int{2, 3}, []int{3}), 0.5, func(in []*Tensor) *Tensor { return Div(in[0], in[1]) }},
		{"Scale", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return Scale(in[0], -2.5) }},
		{"Shift", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return Shift(in[0], 0.7) }},
		{"Exp", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return Exp(in[0]) }},
		{"Log", shapes([]int{2, 3}), 0.5, func(in []*Tensor) *Tensor { return Log(in[0]) }},
		{"Pow/-1/2", shapes([]int{2, 3}), 0.5, func(in []*Tensor) *Tensor { return Pow(in[0], -0.5) }},
		{"Pow/2", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return Pow(in[0], 2) }},
		{"Sigmoid", shapes([]int{3, 4}), -1.5, func(in []*Tensor) *Tensor { return Sigmoid(in[0]) }},
		{"Phi", shapes([]int{3, 4}), -1.5, func(in []*Tensor) *Tensor { return Phi(in[0]) }},
		{"ReLU", shapes([]int{3, 4}), -1.5, func(in []*Tensor) *Tensor { return ReLU(in[0]) }},
		{"Where", shapes([]int{4, 2, 3}), -1, func(in []*Tensor) *Tensor { return Where(mask, in[0], 9) }},
		{"Reshape", shapes([]int{2, 6}), -1, func(in []*Tensor) *Tensor { return Reshape(in[0], 3, 4) }},
		{"Permute", shapes([]int{2, 3, 4}), -1, func(in []*Tensor) *Tensor { return Permute(in[0], 2, 0, 1) }},
		{"Transpose", shapes([]int{2, 3, 4}), -1, func(in []*Tensor) *Tensor { return Transpose(in[0]) }},
		{"Slice/first", shapes([]int{5, 3}), -1, func(in []*Tensor) *Tensor { return Slice(in[0], 0, 1, 4) }},
		{"Slice/middle", shapes([]int{2, 5, 3}), -1, func(in []*Tensor) *Tensor { return Slice(in[0], -2, 2, 5) }},
		{"Slice/empty", shapes([]int{2, 3}), -1, func(in []*Tensor) *Tensor { return Slice(in[0], 1, 2, 2) }},
		{"Rows/repeated", shapes([]int{5, 3}), -1, func(in []*Tensor) *Tensor { return Rows(in[0], []int{4, 0, 4, 2, 4}) }},
		{"Concat/last", shapes([]int{2, 3}, []int{2, 1}, []int{2, 2}), -1, func(in []*Tensor) *Tensor { return Concat(-1, in...) }},
		{"Concat/middle", shapes([]int{2, 3, 2}, []int{2, 1, 2}), -1, func(in []*Tensor) *Tensor { return Concat(1, in[1], in[0], in[1]) }},
		{"Sum/first", shapes([]int{2, 3, 4}), -1, func(in []*Tensor) *Tensor { return Sum(in[0], 0) }},
		{"Sum/last", shapes([]int{2, 3, 4}), -1, func(in []*Tensor) *Tensor { return Sum(in[0], -1) }},
		{"Mean/middle", shapes([]int{2, 3, 4}), -1, func(in []*Tensor) *Tensor { return Mean(in[0], 1) }},
		{"MatMul", shapes([]int{2, 3}, []int{3, 4}), -1, func(in []*Tensor) *Tensor { return MatMul(in[0], in[1]) }},
		{"MatMul/batched", shapes([]int{2, 3, 4, 5}, []int{2, 3, 5, 2}), -1, func(in []*Tensor) *Tensor { return MatMul(in[0], in[1]) }},
		{"MatMul/gram", shapes([]int{3, 4}), -1, func(in []*Tensor) *Tensor { return MatMul(in[0], Transpose(in[0])) }},
		{"x·σ(x) − x", shapes([]int{7}), -1.5, func(in []*Tensor) *Tensor { return Sub(Mul(in[0], Sigmoid(in[0])), in[0]) }},
		{"shared twice", shapes([]int{2, 3}), 0.5, func(in []*Tensor) *Tensor {
			e := Exp(Log(in[0]))
			return Div(e, Sum(e, -1))
		}},
	}
}

// leaves draws inputs of the given shapes.
func leaves(rng *rand.Rand, lowest float64, shapes [][]int) []*Tensor {
	in := make([]*Tensor, len(shapes))
	for i, shape := range shapes {
		in[i] = Zeros(shape...)
		for j := range in[i].Data {
			in[i].Data[j] = lowest + 3*rng.Float64()
		}
	}
	return in
}

// checkGradient compares what Backward adds to the gradients, which are not
// zero before, with central differences of ⟨dy, f(in)⟩ for a random dy:
// (f(x+h) − f(x−h)) / 2h. Their error is of the order of h² from the truncated
// series and 1e-16/h from rounding: with h = 1e-5 both are about 1e-10.
func checkGradient(rng *rand.Rand, in []*Tensor, f func(in []*Tensor) *Tensor) error {
	const h, tolerance, before = 1e-5, 1e-8, 7.0
	y := f(in)
	dy := make([]float64, len(y.Data))
	for i := range dy {
		dy[i] = rng.NormFloat64()
	}
	inner := func() float64 {
		sum := 0.0
		for i, v := range f(in).Data {
			sum += dy[i] * v
		}
		return sum
	}
	for _, x := range in {
		x.Grad = Full(before, x.Shape...).Data
	}
	y.Backward(dy)
	for k, x := range in {
		for i, v := range x.Data {
			x.Data[i] = v + h
			above := inner()
			x.Data[i] = v - h
			below := inner()
			x.Data[i] = v
			want := before + (above-below)/(2*h)
			if bound := tolerance * (1 + math.Abs(want)); !(math.Abs(x.Grad[i]-want) <= bound) {
				return fmt.Errorf("input %d, element %d: got %.12g, want %.12g ± %.1e", k, i, x.Grad[i], want, bound)
			}
		}
	}
	return nil
}

func TestGradientsAgreeWithCentralDifferences(t *testing.T) {
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			require.NoError(t, checkGradient(rng, leaves(rng, op.lowest, op.shapes), op.f))
		})
	}
}

// The check itself is checked: each of these derivatives is wrong in a way
// that is easily made.
func TestABrokenDerivativeIsNoticed(t *testing.T) {
	broken := []operation{
		{"slope of another function", shapes([]int{3}), 0.5, func(in []*Tensor) *Tensor {
			return unary(in[0], math.Exp, func(v, y float64) float64 { return v })
		}},
		{"sign", shapes([]int{3}, []int{3}), 0.5, func(in []*Tensor) *Tensor {
			return binary("", in[0], in[1], func(x, y float64) float64 { return x - y },
				func(g, x, y float64) (float64, float64) { return g, g })
		}},
		{"assigned, not added", shapes([]int{3}), 0.5, func(in []*Tensor) *Tensor {
			out := Mul(in[0], in[0])
			out.pull = func() {
				for i, g := range out.Grad {
					in[0].Grad[i] = g * in[0].Data[i]
				}
			}
			return out
		}},
		{"a term left out", shapes([]int{2, 3}), 0.5, func(in []*Tensor) *Tensor {
			total := Sum(in[0], -1)
			return Div(in[0], New(total.Data, total.Shape...))
		}},
	}
	for _, op := range broken {
		t.Run(op.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			require.Error(t, checkGradient(rng, leaves(rng, op.lowest, op.shapes), op.f))
		})
	}
}
