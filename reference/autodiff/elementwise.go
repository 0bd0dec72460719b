package autodiff

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Add returns a + b. Shapes broadcast: aligned at the last dimension, a missing
// dimension or one of size 1 is repeated. It panics with a ShapeError otherwise.
//
//	∂a = g    ∂b = g
func Add(a, b *Tensor) *Tensor {
	return binary("autodiff.Add", a, b,
		func(x, y float64) float64 { return x + y },
		func(g, x, y float64) (float64, float64) { return g, g }).by(Recipe{Op: "add"}, func(in []*Tensor) *Tensor { return Add(in[0], in[1]) })
}

// Sub returns a − b. Shapes broadcast as in Add.
//
//	∂a = g    ∂b = −g
func Sub(a, b *Tensor) *Tensor {
	return binary("autodiff.Sub", a, b,
		func(x, y float64) float64 { return x - y },
		func(g, x, y float64) (float64, float64) { return g, -g }).by(Recipe{Op: "sub"}, func(in []*Tensor) *Tensor { return Sub(in[0], in[1]) })
}

// Mul returns a ⊙ b, element by element. Shapes broadcast as in Add.
//
//	∂a = g ⊙ b    ∂b = g ⊙ a
func Mul(a, b *Tensor) *Tensor {
	return binary("autodiff.Mul", a, b,
		func(x, y float64) float64 { return x * y },
		func(g, x, y float64) (float64, float64) { return g * y, g * x }).by(Recipe{Op: "mul"}, func(in []*Tensor) *Tensor { return Mul(in[0], in[1]) })
}

// Div returns a / b, element by element. Shapes broadcast as in Add.
//
//	∂a = g / b    ∂b = −g ⊙ a / b²
func Div(a, b *Tensor) *Tensor {
	return binary("autodiff.Div", a, b,
		func(x, y float64) float64 { return x / y },
		func(g, x, y float64) (float64, float64) { return g / y, -g * x / y / y }).by(Recipe{Op: "div"}, func(in []*Tensor) *Tensor { return Div(in[0], in[1]) })
}

// Scale returns c·x.
//
//	∂x = c·g
func Scale(x *Tensor, c float64) *Tensor {
	return unary(x,
		func(v float64) float64 { return c * v },
		func(v, y float64) float64 { return c }).by(Recipe{Op: "scale", Number: c}, func(in []*Tensor) *Tensor { return Scale(in[0], c) })
}

// Shift returns x + c.
//
//	∂x = g
func Shift(x *Tensor, c float64) *Tensor {
	return unary(x,
		func(v float64) float64 { return v + c },
		func(v, y float64) float64 { return 1 }).by(Recipe{Op: "shift", Number: c}, func(in []*Tensor) *Tensor { return Shift(in[0], c) })
}

// Exp returns eˣ, element by element.
//
//	∂x = g ⊙ eˣ
func Exp(x *Tensor) *Tensor {
	return unary(x, math.Exp, func(v, y float64) float64 { return y }).by(Recipe{Op: "exp"}, func(in []*Tensor) *Tensor { return Exp(in[0]) })
}

// Log returns the natural logarithm ln x, element by element.
//
//	∂x = g / x
func Log(x *Tensor) *Tensor {
	return unary(x, math.Log, func(v, y float64) float64 { return 1 / v }).by(Recipe{Op: "log"}, func(in []*Tensor) *Tensor { return Log(in[0]) })
}

// Pow returns xᵖ, element by element, for a constant p.
//
//	∂x = g ⊙ p·xᵖ⁻¹
func Pow(x *Tensor, p float64) *Tensor {
	return unary(x,
		func(v float64) float64 { return math.Pow(v, p) },
		func(v, y float64) float64 { return p * math.Pow(v, p-1) }).by(Recipe{Op: "pow", Number: p}, func(in []*Tensor) *Tensor { return Pow(in[0], p) })
}

