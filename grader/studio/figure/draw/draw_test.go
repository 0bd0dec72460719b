package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// charts holds one chart of every kind.
func charts() map[string]*chart.Chart {
	lines := chart.Panel{Title: "left", X: chart.Axis{Label: "step"}, Y: chart.Axis{Label: "loss", Log: true, Min: 0.01},
		Lines: []chart.Line{{Name: "a", X: []float64{0, 1, 2, 3}, Y: []float64{5, math.NaN(), 0, 0.2}, Dots: true},
			{Name: "<b> & c", X: []float64{0, 3}, Y: []float64{1, 2}, Dashed: true}, {Name: "raw", X: []float64{0, 3}, Y: []float64{1, 3}, Faint: true},
			{X: []float64{0, 3}, Y: []float64{3, 2}, Faint: true, Tint: true}},
		Marks: []chart.Mark{{Label: "floor", At: 0.1}, {Label: "here", At: 2, Vertical: true}}}
	histogram := chart.Panel{Title: "right", X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "density"},
		Histograms: []chart.Histogram{{Name: "draws", Edges: []float64{-1, 0, 1}, Heights: []float64{0.25, 0.75}}}}
	heat := chart.Panel{X: chart.Axis{Label: "key"}, Y: chart.Axis{Label: "query"},
		Heat: &chart.Heat{Label: "weight", Rows: []string{"a", "b"}, Cols: []string{"x", "y", "z"}, Values: [][]float64{{1, math.NaN(), 0.5}, {0, 0.5, 0}}}}
	bars := chart.Panel{X: chart.Axis{Label: "GFLOP/s"}, Bars: []chart.Bar{{Label: "naive", Value: 1, Text: "1"}, {Label: "fast", Value: 9, Weak: true}}}
	picture := func(columns int, panels ...chart.Panel) *chart.Chart {
		return &chart.Chart{Name: "test", Title: "Test", Subtitle: "of everything", Columns: columns, Panels: panels}
	}
	return map[string]*chart.Chart{"lines and histogram": picture(2, lines, histogram), "heat": picture(1, heat),
		"bars": picture(1, bars), "heat beside lines": picture(3, heat, lines, histogram, lines)}
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
	good, bad := charts()["bars"], &chart.Chart{Name: "bad", Columns: 1, Panels: []chart.Panel{{Title: "left"}}}
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
	for want, p := range map[string]chart.Panel{
		`the line "a" has 2 x and 1 y`:                                    {Lines: []chart.Line{{Name: "a", X: []float64{1, 2}, Y: []float64{1}}}},
		`the histogram "h" has 2 heights and 2 edges; want one edge more`: {Histograms: []chart.Histogram{{Name: "h", Edges: []float64{1, 2}, Heights: []float64{1, 2}}}},
		"row 1 of the heat map has 1 values; want 2":                      {Heat: &chart.Heat{Rows: []string{"", ""}, Cols: []string{"", ""}, Values: [][]float64{{1, 2}, {1}}}},
		"the heat map has 1 rows with 2 labels, and 1 columns":            {Heat: &chart.Heat{Rows: []string{"", ""}, Cols: []string{""}, Values: [][]float64{{1}}}},
	} {
		require.ErrorContains(t, Write(io.Discard, PNG, &chart.Chart{Columns: 1, Panels: []chart.Panel{p}}), want)
	}
	require.EqualError(t, Write(io.Discard, PNG, &chart.Chart{}), "the chart has no panels")
	require.EqualError(t, Write(io.Discard, "gif", charts()["bars"]), `there is no format "gif"; want png or svg`)
}

// Between the numbers of a logarithmic axis stand ticks without one.
func TestLogarithmicTicks(t *testing.T) {
	numbers, others := []string(nil), 0
	for _, tick := range (logarithmic{}).Ticks(0, 2) {
		if tick.Label == "" {
			others++
		} else {
			numbers = append(numbers, tick.Label)
		}
	}
	require.Equal(t, []string{"1", "2", "5", "10", "20", "50", "100"}, numbers)
	require.Equal(t, 19, others, "1, 2 … 9, 10, 20 … 90, 100")
}

// Everything on a logarithmic axis is turned into decimal logarithms.
func TestLogged(t *testing.T) {
	p := chart.Panel{X: chart.Axis{Log: true, Ticks: []chart.Tick{{At: 100, Label: "hundred"}}}, Y: chart.Axis{Min: 3},
		Lines: []chart.Line{{X: []float64{1, 10, 0}, Y: []float64{1, 2, 3}}}, Marks: []chart.Mark{{At: 1000, Vertical: true}, {At: 5}}}
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
	for _, s := range lineStyles(make([]chart.Line, 6)) {
		pattern := fmt.Sprint(s.Dashes)
		require.False(t, seen[pattern], pattern)
		seen[pattern] = true
	}
}

