package verdict

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// order is a rearrangement: element i of the output holds what is expected at
// element from(i); a negative from(i) says that nothing is known about it.
type order struct {
	id   string
	text lang.Text
	from func(i int) int
}

// orders finds the rearrangements that have a name. Two that amount to the same
// for this shape count as one.
func (c *evidence) orders() []Structure {
	var fitting []order
	for _, o := range c.candidates() {
		same := func(p order) bool { return c.sameOrder(o, p) }
		if c.ordered(o) && !slices.ContainsFunc(fitting, same) {
			fitting = append(fitting, o)
		}
	}
	// A shift whose edge fits as well is a roll; the roll says more.
	rolled := slices.ContainsFunc(fitting, func(o order) bool { return o.id == "rolled" })
	var found []Structure
	for _, o := range fitting {
		if !(rolled && o.id == "shifted") {
			found = append(found, Structure{o.id, o.text})
		}
	}
	return found
}

// ordered reports whether o explains the output, at least four wrong elements
// among it.
func (c *evidence) ordered(o order) bool {
	for i := range c.got {
		if j := o.from(i); j >= 0 && !c.fit.agrees(c.got[i], c.want[j]) {
			return false
		}
	}
	explained := 0
	for _, i := range c.wrong {
		if o.from(i) >= 0 {
			explained++
		}
	}
	return explained >= 4
}

func (c *evidence) sameOrder(o, p order) bool {
	for i := range c.got {
		if o.from(i) != p.from(i) {
			return false
		}
	}
	return true
}

// candidates returns the rearrangements with a name for this shape.
func (c *evidence) candidates() []order {
	var all []order
	for b := range c.shape {
		for a := range b {
			all = append(all, c.swapped(a, b))
		}
	}
	inner := 1
	for a := len(c.shape) - 1; a >= 0; a-- {
		all = append(all, c.alongAxis(a, inner)...)
		inner *= c.shape[a]
	}
	return all
}

// swapped is the array with axes a and b exchanged, read in row-major order. If
// they differ in size, the result is not a transpose but its values written
// into the untransposed shape.
func (c *evidence) swapped(a, b int) order {
	o := order{id: "transposed", from: transposition(c.shape, swap(len(c.shape), a, b))}
	if c.shape[a] == c.shape[b] {
		o.text = lang.T("Your output is what is expected with axes %d and %d exchanged (transposed).", a, b)
	} else {
		o.text = lang.T("Your output holds the expected values in the order of the transpose (axes %d and %d exchanged).", a, b)
	}
	return o
}

// swap is the permutation of rank axes that exchanges a and b.
func swap(rank, a, b int) []int {
	axes := make([]int, rank)
	for k := range axes {
		axes[k] = k
	}
	axes[a], axes[b] = b, a
	return axes
}

// transposition returns, for an array whose axis k is axis axes[k] of one of
// the given shape, where its element i stands in the latter.
func transposition(shape, axes []int) func(i int) int {
	stride, moved := make([]int, len(shape)), make([]int, len(shape))
	step := 1
	for a := len(shape) - 1; a >= 0; a-- {
		stride[a] = step
		step *= shape[a]
	}
	for k, a := range axes {
		moved[k] = shape[a]
	}
	return func(i int) int {
		j := 0
		for k := len(axes) - 1; k >= 0; k-- {
			j += i % moved[k] * stride[axes[k]]
			i /= moved[k]
		}
		return j
	}
}

// alongAxis returns the rearrangements of the indexes of one axis, whose
// elements stand inner apart.
func (c *evidence) alongAxis(a, inner int) []order {
	n := c.shape[a]
	move := func(id string, text lang.Text, source func(k int) int) order {
		return order{id, text, func(i int) int {
			k := i / inner % n
			if s := source(k); s >= 0 && s < n {
				return i + (s-k)*inner
			}
			return -1
		}}
	}
	all := []order{move("reversed", lang.T("Your output is what is expected in reverse order along axis %d.", a),
		func(k int) int { return n - 1 - k })}
	if n >= 3 {
		all = append(all,
			move("shifted", lang.T("Your output is shifted by one along axis %d: index i holds what is expected at i − 1.", a),
				func(k int) int { return k - 1 }),
			move("shifted", lang.T("Your output is shifted by one along axis %d: index i holds what is expected at i + 1.", a),
				func(k int) int { return k + 1 }),
			move("rolled", lang.T("Your output is rolled by one along axis %d: index i holds what is expected at i − 1, and the first what is expected at the last.", a),
				func(k int) int { return (k + n - 1) % n }),
			move("rolled", lang.T("Your output is rolled by one along axis %d: index i holds what is expected at i + 1, and the last what is expected at the first.", a),
				func(k int) int { return (k + 1) % n }))
	}
	if n >= 4 && n%2 == 0 {
		all = append(all,
			move("halves", lang.T("The two halves of your output along axis %d are exchanged.", a),
				func(k int) int { return (k + n/2) % n }),
			move("neighbours", lang.T("The two members of every pair (2k, 2k + 1) along axis %d are exchanged.", a),
				func(k int) int { return k ^ 1 }),
			move("split", lang.T("Along axis %d your output holds the even indexes of what is expected first and then the odd ones.", a),
				func(k int) int { return k%(n/2)*2 + k/(n/2) }),
			move("split", lang.T("Along axis %d your output alternates between the first and the second half of what is expected.", a),
				func(k int) int { return k/2 + k%2*(n/2) }))
	}
	return all
}
