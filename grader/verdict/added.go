package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// spare is how many elements at least a sum must explain beyond the numbers that were
// fitted to them: fewer may fit by chance.
const spare = 8

// additions finds an input in the output: added to what is expected, taken from it,
// or a multiple of it in its place.
func (c *evidence) additions() []Structure {
	if len(c.wrong) < spare {
		return nil
	}
	var found []Structure
	for _, in := range c.given.Inputs {
		x := c.spread(in)
		if x == nil || !c.varied(x) {
			continue
		}
		if s := c.addedInput(in.Name, x); s != nil {
			found = append(found, *s)
		}
		if s := c.multipleOf(in.Name, x); s != nil && c.comparable(in) {
			found = append(found, *s)
		}
	}
	return found
}

// spread returns an input as an array of the output's shape: one that has it, or that
// is a number for each column. It is nil for any other.
func (c *evidence) spread(in Array) []float64 {
	x := Numbers(in.Value)
	if c.comparable(in) {
		return x
	}
	last := len(c.shape) - 1
	if last < 1 || !floating(in.Value) || !slices.Equal(in.Value.Shape, c.shape[last:]) || len(x) != c.shape[last] {
		return nil
	}
	wide := make([]float64, len(c.want))
	for i := range wide {
		wide[i] = x[i%len(x)]
	}
	return wide
}

// varied reports whether an input has several values where the output is wrong.
func (c *evidence) varied(x []float64) bool {
	seen := map[float64]bool{}
	for _, i := range c.wrong {
		seen[x[i]] = true
	}
	return len(seen) >= 4
}

// named returns the input of a name in the case under examination, nil if it has none
// that fits the output.
func (c *evidence) named(name string) []float64 {
	for _, in := range c.given.Inputs {
		if in.Name == name {
			return c.spread(in)
		}
	}
	return nil
}

// without undoes the sum of what is expected and f times an input.
func without(name string) func(c *evidence) func(i int, f float64) float64 {
	return func(c *evidence) func(i int, f float64) float64 {
		x := c.named(name)
		return func(i int, f float64) float64 {
			if x == nil {
				return c.want[i] // it says nothing
			}
			return c.got[i] - f*x[i]
		}
	}
}

// addedInput finds f with got = want + f·x.
func (c *evidence) addedInput(name string, x []float64) *Structure {
	f := c.factor(func(i int) (float64, float64) { return x[i], c.got[i] - c.want[i] })
	ok, everywhere := c.undone(func(i int) float64 { return c.got[i] - f*x[i] })
	if !ok || c.isFactor(func(i int) float64 { return c.want[i] / x[i] }) {
		return nil
	}
	undo := func(c *evidence, i int, f float64) float64 { return without(name)(c)(i, f) }
	for sign, text := range map[float64]lang.Text{
		1:  lang.T("is what is expected plus the input %s", name),
		-1: lang.T("is what is expected minus the input %s", name),
	} {
		if c.near(f, sign) {
			return claim("added-input", sentence(text, everywhere), undoing(func(c *evidence, i int) float64 { return undo(c, i, sign) }))
		}
	}
	s := c.factors("added-input", f, undo, func(factor lang.Text) lang.Text {
		return sentence(lang.T("is what is expected plus %s times the input %s", factor, name), everywhere)
	})
	return &s
}

// isFactor reports whether a ratio is one number wherever the output is wrong.
func (c *evidence) isFactor(ratio func(i int) float64) bool {
	first := ratio(c.wrong[0])
	return !slices.ContainsFunc(c.wrong, func(i int) bool { return math.Abs(ratio(i)-first) > 1e-3*math.Abs(first) })
}

// multipleOf finds f with got = f·x.
func (c *evidence) multipleOf(name string, x []float64) *Structure {
	f := c.factor(func(i int) (float64, float64) { return x[i], c.got[i] })
	rest := func(c *evidence, i int, f float64) float64 { return without(name)(c)(i, f) + c.want[i] }
	ok, everywhere := c.undone(func(i int) float64 { return rest(c, i, f) })
	if !ok || math.Abs(f) < 1e-6 || c.near(f, 1) {
		return nil
	}
	s := c.factors("multiple-of-input", f, rest, func(factor lang.Text) lang.Text {
		return sentence(lang.T("is %s times the input %s", factor, name), everywhere)
	})
	return &s
}
