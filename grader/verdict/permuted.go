package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// permutations finds the slices along an axis of three or more in another
// order.
func (c *evidence) permutations() []Structure {
	const most = 1024 // the search is quadratic
	var found []Structure
	inner := 1
	for a := len(c.shape) - 1; a >= 0; a-- {
		n := c.shape[a]
		if n >= 3 && n <= most {
			if source, ok := c.permuted(n, inner); ok {
				k := 0 // the first displaced slice; there is one, or nothing would be wrong
				for source[k] == k {
					k++
				}
				found = append(found, Structure{"permuted", lang.T(
					"Along axis %d your output is what is expected in another order: index %d holds what is expected at %d.",
					a, k, source[k])})
			}
		}
		inner *= n
	}
	return found
}

// permuted finds for every slice of the output along an axis an expected slice
// that it equals and that no other has taken.
func (c *evidence) permuted(n, inner int) (source []int, ok bool) {
	taken := make([]bool, n)
	for k := range n {
		s := 0
		for s < n && (taken[s] || !c.sliceAgrees(n, inner, k, s)) {
			s++
		}
		if s == n {
			return nil, false
		}
		taken[s] = true
		source = append(source, s)
	}
	return source, true
}

// sliceAgrees compares slice k of the output along an axis with slice s of what
// is expected.
func (c *evidence) sliceAgrees(n, inner, k, s int) bool {
	for block := 0; block < len(c.got); block += n * inner {
		for i := range inner {
			if !c.fit.agrees(c.got[block+k*inner+i], c.want[block+s*inner+i]) {
				return false
			}
		}
	}
	return true
}

// reordering finds the expected values in some other order.
func (c *evidence) reordering() []Structure {
	got, want := slices.Clone(c.got), slices.Clone(c.want)
	slices.Sort(got)
	slices.Sort(want)
	for i := range got {
		if math.IsNaN(got[i]) || !c.fit.agrees(got[i], want[i]) {
			return nil
		}
	}
	return []Structure{{"reordered", lang.T("Your output holds the expected values, in another order.")}}
}
