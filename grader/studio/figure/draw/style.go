package draw

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// Sizes of type and of lines.
const (
	titleSize, subtitleSize, panelSize vg.Length = 22, 14, 14
	labelSize, tickSize, legendSize    vg.Length = 14, 12, 13

	mainLine, secondLine, thinLine vg.Length = 2.6, 2, 1
)

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff} // text and axes
	faint = color.RGBA{0x59, 0x59, 0x59, 0xff} // subtitle and marks
	pale  = color.RGBA{0xb8, 0xb8, 0xb8, 0xff} // faint lines
	grid  = color.RGBA{0xe4, 0xe4, 0xe4, 0xff}
)

// colour returns the i-th colour of a panel: Okabe and Ito's without their
// yellow, which is too light for a line on white.
func colour(i int) color.RGBA {
	all := []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		{0x00, 0x9e, 0x73, 0xff}, // bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky blue
		{0x00, 0x00, 0x00, 0xff}, // black
	}
	return all[i%len(all)]
}

// tint is a colour with more than half of white in it.
func tint(c color.RGBA) color.RGBA {
	paler := func(x uint8) uint8 { return uint8((2*int(x) + 3*0xff) / 5) }
	return color.RGBA{paler(c.R), paler(c.G), paler(c.B), 0xff}
}

// lineStyles returns the styles of a panel's lines: every one has a colour and
// a pattern of its own, but for the faint ones, which are grey, or have a tint of the line
// in front of them.
func lineStyles(lines []chart.Line) []draw.LineStyle {
	dashes := [][]vg.Length{nil, {9, 4}, {2.5, 3}, {11, 3, 2.5, 3}, {5, 3}, {14, 3, 2.5, 3, 2.5, 3}}
	styles, n := make([]draw.LineStyle, len(lines)), 0
	for i, l := range lines {
		if l.Faint {
			styles[i] = draw.LineStyle{Color: pale, Width: thinLine}
			if l.Tint {
				styles[i].Color = tint(colour(n))
			}
			continue
		}
		styles[i] = draw.LineStyle{Color: colour(n), Width: mainLine, Dashes: dashes[n%len(dashes)]}
		if l.Dashed {
			styles[i].Width = secondLine
		}
		n++
	}
	return styles
}

// sans returns a style of text.
func sans(size vg.Length, weight xfont.Weight, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size, Weight: weight},
		Handler: text.Plain{Fonts: font.DefaultCache}}
}

// fill returns what the i-th histogram of a panel is filled with: a light tint of
// its outline.
func fill(i int) color.RGBA {
	all := []color.RGBA{
		{0xbf, 0xdc, 0xec, 0xff}, // sky blue
		{0xf3, 0xd5, 0x8a, 0xff}, // orange
		{0x9a, 0x9a, 0x9a, 0xff}, // grey
	}
	return all[i%len(all)]
}

// outline returns the colour of the i-th histogram's outline.
func outline(i int) color.RGBA { return []color.RGBA{colour(5), colour(4), colour(6)}[i%3] }

// glyph returns the shape of the i-th line's dots.
func glyph(i int) draw.GlyphDrawer {
	all := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}
	return all[i%len(all)]
}

// heatColours maps 0 … 1 to colours whose lightness grows evenly, from dark
// violet to yellow: equal steps look equal, in grey as well. Those of values of
// both signs go from red through light grey to blue.
func heatColours(signed bool) (palette.ColorMap, error) {
	if signed {
		m := moreland.SmoothBlueRed()
		m.SetMin(0)
		m.SetMax(1)
		m.SetConvergePoint(0.5)
		return palette.Reverse(m), nil
	}
	m, err := moreland.NewLuminance([]color.Color{
		color.RGBA{0x2a, 0x0a, 0x4f, 0xff}, color.RGBA{0x33, 0x4f, 0x8d, 0xff}, color.RGBA{0x1f, 0x8a, 0x8c, 0xff},
		color.RGBA{0x5f, 0xc0, 0x62, 0xff}, color.RGBA{0xf7, 0xe4, 0x3c, 0xff}})
	if err != nil {
		return nil, err
	}
	m.SetMin(0)
	m.SetMax(1)
	return m, nil
}
