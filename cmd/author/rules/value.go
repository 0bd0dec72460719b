package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/autodiff"
)

// alternative is what a place of a formula may be exchanged for.
type alternative struct {
	code string
	kind diagnose.Form // "" if it is told by both formulas
	args []string      // of its kind
	make func(*change) *autodiff.Tensor
	core bool // what two mistakes at once are made of
}

// only is the alternative that one of the inputs alone stands there.
func only(kind diagnose.Form, i int, args ...string) alternative {
	return alternative{fmt.Sprint("only ", i), kind, args, func(c *change) *autodiff.Tensor { return c.in[i] }, true}
}

// told is an alternative to an operation that has a form of sentence of its own.
func told(kind diagnose.Form, about string, make func(*change) *autodiff.Tensor) alternative {
	return alternative{string(kind), kind, []string{about}, make, false}
}

// one is an alternative that is a function of one tensor.
func one(code string, f func(x *autodiff.Tensor) *autodiff.Tensor) alternative {
	return alternative{code: code, make: func(c *change) *autodiff.Tensor { return f(c.in[0]) }, core: !strings.HasPrefix(code, "number ")}
}

// two is an alternative that is a function of both operands, in this order or the other.
func two(code string, first int, f func(a, b *autodiff.Tensor) *autodiff.Tensor) alternative {
	return alternative{code: code, make: func(c *change) *autodiff.Tensor { return f(c.in[first], c.in[1-first]) }}
}

// operations returns what the operation of a tensor may be exchanged for. letters are
// those of the sizes that the function knows.
func operations(t *autodiff.Tensor, letters []string) []alternative {
	r := t.Recipe
	switch r.Op {
	case "mul":
		if r.Inputs[0] == r.Inputs[1] {
			return []alternative{only("", 0), one("absolute", absolute)}
		}
		return append(operands(t, diagnose.Factor), two("div", 0, autodiff.Div), two("div back", 1, autodiff.Div), two("add", 0, autodiff.Add))
	case "div":
		return []alternative{only("", 0), two("mul", 0, autodiff.Mul), two("div back", 1, autodiff.Div),
			two("one more", 0, func(a, b *autodiff.Tensor) *autodiff.Tensor { return autodiff.Div(a, autodiff.Shift(b, 1)) })}
	case "add":
		return append(operands(t, diagnose.Term), two("sub", 0, autodiff.Sub), two("sub back", 1, autodiff.Sub), two("mul", 0, autodiff.Mul))
	case "sub":
		return append(operands(t, diagnose.Term), two("add", 0, autodiff.Add), two("sub back", 1, autodiff.Sub), two("mul", 0, autodiff.Mul))
	case "matmul":
		return []alternative{two("back", 1, autodiff.MatMul)}
	case "transpose":
		return []alternative{told(diagnose.Memory, name(r.Inputs[0]), func(c *change) *autodiff.Tensor {
			return autodiff.Reshape(c.in[0], c.t.Shape...)
		})}
	case "scale":
		return scales(t, letters)
	case "shift":
		return shifts(t)
	case "pow":
		return powers(t)
	case "sum", "mean":
		return reductions(t, letters)
	case "where":
		return masks(t)
	case "reshape", "permute", "slice", "rows", "concat":
		return nil
	}
	return functions(t)
}

// operands leaves one of two operands out.
func operands(t *autodiff.Tensor, kind diagnose.Form) []alternative {
	in := t.Recipe.Inputs
	all := []alternative{only(kind, 0, name(t), name(in[1]))}
	if t.Recipe.Op == "sub" {
		return append(all, alternative{"only 1", kind, []string{name(t), name(in[0])},
			func(c *change) *autodiff.Tensor { return autodiff.Scale(c.in[1], -1) }, true})
	}
	return append(all, only(kind, 1, name(t), name(in[0])))
}

// functions are the alternatives to a function of one tensor, or to a part.
func functions(t *autodiff.Tensor) []alternative {
	scaled := func(f func(*autodiff.Tensor) *autodiff.Tensor, c float64) func(*autodiff.Tensor) *autodiff.Tensor {
		return func(x *autodiff.Tensor) *autodiff.Tensor { return f(autodiff.Scale(x, c)) }
	}
	all := []alternative{only("", 0)}
	switch t.Recipe.Op {
	case "exp":
		return append(all, one("negative", scaled(autodiff.Exp, -1)), one("base 2", func(x *autodiff.Tensor) *autodiff.Tensor {
			return autodiff.Exp(autodiff.Scale(x, math.Ln2)).Named("2^(" + name(x) + ")")
		}))
	case "log":
		return append(all, one("base 2", logarithm("log₂", math.Ln2)), one("base 10", logarithm("log₁₀", math.Ln10)),
			one("one", func(x *autodiff.Tensor) *autodiff.Tensor { return autodiff.Log(autodiff.Shift(x, 1)) }))
	case "sigmoid":
		return append(all, one("tanh", tanh), one("negative", scaled(autodiff.Sigmoid, -1)),
			one("double", scaled(autodiff.Sigmoid, 2)), one("half", scaled(autodiff.Sigmoid, 0.5)))
	case "SiLU":
		return append(all, one("sigmoid", autodiff.Sigmoid))
	}
	return all
}

