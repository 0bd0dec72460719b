package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/stubformer/stubformer/grader/studio/bench/roofline"
	"github.com/stubformer/stubformer/grader/studio/bench/scaling"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// MeasureScaling measures the parts of a training step of a named configuration, or of the
// one in a file, on one core and on all cores of this machine, each for about so many
// seconds, and whole steps to hold the sum of the parts against. Source says whose steps
// are measured.
func MeasureScaling(ctx context.Context, kit *workspace.Kit, source workspace.Source, model string, seconds float64) (s scaling.Step, err error) {
	settings, err := run.Load(model)
	if err != nil {
		return s, err
	}
	r := settings.Recipe
	s = scaling.Step{Model: model, Machine: Machine(), Cores: runtime.NumCPU(), Sequences: r.Batch,
		Tokens: r.Batch * settings.Model.ContextLength, Shards: min(r.Shards, r.Batch), Measured: map[int]float64{}}
	err = steps(ctx, kit, source, func(worker string) error {
		one, err := measureParts(worker, 1, s, seconds)
		if err != nil {
			return err
		}
		all, err := measureParts(worker, s.Cores, s, seconds)
		if err != nil {
			return err
		}
		s.Layers = one.layers
		s.Products = scaling.Part{One: one.products, All: all.products}
		s.Sums = scaling.Part{One: one.sums, All: all.sums}
		s.Clipping = scaling.Part{One: one.clipping, All: all.clipping}
		s.AdamW = scaling.Part{One: one.adamW, All: all.adamW}
		s.Waking = all.waking
		s.Measured[1], s.Measured[s.Cores] = one.whole, all.whole
		return nil
	})
	return s, err
}

// parts are the seconds of the parts of a step, and of the whole.
type parts struct{ layers, products, sums, clipping, adamW, waking, whole float64 }

// measureParts measures them on so many processors.
func measureParts(worker string, processors int, s scaling.Step, seconds float64) (got parts, err error) {
	p, err := Start(fmt.Sprintf("%d processors", processors), []string{fmt.Sprintf("GOMAXPROCS=%d", processors)}, worker)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	step, err := p.step(s.Model, seconds)
	if err != nil {
		return got, err
	}
	for _, o := range step.Operations {
		*got.of(o) += o.Seconds
	}
	for _, q := range []struct {
		question string
		answer   *float64
	}{{"sums " + s.Model, &got.sums}, {"waking", &got.waking}, {"update " + s.Model, &got.whole}} {
		if *q.answer, err = p.Ask(fmt.Sprintf("%s %g", q.question, seconds)); err != nil {
			return got, err
		}
	}
	return got, nil
}

// of returns the part that an operation belongs to.
func (p *parts) of(o roofline.Operation) *float64 {
	switch {
	case o.Name == "clipping":
		return &p.clipping
	case o.Name == "AdamW":
		return &p.adamW
	case strings.HasSuffix(o.Name, ": products"):
		return &p.products
	}
	return &p.layers
}
