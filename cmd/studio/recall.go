package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
	"github.com/stubformer/stubformer/reference/kernel"
)

// recall is how a model learns to recall, by these options.
func (o trainOptions) recall() (run.Recall, error) {
	with, err := standIns(o.with)
	if err != nil {
		return run.Recall{}, err
	}
	c := run.NewRecall(o.seed, with)
	o.group(&c.Model)
	if o.steps > 0 {
		c.Recipe.Steps = o.steps
	}
	if slices.Contains(with, "moe") || slices.Contains(with, "dropout") {
		return c, lang.Errorf("--task recall trains without the losses of moe and without dropout; leave them out of --with")
	}
	_, err = train.Seats(c.Model)
	return c, err
}

// buildRecall builds the program around the steps that impl names.
func buildRecall(cmd *cobra.Command, impl string, model run.Model) (binary string, remove func(), err error) {
	kit, err := workspace.Find(".")
	if err != nil {
		return "", nil, command.Failed(err)
	}
	return program.Around(kit, impl, func(source workspace.Source, dir string) (string, error) {
		return train.BuildRecall(cmd.Context(), kit, source, model, dir)
	})
}

// trainRecall lets a model learn to recall, and says how well it does on what was kept back.
func trainRecall(cmd *cobra.Command, o trainOptions) error {
	c, err := o.recall()
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := run.Vacant(o.out); err != nil {
			return err
		}
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	p.Tell(w, "Building the training program from %s\n", run.CodeOf(o.impl))
	if len(c.Model.With) > 0 {
		p.Tell(w, "In it stand %s\n", strings.Join(c.Model.With, ", "))
	}
	binary, remove, err := buildRecall(cmd, o.impl, c.Model)
	if err != nil {
		return err
	}
	defer remove()
	dir, err := o.learnRecall(cmd, binary, c, func(e run.Event) {
		switch {
		case e.Start != nil:
			p.Tell(w, "Learning recall: %d parameters\n", e.Start.Params)
		case e.Step != nil && (e.Step.Step%100 == 0 || e.Step.Step == c.Recipe.Steps):
			p.Tell(w, "step %4d  loss %.4f\n", e.Step.Step, e.Step.Loss)
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := recalled(cmd, []string{dir}); err != nil {
		return err
	}
	p.Tell(w, "To draw it:\n  go run ./cmd/grade plot recall --run %s\n", lang.Argument(dir))
	return nil
}

// learnRecall trains a model in a new folder, which it returns. What has not come to its end
// leaves nothing behind.
func (o trainOptions) learnRecall(cmd *cobra.Command, binary string, c run.Recall, watch func(run.Event)) (dir string, err error) {
	claim, err := o.claimTask()
	if err != nil {
		return "", err
	}
	c.Trained = []run.Stretch{{Impl: o.impl, Kit: course.Version, Kernel: kernel.Best().Name}}
	if err := c.Write(claim.Dir); err != nil {
		return "", errors.Join(err, claim.Undo())
	}
	if err := train.Run(cmd.Context(), binary, []string{"train", claim.Dir}, cmd.ErrOrStderr(), watch); err != nil {
		return "", errors.Join(program.Explain(err), claim.Undo())
	}
	if cmd.Context().Err() != nil {
		command.Speaker(cmd).Tell(cmd.OutOrStdout(), "Stopped; %s was not trained to its end and is removed\n", claim.Dir)
		return "", errors.Join(command.StatusError{Code: command.ExitInterrupted}, claim.Undo())
	}
	return claim.Dir, nil
}

// recalled prints which part of the answers of trained models is right, by the number of pairs,
// and which part can be.
func recalled(cmd *cobra.Command, dirs []string) error {
	all, err := figure.OpenRecalls(dirs...)
	if err != nil {
		return err
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	p.Tell(w, "| variant | pairs | seeds | right, mean | smallest | largest | at best |\n")
	fmt.Fprintln(w, "|:--|--:|--:|--:|--:|--:|--:|")
	for _, v := range all {
		for i, s := range v.Runs[0].Scores {
			mean, low, high := v.Accuracy(i)
			best := corpus.BestRecall(s.Pairs, v.Runs[0].Reach())
			fmt.Fprintf(w, "| %s | %d | %d | %.4f | %.4f | %.4f | %.4f |\n", v.Name, s.Pairs, len(v.Runs), mean, low, high, best)
		}
	}
	return nil
}

// compareRecall trains variants with several seeds, one after the other, and draws which part
// of the answers is right.
func compareRecall(cmd *cobra.Command, o compareOptions, variants []variant) error {
	if cmd.Flags().Changed("config") || cmd.Flags().Changed("corpus") {
		return lang.Errorf("--task recall has a model and texts of its own; it cannot be combined with --config or --corpus")
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	for _, v := range variants { // before anything is trained
		if v.train.config != o.config {
			return lang.Errorf("%s: --task recall has a model of its own; name electives, as --with takes them", v.name)
		}
		if _, err := v.train.recall(); err != nil {
			return lang.Errorf("%s: %w", v.name, err)
		}
	}
	if err := run.Vacant(o.out); err != nil {
		return err
	}
	var dirs []string
	for _, v := range variants {
		made, err := v.recall(cmd, o)
		if err != nil {
			return err
		}
		dirs = append(dirs, made...)
	}
	fmt.Fprintln(cmd.OutOrStdout())
	if err := recalled(cmd, dirs); err != nil {
		return command.Failed(err)
	}
	args := []string{"recall", "--out", filepath.Join(o.out, "recall.svg")}
	for _, dir := range dirs {
		args = append(args, "--run", dir)
	}
	return drawn(cmd, kit, args...)
}

// recall trains a variant with every seed, each in a folder of its own.
func (v variant) recall(cmd *cobra.Command, o compareOptions) (dirs []string, err error) {
	c, err := v.train.recall()
	if err != nil {
		return nil, err
	}
	binary, remove, err := buildRecall(cmd, o.impl, c.Model)
	if err != nil {
		return nil, err
	}
	defer remove()
	for seed := range o.seeds {
		t, last := v.train, 0.0
		t.seed, t.out = uint64(seed+1), filepath.Join(o.out, fmt.Sprintf("%s-%d", v.name, seed+1))
		c.Seed = t.seed
		dir, err := t.learnRecall(cmd, binary, c, func(e run.Event) {
			if e.Step != nil {
				last = e.Step.Loss
			}
		})
		if err != nil {
			return nil, err
		}
		command.Speaker(cmd).Tell(cmd.OutOrStdout(), "%s: step %d, loss %.4f\n", dir, c.Recipe.Steps, last)
		dirs = append(dirs, dir)
	}
	return dirs, nil
}
