package draw

import (
	"errors"
	"fmt"
	"image"
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// Measures of a picture.
const (
	pictureWidth vg.Length = 960
	margin       vg.Length = 18
	barWidth     vg.Length = 78 // colour bar with its numbers
	padding      vg.Length = 22 // between panels
	titleHeight  vg.Length = 22 // of a panel
	rowHeight    vg.Length = 20 // of a legend
)

// layout is a chart with its places worked out.
type layout struct {
	chart                   *chart.Chart
	colours                 palette.ColorMap
	width, height           vg.Length
	panelWidth, panelHeight vg.Length     // about, of the data
	panels                  []chart.Panel // with linear axes
	scale                   *chart.Heat   // of all heat maps; nil if there are none
	common                  bool          // all panels are heat maps and share one colour bar
	head                    vg.Length     // above the panels' data: title and legend
}

// arrange checks a chart and works out where everything goes.
func arrange(c *chart.Chart) (*layout, error) {
	if len(c.Panels) == 0 || c.Columns < 1 {
		return nil, errors.New("the chart has no panels")
	}
	l, heats := &layout{chart: c, width: pictureWidth}, 0
	for i := range c.Panels {
		p := &c.Panels[i]
		if err := check(p); err != nil {
			return nil, fmt.Errorf("the figure %s cannot be drawn: %w", c.Name, err)
		}
		l.panels = append(l.panels, logged(*p))
		if p.Heat != nil {
			heats, l.scale = heats+1, p.Heat
		}
	}
	if l.scale != nil {
		var err error
		if l.colours, err = heatColours(l.scale.Signed); err != nil {
			return nil, err
		}
	}
	l.common = heats == len(c.Panels)
	columns := vg.Length(c.Columns)
	room := l.width - 2*margin
	if l.common {
		room -= barWidth
	}
	l.panelWidth = room/columns - padding - 30
	for i := range c.Panels {
		h := vg.Length(len(l.legend(&c.Panels[i], l.panelWidth))) * rowHeight
		if c.Panels[i].Title != "" {
			h += titleHeight
		}
		l.head = max(l.head, h+6)
	}
	l.panelHeight = min(380, max(330, l.panelWidth))
	if c.Columns > 3 {
		l.panelHeight = l.panelWidth
	}
	if n := len(c.Panels[0].Bars); n > 0 {
		l.panelHeight = max(120, vg.Length(n)*36)
	}
	l.height = l.header() + 2*margin + vg.Length(l.rows())*(l.head+l.panelHeight+44) + vg.Length(l.rows()-1)*padding
	return l, nil
}

// header is the height of the title and the subtitle.
func (l *layout) header() vg.Length {
	switch {
	case l.chart.Subtitle != "":
		return 62
	case l.chart.Title != "":
		return titleSize + 14
	}
	return 0
}

func (l *layout) rows() int { return (len(l.chart.Panels) + l.chart.Columns - 1) / l.chart.Columns }

// draw draws the whole picture.
func (l *layout) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	l.titles(c)
	inside := draw.Crop(c, margin, -margin, margin, -margin-l.header())
	if l.common {
		l.colourBar(draw.Crop(inside, inside.Size().X-barWidth+12, 0, 44, -l.head))
		inside = draw.Crop(inside, 0, -barWidth, 0, 0)
	}
	rows, columns := l.rows(), l.chart.Columns
	plots := make([][]*plot.Plot, rows)
	for i := range rows * columns {
		row := i / columns
		if i >= len(l.chart.Panels) {
			plots[row] = append(plots[row], nil)
			continue
		}
		p := l.newPlot(&l.panels[i])
		l.shareLabels(p, i)
		plots[row] = append(plots[row], p)
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: padding, PadY: l.head + padding, PadTop: l.head}
	for i, canvas := range flat(plot.Align(plots, tiles, inside)) {
		p := plots[i/columns][i%columns]
		if p == nil {
			continue
		}
		if l.panels[i].Heat != nil && !l.common {
			data := p.DataCanvas(canvas)
			l.colourBar(draw.Crop(canvas, canvas.Size().X-barWidth+12, 0, data.Min.Y-canvas.Min.Y, 0))
			canvas = draw.Crop(canvas, 0, -barWidth, 0, 0)
		}
		p.Draw(canvas)
		l.above(c, p.DataCanvas(canvas), &l.panels[i])
	}
}

// shareLabels leaves a label out where the neighbour has the same.
func (l *layout) shareLabels(p *plot.Plot, i int) {
	panels, columns := l.chart.Panels, l.chart.Columns
	if i%columns > 0 && panels[i-1].Y.Label == panels[i].Y.Label && l.chart.Columns > 3 {
		p.Y.Label.Text = ""
	}
	if below := i + columns; below < len(panels) && panels[below].X.Label == panels[i].X.Label {
		p.X.Label.Text = ""
	}
}

func flat(canvases [][]draw.Canvas) []draw.Canvas {
	var out []draw.Canvas
	for _, row := range canvases {
		out = append(out, row...)
	}
	return out
}

// titles writes the title and the subtitle.
func (l *layout) titles(c draw.Canvas) {
	title := sans(titleSize, xfont.WeightBold, ink)
	title.YAlign = text.YTop
	at := vg.Point{X: c.Min.X + margin, Y: c.Max.Y - margin}
	c.FillText(title, at, l.chart.Title)
	subtitle := sans(subtitleSize, 0, faint)
	subtitle.YAlign = text.YTop
	c.FillText(subtitle, vg.Point{X: at.X, Y: at.Y - titleSize - 9}, l.chart.Subtitle)
}

// above writes the title of a panel and its legend above the data.
func (l *layout) above(c, data draw.Canvas, p *chart.Panel) {
	at := vg.Point{X: data.Min.X, Y: data.Max.Y + l.head}
	if p.Title != "" {
		words := sans(panelSize, xfont.WeightBold, ink)
		words.YAlign = text.YTop
		c.FillText(words, at, p.Title)
		at.Y -= titleHeight
	}
	for _, row := range l.legend(p, l.panelWidth) {
		x := at.X
		for _, e := range row {
			e.draw(c, vg.Point{X: x, Y: at.Y - rowHeight/2})
			x += e.width()
		}
		at.Y -= rowHeight
	}
}

// colourBar draws the scale of the heat maps.
func (l *layout) colourBar(c draw.Canvas) {
	low, high := l.scale.Range()
	p := plot.New()
	p.BackgroundColor = nil
	p.HideX()
	setAxis(&p.Y, chart.Axis{Label: l.scale.Label}, low, high)
	const steps = 256
	img := image.NewRGBA(image.Rect(0, 0, 1, steps))
	for y := range steps {
		img.Set(0, y, shade(l.colours, 1-float64(y)/(steps-1)))
	}
	data := p.DataCanvas(c)
	c.Max.X = c.Min.X + (data.Min.X - c.Min.X) + 16
	p.Draw(c)
	data = p.DataCanvas(c)
	data.DrawImage(data.Rectangle, img)
}
