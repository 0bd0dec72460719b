package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/bench/roofline"
	"github.com/stubformer/stubformer/grader/workspace"
)

// steps builds the worker with the steps of a source and hands its command to do.
func steps(ctx context.Context, kit *workspace.Kit, source workspace.Source, do func(worker string) error) error {
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	c := climb{kit: kit, source: source, dir: tmp.Path}
	worker, err := c.build(ctx, "worker", nil)
	if err != nil {
		return err
	}
	return do(worker)
}

// MeasureStep measures where the time of a training step goes: that of one shard of a named
// configuration, or of the one in a file, on one core, for about so many seconds. Source
// says whose steps are measured; they are built as `grade train` builds them.
func MeasureStep(ctx context.Context, kit *workspace.Kit, source workspace.Source, model string, seconds float64) (step roofline.Step, err error) {
	err = steps(ctx, kit, source, func(worker string) error {
		p, err := Start("step", []string{"GOMAXPROCS=1"}, worker)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		if step, err = p.step(model, seconds); err != nil {
			return err
		}
		step.Model, step.Machine = model, Machine()
		if perFLOP, err := p.Ask("peak 0.3"); err == nil {
			step.Peak = 1 / perFLOP
		}
		perByte, err := p.Ask("read dot 0.3")
		step.Bandwidth = 1 / perByte
		return err
	})
	return step, err
}

// step asks where the time of a shard's training step goes.
func (p *Peer) step(model string, seconds float64) (step roofline.Step, err error) {
	text, err := p.Query(fmt.Sprintf("step %s %g", model, seconds))
	if err != nil {
		return step, err
	}
	if why, ok := strings.CutPrefix(text, "!"); ok {
		return step, &NoAnswerError{p.Name, strings.TrimSpace(why)}
	}
	return step, json.Unmarshal([]byte(text), &step)
}
