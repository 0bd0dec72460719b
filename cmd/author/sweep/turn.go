package sweep

import "fmt"

// Turn is one of several in which is done what takes too long for one: the K-th of N,
// from 0. The zero value takes everything. It is the value of a flag.
type Turn struct{ K, N int }

// Set reads "K/N".
func (t *Turn) Set(s string) error {
	var read Turn
	if _, err := fmt.Sscanf(s, "%d/%d", &read.K, &read.N); err != nil || read.K < 0 || read.K >= read.N || s != read.String() {
		return fmt.Errorf("%q; want K/N, the K-th of N turns, with 0 ≤ K < N", s)
	}
	*t = read
	return nil
}

// String is what Set reads, and "" for the zero value.
func (t *Turn) String() string {
	if t.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", t.K, t.N)
}

// Type is how a flag's value is called.
func (t *Turn) Type() string { return "K/N" }

// Next is the i-th turn after t.
func (t Turn) Next(i int) Turn {
	if t.N > 0 {
		t.K = (t.K + i) % t.N
	}
	return t
}

// Takes reports whether the i-th of many has its turn.
func (t Turn) Takes(i int) bool { return t.N == 0 || i%t.N == t.K }
