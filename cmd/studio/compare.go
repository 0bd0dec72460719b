package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// compareOptions are the flags of `grade compare`.
type compareOptions struct {
	impl   string
	config string
	corpus string
	steps  int
	seeds  int
	out    string
	task   string // "" for a text to go on with
}

// core is what a variant without electives is called.
const core = "core"

func newCompare() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use: "compare A B...",
		Long: `Compare trains variants of your model: with the same recipe, on the same batches, with
the same first weights where they have the same tensors, and with several seeds, for one
alone says little. It draws the validation losses of all in one picture and says what
they come to.

A variant is what grade train --with takes: layernorm, or layernorm,post-norm. core is
the model of the core. The name of a JSON file is a variant with the model and the recipe
of that file.

With --task recall they learn to recall: a text tells which value belongs to which key, and
asks for it. What is drawn is which part of the answers is right, by the number of pairs.`,
		Example: `  go run ./cmd/grade compare core layernorm
  go run ./cmd/grade compare core gelu relu --seeds 5 --steps 400
  go run ./cmd/grade compare layernorm,post-norm warm.json --config deep.json
  go run ./cmd/grade compare core window linear --task recall`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return compare(cmd, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&o.config, "config", "tiny", "tiny, small, base or a JSON `FILE`")
	f.StringVar(&o.corpus, "corpus", corpus.VillageName, "opticks, village, villages or the `PATH` of a text file")
	f.IntVar(&o.steps, "steps", 0, "optimisation steps, instead of the configuration's")
	f.IntVar(&o.seeds, "seeds", 3, "how many seeds: 1, 2, …")
	f.StringVar(&o.task, "task", "", "train on a task in place of a text: `recall`")
	f.StringVar(&o.out, "out", filepath.Join("runs", "compare"), "a new folder `DIR` for the runs and the picture")
	return cmd
}

// variant is one of the models that are compared.
type variant struct {
	name  string
	train trainOptions
}

// variants reads what is to be compared.
func (o compareOptions) variants(args []string) ([]variant, error) {
	if o.seeds < 1 {
		return nil, lang.Errorf("--seeds is %d; want at least 1", o.seeds)
	}
	var all []variant
	for _, arg := range args {
		v := variant{arg, trainOptions{impl: o.impl, config: o.config, corpus: o.corpus, tokens: "characters", steps: o.steps, bits: "f32", plain: true}}
		switch {
		case filepath.Ext(arg) == ".json":
			v.name, v.train.config = stem(arg), arg
		case arg != core:
			v.name, v.train.with = strings.ReplaceAll(arg, ",", "+"), strings.Split(arg, ",")
		}
		for _, other := range all {
			if other.name == v.name {
				return nil, lang.Errorf("%s is named twice; want variants that differ", v.name)
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// compare trains all variants, one after the other, and draws them.
func compare(cmd *cobra.Command, o compareOptions, args []string) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	variants, err := o.variants(args)
	if err != nil {
		return err
	}
	switch o.task {
	case "":
	case corpus.RecallName:
		return compareRecall(cmd, o, variants)
	default:
		return lang.Errorf("--task is %q; want recall", o.task)
	}
	for _, v := range variants { // before anything is trained
		if err := v.train.check(cmd); err != nil {
			return err
		}
		if _, _, err := v.train.plan(cmd); err != nil {
			return lang.Errorf("%s: %w", v.name, err)
		}
	}
	if err := run.Vacant(o.out); err != nil {
		return err
	}
	var dirs []string
	for _, v := range variants {
		made, err := v.learn(cmd, kit, o)
		if err != nil {
			return err
		}
		dirs = append(dirs, made...)
	}
	if err := sum(cmd, dirs); err != nil {
		return command.Failed(err)
	}
	return picture(cmd, kit, dirs, filepath.Join(o.out, "compare.svg"))
}

// learn trains a variant with every seed, each in a folder of its own.
func (v variant) learn(cmd *cobra.Command, kit *workspace.Kit, o compareOptions) (dirs []string, err error) {
	model, _, err := v.train.plan(cmd)
	if err != nil {
		return nil, err
	}
	binary, remove, err := program.Build(cmd.Context(), kit, o.impl, model)
	if err != nil {
		return nil, err
	}
	defer remove()
	for seed := range o.seeds {
		t := v.train
		t.seed, t.out = uint64(seed+1), filepath.Join(o.out, fmt.Sprintf("%s-%d", v.name, seed+1))
		_, prepare, err := t.plan(cmd)
		if err != nil {
			return nil, err
		}
		dir, _, err := prepare()
		if err != nil {
			return nil, err
		}
		if err := v.follow(cmd, o, binary, dir); err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// follow trains one model and says what it came to.
func (v variant) follow(cmd *cobra.Command, o compareOptions, binary, dir string) error {
	last := run.Step{}
	err := train.Train(cmd.Context(), binary, dir, o.impl, cmd.ErrOrStderr(), func(e run.Event) {
		if e.Step != nil && e.Step.ValidationLoss != nil {
			last = *e.Step
		}
	})
	if err == nil {
		err = context.Cause(cmd.Context())
	}
	if err != nil {
		return program.Explain(err)
	}
	if last.ValidationLoss != nil {
		command.Speaker(cmd).Tell(cmd.OutOrStdout(), "%s: step %d, validation loss %.4f\n", dir, last.Step, *last.ValidationLoss)
	}
	return nil
}

// sum prints what the variants come to.
func sum(cmd *cobra.Command, dirs []string) error {
	var runs []figure.Run
	for _, dir := range dirs {
		r, err := figure.OpenRun(dir)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	p, out := command.Speaker(cmd), cmd.OutOrStdout()
	fmt.Fprintln(out)
	p.Tell(out, "| variant | seeds | last validation loss, mean | smallest | largest |\n")
	fmt.Fprintln(out, "|:--|--:|--:|--:|--:|")
	for _, v := range figure.Variants(runs) {
		mean, low, high := v.Last()
		fmt.Fprintf(out, "| %s | %d | %.4f | %.4f | %.4f |\n", v.Name, len(v.Runs), mean, low, high)
	}
	return nil
}

// picture lets cmd/plot draw the losses.
func picture(cmd *cobra.Command, kit *workspace.Kit, dirs []string, file string) error {
	args := []string{"compare", "--out", file}
	for _, dir := range dirs {
		args = append(args, "--run", dir)
	}
	return drawn(cmd, kit, args...)
}
