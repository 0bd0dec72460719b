package likeness

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Enough is how many pieces of their own, weighed, two programs must have in common
// before anything is said of them: below that there is often one natural form.
const Enough = 15.0

// DefaultThreshold is the likeness from which on a pair is reported. It is chosen on
// half of the programs that docs/instructors.md names, and tried on the others.
const DefaultThreshold = 0.6

// Pair is two submissions that are alike in a step.
type Pair struct {
	Step string
	A, B string // names of the submissions, in order
	// Likeness is the weight of the pieces that both have, as a part of those that the
	// one with less of its own has: from 0 to 1.
	Likeness float64
	Common   float64 // the weight itself, in pieces that nobody else has
	// NearA and NearB say how much of each is what the solution or the lesson writes,
	// as a part of what the stub did not give. No such piece counts in Likeness.
	NearA, NearB float64
	Functions    []Functions

	a, b   *program
	common map[uint64]bool
}

// Functions is what two functions have in common.
type Functions struct {
	A, B     string  // names
	Likeness float64 // as that of a Pair, of these two functions
	Common   float64

	a, b *function
}

// stepIndex compares the programs of one step.
type stepIndex struct {
	names    []string
	programs []*program
	back     *background
	weight   map[uint64]float64
	total    []float64 // of the pieces of each program that are its own
}

// background is what makes a piece say less, or nothing.
type background struct {
	given  map[uint64]bool // by the stub
	solved map[uint64]bool // by the solution and the lesson
	honest []*program      // right programs that are not of the class
}

// newIndex weighs the pieces of some programs. A piece that d of the n other programs
// have as well, those of the kit among them, weighs 1 − log(1+d)/log(2+n): 1 if
// nobody else has it, little if most have. What the stub, the solution or the lesson
// holds weighs nothing, and neither does what more than a tenth of the others have,
// if these are more than ten.
//
// Leaving out what everybody was given, and what more than some number of programs
// have, is what MOSS does; see Schleimer, Wilkerson and Aiken, "Winnowing: Local
// Algorithms for Document Fingerprinting", SIGMOD 2003, on its use.
func newIndex(names []string, programs []*program, back *background) *stepIndex {
	x := &stepIndex{names: names, programs: programs, back: back, weight: map[uint64]float64{}, total: make([]float64, len(programs))}
	others := len(programs) - 2 + len(back.honest)
	have := map[uint64]int{}
	for _, p := range slices.Concat(programs, back.honest) {
		for h := range p.pieces {
			have[h]++
		}
	}
	for i, p := range programs {
		for _, h := range p.hashes() { // in order, for sums of floats depend on it
			if back.given[h] || back.solved[h] {
				continue
			}
			d := max(0, have[h]-2)
			if d <= max(10, others/10) {
				x.weight[h] = 1 - math.Log(float64(1+d))/math.Log(float64(2+max(0, others)))
				x.total[i] += x.weight[h]
			}
		}
	}
	return x
}

// common returns the weight of what every two programs have in common, by their
// numbers, the lower first.
func (x *stepIndex) common() map[[2]int]float64 {
	holders := map[uint64][]int{}
	for i, p := range x.programs {
		for h := range p.pieces {
			if x.weight[h] > 0 {
				holders[h] = append(holders[h], i)
			}
		}
	}
	sums := map[[2]int]float64{}
	for _, h := range slices.Sorted(maps.Keys(holders)) {
		list := holders[h]
		for k, i := range list {
			for _, j := range list[k+1:] {
				sums[[2]int{i, j}] += x.weight[h]
			}
		}
	}
	return sums
}

// likeness returns the part of the smaller program that both have.
func (x *stepIndex) likeness(i, j int, common float64) float64 {
	return common / max(min(x.total[i], x.total[j]), 1e-9)
}

// pairs returns the pairs that reach a threshold.
func (x *stepIndex) pairs(step string, threshold float64) (pairs []Pair) {
	for ij, common := range x.common() {
		i, j := ij[0], ij[1]
		likeness := x.likeness(i, j, common)
		if common < Enough || likeness < threshold {
			continue
		}
		p := Pair{Step: step, A: x.names[i], B: x.names[j], Likeness: min(likeness, 1), Common: common,
			NearA: x.near(i), NearB: x.near(j), a: x.programs[i], b: x.programs[j], common: map[uint64]bool{}}
		for h := range p.a.pieces {
			if x.weight[h] > 0 && p.b.pieces[h] != nil {
				p.common[h] = true
			}
		}
		p.Functions = x.functions(&p)
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(b.Common, a.Common), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return pairs
}

// near returns how much of what the stub did not give is the solution's.
func (x *stepIndex) near(i int) float64 {
	own, solved := 0, 0
	for h := range x.programs[i].pieces {
		if x.back.given[h] {
			continue
		}
		own++
		if x.back.solved[h] {
			solved++
		}
	}
	return float64(solved) / float64(max(own, 1))
}
