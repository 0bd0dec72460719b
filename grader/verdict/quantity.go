package verdict

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// quantity is a number that a factor may turn out to be.
type quantity struct {
	name   string    // of a number that has one: "d_model", "√d_k"
	phrase lang.Text // what the number is, if it has no name
	value  float64
}

// quantities returns the numbers in sight: those with a name, and the array's
// own sizes as far as they have none. Two names, or two axes, of the same size
// are both listed: then it is uncertain which is meant.
func quantities(named map[string]float64, shape []int) []quantity {
	var all []quantity
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, quantity{name: name, value: named[name]})
	}
	unless := slices.Clone(all)
	add := func(phrase lang.Text, n int) {
		if !slices.ContainsFunc(unless, func(q quantity) bool { return q.value == float64(n) }) {
			all = append(all, quantity{phrase: phrase, value: float64(n)})
		}
	}
	rows := 1
	for a, n := range shape {
		add(lang.T("the size of axis %d", a), n)
		rows *= n
	}
	unless = slices.Clone(all)
	add(lang.T("the number of elements"), rows)
	if len(shape) > 2 {
		add(lang.T("the number of rows"), rows/shape[len(shape)-1])
	}
	return all
}

// near reports whether a fitted factor is a given number.
func (c *evidence) near(f, value float64) bool {
	return math.Abs(f-value) <= loose*c.fit.tolerance*math.Abs(value)
}

// factorName writes a factor, and what number it is if that is certain:
// "2", "0.3333 (1/3)", "6.928 (√d_model)".
func (c *evidence) factorName(f float64) lang.Text {
	for _, n := range []float64{2, 3, 4} {
		for sign := range slices.Values([]float64{1, -1}) {
			if c.near(f, sign*n) {
				return lang.Raw(significant(sign*n, 4))
			}
			if c.near(f, sign/n) {
				return lang.T("%s (%s1/%s)", significant(f, 4), minus(f), significant(n, 1))
			}
		}
	}
	var names []lang.Text
	for _, q := range c.names {
		names = append(names, c.forms(q, math.Abs(f))...)
	}
	if len(names) != 1 {
		return lang.Raw(multiple(f))
	}
	return lang.T("%s (%s%s)", significant(f, 4), minus(f), names[0])
}

// forms returns the ways in which a positive factor f is made of q: itself, its
// inverse, its root and the inverse of that.
func (c *evidence) forms(q quantity, f float64) []lang.Text {
	itself, inverse := lang.Raw(q.name), lang.Raw("1/"+q.name)
	root, inverseRoot := lang.Raw("√"+q.name), lang.Raw("1/√"+q.name)
	if !q.phrase.Empty() {
		itself, inverse = q.phrase, lang.T("1 / %s", q.phrase)
		root, inverseRoot = lang.T("the root of %s", q.phrase), lang.T("1 / the root of %s", q.phrase)
	}
	var found []lang.Text
	try := func(value float64, name lang.Text) {
		if c.near(f, value) {
			found = append(found, name)
		}
	}
	try(q.value, itself)
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
