package kernel

import "fmt"

// Int8s are whole numbers of 8 bits of which every group of a row shares a scale: number j of a row is
// Q[j]·Scale[j/Group]. The last group of a row may be shorter.
type Int8s struct {
	Q     []int8
	Scale []float32
	Group int
}

// MatVecInt8 is a matrix of int8s times a vector of int8s, both in groups of the same size:
//
//	y[i] = Σ_g w.Scale[i·G+g]·x.Scale[g] · Σ_{j in g} w.Q[i·n+j]·x.Q[j]        0 ≤ i < len(y), n = len(x.Q)
//
// The inner sums are exact. It is fast for groups that are multiples of 32, and fastest for those of 64. It panics if the groups differ, or w is not
// as long as len(y) rows.
func MatVecInt8(y []float32, w, x Int8s) { matVecInt8(best(), y, w, x) }

func matVecInt8(s isa, y []float32, w, x Int8s) {
	n := len(x.Q)
	if w.Group != x.Group || w.Group < 1 {
		panic(fmt.Sprintf("kernel: MatVecInt8: groups of %d and %d; want the same, at least 1", w.Group, x.Group))
	}
	groups := (n + w.Group - 1) / w.Group
	if len(w.Q) != len(y)*n || len(w.Scale) != len(y)*groups || len(x.Scale) != groups {
		panic(fmt.Sprintf("kernel: MatVecInt8: %d numbers and %d scales for %d rows of %d, with %d scales for the vector; want %d, %d and %d",
			len(w.Q), len(w.Scale), len(y), n, len(x.Scale), len(y)*n, len(y)*groups, groups))
	}
	clear(y)
	done := int8RowsFast(s, y, w, x)
	if done == groups {
		return
	}
	for i := range y {
		y[i] += dotGroups(w.row(i, n, groups).from(done), x.from(done))
	}
}

// row is row i of a matrix whose rows have n numbers and so many groups.
func (v Int8s) row(i, n, groups int) Int8s {
	return Int8s{v.Q[i*n:][:n], v.Scale[i*groups:][:groups], v.Group}
}

// from leaves out the first so many groups.
func (v Int8s) from(groups int) Int8s { return Int8s{v.Q[groups*v.Group:], v.Scale[groups:], v.Group} }

// dotGroups is the dot product of two rows.
func dotGroups(a, b Int8s) float32 {
	sum := float32(0)
	for g, scale := range a.Scale {
		lo, hi := g*a.Group, min((g+1)*a.Group, len(a.Q))
		whole := int32(0)
		for j := lo; j < hi; j++ {
			whole += int32(a.Q[j]) * int32(b.Q[j])
		}
		sum += scale * b.Scale[g] * float32(whole)
	}
	return sum
}

// block is how many int8s the assembly takes at once: it computes whole groups that are made of them.
const block = 32

// wholeGroups is how many groups of a row, from the first, are made of blocks.
func (v Int8s) wholeGroups() int {
	if v.Group%block != 0 {
		return 0
	}
	return len(v.Q) / v.Group
}
