package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"github.com/stubformer/stubformer/grader/figure"
)

// charts holds one chart of every kind.
func charts() map[string]*figure.Chart {
	lines := figure.Panel{Title: "left", X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "loss", Log: true, Min: 0.01},
		Lines: []figure.Line{{Name: "a", X: []float64{0, 1, 2, 3}, Y: []float64{5, math.NaN(), 0, 0.2}, Dots: true},
			{Name: "<b> & c", X: []float64{0, 3}, Y: []float64{1, 2}, Dashed: true}, {Name: "raw", X: []float64{0, 3}, Y: []float64{1, 3}, Faint: true}},
		Marks: []figure.Mark{{Label: "floor", At: 0.1}, {Label: "here", At: 2, Vertical: true}}}
	histogram := figure.Panel{Title: "right", X: figure.Axis{Label: "x"}, Y: figure.Axis{Label: "density"},
		Histograms: []figure.Histogram{{Name: "draws", Edges: []float64{-1, 0, 1}, Heights: []float64{0.25, 0.75}}}}
	heat := figure.Panel{X: figure.Axis{Label: "key"}, Y: figure.Axis{Label: "query"},
		Heat: &figure.Heat{Label: "weight", Rows: []string{"a", "b"}, Cols: []string{"x", "y", "z"}, Values: [][]float64{{1, math.NaN(), 0.5}, {0, 0.5, 0}}}}
	bars := figure.Panel{X: figure.Axis{Label: "GFLOP/s"}, Bars: []figure.Bar{{Label: "naive", Value: 1, Text: "1"}, {Label: "fast", Value: 9, Weak: true}}}
	chart := func(columns int, panels ...figure.Panel) *figure.Chart {
		return &figure.Chart{Name: "test", Title: "Test", Subtitle: "of everything", Columns: columns, Panels: panels}
	}
	return map[string]*figure.Chart{"lines and histogram": chart(2, lines, histogram), "heat": chart(1, heat),
		"bars": chart(1, bars), "heat beside lines": chart(3, heat, lines, histogram, lines)}
}

func TestEveryKindIsDrawn(t *testing.T) {
	for name, c := range charts() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, Write(&out, PNG, c))
			img, err := png.Decode(&out)
			require.NoError(t, err)
			require.Equal(t, 1600, img.Bounds().Dx())

			out.Reset()
			require.NoError(t, Write(&out, SVG, c))
			require.Contains(t, out.String(), ">Test</text>")
			require.Equal(t, c.Panels[0].Heat != nil, strings.Contains(out.String(), "data:image/png;base64,"))
			for d := xml.NewDecoder(&out); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else {
					require.NoError(t, err)
				}
			}
		})
	}
}

func TestSVGNamesEverything(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, SVG, charts()["lines and histogram"]))
	for _, text := range []string{"of everything", "left", "right", "step", "loss", "density", "&lt;b&gt; &amp; c", "raw", "floor", "here"} {
		require.Contains(t, out.String(), ">"+text+"</text>")
	}
}

// Row 0 is on top and column 0 at the left; NaN is white.
func TestHeatIsTheRightWayUp(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, PNG, charts()["heat"]))
	img, err := png.Decode(&out)
	require.NoError(t, err)
	l, err := arrange(charts()["heat"])
	require.NoError(t, err)
	low, high := color.RGBAModel.Convert(shade(l.colours, 0)), color.RGBAModel.Convert(shade(l.colours, 1))
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	at := func(x, y float64) color.Color {
		return color.RGBAModel.Convert(img.At(int(x*float64(width)), int(y*float64(height))))
	}
	require.Equal(t, high, at(0.2, 0.35), "row a, column x is 1")
	require.Equal(t, low, at(0.2, 0.7), "row b, column x is 0")
	require.Equal(t, low, at(0.75, 0.7), "row b, column z is 0")
	require.Equal(t, color.RGBA{255, 255, 255, 255}, at(0.5, 0.35), "row a, column y is nothing")
}

func TestFilesAreWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	good, bad := charts()["bars"], &figure.Chart{Name: "bad", Columns: 1, Panels: []figure.Panel{{Title: "left"}}}
	for _, name := range []string{"a.png", "a.svg", "A.PNG"} {
		require.NoError(t, File(filepath.Join(dir, name), good))
	}
	before, err := os.ReadFile(filepath.Join(dir, "a.png"))
	require.NoError(t, err)
	require.EqualError(t, File(filepath.Join(dir, "a.png"), bad), `the figure bad cannot be drawn: the panel "left" is empty`)
	after, err := os.ReadFile(filepath.Join(dir, "a.png"))
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Error(t, File(filepath.Join(dir, "b.svg"), bad))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "nothing half-written is left")

	require.EqualError(t, File("a.pdf", good), "a.pdf: a picture is a file that ends in .png or .svg")
	require.ErrorContains(t, File(filepath.Join(dir, "nowhere", "a.png"), good), "cannot write "+filepath.Join(dir, "nowhere", "a.png")+": no such file or directory")
}

func TestWhatDoesNotFitTogether(t *testing.T) {
	for want, p := range map[string]figure.Panel{
		`the line "a" has 2 x and 1 y`:                                    {Lines: []figure.Line{{Name: "a", X: []float64{1, 2}, Y: []float64{1}}}},
		`the histogram "h" has 2 heights and 2 edges; want one edge more`: {Histograms: []figure.Histogram{{Name: "h", Edges: []float64{1, 2}, Heights: []float64{1, 2}}}},
		"row 1 of the heat map has 1 values; want 2":                      {Heat: &figure.Heat{Rows: []string{"", ""}, Cols: []string{"", ""}, Values: [][]float64{{1, 2}, {1}}}},
		"the heat map has 1 rows with 2 labels, and 1 columns":            {Heat: &figure.Heat{Rows: []string{"", ""}, Cols: []string{""}, Values: [][]float64{{1}}}},
	} {
		require.ErrorContains(t, Write(io.Discard, PNG, &figure.Chart{Columns: 1, Panels: []figure.Panel{p}}), want)
	}
	require.EqualError(t, Write(io.Discard, PNG, &figure.Chart{}), "the chart has no panels")
	require.EqualError(t, Write(io.Discard, "gif", charts()["bars"]), `there is no format "gif"; want png or svg`)
}

// labels returns the labelled ticks.
func labels(ticks []plot.Tick) (out []string) {
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	require.Equal(t, []string{"0", "500", "1000", "1500", "2000"}, labels(linear{}.Ticks(0, 2000)))
	require.Equal(t, []string{"0", "10k", "20k", "30k"}, labels(linear{}.Ticks(0, 38000)))
	require.Equal(t, []string{"−0.1", "0", "0.1"}, labels(linear{}.Ticks(-0.18, 0.18)))
	require.Equal(t, []string{"0.1", "0.2", "0.5", "1", "2"}, labels(logarithmic{}.Ticks(math.Log10(0.08), math.Log10(4))))
	require.Equal(t, []string{"0.01", "0.1", "1", "10", "100"}, labels(logarithmic{}.Ticks(-2, 2)))
	require.Equal(t, "2.5M", number(2.5e6, 5e5))
}

// Everything on a logarithmic axis is turned into decimal logarithms.
func TestLogged(t *testing.T) {
	p := figure.Panel{X: figure.Axis{Log: true, Ticks: []figure.Tick{{At: 100, Label: "hundred"}}}, Y: figure.Axis{Min: 3},
		Lines: []figure.Line{{X: []float64{1, 10, 0}, Y: []float64{1, 2, 3}}}, Marks: []figure.Mark{{At: 1000, Vertical: true}, {At: 5}}}
	got := logged(p)
	require.Equal(t, []float64{0, 1}, got.Lines[0].X[:2])
	require.True(t, math.IsNaN(got.Lines[0].X[2]), "0 has no place")
	require.Equal(t, []float64{1, 2, 3}, got.Lines[0].Y)
	require.InDelta(t, 3, got.Marks[0].At, 1e-12)
	require.Equal(t, 5.0, got.Marks[1].At)
	require.Equal(t, 2.0, got.X.Ticks[0].At)
	require.Equal(t, []float64{1, 10, 0}, p.Lines[0].X, "the chart is as it was")
}

// Every line of a panel can be told from the others without its colour.
func TestLinesDifferWithoutColour(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range lineStyles(make([]figure.Line, 6)) {
		pattern := fmt.Sprint(s.Dashes)
		require.False(t, seen[pattern], pattern)
		seen[pattern] = true
	}
}
