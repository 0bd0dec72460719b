// Package chart describes a picture as data: what is to be seen, with names,
// units and reference lines, and not how it is drawn. Package draw turns a Chart
// into a PNG or an SVG; the dashboard draws the same Chart in a terminal.
package chart

import "math"

// Chart is one picture: panels, each with axes of its own, in reading order.
type Chart struct {
	Name     string // of the figure: "loss"
	Title    string // one line: what is to be seen; may be ""
	Subtitle string // one line: of what it was made; may be ""
	Columns  int    // panels side by side, at least 1
	Panels   []Panel
}

// Panel is one pair of axes. It holds lines, histograms and marks together, or
// bars, or a heat map.
type Panel struct {
	Title      string // "" if the chart has only this panel
	X, Y       Axis
	Lines      []Line
	Histograms []Histogram
	Marks      []Mark
	Bars       []Bar // one below the other, the first on top; X is the axis of their values
	Heat       *Heat // column 0 is at the left, row 0 on top
}

// Axis is one axis of a panel.
type Axis struct {
	Label    string  // with the unit: "loss (nats per character)"
	Log      bool    // logarithmic; values of 0 and less are then not drawn
	Min, Max float64 // what the axis covers at least; both 0: what the data need
	Exact    bool    // Min and Max are the ends; what lies outside is cut off
	Ticks    []Tick  // empty: as the renderer likes
}

// Tick is a labelled place on an axis.
type Tick struct {
	At    float64
	Label string
}

// Line joins points in order. A NaN breaks it.
type Line struct {
	Name   string // for the legend; "" keeps it out
	X, Y   []float64
	Dashed bool // for what is secondary: theory beside measurement
	Dots   bool // mark the points as well
	Faint  bool // for what stands behind its own mean: drawn thin and pale
	Tint   bool // of a faint line: pale in the colour of the next line that is not faint, and not grey
}

// Add appends a point.
func (l *Line) Add(x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }

// Histogram is a staircase: Heights[i] holds between Edges[i] and Edges[i+1].
type Histogram struct {
	Name    string
	Edges   []float64 // one more than Heights, ascending
	Heights []float64
}

// Outline returns the staircase as a line, which begins and ends at 0.
func (h *Histogram) Outline() Line {
	l := Line{Name: h.Name}
	l.Add(h.Edges[0], 0)
	for i, height := range h.Heights {
		l.Add(h.Edges[i], height)
		l.Add(h.Edges[i+1], height)
	}
	l.Add(h.Edges[len(h.Heights)], 0)
	return l
}

// Mark is a reference: a straight line across the panel.
type Mark struct {
	Label    string // "entropy of the text: 0.5678"
	At       float64
	Vertical bool // At is on the x axis, not on the y axis
}

// Bar is one value with a name.
type Bar struct {
	Label string
	Value float64
	Text  string // beside its end: "12.3"; may be ""
	Weak  bool   // for comparison only: drawn fainter
}

// Heat is a matrix drawn in colours. NaN is drawn as nothing.
type Heat struct {
	Label      string // of the values, with the unit: "weight"
	Rows, Cols []string
	Values     [][]float64 // one slice a row
	Min, Max   float64     // the ends of the scale; both 0: those of the values
	Signed     bool        // both signs matter: the middle of the scale is neutral
}

// Range returns the ends of the scale.
func (h *Heat) Range() (low, high float64) {
	if h.Min != 0 || h.Max != 0 {
		return h.Min, h.Max
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range h.Values {
		for _, v := range row {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if !(low < high) {
		return low - 0.5, low + 0.5
	}
	return low, high
}
