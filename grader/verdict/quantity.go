package verdict

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// quantity is a number that a factor may turn out to be.
type quantity struct {
	name  string
	value float64
}

// quantities returns the numbers in sight: those with a name, and the array's
// own sizes as far as they have none. Two names, or two axes, of the same size
// are both listed: then it is uncertain which is meant.
func quantities(named map[string]float64, shape []int) []quantity {
	var all []quantity
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, quantity{name, named[name]})
	}
	unless := slices.Clone(all)
	add := func(name string, n int) {
		if !slices.ContainsFunc(unless, func(q quantity) bool { return q.value == float64(n) }) {
			all = append(all, quantity{name, float64(n)})
		}
	}
	rows := 1
	for a, n := range shape {
		add(fmt.Sprintf("the size of axis %d", a), n)
		rows *= n
	}
	unless = slices.Clone(all)
	add("the number of elements", rows)
	if len(shape) > 2 {
		add("the number of rows", rows/shape[len(shape)-1])
	}
	return all
}

// near tells whether a fitted factor is a given number.
func (c *evidence) near(f, value float64) bool {
	return math.Abs(f-value) <= loose*c.fit.tolerance*math.Abs(value)
}

// factorName writes a factor, and what number it is if that is certain:
// "2", "0.3333 (1/3)", "6.928 (√d_model)".
func (c *evidence) factorName(f float64) string {
	for _, n := range []float64{2, 3, 4} {
		for sign := range slices.Values([]float64{1, -1}) {
			if c.near(f, sign*n) {
				return significant(sign*n, 4)
			}
			if c.near(f, sign/n) {
				return fmt.Sprintf("%s (%s1/%s)", significant(f, 4), minus(f), significant(n, 1))
			}
		}
	}
	var names []string
	for _, q := range c.names {
		names = append(names, c.forms(q, math.Abs(f))...)
	}
	if len(names) != 1 {
		return multiple(f)
	}
	return fmt.Sprintf("%s (%s%s)", significant(f, 4), minus(f), names[0])
}

// forms returns the ways in which a positive factor f is made of q: itself, its
// inverse, its root and the inverse of that.
func (c *evidence) forms(q quantity, f float64) []string {
	phrase := strings.Contains(q.name, " ")
	root, inverseRoot := "√"+q.name, "1/√"+q.name
	if phrase {
		root, inverseRoot = "the root of "+q.name, "1 / the root of "+q.name
	}
	inverse := "1/" + q.name
	if phrase {
		inverse = "1 / " + q.name
	}
	var found []string
	try := func(value float64, name string) {
		if c.near(f, value) {
			found = append(found, name)
		}
	}
	try(q.value, q.name)
	try(1/q.value, inverse)
	if !strings.HasPrefix(q.name, "√") {
		try(math.Sqrt(q.value), root)
		try(1/math.Sqrt(q.value), inverseRoot)
	}
	return found
}

func minus(f float64) string {
	if f < 0 {
		return "-"
	}
	return ""
}
