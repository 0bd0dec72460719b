package draw

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas repairs what the SVG backend of gonum/plot writes: text falls back to
// the viewer's own sans-serif font where Liberation Sans is not installed, and is
// as wide in it as the layout expects; a dark page gets a dark picture; images
// are stretched to their places and say that they are PNGs; and who hears a picture is
// told what it shows.
type svgCanvas struct {
	*vgsvg.Canvas
	title, about string
	style        string       // of the picture
	widths       *[]vg.Length // of the texts, in the order in which they were written
}

// newSVG is a picture whose style is turns, or nothing where its colours are those of a dark page already.
func newSVG(width, height vg.Length, title, about, style string) svgCanvas {
	return svgCanvas{vgsvg.NewWith(vgsvg.UseWH(width, height)), title, about, style, new([]vg.Length)}
}

// FillString writes a text, and keeps its width in mind.
func (c svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	*c.widths = append(*c.widths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// turns is the style of a picture for light pages, on a dark one: lightness is turned
// around and hues stay; images, whose colours mean numbers, are as they are.
const turns = `<style>@media (prefers-color-scheme: dark) { svg > g, image { filter: invert(1) hue-rotate(180deg) } }</style>`

var (
	openingTag = regexp.MustCompile(`<svg [^>]*>`)
	textTag    = regexp.MustCompile(`<text `)
)

func (c svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var out strings.Builder
	if _, err := c.Canvas.WriteTo(&out); err != nil {
		return 0, err
	}
	picture := openingTag.ReplaceAllStringFunc(out.String(), func(tag string) string {
		return strings.TrimSuffix(tag, ">") + fmt.Sprintf(" role=\"img\" aria-labelledby=\"title about\">\n<title id=\"title\">%s</title>\n<desc id=\"about\">%s</desc>\n%s",
			html.EscapeString(c.title), html.EscapeString(c.about), c.style)
	})
	next := 0
	picture = textTag.ReplaceAllStringFunc(picture, func(tag string) string {
		if next++; next > len(*c.widths) {
			return tag
		}
		return fmt.Sprintf(`%stextLength="%.4g" lengthAdjust="spacingAndGlyphs" `, tag, (*c.widths)[next-1].Points())
	})
	n, err := strings.NewReplacer(
		"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;",
		"<image x=", `<image preserveAspectRatio="none" x=`,
		"data:image/jpg;base64,", "data:image/png;base64,",
	).WriteString(w, picture)
	return int64(n), err
}
