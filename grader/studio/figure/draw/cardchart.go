package draw

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/stubformer/stubformer/grader/studio/figure/card"
)

// chart draws how the loss fell, on a logarithmic scale, in the rectangle between
// two corners. The curve of the card's model is the bold one.
func (p painter) chart(c card.Card, left, bottom, right, top vg.Length) {
	points := 0
	low, high, last := math.Inf(1), 0.0, 1.0
	for _, curve := range c.Curves {
		for i, y := range curve.Y {
			low, high, last = min(low, y), max(high, y), max(last, curve.X[i])
			points++
		}
	}
	if points == 0 {
		return
	}
	if c.Floor > 0 {
		low = c.Floor
	}
	low, high = math.Log(low*0.75), math.Log(high*1.1)
	const before = 40 // for the numbers of the axis
	place := func(x, y float64) vg.Point {
		return vg.Point{X: left + before + (right-left-before)*vg.Length(x/last),
			Y: bottom + (top-bottom)*vg.Length((math.Log(y)-low)/(high-low))}
	}
	for _, tick := range []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8} {
		if l := math.Log(tick); l > low && l < high {
			at := place(0, tick)
			p.to.StrokeLines(draw.LineStyle{Color: p.open, Width: 1}, []vg.Point{at, place(last, tick)})
			p.right(left+before-6, at.Y-4, 11, p.faint, fmt.Sprint(tick))
		}
	}
	if c.Floor > 0 {
		p.to.StrokeLines(draw.LineStyle{Color: p.faint, Width: 1.2, Dashes: []vg.Length{5, 4}}, []vg.Point{place(0, c.Floor), place(last, c.Floor)})
		p.text(left+before+2, place(0, c.Floor).Y-13, 11, false, p.faint, "entropy of the text: no model can stay below")
	}
	var labels []label
	for i, curve := range c.Curves {
		if len(curve.X) == 0 {
			continue
		}
		style, shade := draw.LineStyle{Color: p.pale, Width: 1.3}, color.Color(p.faint)
		if i == len(c.Curves)-1 {
			style, shade = draw.LineStyle{Color: p.line, Width: 2.8}, p.line
		}
		var line []vg.Point
		for k := range curve.X {
			line = append(line, place(curve.X[k], curve.Y[k]))
		}
		p.to.StrokeLines(style, line)
		if curve.Name != "" {
			labels = append(labels, label{line[len(line)-1], shade, curve.Name})
		}
	}
	p.labels(labels, right)
	p.text(left+before, bottom-18, 11, false, p.faint, fmt.Sprintf("loss, from the first update to number %.0f", last))
}

// label is the name of a curve at its end.
type label struct {
	end   vg.Point
	shade color.Color
	words string
}

// labels writes the names of curves above their ends; of two that would meet, the
// later one.
func (p painter) labels(all []label, right vg.Length) {
	const near = 14
	for i, l := range all {
		covered := false
		for _, later := range all[i+1:] {
			dx, dy := l.end.X-later.end.X, l.end.Y-later.end.Y
			covered = covered || dy > -near && dy < near && dx > -6*near && dx < 6*near
		}
		if !covered {
			p.right(min(right, l.end.X), l.end.Y+10, 11, l.shade, l.words)
		}
	}
}
