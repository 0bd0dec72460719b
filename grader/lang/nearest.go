package lang

// DidYouMean adds to an error about an unknown name the known one for which it is
// most likely a slip, if there is just one.
func DidYouMean(err error, name string, known ...string) error {
	if nearest := Nearest(name, known...); nearest != "" {
		return Errorf("%w\nDid you mean %s?", err, nearest)
	}
	return err
}

// Nearest returns the known name that is written most like name: with one slip of
// the keyboard, or one for every three letters. It is "" where none is near, or more
// than one is.
func Nearest(name string, known ...string) string {
	nearest, best := "", max(1, len(name)/3)+1
	for _, k := range known {
		switch d := distance(name, k); {
		case d < best && d < len(name):
			nearest, best = k, d
		case d == best && k != nearest:
			nearest = ""
		}
	}
	return nearest
}

// distance is the number of slips by which a becomes b: a letter too many, one left
// out, a wrong one, or two neighbours exchanged (optimal string alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1) // rows i−2 and i−1
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1) // from a's first i letters to b's first j
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, row[j-1]+1, last[j]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