func logarithm(text string, base float64) func(*autodiff.Tensor) *autodiff.Tensor {
	return func(x *autodiff.Tensor) *autodiff.Tensor {
		return autodiff.Scale(autodiff.Log(x), 1/base).Named(text + "(" + name(x) + ")")
	}
}

func tanh(x *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Shift(autodiff.Scale(autodiff.Sigmoid(autodiff.Scale(x, 2)), 2), -1).Named("tanh(" + name(x) + ")")
}

// numbered is an alternative with a number that follows from that of the operation.
func numbered(code string, f func(x *autodiff.Tensor, r *autodiff.Recipe) *autodiff.Tensor) alternative {
	return alternative{code: code, make: func(c *change) *autodiff.Tensor { return f(c.in[0], c.t.Recipe) }}
}

func scales(t *autodiff.Tensor, letters []string) []alternative {
	all := []alternative{only(diagnose.Factor, 0, name(t), number(t.Recipe)),
		numbered("square", func(x *autodiff.Tensor, r *autodiff.Recipe) *autodiff.Tensor {
			return autodiff.Scale(x, r.Number*r.Number).Labelled("(" + number(r) + ")²")
		}),
		numbered("inverse", func(x *autodiff.Tensor, r *autodiff.Recipe) *autodiff.Tensor {
			return autodiff.Scale(x, 1/r.Number).Labelled("(" + number(r) + ")⁻¹")
		})}
	for _, letter := range letters {
		all = append(all, overRoot(letter), over(letter))
	}
	return all
}

// overRoot divides the first input by the root of a size.
func overRoot(letter string) alternative {
	return alternative{code: "over root " + letter, make: func(c *change) *autodiff.Tensor {
		return autodiff.Scale(c.in[0], 1/math.Sqrt(c.size(letter))).Labelled("1/√" + letter)
	}}
}

// divided divides it by a number.
func divided(by float64) alternative {
	a := one(fmt.Sprint("by ", by), func(x *autodiff.Tensor) *autodiff.Tensor { return autodiff.Scale(x, 1/by) })
	return a
}

// over divides it by the size.
func over(letter string) alternative {
	return alternative{code: "over " + letter, make: func(c *change) *autodiff.Tensor {
		return autodiff.Scale(c.in[0], 1/c.size(letter)).Labelled("1/" + letter)
	}}
}

func shifts(t *autodiff.Tensor) []alternative {
	all := []alternative{only("", 0),
		numbered("bound", func(x *autodiff.Tensor, r *autodiff.Recipe) *autodiff.Tensor { return atLeast(x, r.Number, number(r)) }),
		numbered("minus", func(x *autodiff.Tensor, r *autodiff.Recipe) *autodiff.Tensor {
			return autodiff.Sub(x, autodiff.Full(r.Number, 1).Named(number(r)))
		}),
		numbered("square", func(x *autodiff.Tensor, r *autodiff.Recipe) *autodiff.Tensor {
			return autodiff.Shift(x, r.Number*r.Number).Labelled(number(r) + "²")
		})}
	for _, other := range []float64{1, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12} {
		if other != t.Recipe.Number {
			all = append(all, one(fmt.Sprint("number ", other), func(x *autodiff.Tensor) *autodiff.Tensor {
				return autodiff.Shift(x, other)
			}))
		}
	}
	return all
}

func powers(t *autodiff.Tensor) []alternative {
	all := []alternative{only("", 0)}
	p := t.Recipe.Number
	for _, other := range []float64{-p, 2 * p, -2 * p, p / 2} {
		if other != 1 {
			all = append(all, one(fmt.Sprint("power ", other), func(x *autodiff.Tensor) *autodiff.Tensor { return autodiff.Pow(x, other) }))
		}
	}
	if before := t.Recipe.Inputs[0].Recipe; before != nil && before.Op == "shift" {
		all = append(all, alternative{code: "number outside", make: func(c *change) *autodiff.Tensor {
			root := autodiff.Pow(c.builder.of(c.t.Recipe.Inputs[0].Recipe.Inputs[0]), -p)
			return autodiff.Pow(autodiff.Shift(root, before.Number).Labelled(number(before)), -1)
		}})
	}
	return all
}

func masks(t *autodiff.Tensor) []alternative {
	masked := name(t.Recipe.Inputs[0])
	return []alternative{only("", 0),
		told(diagnose.MaskZero, masked, func(c *change) *autodiff.Tensor { return autodiff.Where(c.t.Recipe.Mask, c.in[0], 0) }),
		told(diagnose.MaskInverse, masked, func(c *change) *autodiff.Tensor {
			inverse := slices.Clone(c.t.Recipe.Mask)
			for i := range inverse {
				inverse[i] = !inverse[i]
			}
			return autodiff.Where(inverse, c.in[0], c.t.Recipe.Number)
		})}
}
