package figure

import (
	"context"
	"fmt"
	"math"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/reference/wire"
)

// The initialisation that is drawn: a linear layer's weight, and a distribution
// that is cut where it can be seen.
const (
	initIn, initOut = 256, 512
	initCut         = 3.0 // in units of σ, as the course has it
	shortCut        = 1.5
	shortDraws      = initIn * initOut
)

// initialisation draws random weights with the code of step 01 and shows their
// histogram against the density of a truncated normal distribution.
func initialisation(ctx context.Context, o Options) (*chart.Chart, error) {
	c, err := o.open(ctx, "step01")
	if err != nil {
		return nil, err
	}
	defer c.close()
	out, err := c.call(ctx, "linear.weight", wire.Values{"d_out": wire.Int(initOut), "d_in": wire.Int(initIn),
		"seed": wire.Int(1), "name": wire.String("figure")})
	if err != nil {
		return nil, err
	}
	weights, err := c.floats(out, "w", initIn*initOut)
	if err != nil {
		return nil, err
	}
	out, err = c.call(ctx, "truncnormal.sample", wire.Values{"n": wire.Int(shortDraws), "sigma": wire.Float(1), "cut": wire.Float(shortCut),
		"seed": wire.Int(1), "name": wire.String("figure")})
	if err != nil {
		return nil, err
	}
	short, err := c.floats(out, "x", shortDraws)
	if err != nil {
		return nil, err
	}
	sigma := math.Sqrt(2.0 / (initIn + initOut))
	first := density(o.Lang, weights, sigma, initCut)
	first.Title = o.Lang.Say("linear weight, %d × %d: σ = %.4f, cut at 3σ", initOut, initIn, sigma)
	first.X.Label = o.Lang.Say("weight")
	second := density(o.Lang, short, 1, shortCut)
	second.Title = o.Lang.Say("σ = 1, cut at 1.5σ: nothing piles up at the edge")
	second.X.Label = o.Lang.Say("value")
	return &chart.Chart{Title: o.Lang.Say("Initialisation: draws from a truncated normal distribution"), Columns: 2,
		Subtitle: o.Lang.Say("%d × %d draws each, by %s; a linear weight has σ² = 2/(d_in + d_out)", initOut, initIn, c.owner()), Panels: []chart.Panel{first, second}}, nil
}

// density is the panel of some draws from N(0, σ²) on the condition |x| ≤ cut·σ.
func density(p lang.Printer, draws []float32, sigma, cut float64) chart.Panel {
	const inside, outside = 50, 5 // bins: the cut lies between two of them
	end := cut * sigma * (inside + 2*outside) / inside
	theory, whole := chart.Line{Name: p.Say("density, cut"), Dashed: true}, chart.Line{Name: p.Say("normal density, not cut")}
	within := math.Erf(cut / math.Sqrt2) // what the cut leaves of the normal
	const points = 400
	for i := range points + 1 {
		x := end * (2*float64(i)/points - 1)
		y := math.Exp(-x*x/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi))
		whole.X, whole.Y = append(whole.X, x), append(whole.Y, y)
		if y /= within; math.Abs(x) > cut*sigma {
			y = 0
		}
		theory.X, theory.Y = append(theory.X, x), append(theory.Y, y)
	}
	return chart.Panel{
		Y:          chart.Axis{Label: p.Say("probability density")},
		Histograms: []chart.Histogram{histogram(p.Say("draws"), draws, -end, end, inside+2*outside)},
		Lines:      []chart.Line{theory, whole},
		Marks: []chart.Mark{{Label: fmt.Sprintf("−%gσ", cut), At: -cut * sigma, Vertical: true},
			{Label: fmt.Sprintf("%gσ", cut), At: cut * sigma, Vertical: true}},
	}
}

// histogram counts values in bins of equal width; the heights are densities, so
// that the area is the share of the values that lie between low and high.
func histogram(name string, values []float32, low, high float64, bins int) chart.Histogram {
	h := chart.Histogram{Name: name, Edges: make([]float64, bins+1), Heights: make([]float64, bins)}
	width := (high - low) / float64(bins)
	for i := range h.Edges {
		h.Edges[i] = low + float64(i)*width
	}
	for _, v := range values {
		if i := int(math.Floor((float64(v) - low) / width)); i >= 0 && i < bins {
			h.Heights[i] += 1 / (float64(len(values)) * width)
		}
	}
	return h
}
