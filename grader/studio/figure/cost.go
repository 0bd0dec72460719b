package figure

import (
	"fmt"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// shape is a model whose costs are drawn.
type shape struct {
	run.Model
	vocab int
}

// costShape returns the shape of a run's model, or that of the configuration
// base with TinyStories' vocabulary (CS336, assignment 1, section 7).
func costShape(o Options) (shape, error) {
	if len(o.Runs) == 0 {
		base, _ := run.Named("base")
		return shape{base.Model, 10000}, nil
	}
	r, err := OpenRun(o.Runs[0])
	return shape{r.Config.Model, r.Config.VocabSize}, err
}

func (s shape) in(p lang.Printer) string {
	return p.Say("%s, %s, d_model %d, d_ff %d, vocabulary %d", layers(s.NumLayers), heads(s.NumHeads), s.DModel, s.DFF, s.vocab)
}

// params is the number of parameters: embedding and head V·D each, the last
// gain D, and in each layer 4·D² for attention, 3·D·F and two gains.
func (s shape) params() float64 {
	d, f, v := float64(s.DModel), float64(s.DFF), float64(s.vocab)
	return 2*v*d + d + float64(s.NumLayers)*(4*d*d+3*d*f+2*d)
}

// activations is how many numbers a forward pass over one sequence of t tokens
// keeps for the backward pass. In each layer, for each token: the inputs and
// the outputs of two norms (4·D), q, k and v (3·D), the joined heads (D), the
// two branches, SiLU's output and their product (4·F), and H rows of t attention
// weights; after the layers the last norm's 2·D and V logits.
func (s shape) activations(t float64) float64 {
	d, f := float64(s.DModel), float64(s.DFF)
	layer := 8*d + 4*f + float64(s.NumHeads)*t
	return t * (float64(s.NumLayers)*layer + 2*d + float64(s.vocab))
}

// cache is how many numbers the keys and values of t tokens are.
func (s shape) cache(t float64) float64 { return 2 * float64(s.NumLayers) * t * float64(s.DModel) }

// contexts returns the context lengths on the axis, and their ticks.
func contexts() (lengths []float64, ticks []chart.Tick) {
	for t := 64; t <= 65536; t *= 2 {
		lengths = append(lengths, float64(t))
		if label := fmt.Sprint(t); t <= 512 || t%1024 == 0 {
			if t >= 1024 {
				label = fmt.Sprintf("%dk", t/1024)
			}
			ticks = append(ticks, chart.Tick{At: float64(t), Label: label})
		}
	}
	return lengths, ticks
}

// byteTicks are ticks of a logarithmic axis of bytes.
func byteTicks() []chart.Tick {
	var out []chart.Tick
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		for _, n := range []int{1, 32} {
			out = append(out, chart.Tick{At: float64(n << (10 * (i + 1))), Label: fmt.Sprint(n, " ", unit)})
		}
	}
	return out
}

// memory shows what takes memory as the context grows, in float32.
func memory(o Options) (*chart.Chart, error) {
	s, err := costShape(o)
	if err != nil {
		return nil, err
	}
	const size = 4 // bytes of a float32
	lengths, ticks := contexts()
	constant := func(n float64) func(float64) float64 { return func(float64) float64 { return n } }
	lines := []chart.Line{
		{Name: o.Lang.Say("activations of one sequence, in training"), X: lengths, Y: each(lengths, func(t float64) float64 { return s.activations(t) * size })},
		{Name: o.Lang.Say("keys and values (KV cache), in generation"), X: lengths, Y: each(lengths, func(t float64) float64 { return s.cache(t) * size })},
		{Name: o.Lang.Say("weights, gradients and AdamW's two moments"), X: lengths, Y: each(lengths, constant(4*s.params()*size)), Dashed: true},
		{Name: o.Lang.Say("weights alone"), X: lengths, Y: each(lengths, constant(s.params()*size)), Dashed: true},
	}
	return &chart.Chart{Title: o.Lang.Say("Memory as the context grows"), Subtitle: o.Lang.Say("%s; float32, counted, not measured", s.in(o.Lang)), Columns: 1, Panels: []chart.Panel{{
		X: logarithmic(o.Lang, o.Lang.Say("context (tokens)"), ticks...), Y: logarithmic(o.Lang, o.Lang.Say("memory"), byteTicks()...), Lines: lines}}}, nil
}

// flops shows what a token of a forward pass costs as the context grows: 2·m·n·k
// operations for a product of (m, k) and (k, n), scores counted for all pairs
// (Kaplan et al., "Scaling Laws for Neural Language Models", 2020, section 2.1,
// for another feed-forward network).
func flops(o Options) (*chart.Chart, error) {
	s, err := costShape(o)
	if err != nil {
		return nil, err
	}
	const mega = 1e-6
	l, d, f, v := float64(s.NumLayers), float64(s.DModel), float64(s.DFF), float64(s.vocab)
	parts := []struct {
		name string
		cost func(t float64) float64
	}{
		{o.Lang.Say("scores and weighted values: 4·L·T·D"), func(t float64) float64 { return 4 * l * t * d }},
		{o.Lang.Say("feed-forward: 6·L·D·F"), func(float64) float64 { return 6 * l * d * f }},
		{o.Lang.Say("head: 2·D·V"), func(float64) float64 { return 2 * d * v }},
		{o.Lang.Say("projections q, k, v, output: 8·L·D²"), func(float64) float64 { return 8 * l * d * d }},
	}
	lengths, ticks := contexts()
	sum := chart.Line{Name: o.Lang.Say("all"), X: lengths, Y: make([]float64, len(lengths)), Dots: true}
	p := chart.Panel{X: logarithmic(o.Lang, o.Lang.Say("context T (tokens)"), ticks...), Y: logarithmic(o.Lang, o.Lang.Say("million operations per token, forward"))}
	for i, part := range parts {
		line := chart.Line{Name: part.name, X: lengths, Dashed: i > 0}
		for j, t := range lengths {
			y := part.cost(t) * mega
			line.Y = append(line.Y, y)
			sum.Y[j] += y
		}
		p.Lines = append(p.Lines, line)
	}
	p.Lines = append([]chart.Line{sum}, p.Lines...)
	return &chart.Chart{Title: o.Lang.Say("Arithmetic as the context grows"), Subtitle: s.in(o.Lang), Columns: 1, Panels: []chart.Panel{p}}, nil
}
