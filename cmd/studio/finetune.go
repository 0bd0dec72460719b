package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// tuneOptions are the flags of `grade finetune`.
type tuneOptions struct {
	impl     string
	adapter  bool
	lesson   train.Lesson
	template train.Template
	language []string
	examples int
	asked    int
	out      string
	table    bool
	seeds    int
}

// heldSeed draws the questions that are asked at the end: the same ones always.
const heldSeed = 1

func newFinetune() *cobra.Command {
	o := tuneOptions{template: train.UsualTemplate()}
	cmd := &cobra.Command{
		Use: "finetune DIR",
		Long: `Finetune lets the model in DIR learn to answer questions, with your own step 17: your
examples and their mask, your loss and, with --adapter, your layer in the place of that
of step 02 and your optimiser, which moves the adapters alone. What was trained becomes
--out: an adapter is a .safetensors file of its own, a model of which all parameters were
trained a new folder.

The questions are about stories of the village, in English and in Chinese, each with one
right answer. One in eight combinations of person, place and thing is kept back: at the
end the model is asked about such stories alone. What counts as right is the whole
answer, letter by letter, with its end.

The template and the end of an answer are yours to choose; chat wants the same.
With --table nothing is kept: the model is asked as it is, with adapters of rank 1, 2, 4
and 8, and with all parameters trained, with several seeds each.`,
		Example: `  go run ./cmd/grade train --config reference/models/villages.json --corpus villages --out runs/villages
  go run ./cmd/grade finetune runs/villages --adapter --rank 4 --out runs/answers.safetensors
  go run ./cmd/grade finetune runs/villages --out runs/answering
  go run ./cmd/grade finetune runs/villages --table`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return finetune(cmd, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.BoolVar(&o.adapter, "adapter", false, "train adapters beside frozen weights, and nothing else")
	f.IntVar(&o.lesson.Rank, "rank", 4, "with --adapter: columns of B and rows of A, in every layer")
	f.Float64Var(&o.lesson.Alpha, "alpha", 8, "with --adapter: the factor is alpha/rank")
	f.IntVar(&o.lesson.Steps, "steps", 600, "optimisation steps")
	f.IntVar(&o.lesson.Batch, "batch", 16, "examples in a step")
	f.Float64Var(&o.lesson.LR, "lr", 0, "the largest learning rate (default 0.01 for adapters, 0.003 for all parameters)")
	f.Uint64Var(&o.lesson.Seed, "seed", 1, "seed of the examples and of A")
	f.IntVar(&o.examples, "examples", 4000, "how many questions to learn from")
	f.IntVar(&o.asked, "asked", 200, "how many held-out questions to ask at the end")
	f.StringSliceVar(&o.language, "language", []string{corpus.English, corpus.Chinese}, "of the questions: `en`, zh or both")
	f.StringVar(&o.out, "out", "", "where the result goes: FILE.safetensors for an adapter, otherwise a new folder `DIR`")
	f.BoolVar(&o.table, "table", false, "one table of all: before, rank 1, 2, 4, 8, all parameters")
	f.IntVar(&o.seeds, "seeds", 3, "with --table: how many seeds")
	templateFlags(cmd, &o.template)
	return cmd
}

// templateFlags are those of every command that asks a model.
func templateFlags(cmd *cobra.Command, t *train.Template) {
	cmd.Flags().StringVar(&t.Prompt, "template", t.Prompt,
		"the prompt of a question, in which {story} and {question} stand; \\n is a new line")
	cmd.Flags().StringVar(&t.End, "end", t.End, "the token that ends an answer")
}

// check says what cannot be, before anything is built.
func (o *tuneOptions) check(cmd *cobra.Command) error {
	for _, l := range o.language {
		if l != corpus.English && l != corpus.Chinese {
			return lang.Errorf("--language is %q; want en, zh or en,zh", l)
		}
	}
	o.template = o.template.Unquoted()
	if o.examples < 1 || o.asked < 1 || o.seeds < 1 {
		return lang.Errorf("--examples, --asked and --seeds are %d, %d and %d; want at least 1 of each",
			o.examples, o.asked, o.seeds)
	}
	if o.adapter && o.lesson.Rank < 1 {
		return lang.Errorf("--rank is %d; want at least 1", o.lesson.Rank)
	}
	if !o.adapter && (cmd.Flags().Changed("rank") || cmd.Flags().Changed("alpha")) {
		return lang.Errorf("--rank and --alpha belong to adapters; add --adapter")
	}
	if o.table && (o.adapter || o.out != "" || cmd.Flags().Changed("lr")) {
		return lang.Errorf("--table trains adapters of four ranks and all parameters, each with its usual learning " +
			"rate, and keeps nothing; leave --adapter, --lr and --out out")
	}
	if o.table {
		return o.with(1).Check()
	}
	if !o.adapter {
		o.lesson.Rank = 0
	}
	o.lesson = o.with(o.lesson.Rank)
	switch adapter := filepath.Ext(o.out) == ".safetensors"; {
	case o.out == "":
		return lang.Errorf("where is the result to go? Name it with --out")
	case o.adapter && !adapter:
		return lang.Errorf("--out is %s; an adapter goes into a file that ends in .safetensors", o.out)
	case !o.adapter && adapter:
		return lang.Errorf("--out is %s; a model goes into a folder, and with --adapter an adapter into such a file", o.out)
	case !o.adapter:
		if err := run.Vacant(o.out); err != nil {
			return err
		}
	}
	return o.lesson.Check()
}

// with is the lesson for adapters of a rank, or for all parameters, with the usual learning
// rate where none is asked for.
func (o *tuneOptions) with(rank int) train.Lesson {
	l := o.lesson
	l.Rank = rank
	if rank > 0 {
		l.LR = cmp.Or(l.LR, 0.01)
	} else {
		l.LR = cmp.Or(l.LR, 0.003)
	}
	return l
}

// tuner is a program that is built for fine-tuning, and what it works on.
type tuner struct {
	cmd    *cobra.Command
	o      tuneOptions
	dir    string
	tongue *train.Tongue
	work   string
	built  map[bool]string // with adapters, without
}

// withTuner makes one for the model of a folder, and takes its files away again.
func withTuner(cmd *cobra.Command, o tuneOptions, dir string, f func(*tuner) error) error {
	work, err := scratch.New()
	if err != nil {
		return command.Failed(err)
	}
	defer work.Remove()
	tongue, err := train.NewTongue(dir, o.template, coding(cmd, o.impl))
	if err != nil {
		return program.Explain(err)
	}
	return program.Explain(f(&tuner{cmd, o, dir, tongue, work.Path, map[bool]string{}}))
}

// binary returns the program, with adapters in the model or without.
func (t *tuner) binary(adapters bool) (string, error) {
	if t.built[adapters] != "" {
		return t.built[adapters], nil
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return "", err
	}
	source, err := command.SourceOf(kit, t.o.impl)
	if err != nil {
		return "", err
	}
	c, err := run.Open(t.dir)
	if err != nil {
		return "", err
	}
	out := filepath.Join(t.work, strconv.FormatBool(adapters))
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	t.built[adapters], err = train.BuildTuner(t.cmd.Context(), kit, source, c.Model, adapters, out)
	return t.built[adapters], err
}

// answerer lets a model answer, with the adapter of a file or none.
func (t *tuner) answerer(dir, adapter string) (*train.Answerer, error) {
	binary, err := t.binary(adapter != "")
	if err != nil {
		return nil, err
	}
	a := t.tongue.NewAnswerer(binary, dir, t.cmd.ErrOrStderr())
	a.Adapter = adapter
	return a, nil
}

// score asks the held-out questions.
func (t *tuner) score(dir, adapter string) (train.Score, error) {
	a, err := t.answerer(dir, adapter)
	if err != nil {
		return train.Score{}, err
	}
	defer a.Close()
	return a.Score(t.cmd.Context(), corpus.Questions(heldSeed, t.o.asked, true, t.o.language...))
}

// learn trains, and scores the result, which lies in the file out.
func (t *tuner) learn(l train.Lesson, out string, watch func(run.Event)) (run.Tuned, train.Score, error) {
	binary, err := t.binary(l.Rank > 0)
	if err != nil {
		return run.Tuned{}, train.Score{}, err
	}
	questions := corpus.Questions(l.Seed, t.o.examples, false, t.o.language...)
	tuned, err := t.tongue.Learn(t.cmd.Context(), binary, t.dir, l, questions, out, t.work, t.cmd.ErrOrStderr(), watch)
	if err != nil {
		return tuned, train.Score{}, err
	}
	if l.Rank > 0 {
		s, err := t.score(t.dir, out)
		return tuned, s, err
	}
	model := out + "-model"
	if err := train.SaveTuned(out, t.dir, model); err != nil {
		return tuned, train.Score{}, err
	}
	s, err := t.score(model, "")
	return tuned, s, err
}

func finetune(cmd *cobra.Command, o tuneOptions, dir string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	if o.table {
		return withTuner(cmd, o, dir, (*tuner).table)
	}
	return withTuner(cmd, o, dir, func(t *tuner) error {
		p, w := command.Speaker(cmd), cmd.OutOrStdout()
		made := filepath.Join(t.work, "made.safetensors")
		mean, seen := 0.0, 0
		tuned, score, err := t.learn(o.lesson, made, func(e run.Event) {
			if e.Start != nil {
				p.Tell(w, "%d parameters are trained, on %d questions\n", e.Start.Params, o.examples)
			}
			if e.Step == nil {
				return
			}
			mean, seen = mean+e.Step.Loss, seen+1
			if e.Step.Step%50 == 0 || e.Step.Step == o.lesson.Steps {
				p.Tell(w, "step %4d  loss %.4f\n", e.Step.Step, mean/float64(seen))
				mean, seen = 0, 0
			}
		})
		if err != nil {
			return err
		}
		if err := t.keep(made); err != nil {
			return err
		}
		p.Tell(w, "%.0f seconds of processor time; of %d held-out questions %d are answered exactly, and %d answers end\n",
			tuned.Seconds, score.Asked, score.Right, score.Stopped)
		return t.next()
	})
}

// keep gives what was trained its place.
func (t *tuner) keep(made string) error {
	if !t.o.adapter {
		return train.SaveTuned(made, t.dir, t.o.out)
	}
	return train.CopyAdapter(made, t.o.out)
}

// next says what can be done with it.
func (t *tuner) next() error {
	p, w := command.Speaker(t.cmd), t.cmd.OutOrStdout()
	if !t.o.adapter {
		p.Tell(w, "To talk to it:\n  go run ./cmd/grade chat %s\n", lang.Argument(t.o.out))
		return nil
	}
	info, err := os.Stat(t.o.out)
	if err != nil {
		return err
	}
	p.Tell(w, "The adapter takes %.1f kB.\nTo talk to the model with it:\n  go run ./cmd/grade chat %s --adapter %s\n",
		float64(info.Size())/1000, lang.Argument(t.dir), lang.Argument(t.o.out))
	return nil
}

// table trains and asks all variants, and prints a line for each when it is known.
func (t *tuner) table() error {
	p, w := command.Speaker(t.cmd), t.cmd.OutOrStdout()
	p.Tell(w, "| trained | parameters | file, kB | processor seconds | exact match, of 100 | stops, of 100 |\n")
	fmt.Fprintln(w, "|:--|--:|--:|--:|--:|--:|")
	before, err := t.score(t.dir, "")
	if err != nil {
		return err
	}
	share := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(before.Asked)) }
	fmt.Fprintf(w, "| %s | 0 | – | – | %s | %s |\n", p.Say("nothing"), share(before.Right), share(before.Stopped))
	for _, rank := range []int{1, 2, 4, 8, 0} {
		name := p.Say("rank %d", rank)
		if rank == 0 {
			name = p.Say("all parameters")
		}
		var params int
		var size int64
		var seconds, right, stopped []float64
		for seed := range t.o.seeds {
			l := t.o.with(rank)
			l.Seed = uint64(seed + 1)
			out := filepath.Join(t.work, fmt.Sprintf("rank%d-%d.safetensors", rank, seed))
			tuned, s, err := t.learn(l, out, func(run.Event) {})
			if err != nil {
				return err
			}
			info, err := os.Stat(out)
			if err != nil {
				return err
			}
			params, size, seconds = tuned.Params, info.Size(), append(seconds, tuned.Seconds)
			right = append(right, 100*float64(s.Right)/float64(s.Asked))
			stopped = append(stopped, 100*float64(s.Stopped)/float64(s.Asked))
		}
		fmt.Fprintf(w, "| %s | %d | %.1f | %.0f | %s | %s |\n", name, params, float64(size)/1000, average(seconds),
			spread(right), spread(stopped))
	}
	return nil
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// spread is the mean and the standard deviation of several seeds.
func spread(x []float64) string {
	mean, squares := average(x), 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", mean, math.Sqrt(squares/float64(max(1, len(x)-1))))
}
