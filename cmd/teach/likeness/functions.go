package likeness

import (
	"cmp"
	"maps"
	"slices"
)

// functions tells which functions of a pair have something in common: each goes with
// the one that it shares most with, and every function stands in one row at most.
func (x *stepIndex) functions(p *Pair) (rows []Functions) {
	sums := map[[2]*function]float64{}
	for _, h := range slices.Sorted(maps.Keys(p.common)) {
		for fa := range holders(p.a.pieces[h]) {
			for fb := range holders(p.b.pieces[h]) {
				sums[[2]*function{fa, fb}] += x.weight[h]
			}
		}
	}
	totals := x.totals(p.a)
	maps.Copy(totals, x.totals(p.b))
	for ab, common := range sums {
		a, b := ab[0], ab[1]
		rows = append(rows, Functions{A: a.name, B: b.name, Common: common, a: a, b: b,
			Likeness: min(1, common/max(min(totals[a], totals[b]), 1e-9))})
	}
	slices.SortFunc(rows, func(r, s Functions) int {
		return cmp.Or(cmp.Compare(s.Common, r.Common), cmp.Compare(r.a.file, s.a.file), cmp.Compare(r.a.from, s.a.from),
			cmp.Compare(r.b.file, s.b.file), cmp.Compare(r.b.from, s.b.from))
	})
	taken := map[*function]bool{}
	return slices.DeleteFunc(rows, func(r Functions) bool {
		gone := taken[r.a] || taken[r.b]
		if !gone {
			taken[r.a], taken[r.b] = true, true
		}
		return gone
	})
}

// totals returns the weight of the pieces in each function of a program.
func (x *stepIndex) totals(p *program) map[*function]float64 {
	all := map[*function]float64{}
	for _, h := range p.hashes() {
		for f := range holders(p.pieces[h]) {
			all[f] += x.weight[h]
		}
	}
	return all
}

// holders returns the functions that hold a piece.
func holders(places []place) map[*function]bool {
	all := map[*function]bool{}
	for _, at := range places {
		all[at.function] = true
	}
	return all
}
