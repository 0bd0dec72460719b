package chart

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescription(t *testing.T) {
	c := Chart{Subtitle: "tiny, 4 layers", Panels: []Panel{
		{Title: "loss", X: Axis{Label: "step"}, Y: Axis{Label: "nats"}, Lines: []Line{{Name: "training"}, {}}, Marks: []Mark{{Label: "floor: 0.09"}}},
		{X: Axis{Label: "key"}, Y: Axis{Label: "query"}, Heat: &Heat{Values: [][]float64{{1, 2, 3}, {4, 5, 6}}}},
		{X: Axis{Label: "MB"}, Bars: []Bar{{Label: "weights", Text: "12"}, {Label: "cache"}}},
	}}
	require.Equal(t, "tiny, 4 layers. loss: nats against step; training, floor: 0.09. 2 rows and 3 columns of colours, query by key. "+
		"bars of MB; weights 12, cache", c.Description())
	require.Empty(t, (&Chart{}).Description())
}
