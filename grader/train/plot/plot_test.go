package plot

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/train/run"
)

func TestDraw(t *testing.T) {
	steps := []run.Step{{Step: 0, ValidationLoss: 4}, {Step: 1, Loss: 3.9}, {Step: 2, Loss: 2, ValidationLoss: 2.5}}
	svg, err := Draw("a < b & c", steps, 0.5)
	require.NoError(t, err)
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
	require.Contains(t, string(svg), "a &lt; b &amp; c")
	require.Contains(t, string(svg), "floor 0.5000")
	require.Contains(t, string(svg), `points="64.0,69.2 650.0,144.6 "`, "the validation losses")
	svg, err = Draw("", steps, 0)
	require.NoError(t, err)
	require.NotContains(t, string(svg), "floor")
	_, err = Draw("", steps[:1], 0)
	require.ErrorContains(t, err, "there is nothing to draw")
}

func TestTicks(t *testing.T) {
	require.Equal(t, []float64{0, 500, 1000, 1500, 2000}, ticks(2000))
	require.Equal(t, []float64{0, 1, 2, 3, 4}, ticks(4.9))
	require.Equal(t, []float64{0, 0.25, 0.5, 0.75, 1}, ticks(1))
	require.Equal(t, []float64{0.1, 0.2, 0.5, 1, 2, 5}, powers(0.09, 5))
}

// The lowest and highest loss, with room of 1.2 below and above, are the edges.
func TestFrame(t *testing.T) {
	f := newFrame(0.6, []point{{0, 5}, {10, 3}})
	x, y := f.at(point{0, 6})
	require.InDelta(t, left, x, 1e-9)
	require.InDelta(t, top, y, 1e-9)
	x, y = f.at(point{10, 0.5})
	require.InDelta(t, width-right, x, 1e-9)
	require.InDelta(t, height-bottom, y, 1e-9)
	_, y = f.at(point{5, math.Sqrt(6 * 0.5)})
	require.InDelta(t, (top+height-bottom)/2, y, 1e-9)
}
