package chart

import (
	"math/bits"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/canvas/graph"
	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// braille is the first of the characters of dots: the one without any.
const braille = 0x2800

// drawn is a line in dots, row by row of characters.
type drawn struct {
	dots  [][]rune
	faint bool
	style lipgloss.Style
}

// dots draws one line in dots; of a dashed one every other piece.
func (d *plot) dots(l chart.Line, style lipgloss.Style) drawn {
	grid := graph.NewBrailleGrid(d.canvas.Width(), d.canvas.Height(), 0, 1, 0, 1)
	var last canvas.Point
	joined := false
	count := 0
	for i := range l.X {
		x, okX := d.x.at(l.X[i])
		y, okY := d.y.at(l.Y[i])
		if !okX || !okY {
			joined = false
			continue
		}
		at := grid.GridPoint(canvas.Float64Point{X: x, Y: y})
		points := []canvas.Point{at}
		if joined {
			points = graph.GetLinePoints(last, at)
		}
		for _, p := range points {
			const dash = 3 // dots
			if count++; !l.Dashed || count/dash%2 == 0 {
				grid.Set(p)
			}
		}
		last, joined = at, true
	}
	return drawn{grid.BraillePatterns(), l.Faint, style}
}

// paint puts lines on the canvas. A character has one colour, so it shows the dots
// of one line alone: of one that is not faint before one that is, then of the one
// that has most of them there.
func (d *plot) paint(lines []drawn) {
	for row := range d.canvas.Height() {
		for column := range d.canvas.Width() {
			best, most := -1, 0
			for i, l := range lines {
				n := 2 * bits.OnesCount16(uint16(l.dots[row][column]-braille))
				if n > 0 && !l.faint {
					n += 2 * 8
				}
				if n > most {
					best, most = i, n
				}
			}
			if best >= 0 {
				d.canvas.SetRuneWithStyle(canvas.Point{X: column, Y: row}, lines[best].dots[row][column], lines[best].style)
			}
		}
	}
}
