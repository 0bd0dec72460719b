// Package card gathers what a student has built, on one page: the steps, how the
// loss fell, a sentence that the model wrote, and how fast it is.
package card

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Card is what stands on the card.
type Card struct {
	Steps           []Step
	Curves          []Curve
	Model           string  // which wrote the sentence: the name of a run or of a milestone; "": there is none yet
	Loss            float64 // of that model, on text that was kept back
	Floor           float64 // that no model can stay below; 0: not known
	Sentence        string
	Trainer         lang.Text // whose code has trained the model; empty: not known
	Own             bool      // it was the student's own, and nothing else
	Stopped         lang.Text // how far the training came if it did not end
	TokensPerSecond float64   // in training
	Times           float64   // faster than three loops; 0: not measured
}

// Step is a step of the course.
type Step struct {
	Number, Name     string
	Passed, Elective bool
}

// Curve is a loss over the updates. The last is that of the card's model.
type Curve struct {
	Name string // "": of single batches
	X, Y []float64
}

// Core returns how many of the core's steps have passed, of how many.
func (c Card) Core() (passed, of int) {
	for _, s := range c.Steps {
		if s.Elective {
			continue
		}
		of++
		if s.Passed {
			passed++
		}
	}
	return passed, of
}

// Byline says which model wrote the sentence, and what is to be known of it.
func (c Card) Byline() lang.Text {
	said := lang.T("written by this model: %s", c.Model)
	if !c.Trainer.Empty() {
		said = lang.T("%s, trained by %s", said, c.Trainer)
	}
	if !c.Stopped.Empty() {
		said = lang.T("%s, %s", said, c.Stopped)
	}
	return said
}

// Next says what can be done with a finished model.
func Next() []lang.Text {
	return []lang.Text{
		lang.T("Train longer: go run ./cmd/grade train --config base"),
		lang.T("Take something away, a norm, RoPE or the gate, and train again: what was it worth?"),
		lang.T("Give it more: the electives, from the cache of step 12 on"),
	}
}

// Gather gathers the card of a kit. dir is the folder of a training run; "" takes
// the best one that there is (see bestRun), or the milestones.
func Gather(kit *workspace.Kit, dir string) (Card, error) {
	attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
	if err != nil {
		return Card{}, err
	}
	var c Card
	best := progress.Best(attempts)
	for _, s := range registry.Steps() {
		a, tried := best[s.ID]
		c.Steps = append(c.Steps, Step{strings.TrimPrefix(s.ID, "step"), s.Name, tried && a.Score == a.Max, s.Elective()})
	}
	if dir == "" {
		if dir, err = bestRun(kit); err != nil {
			return c, err
		}
	}
	if dir == "" {
		c.Trainer, c.Own = run.CodeOf(run.Mine), true // no others are kept
		err = c.fromMilestones(kit)
	} else {
		err = c.fromRun(dir)
	}
	c.Times = Speed(kit).Times
	return c, err
}

// bestRun returns the folder of the run that the card shows, or "": a finished one before
// one that was stopped, one's own code before the solutions, then the smallest loss.
func bestRun(kit *workspace.Kit) (string, error) {
	folders, err := filepath.Glob(filepath.Join(kit.Root, "runs", "*"))
	if err != nil {
		return "", err
	}
	type found struct {
		dir           string
		finished, own bool
		loss          float64
	}
	var all []found
	for _, dir := range folders {
		r, err := figure.OpenRun(dir)
		if err != nil || r.Config.Corpus == "" {
			continue // no run, or a model that came from elsewhere
		}
		if last := lastOf(r.Steps); last.Sample != "" {
			all = append(all, found{dir, last.Step >= r.Config.Recipe.Steps, r.Config.Impl() == "" || r.Config.Impl() == run.Mine, *last.ValidationLoss})
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	return slices.MinFunc(all, func(a, b found) int {
		return cmp.Or(first(a.finished, b.finished), first(a.own, b.own), cmp.Compare(a.loss, b.loss), strings.Compare(a.dir, b.dir))
	}).dir, nil
}

// fromRun takes the curve, the sentence and the speed of a training run.
func (c *Card) fromRun(dir string) error {
	r, err := figure.OpenRun(dir)
	if err != nil {
		return err
	}
	last := lastOf(r.Steps)
	if last.Sample == "" {
		return lang.Errorf("%s has not written anything yet; let it learn a little longer: go run ./cmd/grade train --resume %s", dir, lang.Argument(dir))
	}
	c.Model, c.Floor, c.Loss, c.Sentence = r.Name, r.Floor, *last.ValidationLoss, sentence(untrusted.Visible(last.Sample))
	c.Trainer, c.Own = r.Config.Trainer(), r.Config.Impl() == run.Mine
	if steps := r.Config.Recipe.Steps; last.Step < steps {
		c.Stopped = lang.T("stopped after %d of %d updates", last.Step, steps)
	}
	var batches Curve
	for _, s := range r.Steps {
		if s.TokensPerSecond > 0 {
			c.TokensPerSecond = s.TokensPerSecond
		}
		if s.Loss > 0 { // the scale is logarithmic
			batches.X, batches.Y = append(batches.X, float64(s.Step)), append(batches.Y, s.Loss)
		}
	}
	c.Curves = []Curve{batches, {Name: r.Name, X: batches.X, Y: figure.Smooth(batches.Y)}}
	return nil
}

// lastOf returns the last step that was measured on text that was kept back.
func lastOf(steps []run.Step) run.Step {
	for _, s := range slices.Backward(steps) {
		if s.ValidationLoss != nil {
			return s
		}
	}
	return run.Step{}
}

// fromMilestones takes them of the milestones that were run.
func (c *Card) fromMilestones(kit *workspace.Kit) error {
	kept, err := trial.Kept(kit.Root)
	c.Floor = corpus.VillageEntropy()
	for _, m := range milestone.All() {
		r, done := kept[m.Name]
		if !done {
			continue
		}
		curve := Curve{Name: m.Name}
		for _, s := range r.Curve {
			curve.X, curve.Y = append(curve.X, float64(s.Step)), append(curve.Y, s.Loss)
		}
		curve.Y = figure.Smooth(curve.Y)
		c.Curves = append(c.Curves, curve)
		c.Model, c.Loss, c.Sentence, c.TokensPerSecond = m.Name, r.Loss, sentence(untrusted.Visible(r.Sample)), r.TokensPerSecond
	}
	return err
}

// sentence returns the longest sentence of a text that fits the card, or its
// beginning.
func sentence(text string) string {
	const most = 110
	best := ""
	text = strings.Join(strings.Fields(text), " ")
	rest := text
	for {
		end := strings.Index(rest, ". ")
		if end < 0 {
			break
		}
		s := strings.TrimSpace(rest[:end+1])
		if n := len([]rune(s)); n <= most && n > len([]rune(best)) {
			best = s
		}
		rest = rest[end+1:]
	}
	if len([]rune(best)) >= most/4 {
		return best
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return text
}
