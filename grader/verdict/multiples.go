package verdict

import (
	"math"

	"github.com/stubformer/stubformer/grader/lang"
)

// rowMultiples finds an input of which every row, times a number of its own, is added to
// what is expected: a mean or a sum over a row that is another number does that.
func (c *evidence) rowMultiples() []Structure {
	for _, in := range c.given.Inputs {
		low, high, ok := c.rowsOf(in.Name)
		if !ok {
			continue
		}
		return []Structure{*claim("added-row-multiples",
			lang.T("In every row your output is what is expected plus a multiple of the row of %s, from %s to %s times: look at the term that is a multiple of %s, and at the one number of the row that stands before it, such as a mean or a sum.",
				in.Name, significant(low, 4), significant(high, 4), in.Name),
			func(c *evidence) bool {
				_, _, ok := c.rowsOf(in.Name)
				return ok || len(c.shape) < 2 || len(c.want)-len(c.want)/c.shape[len(c.shape)-1] < spare
			})}
	}
	return nil
}

// rowsOf reports whether a multiple of each row of an input is added to what is expected,
// and from where to where the multiples go. Enough elements are left when each row has
// given one for its multiple.
func (c *evidence) rowsOf(name string) (low, high float64, ok bool) {
	x := c.named(name)
	if x == nil || len(c.shape) < 2 || len(c.wrong) < spare {
		return 0, 0, false
	}
	n := c.shape[len(c.shape)-1]
	rows := len(c.want) / max(1, n)
	if rows < 2 || len(c.want)-rows < spare || !c.varied(x) {
		return 0, 0, false
	}
	multiple := make([]float64, rows)
	low, high = math.Inf(1), math.Inf(-1)
	for r := range multiple {
		product, square := 0.0, 0.0
		for i := r * n; i < (r+1)*n; i++ {
			product, square = product+(c.got[i]-c.want[i])*x[i], square+x[i]*x[i]
		}
		if square > 0 {
			multiple[r] = product / square
		}
		low, high = min(low, multiple[r]), max(high, multiple[r])
	}
	where, everywhere := c.undone(func(i int) float64 { return c.got[i] - multiple[i/n]*x[i] })
	return low, high, where && everywhere && finite(low) && finite(high)
}
