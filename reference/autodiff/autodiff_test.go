package autodiff

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// counting returns a tensor that holds 1, 2, 3, …
func counting(shape ...int) *Tensor {
	t := Zeros(shape...)
	for i := range t.Data {
		t.Data[i] = float64(i + 1)
	}
	return t
}

func TestValues(t *testing.T) {
	x := counting(2, 3) // 1 2 3 / 4 5 6
	for _, c := range []struct {
		name  string
		got   *Tensor
		shape []int
		want  []float64
	}{
		{"Add row", Add(x, New([]float64{10, 20, 30}, 3)), []int{2, 3}, []float64{11, 22, 33, 14, 25, 36}},
		{"Sub column", Sub(x, New([]float64{1, 4}, 2, 1)), []int{2, 3}, []float64{0, 1, 2, 0, 1, 2}},
		{"Mul outer", Mul(counting(3), counting(2, 1)), []int{2, 3}, []float64{1, 2, 3, 2, 4, 6}},
		{"Div", Div(x, New([]float64{2}, 1)), []int{2, 3}, []float64{0.5, 1, 1.5, 2, 2.5, 3}},
		{"Where", Where([]bool{true, false, true}, x, -1), []int{2, 3}, []float64{1, -1, 3, 4, -1, 6}},
		{"Transpose", Transpose(x), []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}},
		{"Permute", Permute(counting(2, 1, 3), 2, 0, 1), []int{3, 2, 1}, []float64{1, 4, 2, 5, 3, 6}},
		{"Slice", Slice(x, -1, 1, 3), []int{2, 2}, []float64{2, 3, 5, 6}},
		{"Rows", Rows(x, []int{1, 1, 0}), []int{3, 3}, []float64{4, 5, 6, 4, 5, 6, 1, 2, 3}},
		{"Concat", Concat(1, x, counting(2, 1)), []int{2, 4}, []float64{1, 2, 3, 1, 4, 5, 6, 2}},
		{"Sum", Sum(x, 0), []int{1, 3}, []float64{5, 7, 9}},
		{"Mean", Mean(x, -1), []int{2, 1}, []float64{2, 5}},
		{"Max", Max(x, 1), []int{2, 1}, []float64{3, 6}},
		{"MatMul", MatMul(x, counting(3, 2)), []int{2, 2}, []float64{22, 28, 49, 64}},
		{"MatMul of nothing", MatMul(Zeros(2, 0), Zeros(0, 1)), []int{2, 1}, []float64{0, 0}},
		{"empty batch", Add(Zeros(0, 3), counting(3)), []int{0, 3}, []float64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.shape, c.got.Shape)
			require.Equal(t, c.want, c.got.Data)
		})
	}
}

func TestSigmoidDoesNotOverflow(t *testing.T) {
	y := Sigmoid(New([]float64{-1e308, -750, 0, 750, 1e308}, 5))
	y.Backward([]float64{1, 1, 1, 1, 1})
	require.Equal(t, []float64{0, math.Exp(-750), 0.5, 1, 1}, y.Data)
	for i, g := range y.inputs[0].Grad {
		require.Falsef(t, math.IsNaN(g), "gradient %d", i)
	}
}

func TestMaxPropagatesNaNInItsRowOnly(t *testing.T) {
	m := Max(New([]float64{1, math.NaN(), 3, 1, 2, 3}, 2, 3), -1)
	require.True(t, math.IsNaN(m.Data[0]))
	require.Equal(t, 3.0, m.Data[1])
}

func TestWhereStopsNaNGradients(t *testing.T) {
	x := New([]float64{0, 4}, 2)
	y := Where([]bool{false, true}, Log(x), 0)
	y.Backward([]float64{math.NaN(), 1})
	require.Equal(t, 0.25, x.Grad[1])
	y = Log(Where([]bool{false, true}, x, 0))
	x.Grad = nil
	y.Backward([]float64{1, 1})
	require.Equal(t, []float64{0, 0.25}, x.Grad)
}

func TestBackwardAddsToLeavesOnly(t *testing.T) {
	x := New([]float64{3}, 1)
	square := Mul(x, x)
	y := Scale(square, 2) // y = 2x², dy/dx = 4x = 12
	y.Backward([]float64{1})
	require.Equal(t, []float64{12}, x.Grad)
	require.Equal(t, []float64{2}, square.Grad)
	y.Backward([]float64{1})
	require.Equal(t, []float64{24}, x.Grad)
	require.Equal(t, []float64{2}, square.Grad)
}

func TestMisusePanicsWithATypedError(t *testing.T) {
	x := counting(2, 3)
	shapeError, indexError := new(tensor.ShapeError), new(tensor.IndexError)
	for _, c := range []struct {
		name string
		as   any
		f    func()
	}{
		{"New", shapeError, func() { New([]float64{1, 2}, 3) }},
		{"Zeros", shapeError, func() { Zeros(2, -1) }},
		{"Backward", shapeError, func() { x.Backward([]float64{1}) }},
		{"Add", shapeError, func() { Add(x, counting(2)) }},
		{"Where", shapeError, func() { Where(make([]bool, 4), x, 0) }},
		{"Where empty mask", shapeError, func() { Where(nil, x, 0) }},
		{"Reshape", shapeError, func() { Reshape(x, 4) }},
		{"Permute twice", shapeError, func() { Permute(x, 0, 0) }},
		{"Permute short", shapeError, func() { Permute(x, 0) }},
		{"Transpose", shapeError, func() { Transpose(counting(3)) }},
		{"Slice axis", indexError, func() { Slice(x, 2, 0, 1) }},
		{"Slice hi", indexError, func() { Slice(x, 1, 0, 4) }},
		{"Slice lo", indexError, func() { Slice(x, 1, -1, 2) }},
		{"Slice crossed", indexError, func() { Slice(x, 1, 2, 1) }},
		{"Rows rank", shapeError, func() { Rows(counting(3), []int{0}) }},
		{"Rows index", indexError, func() { Rows(x, []int{2}) }},
		{"Concat nothing", shapeError, func() { Concat(0) }},
		{"Concat sizes", shapeError, func() { Concat(1, x, counting(3, 3)) }},
		{"Concat rank", shapeError, func() { Concat(1, x, counting(2)) }},
		{"Sum", indexError, func() { Sum(x, -3) }},
		{"Mean", indexError, func() { Mean(x, 2) }},
		{"Max", indexError, func() { Max(counting(), 0) }},
		{"MatMul rank", shapeError, func() { MatMul(counting(3), x) }},
		{"MatMul inner", shapeError, func() { MatMul(x, x) }},
		{"MatMul batch", shapeError, func() { MatMul(counting(2, 2, 3), counting(3, 3, 2)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				err, ok := recover().(error)
				require.True(t, ok, "no panic with an error")
				require.ErrorAs(t, err, c.as)
			}()
			c.f()
		})
	}
}
