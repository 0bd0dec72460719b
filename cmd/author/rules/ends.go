package rules

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/autodiff"
)

// ends are loops over a result that stop too early: the end of each row, or the last
// row, is 0 or what one of the named tensors has there.
func ends(t *autodiff.Tensor, names []string) []alternative {
	var all []alternative
	for i, row := range []diagnose.Form{diagnose.LastOfRow, diagnose.LastPair} {
		n := i + 1
		all = append(all, ended(t, row, "0", func(at, columns, _ int) bool { return at%columns >= columns-n }))
		for _, other := range names {
			if !strings.HasSuffix(other, "_before") {
				all = append(all, ended(t, row, other, func(at, columns, _ int) bool { return at%columns >= columns-n }))
			}
		}
	}
	all = append(all, ended(t, diagnose.LastRow, "0", func(at, columns, rows int) bool { return at/columns == rows-1 }))
	return append(all, ended(t, diagnose.FirstRowOut, "0", func(at, columns, _ int) bool { return at/columns == 0 }))
}

// ended puts another tensor, or 0, into a part of the right result.
func ended(t *autodiff.Tensor, form diagnose.Form, other string, part func(at, columns, rows int) bool) alternative {
	a := alternative{code: fmt.Sprint(form, " ", other), kind: form, args: []string{name(t), other}}
	a.make = func(c *change) *autodiff.Tensor {
		right := c.again(c.in...)
		if len(right.Shape) == 0 || len(right.Data) == 0 {
			panic(errElsewhere)
		}
		columns := right.Shape[len(right.Shape)-1]
		kept, put := autodiff.Zeros(right.Shape...), autodiff.Zeros(right.Shape...)
		for i := range right.Data {
			if part(i, columns, len(right.Data)/columns) {
				put.Data[i] = 1
			} else {
				kept.Data[i] = 1
			}
		}
		result := autodiff.Mul(right, kept)
		if other != "0" {
			result = autodiff.Add(result, autodiff.Mul(c.find(other), put))
		}
		return result
	}
	return a
}
