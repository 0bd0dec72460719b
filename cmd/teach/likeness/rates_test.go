package likeness

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/reference/newline"
)

var update = flag.Bool("update", false, "write the table of error rates into docs/instructors.md")

// The steps of one half are those with odd numbers.
func (m measured) odd() bool { return (m.step[len(m.step)-1]-'0')%2 == 1 }

func (m measured) honest() bool { return m.kind == "authors" || m.kind == "author" }

func (m measured) alike(enough, threshold float64) bool {
	return m.likeness >= threshold && m.common >= enough
}

// mostHonest is how many of the honest pairs of the first half may be called alike.
const mostHonest = 1.0 / 100

// choose returns the bounds under which few honest pairs of the first half are alike,
// and of these the ones that miss the fewest of its copies of whole steps; of equal
// ones the strictest. Copies of which too little is known are missed, too.
func choose(all []measured) (enough, threshold float64) {
	fewest := len(all) + 1
	for _, e := range []float64{8, 10, 12, 15, 20, 25} {
		for percent := 30; percent <= 90; percent += 5 {
			var honest, wrong, missed int
			for _, m := range all {
				alike := m.alike(e, float64(percent)/100)
				switch {
				case !m.odd() || m.kind == "author":
				case m.honest():
					honest++
					if alike {
						wrong++
					}
				case m.whole && !alike:
					missed++
				}
			}
			if float64(wrong) <= mostHonest*float64(honest) && missed <= fewest {
				fewest, enough, threshold = missed, e, float64(percent)/100
			}
		}
	}
	return enough, threshold
}

// TestErrorRates chooses the bounds on one half of the steps, and compares the errors
// that they make on both with the table in docs/instructors.md.
func TestErrorRates(t *testing.T) {
	sweep.Only(t)
	all := measure(t)
	enough, threshold := choose(all)
	t.Logf("chosen: %v pieces, threshold %v", enough, threshold)
	require.Equal(t, Enough, enough)
	require.Equal(t, DefaultThreshold, threshold)

	path := filepath.Join("..", "..", "..", "docs", "instructors.md")
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	begin, end := []byte("<!-- likeness: made by go test ./cmd/teach/likeness -run TestErrorRates -update -->\n"), []byte("<!-- likeness end -->")
	head, rest, ok := bytes.Cut(newline.Unix(doc), begin)
	require.True(t, ok, "docs/instructors.md has no place for the table")
	old, tail, ok := bytes.Cut(rest, end)
	require.True(t, ok)
	table := table(all)
	if *update {
		require.NoError(t, os.WriteFile(path, slices.Concat(head, begin, table, end, tail), 0o644))
		return
	}
	require.Equal(t, string(old), string(table), "go test ./cmd/teach/likeness -run TestErrorRates -update")
}

// table has a row for each kind of pair.
func table(all []measured) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, "| | whole steps, chosen on | whole steps, tried on | parts of a step, chosen on | parts of a step, tried on |\n|---|---:|---:|---:|---:|\n")
	row := func(title string, count func(m measured) (counts, wrong bool)) {
		fmt.Fprintf(&b, "| %s |", title)
		for _, whole := range []bool{true, false} {
			for _, odd := range []bool{true, false} {
				n, errors := 0, 0
				for _, m := range all {
					if counts, wrong := count(m); counts && m.whole == whole && m.odd() == odd {
						n++
						if wrong {
							errors++
						}
					}
				}
				fmt.Fprintf(&b, " %d of %d |", errors, n)
			}
		}
		fmt.Fprintln(&b)
	}
	for _, kind := range []struct{ name, title string }{
		{"authors", "**called alike, and are not:** by two authors"},
		{"author", "two by one author"},
	} {
		row(kind.title, func(m measured) (bool, bool) { return m.kind == kind.name, m.alike(Enough, DefaultThreshold) })
	}
	for i, d := range disguises() {
		title := d.text
		if i == 0 {
			title = "**a copy, and missed:** " + title
		}
		row(title, func(m measured) (bool, bool) {
			return m.kind == d.name && m.own >= Enough, !m.alike(Enough, DefaultThreshold)
		})
	}
	row("programs with too little of their own, of which nothing is said", func(m measured) (bool, bool) {
		return m.kind == "copied", m.own < Enough
	})
	return b.Bytes()
}
