package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/autodiff"
)

// slope is what a place hands back to one of its inputs, and what stands around it.
type slope struct {
	*change
	input int
	g     *autodiff.Tensor // the gradient of the place
	right *autodiff.Tensor // what the input must get of it
}

// value returns a tensor of the right formula, or what is given, by its name.
func (s *slope) value(name string) *autodiff.Tensor {
	for _, t := range s.builder.all {
		if t.Name == name {
			return autodiff.Detach(t)
		}
	}
	panic(fmt.Errorf("%w: %s", errElsewhere, name))
}

// bent returns the right value of a place, which hands back to one of its inputs what
// wrong makes of the right gradient.
func bent(c *change, input int, wrong func(*slope) *autodiff.Tensor) *autodiff.Tensor {
	value := c.t
	if c.t.Recipe == nil {
		value = c.in[0]
	}
	return autodiff.Derived(value, c.in, func(g []float64) [][]float64 {
		leaves := make([]*autodiff.Tensor, len(c.in))
		for i, in := range c.in {
			leaves[i] = autodiff.Detach(in).Named(in.Name)
		}
		c.again(leaves...).Backward(g)
		all := make([][]float64, len(leaves))
		for i, leaf := range leaves {
			if all[i] = leaf.Grad; all[i] == nil {
				all[i] = make([]float64, len(leaf.Data))
			}
		}
		gather(all, c.in, input)
		got := wrong(&slope{change: c, input: input, g: autodiff.New(slices.Clone(g), value.Shape...),
			right: autodiff.New(all[input], c.in[input].Shape...)})
		if !slices.Equal(got.Shape, c.in[input].Shape) {
			panic(fmt.Errorf("%w: the shape is another", errElsewhere))
		}
		all[input] = got.Data
		return all
	})
}

// gather adds what other inputs get that are the same tensor, as both factors of a
// square are.
func gather(all [][]float64, in []*autodiff.Tensor, input int) {
	for j := range in {
		if j == input || in[j] != in[input] {
			continue
		}
		for k, v := range all[j] {
			all[input][k] += v
			all[j][k] = 0
		}
	}
}

// derivative is what a place may hand back to an input instead of what it should.
type derivative struct {
	code  string
	kind  diagnose.Form
	args  []string // without the first, the gradient
	wrong func(*slope) *autodiff.Tensor
}

// derivatives returns the wrong ways to hand a gradient back to an input of t, out of
// tensors of some names.
func derivatives(t *autodiff.Tensor, input int, names, letters []string) []derivative {
	scale := func(c float64) func(*slope) *autodiff.Tensor {
		return func(s *slope) *autodiff.Tensor { return autodiff.Scale(s.right, c) }
	}
	all := []derivative{{"none", diagnose.Way, []string{name(t)}, scale(0)}, {"sign", diagnose.Sign, nil, scale(-1)},
		{"half", diagnose.Over, []string{"2"}, scale(0.5)}}
	if term := term(t, input); term != "" {
		all[0].kind, all[0].args = diagnose.Term, []string{term}
	}
	if t.Recipe == nil {
		all = all[1:]
	}
	if f := factor(t, input); f != "" {
		all = append(all, derivative{"alone", diagnose.Factor, []string{f}, func(s *slope) *autodiff.Tensor { return s.g }})
	} else if t.Recipe != nil {
		all = append(all, derivative{"alone", diagnose.Unchanged, []string{gradient(t), body(t)}, func(s *slope) *autodiff.Tensor { return s.g }})
	}
	if t.Recipe != nil && slices.Contains([]string{"scale", "pow", "mean"}, t.Recipe.Op) {
		all = append(all, lacksNumber(t))
	}
	for _, other := range names {
		all = append(all, withTensor(t, input, other)...)
	}
	if t.Recipe != nil && !slices.Contains([]string{"scale", "sum", "mean"}, t.Recipe.Op) {
		return all
	}
	for _, letter := range letters {
		all = append(all,
			derivative{"over " + letter, diagnose.Over, []string{letter}, func(s *slope) *autodiff.Tensor { return autodiff.Scale(s.right, 1/s.size(letter)) }},
			derivative{"times " + letter, diagnose.Times, []string{letter}, func(s *slope) *autodiff.Tensor { return autodiff.Scale(s.right, s.size(letter)) }})
	}
	return all
}

