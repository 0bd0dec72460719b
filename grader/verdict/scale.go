package verdict

import (
	"math"

	"github.com/stubformer/stubformer/grader/lang"
)

// scales finds one factor or one offset: everywhere, or wherever it is wrong.
func (c *evidence) scales() []Structure {
	if n, differ := c.large(); n < 4 || !differ {
		return nil
	}
	var found []Structure
	f := c.factor(func(i int) (x, y float64) { return c.want[i], c.got[i] })
	if ok, everywhere := c.undone(func(i int) float64 { return c.got[i] / f }); ok {
		found = append(found, c.scaled(f, everywhere))
	}
	o := c.offset()
	if ok, everywhere := c.undone(func(i int) float64 { return c.got[i] - o }); ok {
		found = append(found, *claim("offset", sentence(amount(o), everywhere), undoing(func(c *evidence, i int) float64 { return c.got[i] - o })))
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
		return *claim("sign", sentence(lang.T("has the opposite sign"), everywhere), undoing(func(c *evidence, i int) float64 { return -c.got[i] }))
	}
	return c.factors("factor", f, func(c *evidence, i int, f float64) float64 { return c.got[i] / f }, func(name lang.Text) lang.Text {
		return sentence(lang.T("is %s times what is expected", name), everywhere)
	})
}

// amount puts an offset into words: "is 0.5 more than what is expected".
func amount(offset float64) lang.Text {
	if offset < 0 {
		return lang.T("is %s less than what is expected", significant(-offset, 4))
	}
	return lang.T("is %s more than what is expected", significant(offset, 4))
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
			found = append(found, *claim("column-factor", own.words(lang.T("column (index of the last axis)"), lang.T(": look at what is applied once to a column, such as a gain.")), factorsAlong(1)))
		case len(c.shape) == 2:
			found = append(found, *claim("row-factor", own.words(lang.T("row"), c.rowAdvice()), factorsOfRows))
		default:
			found = append(found, *claim("axis-factor", own.words(lang.T("index of axis %d", a), lang.T(".")), factorsAlong(len(c.shape)-a)))
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
	return []Structure{*claim("row-factor", own.words(lang.T("row (along the last axis)"), rowAdvice()), factorsOfRows)}
}

// rowAdvice says where to look for what a row has of its own.
func (c *evidence) rowAdvice() lang.Text {
	if c.given.Steps {
		return lang.T(". A row is what one step leaves behind: look at what every step multiplies by.")
	}
	return rowAdvice()
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
	factors, tell := c.fitted(n, group)
	own = ownFactors{low: math.Inf(1), high: math.Inf(-1), all: true}
	for k, f := range factors {
		switch {
		case math.IsNaN(f): // nothing is wrong
			own.all = false
			continue
		case tell[k] < 3:
			return own, false
		}
		own.low, own.high = min(own.low, f), max(own.high, f)
	}
	if own.high-own.low <= plain*c.fit.tolerance*max(-own.low, own.high) {
		return own, false
	}
	return own, c.undoneByGroup(factors, group)
}

// fitted returns the factor that fits each group of elements, NaN for a group in which
// nothing is wrong, and how many elements of it tell something.
func (c *evidence) fitted(n int, group func(i int) int) (factors []float64, tell []int) {
	isWrong := make([]bool, n)
	sum, squares := make([]float64, n), make([]float64, n)
	factors, tell = make([]float64, n), make([]int, n)
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
	for k := range factors {
		if factors[k] = sum[k] / squares[k]; !isWrong[k] {
			factors[k] = math.NaN()
		}
	}
	return factors, tell
}

// undoneByGroup reports whether a factor of its own explains each group.
func (c *evidence) undoneByGroup(factors []float64, group func(i int) int) bool {
	ok, _ := c.undone(func(i int) float64 {
		if f := factors[group(i)]; !math.IsNaN(f) {
			return c.got[i] / f
		}
		return c.got[i]
	})
	return ok
}

// factorsAlong fits a factor for every index of an axis that is counted from the last,
// which is 1.
func factorsAlong(axis int) func(c *evidence) bool {
	return func(c *evidence) bool {
		if axis > len(c.shape) {
			return true
		}
		n, step := c.shape[len(c.shape)-axis], 1
		for _, size := range c.shape[len(c.shape)-axis+1:] {
			step *= size
		}
		group := func(i int) int { return i / step % n }
		factors, _ := c.fitted(n, group)
		return c.undoneByGroup(factors, group)
	}
}

// factorsOfRows fits a factor for every row along the last axis.
func factorsOfRows(c *evidence) bool {
	if len(c.shape) == 0 {
		return true
	}
	d := c.shape[len(c.shape)-1]
	group := func(i int) int { return i / d }
	factors, _ := c.fitted(len(c.want)/d, group)
	return c.undoneByGroup(factors, group)
}
