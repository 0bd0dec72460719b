// Package early is what the programs of the milestones share: it trains a small
// model that is made of a student's steps, and lets it write. The loop, the
// optimiser and the draws are the kit's; what is learned with is the student's.
//
// A model's program writes run.Events to standard output, one a line, and ends
// when its standard input ends.
package early

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	softmax "github.com/stubformer/stubformer/steps/step07_softmax"
)

// Model is what a milestone trains. It reads ids (B, T) and returns the logits
// (B, T, V) of the token after each.
type Model interface {
	Forward(ids [][]int) (*tensor.Tensor, error)
	Backward(dlogits *tensor.Tensor)
	Params() []*tensor.Param
}

// Recipe says how a model is trained.
type Recipe struct {
	Context, Batch, Steps int
	Rate                  float64 // of the first update; it falls to 0 in a straight line

	// Optimiser, if it is set, takes the place of the kit's: it returns what updates
	// the parameters after each backward pass, counted from 1.
	Optimiser func(params []*tensor.Param) func(step int)
}

// limit is how long a training may compute: what is learned by then counts. How busy
// the machine is has no part in it.
const limit = 20 * time.Second

// Main trains the model that the student's steps make for a vocabulary, and
// reports how it goes.
func Main(r Recipe, build func(vocab int) Model) {
	signal.Ignore(os.Interrupt) // the grader hears it and ends our input
	events := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // for what the student's code prints
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	t := newTraining(r, func(e run.Event) { events.Encode(e) })
	t.model = build(t.tokens.VocabSize())
	if err := t.run(); err != nil {
		t.send(run.Event{Error: err.Error()})
		os.Exit(1)
	}
}

// training is one model that learns.
type training struct {
	Recipe
	send             func(run.Event)
	model            Model
	tokens           *corpus.Tokenizer
	text, validation []int
	rng              *rand.Rand
	loss             softmax.CrossEntropy
}

func newTraining(r Recipe, send func(run.Event)) *training {
	text, measured := run.Village()
	t := &training{Recipe: r, send: send, tokens: corpus.NewTokenizer(text), rng: rand.New(rand.NewPCG(1, 0))}
	var err [2]error
	t.text, err[0] = t.tokens.Encode(text)
	t.validation, err[1] = t.tokens.Encode(measured)
	for _, err := range err {
		if err != nil {
			panic(err) // the grammar has not so many characters that one could be missing
		}
	}
	return t
}

// evaluations is how often the model is looked at before the end.
const evaluations = 5

// run trains, and has the gradients examined before the first update and after
// the last: by then every buffer has been used again and again.
func (t *training) run() error {
	t.send(run.Event{Start: &run.Start{TokensPerStep: t.Batch * t.Context, Steps: t.Steps}})
	if err := t.examine(0); err != nil {
		return err
	}
	update, begin := t.optimiser(), cputime.Process()
	var spent time.Duration
	for step := 1; step <= t.Steps; step++ {
		lap := cputime.Wall()
		ids, targets := t.batch()
		loss, err := t.gradients(ids, targets)
		if err != nil {
			return err
		}
		update(step)
		spent += cputime.Wall() - lap
		last := step == t.Steps || cputime.Process()-begin > limit
		s := run.Step{Step: step, Loss: loss, TokensPerSecond: float64(step*t.Batch*t.Context) / spent.Seconds()}
		if last || step%max(1, t.Steps/evaluations) == 0 {
			validation, err := t.evaluate()
			if err != nil {
				return err
			}
			s.ValidationLoss = &validation
		}
		if last {
			if s.Sample, err = t.write(); err != nil {
				return err
			}
		}
		t.send(run.Event{Step: &s})
		if last {
			return t.examine(step)
		}
	}
	return nil
}

// optimiser returns what updates the model.
func (t *training) optimiser() func(step int) {
	if t.Optimiser != nil {
		return t.Optimiser(t.model.Params())
	}
	o := newOptimiser(t.model.Params())
	return func(step int) { o.step(t.Rate * float64(t.Steps-step+1) / float64(t.Steps)) }
}

// gradients runs the model on a batch, forward and backward, and returns the
// student's loss. The gradients are those of this batch alone.
func (t *training) gradients(ids, targets [][]int) (float64, error) {
	for _, p := range t.model.Params() {
		p.ZeroGrad()
	}
	logits, err := t.model.Forward(ids)
	if err != nil {
		return 0, err
	}
	loss, err := t.loss.Forward(logits, targets)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, fmt.Errorf("the loss is %g: a gradient is wrong, or something overflows; "+
			"to see what: go run ./cmd/grade all --own-stack", loss)
	}
	t.model.Backward(t.loss.Backward())
	return loss, nil
}

// batch draws windows of the text; the targets are one token further.
func (t *training) batch() (ids, targets [][]int) {
	for range t.Batch {
		at := t.rng.IntN(len(t.text) - t.Context)
		ids = append(ids, t.text[at:at+t.Context])
		targets = append(targets, t.text[at+1:at+t.Context+1])
	}
	return ids, targets
}

// evaluate returns the mean loss over the text that was kept back. It is computed
// here, in float64, from the model's logits.
func (t *training) evaluate() (float64, error) {
	var sum float64
	n := 0
	for at := 0; at+t.Batch*t.Context < len(t.validation); at += t.Batch * t.Context {
		var ids, targets [][]int
		for b := range t.Batch {
			from := at + b*t.Context
			ids = append(ids, t.validation[from:from+t.Context])
			targets = append(targets, t.validation[from+1:from+t.Context+1])
		}
		loss, err := t.measure(ids, targets)
		if err != nil {
			return 0, err
		}
		sum, n = sum+loss, n+1
	}
	return sum / float64(n), nil
}

// measure returns the mean loss of a batch, computed here.
func (t *training) measure(ids, targets [][]int) (float64, error) {
	logits, err := t.model.Forward(ids)
	if err != nil {
		return 0, err
	}
	tensor.CheckShape("the logits", logits, len(ids), len(ids[0]), t.tokens.VocabSize())
	sum, n := 0.0, 0
	for _, row := range targets {
		for _, target := range row {
			sum += surprise(logits.Row(n), target)
			n++
		}
	}
	return sum / float64(n), nil
}

// surprise is −log of the probability of a token.
func surprise(logits []float32, token int) float64 {
	largest, sum := math.Inf(-1), 0.0
	for _, x := range logits {
		largest = max(largest, float64(x))
	}
	for _, x := range logits {
		sum += math.Exp(float64(x) - largest)
	}
	return largest + math.Log(sum) - float64(logits[token])
}
