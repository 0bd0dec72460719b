package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// Before is what the memory of a result held before the call, and what becomes of it.
type Before struct {
	Value    wire.Value
	Gradient bool // the result is a gradient, and not a product
	Replaced bool // by the new one; otherwise the new one is added to it
}

// words are how a sentence calls the result, and what the call computes for it.
func (b *Before) words() (result, added lang.Text) {
	if b.Gradient {
		return lang.T("gradient"), lang.T("the new gradient")
	}
	return lang.T("output"), lang.T("the product")
}

// relation is a way in which a result can hold what was there before.
type relation struct {
	id   string
	text lang.Text
	undo func(i int) float64
}

// accumulation finds what went wrong between what was there before and the new
// result, which was to be added to it or to take its place.
func (c *evidence) accumulation() []Structure {
	if c.before == nil || !c.accumulates() {
		return nil
	}
	result, added := c.given.Before.words()
	say := func(text lang.Text, everywhere bool) lang.Text {
		if everywhere {
			return lang.T("Your %s %s.", result, text)
		}
		return lang.T("Where it is wrong, your %s %s.", result, text)
	}
	var found []Structure
	for _, r := range c.relations(added) {
		if ok, everywhere := c.undone(c.knowing(r.undo)); ok {
			found = append(found, *claim(r.id, say(r.text, everywhere), again(r.id)))
		}
	}
	if c.given.Before.Replaced {
		return found
	}
	f := c.factor(func(i int) (x, y float64) { return c.want[i] - c.before[i], c.got[i] - c.before[i] })
	if ok, everywhere := c.undone(func(i int) float64 { return timesAdded(c, i, f) }); ok {
		if c.near(f, -1) {
			return append(found, *claim("added-factor", say(lang.T("is what was there before minus %s, where it should be plus", added), everywhere),
				undoing(func(c *evidence, i int) float64 { return timesAdded(c, i, -1) })))
		}
		found = append(found, c.factors("added-factor", f, timesAdded, func(name lang.Text) lang.Text {
			return say(lang.T("is what was there before plus %s times %s", name, added), everywhere)
		}))
	}
	return found
}

// relations are those of a result to which the new one is added, or which it
// replaces.
func (c *evidence) relations(added lang.Text) []relation {
	if c.given.Before.Replaced {
		return []relation{
			{"added", lang.T("is what was there before plus %s, which should replace it", added), func(i int) float64 { return c.got[i] - c.before[i] }},
			{"unchanged", lang.T("is what was there before the call: nothing has been written"), func(i int) float64 { return c.got[i] - c.before[i] + c.want[i] }},
		}
	}
	return []relation{
		{"overwritten", lang.T("is %s alone: it replaces what was there before the call, where it should be added to it", added),
			func(i int) float64 { return c.got[i] + c.before[i] }},
		{"unchanged", lang.T("is what was there before the call: nothing has been added"),
			func(i int) float64 { return c.got[i] - c.before[i] + c.want[i] }},
		{"before-twice", lang.T("counts what was there before the call twice"),
			func(i int) float64 { return c.got[i] - c.before[i] }},
	}
}

// again fits another case in which the same relation holds.
func again(id string) func(c *evidence) bool {
	return func(c *evidence) bool {
		if c.before == nil || !c.accumulates() {
			return true
		}
		return slices.ContainsFunc(c.relations(lang.Text{}), func(r relation) bool {
			ok, _ := c.undone(c.knowing(r.undo))
			return r.id == id && ok
		})
	}
}

// knowing leaves out what was NaN before and is so still: nothing else can come of it.
func (c *evidence) knowing(undo func(i int) float64) func(i int) float64 {
	return func(i int) float64 {
		if math.IsNaN(c.before[i]) && math.IsNaN(c.got[i]) {
			return c.want[i]
		}
		return undo(i)
	}
}

// timesAdded is the element i of a result without the factor f of what was added.
func timesAdded(c *evidence, i int, f float64) float64 {
	if c.before == nil {
		return c.want[i] // it says nothing
	}
	return c.before[i] + (c.got[i]-c.before[i])/f
}

// accumulates tells whether both the former content and the new result are
// large enough, where the result is wrong, to be told apart.
func (c *evidence) accumulates() bool {
	old, added := 0, 0
	for _, i := range c.wrong {
		if math.Abs(c.before[i]) >= 0.01*c.fit.rms {
			old++
		}
		if math.Abs(c.want[i]-c.before[i]) >= 0.01*c.fit.rms {
			added++
		}
	}
	return old >= 4 && added >= 4
}
