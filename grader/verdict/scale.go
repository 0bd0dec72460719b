package verdict

import (
	"math"

	"github.com/stubformer/stubformer/grader/lang"
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
		found = append(found, Structure{"offset", sentence(amount(o), everywhere)})
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
		return Structure{"sign", sentence(lang.T("has the opposite sign"), everywhere)}
	}
	return Structure{"factor", sentence(lang.T("is %s times what is expected", c.factorName(f)), everywhere)}
}

// amount puts an offset into words: "is 0.5 more than what is expected".
func amount(offset float64) lang.Text {
	if offset < 0 {
		return lang.T("is %s less than what is expected", significant(-offset, 4))
	}
	return lang.T("is %s more than what is expected", significant(offset, 4))
}

// accumulation finds what went wrong between the gradient that was there
// before and the new one that was to be added to it.
func (c *evidence) accumulation() []Structure {
	if c.before == nil || !c.accumulates() {
		return nil
	}
	relations := []struct {
		id   string
		text lang.Text
		undo func(i int) float64
	}{
		{"overwritten", lang.T("is the new gradient alone: it replaces what was there before the call, where it should be added to it"),
			func(i int) float64 { return c.got[i] + c.before[i] }},
		{"unchanged", lang.T("is what was there before the call: nothing has been added"),
			func(i int) float64 { return c.got[i] - c.before[i] + c.want[i] }},
		{"before-twice", lang.T("counts what was there before the call twice"),
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
		text := lang.T("is what was there before plus %s times the new gradient", c.factorName(f))
		if c.near(f, -1) {
			text = lang.T("is what was there before minus the new gradient, where it should be plus")
		}
		found = append(found, Structure{"added-factor", gradientSentence(text, everywhere)})
	}
	return found
}

// accumulates reports whether both the former content and the new gradient are
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

func gradientSentence(predicate lang.Text, everywhere bool) lang.Text {
	if everywhere {
		return lang.T("Your gradient %s.", predicate)
	}
	return lang.T("Where it is wrong, your gradient %s.", predicate)
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
			found = append(found, Structure{"column-factor", own.words(lang.T("column (index of the last axis)"), lang.T(": look at what is applied once to a column, such as a gain."))})
		case len(c.shape) == 2:
			found = append(found, Structure{"row-factor", own.words(lang.T("row"), rowAdvice())})
		default:
			found = append(found, Structure{"axis-factor", own.words(lang.T("index of axis %d", a), lang.T("."))})
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
	return []Structure{{"row-factor", own.words(lang.T("row (along the last axis)"), rowAdvice())}}
}

func rowAdvice() lang.Text {
	return lang.T(": look at what is computed once for a row, such as a norm or a sum.")
}

// ownFactors are the factors that were fitted to the wrong groups of elements.
type ownFactors struct {
	low, high float64
	all       bool // every group is wrong
}

// words says that every group has its own factor; advice ends the sentence.
func (o ownFactors) words(group, advice lang.Text) lang.Text {
	if o.all {
		return lang.T("Each %s of your output has a factor of its own, from %s to %s%s", group, multiple(o.low), multiple(o.high), advice)
	}
	return lang.T("Each wrong %s of your output has a factor of its own, from %s to %s%s", group, multiple(o.low), multiple(o.high), advice)
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
