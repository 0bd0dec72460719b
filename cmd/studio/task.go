package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
	"github.com/stubformer/stubformer/reference/kernel"
)

// checkTask says what of the flags does not go with --task.
func (o trainOptions) checkTask(cmd *cobra.Command) (err error) {
	if !cmd.Flags().Changed("task") {
		if cmd.Flags().Changed("asked") {
			return lang.Errorf("--asked belongs to a task; name one with --task")
		}
		return nil
	}
	fitting, own := []string{"task", "impl", "steps", "out", "seed", "plain", "lang"}, "asked"
	if o.task == corpus.RecallName {
		own = "with"
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(append(fitting, own), f.Name) {
			err = lang.Errorf("--task %s has a model and texts of its own; it cannot be combined with --%s", o.task, f.Name)
		}
	})
	if err == nil && o.asked < 1 {
		err = lang.Errorf("--asked is %d; want at least 1", o.asked)
	}
	return err
}

// buildPairs builds the program around the step 20 that impl names.
func buildPairs(cmd *cobra.Command, impl string) (binary string, remove func(), err error) {
	kit, err := workspace.Find(".")
	if err != nil {
		return "", nil, command.Failed(err)
	}
	return program.Around(kit, impl, func(source workspace.Source, dir string) (string, error) {
		return train.BuildPairs(cmd.Context(), kit, source, dir)
	})
}

// trainTask lets a model learn a task, the encoder and decoder for all but the recall, and says
// how well it does on what was kept back.
func trainTask(cmd *cobra.Command, o trainOptions) error {
	if o.task == corpus.RecallName {
		return trainRecall(cmd, o)
	}
	c, err := run.NewPairs(o.task, o.seed)
	if err != nil {
		return err
	}
	if o.steps > 0 {
		c.Recipe.Steps = o.steps
	}
	if o.out != "" {
		if err := run.Vacant(o.out); err != nil {
			return err
		}
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	p.Tell(w, "Building the training program from %s\n", run.CodeOf(o.impl))
	binary, remove, err := buildPairs(cmd, o.impl)
	if err != nil {
		return err
	}
	defer remove()
	claim, err := o.claimTask()
	if err != nil {
		return err
	}
	c.Trained = []run.Stretch{{Impl: o.impl, Kit: course.Version, Kernel: kernel.Best().Name}}
	if err := c.Write(claim.Dir); err != nil {
		return errors.Join(err, claim.Undo())
	}
	saved, err := followTask(cmd, c, binary, claim.Dir)
	if err == nil && saved < c.Recipe.Steps {
		err = command.StatusError{Code: command.ExitInterrupted}
	}
	if saved == 0 {
		return errors.Join(err, claim.Undo())
	}
	shown := lang.Argument(c.HeldOut(1)[0].Source)
	if err != nil {
		p.Tell(w, "Stopped; what was learnt until step %d is kept. To let it write:\n  go run ./cmd/grade translate %s %s\n",
			saved, lang.Argument(claim.Dir), shown)
		return err
	}
	if err := score(cmd, o.asked, binary, claim.Dir, nil); err != nil {
		return err
	}
	p.Tell(w, "To let it write, and see what it looks at:\n  go run ./cmd/grade translate %s %s\n", lang.Argument(claim.Dir), shown)
	return nil
}

// claimTask makes the folder of a new model.
func (o trainOptions) claimTask() (*run.Claim, error) {
	if o.out != "" {
		return run.New(o.out)
	}
	return run.NewNumbered(filepath.Join("runs", o.task))
}

// followTask trains, shows how it goes, and returns after which update the model was saved
// last.
func followTask(cmd *cobra.Command, c run.Pairs, binary, dir string) (saved int, err error) {
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	mean, seen := 0.0, 0
	err = train.Run(cmd.Context(), binary, []string{"train", dir}, cmd.ErrOrStderr(), func(e run.Event) {
		switch {
		case e.Start != nil:
			p.Tell(w, "Learning %s in %s: %d parameters, %d pairs\n", c.Task, dir, e.Start.Params, c.Recipe.Examples)
		case e.Step != nil:
			mean, seen = mean+e.Step.Loss, seen+1
			if e.Step.Step%100 == 0 || e.Step.Step == c.Recipe.Steps {
				p.Tell(w, "step %4d  loss %.4f\n", e.Step.Step, mean/float64(seen))
				mean, seen = 0, 0
			}
		case e.Saved != nil:
			saved = e.Saved.Step
		case e.Tuned != nil:
			p.Tell(w, "%.0f seconds of processor time\n", e.Tuned.Seconds)
		}
	})
	return saved, program.Explain(err)
}

// score asks a model for texts that were kept back, and says how many it writes as they
// should be. set may change how it is asked.
func score(cmd *cobra.Command, asked int, binary, dir string, set func(*train.Translator)) error {
	t, err := train.NewTranslator(binary, dir, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer t.Close()
	if set != nil {
		set(t)
	}
	s, err := t.Score(cmd.Context(), asked)
	if err != nil {
		return program.Explain(err)
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	p.Tell(w, "Of %d held-out texts %d are written exactly\n", s.Asked, s.Right)
	if s.OfThese > 0 {
		p.Tell(w, "Of the %d among them that have %d characters, the most there are, %d\n", s.OfThese, t.Source.Longest, s.Longest)
	}
	if t.Task == corpus.TranslationName {
		p.Tell(w, "BLEU is %.4f\n", s.BLEU)
	}
	return nil
}