// Sigmoid returns σ(x) = 1/(1+e⁻ˣ), element by element. The exponential is
// taken of −|x| only, so that it cannot overflow.
//
//	∂x = g ⊙ σ(x)·σ(−x)
func Sigmoid(x *Tensor) *Tensor {
	return unary(x, sigmoid, func(v, y float64) float64 { return y * sigmoid(-v) }).by(Recipe{Op: "sigmoid"}, func(in []*Tensor) *Tensor { return Sigmoid(in[0]) })
}

func sigmoid(v float64) float64 {
	e := math.Exp(-math.Abs(v))
	if v < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Phi returns Φ(x), the probability that a standard normal number is below x, element by
// element. It keeps its digits far to the left.
//
//	∂x = g ⊙ φ(x), φ(x) = e^(−x²/2)/√(2π)
func Phi(x *Tensor) *Tensor {
	return unary(x,
		func(v float64) float64 { return math.Erfc(-v/math.Sqrt2) / 2 },
		func(v, y float64) float64 { return math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) }).by(Recipe{Op: "Φ"}, func(in []*Tensor) *Tensor { return Phi(in[0]) })
}

// ReLU returns max(0, x), element by element.
//
//	∂x = g where x > 0, else 0
func ReLU(x *Tensor) *Tensor {
	return unary(x,
		func(v float64) float64 { return max(0, v) },
		func(v, y float64) float64 {
			if v > 0 {
				return 1
			}
			return 0
		}).by(Recipe{Op: "ReLU"}, func(in []*Tensor) *Tensor { return ReLU(in[0]) })
}

// Where returns x where mask is true and the constant otherwise where it is
// false. The mask is repeated over x's leading dimensions: its length must
// divide that of x, or Where panics with a ShapeError.
//
//	∂x = g where mask is true, exactly 0 elsewhere, whatever g is there
func Where(mask []bool, x *Tensor, otherwise float64) *Tensor {
	if n := len(mask); len(x.Data) > 0 && (n == 0 || len(x.Data)%n != 0) {
		panic(tensor.ShapeError{Op: "autodiff.Where: number of elements of mask", Got: []int{n}, Want: []int{len(x.Data)}})
	}
	out := node(x.Shape, x)
	for i, v := range x.Data {
		out.Data[i] = otherwise
		if mask[i%len(mask)] {
			out.Data[i] = v
		}
	}
	out.pull = func() {
		for i, g := range out.Grad {
			if mask[i%len(mask)] {
				x.Grad[i] += g
			}
		}
	}
	return out.by(Recipe{Op: "where", Number: otherwise, Mask: mask}, func(in []*Tensor) *Tensor { return Where(mask, in[0], otherwise) })
}

// unary applies f to every element; slope(v, f(v)) is its derivative at v.
func unary(x *Tensor, f func(v float64) float64, slope func(v, y float64) float64) *Tensor {
	out := node(x.Shape, x)
	for i, v := range x.Data {
		out.Data[i] = f(v)
	}
	out.roughen(out.Data)
	out.pull = func() {
		for i, g := range out.Grad {
			x.Grad[i] += g * slope(x.Data[i], out.Data[i])
		}
	}
	return out
}

// binary applies f to the pairs of elements that broadcasting brings together;
// back returns what the gradient g of one result adds to the gradients of its
// two arguments.
func binary(op string, a, b *Tensor, f func(x, y float64) float64, back func(g, x, y float64) (float64, float64)) *Tensor {
	out := node(broadcast(op, a.Shape, b.Shape), a, b)
	atA, atB := offsets(out.Shape, a.Shape), offsets(out.Shape, b.Shape)
	for i := range out.Data {
		out.Data[i] = f(a.Data[atA[i]], b.Data[atB[i]])
	}
	out.roughen(out.Data)
	out.pull = func() {
		for i, g := range out.Grad {
			da, db := back(g, a.Data[atA[i]], b.Data[atB[i]])
			a.Grad[atA[i]] += da
			b.Grad[atB[i]] += db
		}
	}
	return out
}
