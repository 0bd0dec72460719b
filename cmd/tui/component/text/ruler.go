package text

import "strings"

// Ruler is a line of cells on which labels are put.
type Ruler []string

// NewRuler returns one of a width.
func NewRuler(width int) Ruler { return strings.Split(strings.Repeat(" ", max(0, width)), "") }

// Put writes a label from a cell on. A character may take two cells, or none.
func (r Ruler) Put(at int, label string) {
	for _, c := range label {
		width := Width(string(c))
		switch {
		case at+width > len(r):
			return
		case width == 0 && at > 0:
			r[at-1] += string(c)
		case width > 0:
			r[at] = string(c)
			clear(r[at+1 : at+width])
		}
		at += width
	}
}

// String returns the line.
func (r Ruler) String() string { return strings.TrimRight(strings.Join(r, ""), " ") }
