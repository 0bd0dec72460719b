package verdict

import (
	"math"

	"github.com/stubformer/stubformer/grader/lang"
)

// sameFor is a way to divide an array into groups, in each of which one number may
// have been added.
type sameFor struct {
	id    string
	text  func(low, high float64) lang.Text
	group func(shape []int) (groups int, of func(i int) int) // 0 groups if the shape has no such
}

// likeAdditions finds one number for each column, each row, or each place along the
// other axes, that is added to what is expected.
func (c *evidence) likeAdditions() []Structure {
	for _, s := range c.divisions() {
		low, high, ok := c.added(s)
		if ok {
			return []Structure{*claim(s.id, s.text(low, high), func(c *evidence) bool {
				n, _ := s.group(c.shape)
				_, _, ok := c.added(s)
				return ok || n == 0 || len(c.want)-n < spare
			})}
		}
	}
	return nil
}

// divisions are the ways to divide an array of this rank, the plainest first.
func (c *evidence) divisions() []sameFor {
	rank := len(c.shape)
	if rank < 2 {
		return nil
	}
	all := []sameFor{
		{"added-by-column", func(low, high float64) lang.Text {
			return lang.T("Your output is what is expected plus one number for each column (index of the last axis), the same in every row, from %s to %s.", significant(low, 4), significant(high, 4))
		}, func(shape []int) (int, func(i int) int) {
			n := shape[len(shape)-1]
			return n, func(i int) int { return i % n }
		}},
		{"added-by-row", func(low, high float64) lang.Text {
			return lang.T("Your output is what is expected plus one number for each row (along the last axis), from %s to %s.", significant(low, 4), significant(high, 4))
		}, alongAxis(rank - 1)},
	}
	for a := range rank - 1 {
		if rank > 2 {
			all = append(all, sameFor{"added-along-axis", func(float64, float64) lang.Text {
				return lang.T("The difference between your output and what is expected is the same at every index of axis %d.", a)
			}, alongAxis(a)})
		}
	}
	return all
}

// alongAxis groups the elements that differ in their index of one axis only.
func alongAxis(a int) func(shape []int) (int, func(i int) int) {
	return func(shape []int) (int, func(i int) int) {
		if a >= len(shape) {
			return 0, nil
		}
		total, inner := 1, 1
		for b, n := range shape {
			total *= n
			if b > a {
				inner *= n
			}
		}
		n := shape[a]
		return total / max(1, n), func(i int) int { return i/(n*inner)*inner + i%inner }
	}
}

// added reports whether one number for each group is added to what is expected, and
// from where to where the numbers go. Enough elements are left when each group has
// given one for its number, and the numbers are not all one.
func (c *evidence) added(s sameFor) (low, high float64, ok bool) {
	if len(c.shape) < 2 || len(c.want) == 0 {
		return 0, 0, false
	}
	n, group := s.group(c.shape)
	if n < 2 || len(c.want)-n < spare || len(c.wrong) < spare || len(c.want) < 2*n {
		return 0, 0, false
	}
	mean := make([]float64, n)
	for i := range c.want {
		mean[group(i)] += (c.got[i] - c.want[i]) * float64(n) / float64(len(c.want))
	}
	if where, everywhere := c.undone(func(i int) float64 { return c.got[i] - mean[group(i)] }); !where || !everywhere {
		return 0, 0, false
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, m := range mean {
		low, high = min(low, m), max(high, m)
	}
	return low, high, finite(low) && finite(high) && high-low > plain*c.fit.bound(0)
}
