package draw

import (
	"fmt"
	"image/color"
	"io"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/card"
)

// The size of a card, and its edge.
const (
	cardWidth, cardHeight vg.Length = 960, 540
	edge                  vg.Length = 44
)

// palette of a card.
type cardColours struct{ back, ink, faint, pale, done, open, line color.RGBA }

// coloursOf returns the colours of a card for a light or a dark page.
func coloursOf(dark bool) cardColours {
	if dark {
		return cardColours{back: rgb(0x16181d), ink: rgb(0xf2f2f2), faint: rgb(0xa8adb7), pale: rgb(0x4a4f59),
			done: rgb(0x0b6b52), open: rgb(0x2a2e36), line: rgb(0x56b4e9)}
	}
	return cardColours{back: rgb(0xffffff), ink: rgb(0x222222), faint: rgb(0x595959), pale: rgb(0xc4c4c4),
		done: rgb(0x00705a), open: rgb(0xeeeeee), line: rgb(0x0072b2)}
}

func rgb(c uint32) color.RGBA { return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff} }

// CardFile draws a card into a file, whose ending decides the format. The file is
// written whole or not at all.
func CardFile(path string, c card.Card, dark bool) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return whole.Replace(path, func(w io.Writer) error { return Card(w, format, c, dark) })
}

// Card draws a card in a format.
func Card(w io.Writer, format Format, c card.Card, dark bool) error {
	var canvas vg.CanvasWriterTo = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(cardWidth, cardHeight), vgimg.UseDPI(resolution))}
	if format == SVG {
		style := turns
		if dark {
			style = ""
		}
		canvas = newSVG(cardWidth, cardHeight, "What was built with Stubformer", c.Sentence, style)
	}
	p := painter{draw.NewCanvas(canvas, cardWidth, cardHeight), coloursOf(dark)}
	p.card(c)
	_, err := canvas.WriteTo(w)
	return err
}

// painter draws a card. Places are points from the lower left corner.
type painter struct {
	to draw.Canvas
	cardColours
}

func (p painter) card(c card.Card) {
	p.box(0, 0, cardWidth, cardHeight, p.back)
	title := "I am building a language model"
	if passed, of := c.Core(); passed == of {
		title = "I built a language model"
	}
	p.text(edge, 478, 28, true, p.ink, title)
	made := "in Go, one step at a time, every gradient by hand. Stubformer"
	if c.Model != "" && !c.Own { // what is shown of a model says nothing of what was built
		made = "in Go, one step at a time. Stubformer"
	}
	p.text(edge, 452, 14, false, p.faint, made)
	p.steps(c.Steps)
	p.chart(c, 500, 206, cardWidth-edge, 496)
	p.numbers(c)
	if c.Sentence == "" {
		p.text(edge, 58, 14, false, p.faint, "It has not written anything yet.")
		return
	}
	size := vg.Length(19)
	style := sans(size, xfont.WeightNormal, p.ink)
	quote := "“" + c.Sentence + "”"
	for ; size > 10 && style.Width(quote) > (cardWidth-2*edge)*0.92; size-- { // another font may be wider
		style = sans(size-1, xfont.WeightNormal, p.ink)
	}
	p.to.FillText(style, vg.Point{X: edge, Y: 66}, quote)
	p.text(edge, 40, 12, false, p.faint, c.Byline().In(lang.Printer{}))
}

// steps are tiles: four in a row, filled if the step has passed.
func (p painter) steps(steps []card.Step) {
	const width, height, gap, perRow = 98, 44, 8, 4
	for i, s := range steps {
		x := edge + vg.Length(i%perRow)*(width+gap)
		y := 388 - vg.Length(i/perRow)*(height+gap)
		fill, number, name := p.open, p.faint, p.faint
		if s.Passed {
			fill, number, name = p.done, rgb(0xffffff), rgb(0xffffff)
		}
		p.box(x, y, width, height, fill)
		p.text(x+8, y+25, 12, true, number, s.Number)
		p.text(x+8, y+9, 11, false, name, s.Name)
		if s.Passed {
			tick := draw.LineStyle{Color: rgb(0xffffff), Width: 2}
			p.to.StrokeLines(tick, []vg.Point{{X: x + width - 22, Y: y + 31}, {X: x + width - 17, Y: y + 26}, {X: x + width - 9, Y: y + 36}})
		}
	}
}

// numbers are what can be counted, side by side.
func (p painter) numbers(c card.Card) {
	type number struct{ value, of string }
	var all []number
	if c.Model != "" {
		of := "nats of loss for a token"
		if c.Floor > 0 {
			of = fmt.Sprintf("nats of loss; the floor is %.2f", c.Floor)
		}
		all = append(all, number{fmt.Sprintf("%.2f", c.Loss), of})
	}
	if c.TokensPerSecond > 0 {
		all = append(all, number{thousands(c.TokensPerSecond), "tokens a second, learning"})
	}
	if c.Times > 0 {
		all = append(all, number{fmt.Sprintf("%.0f×", c.Times), "faster than three loops"})
	}
	passed, of := c.Core()
	all = append(all, number{fmt.Sprintf("%d of %d", passed, of), "steps of the core, with full marks"})
	const column = (cardWidth - 2*edge) / 4
	for i, n := range all {
		x := edge + vg.Length(i)*column
		p.text(x, 136, 26, true, p.ink, n.value)
		p.text(x, 116, 12, false, p.faint, n.of)
	}
}

// thousands writes a large number with its thousands apart.
func thousands(x float64) string {
	n := int(math.Round(x))
	if n < 1000 {
		return fmt.Sprint(n)
	}
	if n < 1_000_000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprintf("%d,%03d,%03d", n/1_000_000, n/1000%1000, n%1000)
}

func (p painter) box(x, y, width, height vg.Length, c color.Color) {
	p.to.FillPolygon(c, []vg.Point{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y + height}, {X: x, Y: y + height}})
}

func (p painter) text(x, y, size vg.Length, bold bool, c color.Color, words string) {
	weight := xfont.WeightNormal
	if bold {
		weight = xfont.WeightBold
	}
	p.to.FillText(sans(size, weight, c), vg.Point{X: x, Y: y}, words)
}

// right is text that ends at x.
func (p painter) right(x, y, size vg.Length, c color.Color, words string) {
	style := sans(size, xfont.WeightNormal, c)
	style.XAlign = text.XRight
	p.to.FillText(style, vg.Point{X: x, Y: y}, words)
}
