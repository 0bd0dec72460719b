package rules

import (
	"math"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/autodiff"
)

// reductions are the alternatives to a sum or a mean along an axis.
func reductions(t *autodiff.Tensor, letters []string) []alternative {
	all := []alternative{reduced("other", func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
		if t.Recipe.Op == "mean" {
			return autodiff.Sum(x, axis)
		}
		return autodiff.Mean(x, axis)
	}).inPairs(), reduced("absolute", func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
		return add(absolute(x), axis)
	}).inPairs(), reduced("one more", func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
		return autodiff.Shift(add(x, axis), 1)
	}), reduced("root", func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
		return autodiff.Pow(add(x, axis), 0.5)
	}), {code: "one more logit", make: oneMoreLogit}}
	for _, f := range []struct {
		form diagnose.Form
		of   func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor
	}{
		{diagnose.Whole, func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
			return autodiff.Mul(overAll(add, x), autodiff.Full(1, add(x, axis).Shape...))
		}},
		{diagnose.LessOne, func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
			n := float64(length(x, axis))
			return autodiff.Scale(add(x, axis), n/(n-1))
		}},
		{diagnose.First, func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
			return add(autodiff.Mul(x, weights(x, axis, 0)), axis)
		}},
		{diagnose.Last, func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor {
			return add(autodiff.Mul(x, weights(x, axis, length(x, axis)-1)), axis)
		}},
	} {
		a := reduced(string(f.form), f.of)
		all = append(all, told(f.form, body(t), a.make))
	}
	for _, letter := range letters {
		all = append(all, alternative{code: "over " + letter, make: func(c *change) *autodiff.Tensor {
			return autodiff.Scale(autodiff.Sum(c.in[0], c.t.Recipe.Axis), 1/c.size(letter)).Labelled("1/" + letter)
		}})
	}
	return all
}

// inPairs lets two mistakes at once be made of the alternative.
func (a alternative) inPairs() alternative {
	a.core = true
	return a
}

// oneMoreLogit adds 1 to a sum of exponentials that are shifted by m.
func oneMoreLogit(c *change) *autodiff.Tensor {
	exp := c.t.Recipe.Inputs[0].Recipe
	if exp == nil || exp.Op != "exp" || exp.Inputs[0].Recipe == nil || exp.Inputs[0].Recipe.Op != "sub" {
		panic(errElsewhere)
	}
	m := exp.Inputs[0].Recipe.Inputs[1]
	return autodiff.Add(autodiff.Sum(c.in[0], c.t.Recipe.Axis), autodiff.Exp(autodiff.Scale(m, -1)).Named("e^(−m)"))
}

// reduction is a sum or a mean.
type reduction func(x *autodiff.Tensor, axis int) *autodiff.Tensor

// reduced is an alternative that adds up, as the operation does, something else.
func reduced(code string, f func(add reduction, x *autodiff.Tensor, axis int) *autodiff.Tensor) alternative {
	return alternative{code: code, make: func(c *change) *autodiff.Tensor {
		add := reduction(autodiff.Sum)
		if c.t.Recipe.Op == "mean" {
			add = autodiff.Mean
		}
		return f(add, c.in[0], c.t.Recipe.Axis)
	}}
}

func length(x *autodiff.Tensor, axis int) int {
	if axis < 0 {
		axis += len(x.Shape)
	}
	return x.Shape[axis]
}

// overAll goes over all axes.
func overAll(add reduction, x *autodiff.Tensor) *autodiff.Tensor {
	for axis := range x.Shape {
		x = add(x, axis)
	}
	return x
}

// weights are 1, and 0 for one element of the axis.
func weights(x *autodiff.Tensor, axis, left int) *autodiff.Tensor {
	shape := make([]int, len(x.Shape))
	for i := range shape {
		shape[i] = 1
	}
	n := length(x, axis)
	shape[(axis+len(shape))%len(shape)] = n
	w := autodiff.Full(1, shape...)
	w.Data[left] = 0
	return w
}

// absolute is |x|.
func absolute(x *autodiff.Tensor) *autodiff.Tensor {
	sign := autodiff.Zeros(x.Shape...)
	for i, v := range x.Data {
		sign.Data[i] = math.Copysign(1, v)
	}
	return autodiff.Mul(x, sign).Named("|" + name(x) + "|")
}

// atLeast is x, and a bound where x is smaller.
func atLeast(x *autodiff.Tensor, bound float64, label string) *autodiff.Tensor {
	above := make([]bool, len(x.Data))
	for i, v := range x.Data {
		above[i] = v >= bound || math.IsNaN(v)
	}
	return autodiff.Where(above, x, bound).Named("max(" + name(x) + ", " + label + ")")
}