// The ends of an axis are what the data need, or what is asked for.
func TestEndsOfAnAxis(t *testing.T) {
	for name, tt := range map[string]struct {
		axis chart.Axis
		want [2]float64
	}{
		"the data's":  {chart.Axis{}, [2]float64{2, 5}},
		"at least":    {chart.Axis{Min: 1, Max: 3}, [2]float64{1, 5}},
		"exact":       {chart.Axis{Min: 1, Max: 3, Exact: true}, [2]float64{1, 3}},
		"exact, zero": {chart.Axis{Max: 3, Exact: true}, [2]float64{0, 3}},
		"logarithmic": {loggedAxis(chart.Axis{Log: true, Min: 1, Max: 1000, Exact: true}), [2]float64{0, 3}},
	} {
		var axis plot.Axis
		setAxis(&axis, tt.axis, 2, 5)
		require.InDeltaSlice(t, tt.want[:], []float64{axis.Min, axis.Max}, 1e-12, name)
	}
}

// Values of both signs have a neutral middle: red below it, blue above.
func TestSignedColours(t *testing.T) {
	m, err := heatColours(true)
	require.NoError(t, err)
	at := func(v float64) color.RGBA { return color.RGBAModel.Convert(shade(m, v)).(color.RGBA) }
	low, middle, high := at(0), at(0.5), at(1)
	require.Greater(t, low.R, low.B)
	require.Greater(t, high.B, high.R)
	require.InDelta(t, middle.R, middle.B, 2)
	require.Greater(t, middle.G, max(low.G, high.G))
}

// A line without a name is not in the legend; a legend of one entry is none.
func TestLegend(t *testing.T) {
	l := &layout{}
	entries := func(names ...string) (n int) {
		p := chart.Panel{}
		for _, name := range names {
			p.Lines = append(p.Lines, chart.Line{Name: name})
		}
		for _, row := range l.legend(&p, 900) {
			n += len(row)
		}
		return n
	}
	require.Equal(t, 2, entries("a", "b"))
	require.Equal(t, 2, entries("a", "", "b"))
	require.Zero(t, entries("a"))
	require.Zero(t, entries("a", ""))
}

// Names that are given for some columns only stand at those.
func TestNames(t *testing.T) {
	require.Equal(t, []chart.Tick{{At: 0, Label: "a"}, {At: 2, Label: "c"}}, names([]string{"a", "", "c"}, 300))
	require.Equal(t, []chart.Tick{{At: 0, Label: "0"}, {At: 4, Label: "4"}, {At: 8, Label: "8"}},
		names([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}, 70))
}

// Every text of an SVG is as wide as the layout takes it to be, in whatever font it
// is shown, and a dark page gets a dark picture.
func TestSVGInOtherFonts(t *testing.T) {
	for name, c := range charts() {
		var b bytes.Buffer
		require.NoError(t, Write(&b, SVG, c))
		picture := b.String()
		require.Contains(t, picture, "@media (prefers-color-scheme: dark)", name)
		require.Contains(t, picture, "<title id=\"title\">"+html.EscapeString(c.Title)+"</title>", name)
		require.Contains(t, picture, "<desc id=\"about\">"+html.EscapeString(c.Description())+"</desc>", name)
		require.NotEmpty(t, c.Description(), name)
		texts := strings.Count(picture, "<text ")
		require.Positive(t, texts, name)
		require.Equal(t, texts, strings.Count(picture, "textLength="), name)
		for _, m := range regexp.MustCompile(`(?s)textLength="([^"]*)".*?font-weight:(\w+).*?font-size:([\d.]+)px[^>]*>([^<]*)<`).FindAllStringSubmatch(picture, -1) {
			size, err := strconv.ParseFloat(m[3], 64)
			require.NoError(t, err)
			weight := xfont.WeightNormal
			if m[2] == "bold" {
				weight = xfont.WeightBold
			}
			want := sans(vg.Length(size), weight, ink).Width(html.UnescapeString(m[4])).Points()
			got, err := strconv.ParseFloat(m[1], 64)
			require.NoError(t, err)
			require.InEpsilon(t, want, got, 1e-3, "%s: %q", name, m[4])
		}
	}
}

// A faint line is grey, or has a tint of the colour of the line in front of it.
func TestTint(t *testing.T) {
	own := chart.Line{Faint: true, Tint: true}
	styles := lineStyles([]chart.Line{own, {}, {Faint: true}, own, own, {}})
	require.Equal(t, pale, styles[2].Color)
	for i, n := range map[int]int{0: 0, 3: 1, 4: 1} {
		require.Equal(t, tint(colour(n)), styles[i].Color)
		require.NotEqual(t, pale, styles[i].Color)
	}
	require.Equal(t, colour(1), styles[5].Color)
}
