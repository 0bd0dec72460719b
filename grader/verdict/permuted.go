package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// mostPermuted is the longest axis along which a permutation is looked for: the
// search is quadratic.
const mostPermuted = 1024

// permutations finds the slices along an axis of three or more in another
// order.
func (c *evidence) permutations() []Structure {
	var found []Structure
	inner := 1
	for a := len(c.shape) - 1; a >= 0; a-- {
		n := c.shape[a]
		if n >= 3 && n <= mostPermuted {
			if source, ok := c.permuted(n, inner); ok {
				k := 0 // the first displaced slice; there is one, or nothing would be wrong
				for source[k] == k {
					k++
				}
				found = append(found, *claim("permuted", lang.T(
					"Along axis %d your output is what is expected in another order: index %d holds what is expected at %d.",
					a, k, source[k]), permutedAlong(len(c.shape)-a)))
			}
		}
		inner *= n
	}
	return found
}

// permutedAlong fits a permutation along an axis that is counted from the last, which
// is 1.
func permutedAlong(axis int) func(c *evidence) bool {
	return func(c *evidence) bool {
		inner := 1
		for _, n := range c.shape[max(0, len(c.shape)-axis+1):] {
			inner *= n
		}
		if axis > len(c.shape) || c.shape[len(c.shape)-axis] > mostPermuted {
			return true
		}
		_, ok := c.permuted(c.shape[len(c.shape)-axis], inner)
		return ok
	}
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
	if !c.reordered() {
		return nil
	}
	return []Structure{*claim("reordered", lang.T("Your output holds the expected values, in another order."), (*evidence).reordered)}
}

func (c *evidence) reordered() bool {
	got, want := slices.Clone(c.got), slices.Clone(c.want)
	slices.Sort(got)
	slices.Sort(want)
	for i := range got {
		if math.IsNaN(got[i]) || !c.fit.agrees(got[i], want[i]) {
			return false
		}
	}
	return true
}
