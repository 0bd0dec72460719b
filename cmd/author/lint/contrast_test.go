package lint

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
)

// legible is the least contrast of a text that is not large: WCAG 2.2, 1.4.3.
const legible = 4.5

var (
	lightAndDark = regexp.MustCompile(`--([a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`)
	textColour   = regexp.MustCompile(`[;{\s]color: var\(--([a-z]+)\)`)
	background   = regexp.MustCompile(`[;{\s]background: var\(--([a-z]+)\)`)
)

// Whatever a page writes is legible on what it stands on, in light and in dark.
func TestPagesAreLegible(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	pages := 0
	require.NoError(t, fs.WalkDir(os.DirFS(kit.Root), "grader", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".css" {
			return err
		}
		pages++
		css, err := fs.ReadFile(os.DirFS(kit.Root), name)
		require.NoError(t, err)
		if !lightAndDark.Match(css) { // its colours are those of all pages
			shared, err := fs.ReadFile(os.DirFS(kit.Root), "grader/report/page/page.css")
			require.NoError(t, err)
			css = append(shared, css...)
			require.Empty(t, illegibleOn(string(css)), name)
		}
		for _, fault := range illegible(string(css)) {
			t.Errorf("%s: %s", name, fault)
		}
		return nil
	}))
	require.Positive(t, pages)
}

// illegible names the texts of a style sheet that lack contrast. A text stands on paper
// or on a card; the paper's own colour is written on ink.
func illegible(css string) []string {
	colours := coloursOf(css)
	var faults []string
	for _, m := range textColour.FindAllStringSubmatch(css, -1) {
		backs := []string{"paper", "card"}
		if m[1] == "paper" {
			backs = []string{"ink"}
		}
		for _, back := range backs {
			for i, page := range []string{"light", "dark"} {
				if c := contrast(colours[m[1]][i], colours[back][i]); !(c >= legible) {
					faults = append(faults, fmt.Sprintf("%s on %s, %s: %.2f", m[1], back, page, c))
				}
			}
		}
	}
	return faults
}

// illegibleOn names the backgrounds of a style sheet on which ink lacks contrast.
func illegibleOn(css string) []string {
	colours := coloursOf(css)
	var faults []string
	for _, m := range background.FindAllStringSubmatch(css, -1) {
		for i, page := range []string{"light", "dark"} {
			if c := contrast(colours["ink"][i], colours[m[1]][i]); !(c >= legible) {
				faults = append(faults, fmt.Sprintf("ink on %s, %s: %.2f", m[1], page, c))
			}
		}
	}
	return faults
}

// coloursOf returns the colours of a style sheet by name, for light and for dark pages.
func coloursOf(css string) map[string][2]string {
	colours := map[string][2]string{}
	for _, m := range lightAndDark.FindAllStringSubmatch(css, -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	return colours
}

// contrast is that of two colours "#rrggbb", from 1 to 21: WCAG 2.2, "contrast ratio".
// It is NaN if one is no such colour.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(colour string) float64 {
	rgb, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 24)
	if err != nil || len(colour) != 7 {
		return math.NaN()
	}
	linear := func(shift int) float64 {
		c := float64(rgb>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}

func TestIllegible(t *testing.T) {
	require.InDelta(t, 21, contrast("#000000", "#ffffff"), 1e-9)
	require.InDelta(t, 4.54, contrast("#767676", "#ffffff"), 5e-3, "the lightest grey that is legible on white")
	css := `:root { --paper: light-dark(#ffffff, #000000); --card: light-dark(#ffffff, #000000); --ink: light-dark(#000000, #ffffff);
		--soft: light-dark(#767676, #777777); --pale: light-dark(#777777, #767676); }
		a { color: var(--ink); } b { color: var(--paper); } i { color: var(--soft); }`
	require.Empty(t, illegible(css))
	require.Equal(t, []string{"pale on paper, light: 4.48", "pale on card, light: 4.48"}, illegible(css+" u { color: var(--pale); }"))
	require.Len(t, illegible(css+" u { color: var(--none); }"), 4, "a colour that is not there is on no page")
	require.Equal(t, []string{"ink on soft, dark: 4.48"}, illegibleOn(css+" td { background: var(--soft); }"))
}
