package verdict

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// explainShape reports whether an array of the wrong shape holds the right
// values: in the right order, or in that of a transpose of the right shape.
func explainShape(got, want wire.Value, tolerance float64) *Structure {
	g, w := Numbers(got), Numbers(want)
	if len(g) != len(w) || len(w) < 2 {
		return nil
	}
	m := newMeasure(w, tolerance, nil)
	agree := func(from func(i int) int) bool {
		for i := range g {
			if !m.agrees(g[i], w[from(i)]) {
				return false
			}
		}
		return true
	}
	if agree(func(i int) int { return i }) {
		return claim("reshaped", lang.T("The values are right and in the right order, the shape is not."), likewise("reshaped"))
	}
	if len(got.Shape) != len(want.Shape) || len(want.Shape) > 5 || len(w) < 4 {
		return nil
	}
	var found []Structure
	for _, axes := range arrangements(len(want.Shape)) {
		if transposes(got.Shape, want.Shape, axes) && agree(transposition(want.Shape, axes)) {
			found = append(found, *claim("transposed", lang.T(
				"The values are right, the shape is not: your output is transposed; its axes are the expected axes %s.", list(axes)), likewise("transposed")))
		}
	}
	return only(found)
}

// likewise fits a shape that is wrong in the same way.
func likewise(id string) func(c *evidence) bool {
	return func(c *evidence) bool {
		s := explainShape(c.raw, c.wanted, c.tolerance)
		return s != nil && s.ID == id
	}
}

// transposes reports whether axis k of got has the size of axis axes[k] of want.
func transposes(got, want, axes []int) bool {
	for k, a := range axes {
		if got[k] != want[a] {
			return false
		}
	}
	return true
}

// arrangements returns every order of n axes.
func arrangements(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, shorter := range arrangements(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}
