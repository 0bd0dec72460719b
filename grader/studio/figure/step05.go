package figure

import (
	"context"
	"math"

	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/reference/wire"
)

// activations shows SiLU as the code of step 05 computes it, beside ReLU and
// GELU, and their derivatives.
func activations(ctx context.Context, o Options) (*chart.Chart, error) {
	c, err := o.open(ctx, "step05")
	if err != nil {
		return nil, err
	}
	defer c.close()
	const n, end = 401, 5.0
	xs, x, ones := make([]float64, n), make([]float32, n), make([]float32, n)
	for i := range n {
		xs[i] = end * (2*float64(i)/(n-1) - 1)
		x[i], ones[i] = float32(xs[i]), 1
	}
	out, err := c.call(ctx, "silu.forward", wire.Values{"x": wire.Float32s(x, n)})
	if err != nil {
		return nil, err
	}
	value, err := c.floats(out, "y", n)
	if err != nil {
		return nil, err
	}
	if out, err = c.call(ctx, "silu.backward", wire.Values{"x": wire.Float32s(x, n), "dy": wire.Float32s(ones, n)}); err != nil {
		return nil, err
	}
	slope, err := c.floats(out, "dx", n)
	if err != nil {
		return nil, err
	}
	return &chart.Chart{Title: o.Lang.Say("Activations: ReLU, GELU and SiLU"), Subtitle: o.Lang.Say("SiLU by %s", c.owner()), Columns: 2, Panels: []chart.Panel{
		{Title: o.Lang.Say("value"), X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y"}, Lines: []chart.Line{
			{Name: "SiLU: x·σ(x)", X: xs, Y: doubles(value)},
			{Name: "GELU: x·Φ(x)", X: xs, Y: each(xs, gelu), Dashed: true},
			{Name: "ReLU: max(0, x)", X: xs, Y: each(xs, func(x float64) float64 { return max(0, x) }), Dashed: true}}},
		{Title: o.Lang.Say("derivative"), X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "dy/dx"}, Lines: []chart.Line{
			{Name: "SiLU", X: xs, Y: doubles(slope)},
			{Name: "GELU", X: xs, Y: each(xs, geluSlope), Dashed: true},
			{Name: "ReLU", X: xs, Y: each(xs, reluSlope), Dashed: true}}},
	}}, nil
}

// gelu is x·Φ(x), without the usual approximation (Hendrycks and Gimpel,
// "Gaussian Error Linear Units", 2016).
func gelu(x float64) float64 { return x * (1 + math.Erf(x/math.Sqrt2)) / 2 }

// geluSlope is its derivative: Φ(x) + x·φ(x).
func geluSlope(x float64) float64 {
	return (1+math.Erf(x/math.Sqrt2))/2 + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
}

// reluSlope is 0 below and 1 above 0, and not defined there.
func reluSlope(x float64) float64 {
	switch {
	case x < 0:
		return 0
	case x > 0:
		return 1
	}
	return math.NaN()
}

func each(xs []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

func doubles(xs []float32) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = float64(x)
	}
	return out
}
