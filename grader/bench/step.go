package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/bench/roofline"
	"github.com/stubformer/stubformer/grader/scratch"
	"github.com/stubformer/stubformer/grader/workspace"
)

// MeasureStep measures where the time of a training step goes: that of one shard of a named
// configuration, or of the one in a file, on one core, for about so many seconds. Source
// says whose steps are measured.
func MeasureStep(ctx context.Context, kit *workspace.Kit, source workspace.Source, model string, seconds float64) (step roofline.Step, err error) {
	tmp, err := scratch.New()
	if err != nil {
		return step, err
	}
	defer tmp.Remove()
	c := climb{kit: kit, source: source, dir: tmp.Path}
	env := []string{"GOEXPERIMENT=simd"}
	worker, err := c.build(ctx, "worker", env)
	if err != nil {
		return step, err
	}
	p, err := Start("step", []string{"GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"}, worker)
	if err != nil {
		return step, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	text, err := p.Query(fmt.Sprintf("step %s %s", model, strconv.FormatFloat(seconds, 'f', -1, 64)))
	if err != nil {
		return step, err
	}
	if why, ok := strings.CutPrefix(text, "!"); ok {
		return step, &NoAnswerError{p.Name, strings.TrimSpace(why)}
	}
	if err := json.Unmarshal([]byte(text), &step); err != nil {
		return step, err
	}
	step.Model, step.Machine = model, Machine()
	if perFLOP, err := p.Ask("peak 0.3"); err == nil {
		step.Peak = 1 / perFLOP
	}
	perByte, err := p.Ask("read dot 0.3")
	step.Bandwidth = 1 / perByte
	return step, err
}
