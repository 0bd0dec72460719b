package rules

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/stubformer/stubformer/reference/autodiff"
)

// How tightly the parts of a formula hold together.
const (
	atom = iota
	product
	sum
)

// name is what a tensor is called in sentences: its name, or its formula.
func name(t *autodiff.Tensor) string {
	text, _ := formula(t)
	return text
}

// body is the formula of a tensor, whatever its name is.
func body(t *autodiff.Tensor) string {
	if t.Recipe == nil {
		return t.Name
	}
	text, _ := recipe(t.Recipe)
	return text
}

// gradient is what the gradient of a tensor is called.
func gradient(t *autodiff.Tensor) string {
	text := name(t)
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		return "d(" + text + ")"
	}
	return "d" + text
}

func formula(t *autodiff.Tensor) (text string, level int) {
	if t.Name != "" || t.Recipe == nil {
		return t.Name, atom
	}
	return recipe(t.Recipe)
}

// within writes a part of a formula, in brackets if it would fall apart.
func within(t *autodiff.Tensor, most int) string {
	text, level := formula(t)
	if level > most {
		return "(" + text + ")"
	}
	return text
}

// number is what the number of an operation is called.
func number(r *autodiff.Recipe) string {
	if r.Label != "" {
		return r.Label
	}
	return fmt.Sprintf("%.4g", r.Number)
}

func recipe(r *autodiff.Recipe) (text string, level int) {
	in := r.Inputs
	switch r.Op {
	case "add":
		return within(in[0], sum) + " + " + within(in[1], sum), sum
	case "sub":
		return within(in[0], sum) + " − " + within(in[1], product), sum
	case "shift":
		return within(in[0], sum) + " + " + number(r), sum
	case "mul":
		if in[0] == in[1] {
			return within(in[0], atom) + "²", atom
		}
		return within(in[0], product) + " ⊙ " + within(in[1], product), product
	case "div":
		return within(in[0], product) + " / " + within(in[1], atom), product
	case "scale":
		return scaled(within(in[0], product), number(r)), product
	case "matmul":
		return within(in[0], atom) + "·" + within(in[1], atom), product
	case "linear":
		return within(in[0], atom) + "·" + within(in[1], atom) + "ᵀ", product
	case "pow":
		return power(r), product
	case "exp":
		return "e^(" + name(in[0]) + ")", atom
	case "sigmoid":
		return "σ(" + name(in[0]) + ")", atom
	case "transpose":
		return within(in[0], atom) + "ᵀ", atom
	case "reshape", "permute", "slice", "rows", "concat":
		return formula(in[0])
	case "where":
		return "masked(" + name(in[0]) + ")", atom
	case "sum":
		return "Σ(" + name(in[0]) + ")", atom
	}
	return r.Op + "(" + name(in[0]) + ")", atom
}

// scaled writes a factor: "x/√K", "−x", "2·x".
func scaled(x, factor string) string {
	if by, ok := strings.CutPrefix(factor, "1/"); ok {
		return x + "/" + by
	}
	if factor == "-1" {
		return "−" + x
	}
	return factor + "·" + x
}

func power(r *autodiff.Recipe) string {
	x := name(r.Inputs[0])
	switch r.Number {
	case -0.5:
		return "1/√(" + x + ")"
	case 0.5:
		return "√(" + x + ")"
	case -1:
		return "1/(" + x + ")"
	}
	return fmt.Sprintf("(%s)^%g", x, r.Number)
}
