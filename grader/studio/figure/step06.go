package figure

import (
	"context"
	"math"
	"strconv"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/reference/wire"
)

// The RoPE that is drawn: heads of 64, Θ of the paper.
const (
	ropeTheta     = 10000.0
	ropeWidth     = 64  // K
	ropePositions = 512 // rows of the tables
	ropeShown     = 128 // positions in the heat map
)

// rope shows what the code of step 06 turns: the angle by position and pair, how
// many positions a full turn takes, and that a query's score with a key depends
// on their distance only.
func rope(ctx context.Context, o Options) (*chart.Chart, error) {
	c, err := o.open(ctx, "step06")
	if err != nil {
		return nil, err
	}
	defer c.close()
	out, err := c.call(ctx, "rope.tables", wire.Values{"theta": wire.Float(ropeTheta), "d_k": wire.Int(ropeWidth), "max_seq_len": wire.Int(ropePositions)})
	if err != nil {
		return nil, err
	}
	const pairs = ropeWidth / 2
	cos, err := c.floats(out, "cos", ropePositions*pairs)
	if err != nil {
		return nil, err
	}
	sin, err := c.floats(out, "sin", ropePositions*pairs)
	if err != nil {
		return nil, err
	}
	scores, err := distances(ctx, c)
	if err != nil {
		return nil, err
	}
	return &chart.Chart{Title: o.Lang.Say("RoPE: positions as rotations"), Columns: 3,
		Subtitle: o.Lang.Say("heads of K = %d, Θ = 10,000, turned by %s", ropeWidth, c.owner()),
		Panels:   []chart.Panel{rotations(o.Lang, cos), turns(o.Lang, cos, sin), scores}}, nil
}

// rotations is the heat map of the cosines (positions, pairs).
func rotations(p lang.Printer, cos []float32) chart.Panel {
	const pairs = ropeWidth / 2
	h := &chart.Heat{Label: p.Say("cosine of the angle"), Min: -1, Max: 1}
	for k := range pairs {
		row := make([]float64, ropeShown)
		for position := range row {
			row[position] = float64(cos[position*pairs+k])
		}
		h.Rows, h.Values = append(h.Rows, strconv.Itoa(k)), append(h.Values, row)
	}
	for position := range ropeShown {
		h.Cols = append(h.Cols, strconv.Itoa(position))
	}
	return chart.Panel{Title: p.Say("every pair turns"), X: chart.Axis{Label: p.Say("position")}, Y: chart.Axis{Label: p.Say("pair k")}, Heat: h}
}

// turns shows after how many positions a pair points the same way again:
// 2π over the angle at position 1.
func turns(p lang.Printer, cos, sin []float32) chart.Panel {
	const pairs = ropeWidth / 2
	l := chart.Line{Name: p.Say("full turn of a pair"), Dots: true}
	for k := range pairs {
		angle := math.Atan2(float64(sin[pairs+k]), float64(cos[pairs+k]))
		l.X, l.Y = append(l.X, float64(k)), append(l.Y, 2*math.Pi/angle)
	}
	return chart.Panel{Title: p.Say("each at its own speed"), X: chart.Axis{Label: p.Say("pair k")}, Y: logarithmic(p, p.Say("positions in a full turn")),
		Lines: []chart.Line{l}}
}

// distances shows the score of a query with every key before it, for the same
// query and key at different places.
func distances(ctx context.Context, c *code) (chart.Panel, error) {
	ones, positions := make([]float32, ropePositions*ropeWidth), make([]int64, ropePositions)
	for i := range ones {
		ones[i] = 1
	}
	for p := range positions {
		positions[p] = int64(p)
	}
	out, err := c.call(ctx, "rope.forward", wire.Values{"x": wire.Float32s(ones, 1, ropePositions, ropeWidth),
		"positions": wire.Ints(positions, 1, ropePositions), "theta": wire.Float(ropeTheta), "max_seq_len": wire.Int(ropePositions)})
	if err != nil {
		return chart.Panel{}, err
	}
	turned, err := c.floats(out, "y", len(ones))
	if err != nil {
		return chart.Panel{}, err
	}
	p := chart.Panel{Title: c.lang.Say("only the distance counts"), X: chart.Axis{Label: c.lang.Say("distance to the key (positions)")},
		Y: chart.Axis{Label: c.lang.Say("score q·k/√K, q = k = (1, …, 1)")}}
	for i, query := range []int{ropePositions - 1, ropePositions / 2, ropePositions / 4} {
		l := chart.Line{Name: c.lang.Say("query at %d", query), Dashed: i > 0}
		for distance := 0; distance <= min(query, 127); distance++ {
			score := 0.0
			for i := range ropeWidth {
				score += float64(turned[query*ropeWidth+i]) * float64(turned[(query-distance)*ropeWidth+i])
			}
			l.X, l.Y = append(l.X, float64(distance)), append(l.Y, score/math.Sqrt(ropeWidth))
		}
		p.Lines = append(p.Lines, l)
	}
	return p, nil
}
