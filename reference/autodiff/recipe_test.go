package autodiff

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Every operation can be done again by its recipe, on its own inputs and on others.
func TestRecipes(t *testing.T) {
	x, w := counting(2, 3), counting(3, 2)
	for op, made := range map[string]*Tensor{
		"add": Add(x, Scale(x, 2)), "sub": Sub(x, Scale(x, 3)), "mul": Mul(x, x), "div": Div(x, Shift(x, 1)), "scale": Scale(x, 3),
		"shift": Shift(x, 3), "exp": Exp(x), "log": Log(x), "pow": Pow(x, -0.5), "sigmoid": Sigmoid(x), "Φ": Phi(x), "ReLU": ReLU(x),
		"where": Where([]bool{true, false}, x, 7), "matmul": MatMul(x, w), "sum": Sum(x, -1), "mean": Mean(x, 0),
		"reshape": Reshape(x, 6), "permute": Permute(x, 1, 0), "transpose": Transpose(x), "slice": Slice(x, 1, 1, 3),
		"rows": Rows(x, []int{1, 1}), "concat": Concat(0, x, x),
		"twice": Part("twice", func(in []*Tensor) *Tensor { return Add(in[0], in[0]) }, x),
	} {
		t.Run(op, func(t *testing.T) {
			require.Equal(t, op, made.Recipe.Op)
			require.Equal(t, made.Data, made.Recipe.Again(made.Recipe.Inputs...).Data)
			others := make([]*Tensor, len(made.Recipe.Inputs))
			for i, in := range made.Recipe.Inputs {
				others[i] = Scale(in, 0.5+float64(2*i))
			}
			other := made.Recipe.Again(others...)
			require.Equal(t, made.Shape, other.Shape)
			require.NotEqual(t, made.Data, other.Data)
			require.Equal(t, op, other.Recipe.Op)
		})
	}
}

// A part is one operation of its formula, and its gradient is that of what is inside.
func TestPart(t *testing.T) {
	x := counting(3)
	y := Part("cube", func(in []*Tensor) *Tensor { return Mul(in[0], Mul(in[0], in[0])) }, x).Named("y")
	require.Equal(t, []*Tensor{x}, y.Recipe.Inputs)
	y.Backward([]float64{1, 1, 1})
	require.Equal(t, []float64{3, 12, 27}, x.Grad)
}

// Derived keeps the values and hands back what it is told.
func TestDerived(t *testing.T) {
	x := counting(2)
	y := Derived(Scale(x, 5), []*Tensor{x}, func(g []float64) [][]float64 { return [][]float64{{g[0], -g[1]}} })
	require.Equal(t, []float64{5, 10}, y.Data)
	y.Backward([]float64{2, 3})
	require.Equal(t, []float64{2, -3}, x.Grad)

	short := Derived(x, []*Tensor{x}, func([]float64) [][]float64 { return [][]float64{{1}} })
	want := tensor.ShapeError{Op: "autodiff.Derived: gradient", Got: []int{1}, Want: []int{2}}
	require.PanicsWithError(t, want.Error(), func() { short.Backward([]float64{1, 1}) })
}

func TestDetach(t *testing.T) {
	x := counting(2)
	Add(x, Detach(Scale(x, 2))).Backward([]float64{1, 1})
	require.Equal(t, []float64{1, 1}, x.Grad)
}
