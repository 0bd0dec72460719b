package rules

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/wire"
)

// argumentRules are the ways to take integers otherwise than they are given: those of
// arrays that have a row for every sequence, and axes.
func argumentRules(in wire.Values, backward bool) []Rule {
	var all []Rule
	add := func(form diagnose.Form, given func(wire.Values) bool, args ...string) {
		for _, derivative := range []bool{false, true}[:1+count(backward)] {
			h := fnv.New32a()
			fmt.Fprint(h, "given: ", form, args, derivative)
			all = append(all, Rule{ID: fmt.Sprintf("rule-%08x", h.Sum32()), derivative: derivative, given: given,
				Sentence: diagnose.Sentence{Form: form, Args: args, Derivative: derivative}})
		}
	}
	for _, name := range sortedNames(in) {
		v := in[name]
		if v.DType != wire.I64 {
			continue
		}
		if name == "axis" {
			for _, axis := range []int64{-1, 0, 1, -2} {
				add(diagnose.Constant, func(in wire.Values) bool { return set(in, name, axis) }, name, fmt.Sprint(axis))
			}
		}
		if len(v.Shape) != 2 {
			continue
		}
		for _, o := range orders() {
			add(o.form, func(in wire.Values) bool { return reordered(in[name], o.of) }, name)
		}
	}
	return all
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// set gives a number another value. It reports whether it had one.
func set(in wire.Values, name string, to int64) bool {
	v, ok := in[name]
	if ok {
		in[name] = wire.Int(int(to))
	}
	return ok && len(v.Shape) == 0
}

// order is a wrong way to read an array of integers.
type order struct {
	form diagnose.Form
	of   func(a [][]int64, b, t int) int64
}

func orders() []order {
	return []order{
		{diagnose.Counted, func(_ [][]int64, _, t int) int64 { return int64(t) }},
		{diagnose.FirstRow, func(a [][]int64, _, t int) int64 { return a[0][t] }},
		{diagnose.FirstOfRow, func(a [][]int64, b, _ int) int64 { return a[b][0] }},
		{diagnose.FirstOfAll, func(a [][]int64, _, _ int) int64 { return a[0][0] }},
		{diagnose.Backwards, func(a [][]int64, b, t int) int64 { return a[b][len(a[b])-1-t] }},
		{diagnose.OneOn, func(a [][]int64, b, t int) int64 { return a[b][(t+1)%len(a[b])] }},
		{diagnose.OneBack, func(a [][]int64, b, t int) int64 { return a[b][(t+len(a[b])-1)%len(a[b])] }},
		{diagnose.OneMore, func(a [][]int64, b, t int) int64 { return a[b][t] + 1 }},
		{diagnose.OneLess, func(a [][]int64, b, t int) int64 { return a[b][t] - 1 }},
		{diagnose.Columns, func(a [][]int64, b, t int) int64 {
			i := t*len(a) + b
			return a[i/len(a[0])][i%len(a[0])]
		}},
	}
}

// reordered reads an array otherwise. It reports whether there is one.
func reordered(v wire.Value, of func(a [][]int64, b, t int) int64) bool {
	if len(v.Shape) != 2 || v.Len() == 0 {
		return false
	}
	var rows [][]int64
	for row := range slices.Chunk(slices.Clone(v.I64), v.Shape[1]) {
		rows = append(rows, row)
	}
	for b := range rows {
		for t := range rows[b] {
			v.I64[b*v.Shape[1]+t] = of(rows, b, t)
		}
	}
	return true
}
