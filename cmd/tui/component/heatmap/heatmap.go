// Package heatmap shows where in an array the errors are: one cell for one
// element, or for a few neighbours, and the shade of a cell for its worst error.
package heatmap

import (
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
)

// Errors draws the errors of an array over what each may be, row-major over
// shape. Of an array with more than two axes it shows the last two, and in each
// cell the worst over all the others. It returns nil if there is nothing to
// draw. The picture is at most width cells wide and height lines high.
func Errors(t theme.Theme, p lang.Printer, ratios []float64, shape []int, width, height int) []string {
	rows, cols := matrix(shape)
	if len(ratios) == 0 || rows*cols == 0 || len(ratios)%(rows*cols) != 0 || len(ratios) == 1 {
		return nil
	}
	const legend = 3
	perRow := (rows + max(1, height-legend) - 1) / max(1, height-legend)
	perCol := (cols + max(1, width-2) - 1) / max(1, width-2)
	wide := 1
	if 2*cols <= width-2 {
		wide = 2 // a cell is about square then
	}
	cells := make([][]float64, (rows+perRow-1)/perRow)
	for i := range cells {
		cells[i] = make([]float64, (cols+perCol-1)/perCol)
	}
	for i, r := range ratios {
		row, col := i/cols%rows/perRow, i%cols/perCol
		cells[row][col] = max(cells[row][col], r)
	}
	lines := []string{t.Faint.Render(caption(p, shape, rows, cols, perRow, perCol))}
	for _, row := range cells {
		var b strings.Builder
		for _, r := range row {
			sign, style := shade(t, r)
			b.WriteString(style.Render(strings.Repeat(sign, wide)))
		}
		lines = append(lines, "  "+b.String())
	}
	return append(lines, legendOf(t, p, ratios, width)...)
}

// matrix returns the last two axes; a vector is one row.
func matrix(shape []int) (rows, cols int) {
	switch len(shape) {
	case 0:
		return 1, 1
	case 1:
		return 1, shape[0]
	}
	return shape[len(shape)-2], shape[len(shape)-1]
}

func caption(p lang.Printer, shape []int, rows, cols, perRow, perCol int) string {
	s := p.Say("where it is wrong: %d rows × %d columns", rows, cols)
	if len(shape) == 1 {
		s = p.Say("where it is wrong: %d elements", cols)
	}
	if perRow > 1 || perCol > 1 {
		s += p.Say(", a cell is %d × %d", perRow, perCol)
	}
	if len(shape) > 2 {
		s += p.Say(", the worst over the other axes")
	}
	return s
}

// level is one shade: errors up to limit times the bound.
type level struct {
	sign  string
	words lang.Text
	limit float64
}

func levels() []level {
	return []level{{"·", lang.T("right"), 1}, {"░", lang.T("to 10× the bound"), 10}, {"▒", lang.T("to 1000×"), 1000},
		{"█", lang.T("over 1000×"), math.MaxFloat64}, {"?", lang.T("not a finite number"), math.Inf(1)}}
}

func shadeOf(r float64) int {
	return slices.IndexFunc(levels(), func(l level) bool { return r <= l.limit })
}

func shade(t theme.Theme, r float64) (string, interface{ Render(...string) string }) {
	i := shadeOf(r)
	if i == 0 {
		return levels()[0].sign, t.Faint
	}
	return levels()[i].sign, t.Bad
}

// legendOf explains the shades that occur.
func legendOf(t theme.Theme, p lang.Printer, ratios []float64, width int) []string {
	var seen [5]bool
	for _, r := range ratios {
		seen[shadeOf(r)] = true
	}
	var parts []string
	for i, l := range levels() {
		if seen[i] {
			parts = append(parts, t.Faint.Render(l.sign+" "+l.words.In(p)))
		}
	}
	return text.Flow(parts, width)
}
