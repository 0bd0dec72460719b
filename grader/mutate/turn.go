package mutate

import "fmt"

// Turn takes every N-th of a list, from the K-th on, counted from 0: what takes too long
// for one run is shared by several.
type Turn struct{ K, N int }

// ParseTurn reads "K/N".
func ParseTurn(s string) (Turn, error) {
	var t Turn
	if _, err := fmt.Sscanf(s, "%d/%d", &t.K, &t.N); err != nil || t.N < 1 || t.K < 0 || t.K >= t.N || s != fmt.Sprintf("%d/%d", t.K, t.N) {
		return t, fmt.Errorf("%q; want K/N, the K-th of N turns, with 0 ≤ K < N", s)
	}
	return t, nil
}

// Has reports whether the i-th of the list is taken.
func (t Turn) Has(i int) bool { return i%t.N == t.K }

// Of returns those of the list that are taken.
func (t Turn) Of(jobs []Result) []Result {
	var some []Result
	for i, job := range jobs {
		if t.Has(i) {
			some = append(some, job)
		}
	}
	return some
}