// lacksNumber leaves the number of a factor, a power or a mean out of the derivative.
func lacksNumber(t *autodiff.Tensor) derivative {
	label := number(t.Recipe)
	if t.Recipe.Op == "mean" {
		label = "1/n of the mean"
	}
	return derivative{"number", diagnose.Factor, []string{label}, func(s *slope) *autodiff.Tensor {
		by := s.t.Recipe.Number
		if s.t.Recipe.Op == "mean" {
			by = 1 / float64(length(s.right, s.t.Recipe.Axis))
		}
		return autodiff.Scale(s.right, 1/by)
	}}
}

// withTensor brings another tensor into the gradient.
func withTensor(t *autodiff.Tensor, input int, other string) []derivative {
	var all []derivative
	if t.Recipe == nil {
		if likelyAdded(t, other) {
			all = append(all, derivative{"plus " + other, diagnose.Added, []string{other},
				func(s *slope) *autodiff.Tensor { return autodiff.Add(s.right, s.value(other)) }})
		}
		return all
	}
	own := other == t.Name || slices.ContainsFunc(t.Recipe.Inputs, func(in *autodiff.Tensor) bool { return in.Name == other })
	if !strings.HasSuffix(other, "_before") && (own || elementwise(t)) {
		all = append(all, derivative{"times " + other, diagnose.Extra, []string{other},
			func(s *slope) *autodiff.Tensor { return autodiff.Mul(s.right, s.value(other)) }})
	}
	f := factor(t, input)
	with := gradient(t) + " ⊙ " + other
	args, kind := []string{with}, diagnose.Is
	if f != "" {
		args, kind = []string{with, gradient(t) + " ⊙ " + f}, diagnose.Instead
	}
	if matrix(t.Recipe.Op) {
		return append(all, otherOperand(t, input, other))
	}
	if strings.HasSuffix(other, "_before") || !own && !elementwise(t) {
		return all
	}
	return append(all, derivative{"with " + other, kind, args, func(s *slope) *autodiff.Tensor { return autodiff.Mul(s.g, s.value(other)) }})
}

// likelyAdded reports whether a tensor may be added to the gradient of one that is
// given: a gradient, what the gradient was before, or the tensor itself.
func likelyAdded(t *autodiff.Tensor, other string) bool {
	if before, ok := strings.CutSuffix(other, "_before"); ok {
		return before == "d"+t.Name
	}
	return other == t.Name || strings.HasPrefix(other, "d")
}

// elementwise reports whether an operation is one of single numbers, or of a few.
func elementwise(t *autodiff.Tensor) bool {
	return t.Recipe != nil && slices.Contains([]string{"add", "sub", "mul", "div", "scale", "shift", "exp", "log", "pow",
		"sigmoid", "sum", "mean", "Φ", "ReLU", "GELU", "SiLU", "softmax", "where"}, t.Recipe.Op)
}

func matrix(op string) bool { return op == "matmul" || op == "linear" }

// otherOperand puts another tensor in the place of the other operand of a matrix product.
func otherOperand(t *autodiff.Tensor, input int, other string) derivative {
	return derivative{"with " + other, diagnose.Operand, []string{other, strings.TrimSuffix(name(t.Recipe.Inputs[1-input]), "ᵀ")}, func(s *slope) *autodiff.Tensor {
		in := make([]*autodiff.Tensor, 2)
		in[input], in[1-input] = autodiff.Detach(s.in[input]), s.value(other)
		if r := s.t.Recipe.Inputs[1-input].Recipe; r != nil && r.Op == "transpose" {
			in[1-input] = autodiff.Transpose(in[1-input])
		}
		if !slices.Equal(in[1-input].Shape, s.in[1-input].Shape) {
			panic(fmt.Errorf("%w: the shape is another", errElsewhere))
		}
		s.again(in...).Backward(s.g.Data)
		return autodiff.New(in[input].Grad, in[input].Shape...)
	}}
}

// term is what an input gets of a gradient, if that is soon said.
func term(t *autodiff.Tensor, input int) string {
	switch f := factor(t, input); {
	case f != "":
		return gradient(t) + " ⊙ " + f
	case t.Recipe == nil:
		return ""
	case t.Recipe.Op == "add" || t.Recipe.Op == "sub" && input == 0:
		return gradient(t)
	case t.Recipe.Op == "div" && input == 0:
		return gradient(t) + " / " + within(t.Recipe.Inputs[1], atom)
	}
	return ""
}

// factor is what a gradient is multiplied by on its way to an input, if that is one
// tensor.
func factor(t *autodiff.Tensor, input int) string {
	if t.Recipe == nil || t.Recipe.Op != "mul" || t.Recipe.Inputs[0] == t.Recipe.Inputs[1] {
		return ""
	}
	return name(t.Recipe.Inputs[1-input])
}
