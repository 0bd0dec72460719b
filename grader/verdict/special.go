package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// grouping divides an input into the parts that elements of the result belong to.
type grouping struct {
	row    bool        // the parts are rows, and not single numbers
	parts  [][]float64 // of the input
	partOf func(i int) int
}

// groups are the ways in which an input belongs to the result: number by number, a
// number for every column, and row by row.
func (d *Difference) groups(in Array) []grouping {
	x, shape := Numbers(in.Value), in.Value.Shape
	var all []grouping
	last := len(d.WantShape) - 1
	columns := d.WantShape[last]
	switch {
	case slices.Equal(shape, d.WantShape):
		all = append(all, grouping{false, chunks(x, 1), func(i int) int { return i }})
	case slices.Equal(shape, d.WantShape[last:]):
		all = append(all, grouping{false, chunks(x, 1), func(i int) int { return i % columns }})
	}
	if len(shape) == len(d.WantShape) && slices.Equal(shape[:last], d.WantShape[:last]) && shape[last] > 1 && len(x)/shape[last] > 1 {
		all = append(all, grouping{true, chunks(x, shape[last]), func(i int) int { return i / columns }})
	}
	return all
}

func chunks(x []float64, size int) [][]float64 { return slices.Collect(slices.Chunk(x, size)) }

// marked returns the parts to which marked elements of the result belong.
func (g grouping) marked(bad []bool) []bool {
	marked := make([]bool, len(g.parts))
	for i, b := range bad {
		if b {
			marked[g.partOf(i)] = true
		}
	}
	return marked
}

// special says what all marked parts have that no other has.
func (g grouping) special(name string, marked []bool) lang.Text {
	if !slices.Contains(marked, true) || !slices.Contains(marked, false) {
		return lang.Text{}
	}
	only := func(has func(part []float64) bool) bool {
		for k, part := range g.parts {
			if has(part) != marked[k] {
				return false
			}
		}
		return true
	}
	for _, q := range append(g.qualities(name), g.limits(name, marked)...) {
		if only(q.has) {
			return q.text
		}
	}
	return lang.Text{}
}

// quality is what the numbers of a part can have in common, and the sentence that
// says that just the parts have it where the result is not finite.
type quality struct {
	has  func(part []float64) bool
	text lang.Text
}

// qualities are those that ask for no limit.
func (g grouping) qualities(name string) []quality {
	some := func(is func(x float64) bool) func([]float64) bool {
		return func(part []float64) bool { return slices.ContainsFunc(part, is) }
	}
	all := func(is func(x float64) bool) func([]float64) bool {
		return func(part []float64) bool { return !slices.ContainsFunc(part, func(x float64) bool { return !is(x) }) }
	}
	zero := func(x float64) bool { return x == 0 }
	infinite := func(x float64) bool { return math.IsInf(x, 0) }
	if !g.row {
		return []quality{
			{all(math.IsNaN), lang.T("where it is not finite, and nowhere else, %s is NaN", name)},
			{all(func(x float64) bool { return math.IsInf(x, -1) }), lang.T("where it is not finite, and nowhere else, %s is -Inf", name)},
			{all(infinite), lang.T("where it is not finite, and nowhere else, %s is infinite", name)},
			{all(zero), lang.T("where it is not finite, and nowhere else, %s is 0", name)},
			{all(func(x float64) bool { return x < 0 }), lang.T("where it is not finite, and nowhere else, %s is negative", name)},
		}
	}
	return []quality{
		{some(math.IsNaN), lang.T("where it is not finite, and nowhere else, the row of %s holds a NaN", name)},
		{all(func(x float64) bool { return math.IsInf(x, -1) }), lang.T("where it is not finite, and nowhere else, the row of %s is nothing but -Inf", name)},
		{some(infinite), lang.T("where it is not finite, and nowhere else, the row of %s holds an infinity", name)},
		{all(zero), lang.T("where it is not finite, and nowhere else, the row of %s is nothing but 0", name)},
		{all(func(x float64) bool { return x == x && x != 0 && math.Abs(x) < 1e-12 }), lang.T("where it is not finite, and nowhere else, the row of %s holds nothing but tiny numbers", name)},
		{all(func(x float64) bool { return x > 80 }), lang.T("where it is not finite, and nowhere else, every number in the row of %s is above 80", name)},
		{all(func(x float64) bool { return x < -80 }), lang.T("where it is not finite, and nowhere else, every number in the row of %s is below -80", name)},
	}
}

// limits are the qualities of holding a number beyond one that no unmarked part has.
func (g grouping) limits(name string, marked []bool) []quality {
	high, low := math.Inf(1), math.Inf(-1)
	for k, part := range g.parts {
		if marked[k] {
			high, low = min(high, slices.Max(part)), max(low, slices.Min(part))
		}
	}
	above := func(part []float64) bool { return slices.Max(part) >= high }
	below := func(part []float64) bool { return slices.Min(part) <= low }
	words := func(places, rows lang.Text) lang.Text {
		if g.row {
			return rows
		}
		return places
	}
	var all []quality
	if high >= remarkable {
		h := significant(high, 4)
		all = append(all, quality{above, words(lang.T("where it is not finite, and nowhere else, %s is %s or more", name, h), lang.T("where it is not finite, and nowhere else, the row of %s holds a number of %s or more", name, h))})
	}
	if low <= -remarkable {
		l := significant(low, 4)
		all = append(all, quality{below, words(lang.T("where it is not finite, and nowhere else, %s is %s or less", name, l), lang.T("where it is not finite, and nowhere else, the row of %s holds a number of %s or less", name, l))})
	}
	return all
}
