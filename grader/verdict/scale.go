package verdict

import (
	"fmt"
	"math"
)

// scales finds one factor or one offset: everywhere, or wherever it is wrong.
func (c *evidence) scales() []Structure {
	if n, differ := c.telling(); n < 4 || !differ {
		return nil
	}
	var found []Structure
	f := c.factor(func(i int) (x, y float64) { return c.want[i], c.got[i] })
	if ok, everywhere := c.undone(func(i int) float64 { return c.got[i] / f }); ok {
		found = append(found, c.scaled(f, everywhere))
	}
	o := c.offset()
	if ok, everywhere := c.undone(func(i int) float64 { return c.got[i] - o }); ok {
		found = append(found, Structure{"offset", sentence(amount(o)+" than what is expected", everywhere)})
	}
	return found
}

// factor returns the f that brings f·x closest to y over the wrong elements:
// f = Σ x·y / Σ x². It may be 0 or not finite; then undoing it fails.
func (c *evidence) factor(pair func(i int) (x, y float64)) float64 {
	sum, squares := 0.0, 0.0
	for _, i := range c.wrong {
		x, y := pair(i)
		sum += x * y
		squares += x * x
	}
	return sum / squares
}

// offset returns the mean of got − want over the wrong elements.
func (c *evidence) offset() float64 {
	sum := 0.0
	for _, i := range c.wrong {
		sum += c.got[i] - c.want[i]
	}
	return sum / float64(len(c.wrong))
}

// scaled puts a constant factor into words.
func (c *evidence) scaled(f float64, everywhere bool) Structure {
	if c.near(f, -1) {
		return Structure{"sign", sentence("has the opposite sign", everywhere)}
	}
	return Structure{"factor", sentence(fmt.Sprintf("is %s times what is expected", c.factorName(f)), everywhere)}
}

// amount puts an offset into words: "is 0.5 more".
func amount(offset float64) string {
	if offset < 0 {
		return fmt.Sprintf("is %s less", significant(-offset, 4))
	}
	return fmt.Sprintf("is %s more", significant(offset, 4))
}

// accumulation finds what went wrong between the gradient that was there
// before and the new one that was to be added to it.
func (c *evidence) accumulation() []Structure {
	if c.before == nil || !c.accumulates() {
		return nil
	}
	relations := []struct {
		id, text string
		undo     func(i int) float64
	}{
		{"overwritten", "is the new gradient alone: it replaces what was there before the call, where it should be added to it",
			func(i int) float64 { return c.got[i] + c.before[i] }},
		{"unchanged", "is what was there before the call: nothing has been added",
			func(i int) float64 { return c.got[i] - c.before[i] + c.want[i] }},
		{"before-twice", "counts what was there before the call twice",
			func(i int) float64 { return c.got[i] - c.before[i] }},
	}
	var found []Structure
	for _, r := range relations {
		if ok, everywhere := c.undone(r.undo); ok {
			found = append(found, Structure{r.id, gradientSentence(r.text, everywhere)})
		}
	}
	f := c.factor(func(i int) (x, y float64) { return c.want[i] - c.before[i], c.got[i] - c.before[i] })
	if ok, everywhere := c.undone(func(i int) float64 { return c.before[i] + (c.got[i]-c.before[i])/f }); ok {
		text := "is what was there before plus " + c.factorName(f) + " times the new gradient"
		if c.near(f, -1) {
			text = "is what was there before minus the new gradient, where it should be plus"
		}
		found = append(found, Structure{"added-factor", gradientSentence(text, everywhere)})
	}
	return found
}

// accumulates tells whether both the former content and the new gradient are
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

func gradientSentence(predicate string, everywhere bool) string {
	if everywhere {
		return "Your gradient " + predicate + "."
	}
	return "Where it is wrong, your gradient " + predicate + "."
}

// axisFactors finds a factor of its own for every index of one axis.
func (c *evidence) axisFactors() []Structure {
	var found []Structure
	inner := 1
	for a := len(c.shape) - 1; a >= 0 && len(c.shape) > 1; a-- {
		n, step := c.shape[a], inner
		inner *= n
		own, ok := c.groupFactors(n, func(i int) int { return i / step % n })
		switch {
		case !ok:
		case step == 1:
			found = append(found, Structure{"column-factor", own.words("column (index of the last axis)") + columnAdvice})
		case len(c.shape) == 2:
			found = append(found, Structure{"row-factor", own.words("row") + rowAdvice})
		default:
			found = append(found, Structure{"axis-factor", own.words(fmt.Sprintf("index of axis %d", a)) + "."})
		}
	}
	return found
}

// rowFactors finds a factor of its own for every row along the last axis of an
// array with more than two axes; with two, axisFactors has seen it.
func (c *evidence) rowFactors() []Structure {
	if len(c.shape) < 3 {
		return nil
	}
	d := c.shape[len(c.shape)-1]
	own, ok := c.groupFactors(len(c.want)/d, func(i int) int { return i / d })
	if !ok {
		return nil
	}
	return []Structure{{"row-factor", own.words("row (along the last axis)") + rowAdvice}}
}

const (
	rowAdvice    = ": look at what is computed once for a row, such as a norm or a sum."
	columnAdvice = ": look at what is applied once to a column, such as a gain."
)

// ownFactors are the factors that were fitted to the wrong groups of elements.
type ownFactors struct {
	low, high float64
	all       bool // every group is wrong
}

func (o ownFactors) words(group string) string {
	each := "Each wrong "
	if o.all {
		each = "Each "
	}
	return fmt.Sprintf("%s%s of your output has a factor of its own, from %s to %s",
		each, group, multiple(o.low), multiple(o.high))
}

// groupFactors fits one factor to each of n groups of elements. Each group that
// is wrong needs three elements that tell something, and two of the factors
// must differ.
func (c *evidence) groupFactors(n int, group func(i int) int) (own ownFactors, ok bool) {
	isWrong, tell := make([]bool, n), make([]int, n)
	sum, squares := make([]float64, n), make([]float64, n)
	for _, i := range c.wrong {
		isWrong[group(i)] = true
	}
	for i, w := range c.want {
		if k := group(i); finite(w) {
			sum[k] += w * c.got[i]
			squares[k] += w * w
			if math.Abs(w) >= 0.01*c.fit.rms {
				tell[k]++
			}
		}
	}
	factors := make([]float64, n)
	own = ownFactors{low: math.Inf(1), high: math.Inf(-1), all: true}
	for k := range factors {
		if !isWrong[k] {
			factors[k], own.all = 1, false
			continue
		}
		factors[k] = sum[k] / squares[k]
		if tell[k] < 3 {
			return own, false
		}
		own.low, own.high = min(own.low, factors[k]), max(own.high, factors[k])
	}
	if own.high-own.low <= plain*c.fit.tolerance*max(-own.low, own.high) {
		return own, false
	}
	_, ok = c.undone(func(i int) float64 { return c.got[i] / factors[group(i)] })
	return own, ok
}
