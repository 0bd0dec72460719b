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
	in     func(c *evidence) (value float64, known bool) // in another case
}

// quantities returns the numbers in sight: those with a name, and the array's
// own sizes as far as they have none. Two names, or two axes, of the same size
// are both listed: then it is uncertain which is meant.
func (c *evidence) quantities() []quantity {
	var all []quantity
	for _, name := range slices.Sorted(maps.Keys(c.given.Named)) {
		all = append(all, quantity{name: name, value: c.given.Named[name], in: func(c *evidence) (float64, bool) {
			value, known := c.given.Named[name]
			return value, known
		}})
	}
	unless := slices.Clone(all)
	add := func(phrase lang.Text, size func(c *evidence) (int, bool)) {
		n, known := size(c)
		if known && !slices.ContainsFunc(unless, func(q quantity) bool { return q.value == float64(n) }) {
			all = append(all, quantity{phrase: phrase, value: float64(n), in: func(c *evidence) (float64, bool) {
				n, known := size(c)
				return float64(n), known
			}})
		}
	}
	for a := range c.shape {
		add(lang.T("the size of axis %d", a), func(c *evidence) (int, bool) {
			if a < len(c.shape) {
				return c.shape[a], true
			}
			return 0, false
		})
	}
	unless = slices.Clone(all)
	add(lang.T("the number of elements"), func(c *evidence) (int, bool) { return len(c.want), true })
	add(lang.T("the number of rows"), func(c *evidence) (int, bool) {
		if len(c.shape) < 3 {
			return 0, false
		}
		return len(c.want) / max(1, c.shape[len(c.shape)-1]), true
	})
	return all
}

// near reports whether a fitted factor is a given number.
func (c *evidence) near(f, value float64) bool {
	return math.Abs(f-value) <= loose*c.fit.tolerance*math.Abs(value)
}

// factors is a structure with a factor in it: a number, or what number it is made
// of, which other cases tell apart. undo returns an element without a factor, and say
// completes the sentence.
func (c *evidence) factors(id string, f float64, undo func(c *evidence, i int, f float64) float64, say func(name lang.Text) lang.Text) Structure {
	s := claim(id, say(c.plainFactor(f)), undoing(func(c *evidence, i int) float64 { return undo(c, i, f) }))
	for _, q := range c.quantities() {
		for _, form := range q.forms() {
			if !c.near(math.Abs(f), form.of(q.value)) {
				continue
			}
			s.readings = append(s.readings, reading{
				text: say(lang.T("%s (%s%s)", significant(f, 4), minus(f), form.name)),
				name: true,
				fits: func(c *evidence) bool {
					value, known := q.in(c)
					return !known || undoing(func(c *evidence, i int) float64 { return undo(c, i, math.Copysign(form.of(value), f)) })(c)
				}})
		}
	}
	return *s
}

// plainFactor writes a factor as a number: "2", "0.3333 (1/3)", "1.37".
func (c *evidence) plainFactor(f float64) lang.Text {
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
	return lang.Raw(multiple(f))
}

// form is a way in which a factor is made of a quantity.
type form struct {
	name lang.Text
	of   func(value float64) float64
}

// forms are the quantity itself, its inverse, its root and the inverse of that.
func (q quantity) forms() []form {
	itself, inverse := lang.Raw(q.name), lang.Raw("1/"+q.name)
	root, inverseRoot := lang.Raw("√"+q.name), lang.Raw("1/√"+q.name)
	if !q.phrase.Empty() {
		itself, inverse = q.phrase, lang.T("1 / %s", q.phrase)
		root, inverseRoot = lang.T("the root of %s", q.phrase), lang.T("1 / the root of %s", q.phrase)
	}
	all := []form{{itself, func(x float64) float64 { return x }}, {inverse, func(x float64) float64 { return 1 / x }}}
	if strings.HasPrefix(q.name, "√") {
		return all
	}
	return append(all, form{root, math.Sqrt}, form{inverseRoot, func(x float64) float64 { return 1 / math.Sqrt(x) }})
}

func minus(f float64) string {
	if f < 0 {
		return "-"
	}
	return ""
}
