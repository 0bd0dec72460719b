package diagnose

import (
	"maps"
	"math"
	"slices"
)

// nearby is how much nearer to a mistake's loss curves than to any others the
// subject's must be, for the mistake to be named.
const nearby = 0.05

// fewest is the number of curves without which nothing is said.
const fewest = 3

// Curve returns the mistake whose loss curves the subject's resemble, or nil.
//
// It is for programs that Explain is silent about because something else is
// different too: another mistake that hardly shows in the loss, or another of
// the published forms of AdamW. Only mistakes that change a curve as nothing else
// does are looked for; those have Curve set in their Entry.
func (k Known) Curve(marks map[string]Mark) *Found {
	curves := maps.Clone(marks)
	maps.DeleteFunc(curves, func(_ string, m Mark) bool { return !m.Curve })
	if len(curves) < fewest {
		return nil
	}
	nearest, least, others := "", math.Inf(1), Known{}.apart(curves, "") // from the right curves
	for _, id := range slices.Sorted(maps.Keys(k)) {
		if d := k.apart(curves, id); d < least && k[id].Curve {
			nearest, least = id, d
		}
	}
	for id := range k {
		if mistake(id) != mistake(nearest) {
			others = math.Min(others, k.apart(curves, id))
		}
	}
	if nearest == "" || !(least < nearby*others) {
		return nil
	}
	return &Found{ID: mistake(nearest), Checks: k[nearest].Checks, Agreement: least, Curve: true}
}

// apart is how far the subject's curves are from those of a mistake, or from the
// right ones if there is no such mistake.
func (k Known) apart(curves map[string]Mark, id string) float64 {
	squares := 0.0
	for name, m := range curves {
		to, changed := k[id].Answers[name]
		if !changed {
			to = m.Want
		}
		d := m.Got.Apart(to)
		squares += d * d
	}
	return math.Sqrt(squares / float64(len(curves)))
}
