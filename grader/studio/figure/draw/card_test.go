package draw

import (
	"bytes"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/card"
)

// A card is drawn whatever is on it, in both formats and for both pages; text
// stands out from what is behind it.
func TestCard(t *testing.T) {
	full := card.Card{Steps: []card.Step{{Number: "01", Name: "initializers", Passed: true}, {Number: "12", Name: "kvcache", Elective: true}},
		Curves: []card.Curve{{X: []float64{1, 2}, Y: []float64{4, 2}}, {Name: "tiny", X: []float64{1, 2}, Y: []float64{3, 2}}, {Name: "empty"}},
		Model:  "tiny", Loss: 0.3, Floor: 0.09, Sentence: "He said <so> & went.", TokensPerSecond: 1234567, Times: 57}
	for name, c := range map[string]card.Card{"full": full, "nothing": {}} {
		for _, dark := range []bool{false, true} {
			var png, svg bytes.Buffer
			require.NoError(t, Card(&png, PNG, c, dark), name)
			picture, _, err := image.Decode(&png)
			require.NoError(t, err)
			require.Equal(t, image.Rect(0, 0, 1600, 900), picture.Bounds())
			r, _, _, _ := picture.At(2, 2).RGBA()
			require.Equal(t, dark, r < 0x8000, "what is behind is dark on a dark page")
			require.NoError(t, Card(&svg, SVG, c, dark))
			if name == "full" {
				for _, words := range []string{"I built a language model", "1,234,567", "57×", "&lt;so&gt; &amp; went", "written by this model: tiny", "1 of 1"} {
					require.Contains(t, svg.String(), words)
				}
			}
		}
	}
}

func TestCardFile(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, CardFile(filepath.Join(dir, "a.gif"), card.Card{}, false), "ends in .png or .svg")
	require.Error(t, CardFile(filepath.Join(dir, "no", "a.png"), card.Card{}, false))
	require.NoError(t, CardFile(filepath.Join(dir, "a.svg"), card.Card{}, true))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// A card for dark pages has their colours, and is not turned into a light one there; one
// for light pages is turned.
func TestCardTurns(t *testing.T) {
	for dark, want := range map[bool]bool{true: false, false: true} {
		var out strings.Builder
		require.NoError(t, Card(&out, SVG, card.Card{}, dark))
		require.Equal(t, want, strings.Contains(out.String(), "invert("), "dark: %v", dark)
	}
}

// What the model did not learn by the student's own code is not said to be theirs.
func TestCardSaysWhose(t *testing.T) {
	for whose, c := range map[string]card.Card{
		"every gradient by hand": {Model: "tiny", Sentence: "He went.", Own: true, Trainer: lang.T("your own code")},
		"trained by the solutions, stopped after 100 of 800 updates": {Model: "tiny", Sentence: "He went.",
			Trainer: lang.T("the solutions"), Stopped: lang.T("stopped after %d of %d updates", 100, 800)},
	} {
		var out strings.Builder
		require.NoError(t, Card(&out, SVG, c, false))
		require.Contains(t, out.String(), whose)
		require.Equal(t, c.Own, strings.Contains(out.String(), "every gradient by hand"))
	}
}

func TestThousands(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999.6: "1,000", 34966: "34,966", 1e6: "1,000,000"} {
		require.Equal(t, want, thousands(x))
	}
}
