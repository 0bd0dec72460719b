// Package draw turns a chart.Chart into a picture, a PNG or an SVG, of the size
// of a slide. Colours are those of Okabe and Ito, which people with any kind of
// colour vision can tell apart ("Color Universal Design", 2008), and every line
// has a dash pattern and a width too, so that no line is known by its colour
// alone.
package draw

import (
	"image"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// Format is a format of pictures.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
)

// resolution is that of a PNG, in dots per inch: 1600 dots on the width of a picture.
const resolution = 120

// FormatOf returns the format that a file's ending names.
func FormatOf(path string) (Format, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".png":
		return PNG, nil
	case ".svg":
		return SVG, nil
	}
	return "", lang.Errorf("%s: a picture is a file that ends in .png or .svg", path)
}

// File draws a chart into a file, whose ending decides the format. The file is
// written whole or not at all.
func File(path string, c *chart.Chart) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return whole.Replace(path, func(w io.Writer) error { return Write(w, format, c) })
}

// Write draws a chart in a format.
func Write(w io.Writer, format Format, c *chart.Chart) error {
	l, err := arrange(c)
	if err != nil {
		return err
	}
	var canvas vg.CanvasWriterTo
	switch format {
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: l.dots(resolution)}
	case SVG:
		canvas = newSVG(l.width, l.height, c.Title, c.Description(), turns)
	default:
		return lang.Errorf("there is no format %q; want png or svg", format)
	}
	l.draw(draw.NewCanvas(canvas, l.width, l.height))
	_, err = canvas.WriteTo(w)
	return err
}

// Image draws a chart with so many dots per inch; it is 13⅓ inches wide.
func Image(c *chart.Chart, dotsPerInch int) (image.Image, error) {
	l, err := arrange(c)
	if err != nil {
		return nil, err
	}
	canvas := l.dots(dotsPerInch)
	l.draw(draw.NewCanvas(canvas, l.width, l.height))
	return canvas.Image(), nil
}

// dots returns a canvas of dots for a layout.
func (l *layout) dots(perInch int) *vgimg.Canvas {
	return vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(perInch))
}
