package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newGenerate() *cobra.Command {
	var impl string
	var o train.Sampling
	var adapters []string
	var merged bool
	var d drafting
	cmd := &cobra.Command{
		Use: "generate DIR",
		Long: `Generate runs the model in DIR, a run of grade train or a folder that grade
import has made, with your own code and prints the prompt and what follows it.
The same seed writes the same text.

With --adapter the model has an adapter that grade finetune has made, beside its weights
or, with --merged, added into them: the text is the same. Of several adapters each
writes in turn, in one model.

With --draft a smaller model with the same tokens writes ahead, and the model in DIR
reads what it has written and takes what is right, with your own step 22: at temperature
0 the text is the same as without, and elsewhere one of the same distribution. What was
taken, and how fast it was, is said behind the text.`,
		Example: `  go run ./cmd/grade generate runs/tiny-opticks --prompt "The Rays of Light"
  go run ./cmd/grade generate runs/villages --adapter runs/answers.safetensors --prompt "Long ago "
  go run ./cmd/grade generate runs/large --draft runs/draft --draft-tokens 4 --prompt "Long ago "`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return whichRun()
			}
			if err := d.check(cmd, len(adapters) > 0 || merged); err != nil {
				return err
			}
			if d.dir != "" {
				return generateWithDraft(cmd, impl, args[0], o, d)
			}
			g, err := train.OpenGenerator(args[0], o, coding(cmd, impl))
			if err != nil {
				return program.Explain(err)
			}
			if len(adapters) > 0 {
				return generateWith(cmd, impl, args[0], g, adapters, merged)
			}
			if merged {
				return lang.Errorf("--merged says how an adapter is in the model; name one with --adapter")
			}
			return program.With(cmd, impl, args[0], func(binary string) error {
				return g.Run(cmd.Context(), binary, cmd.OutOrStdout(), cmd.ErrOrStderr())
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&o.Prompt, "prompt", "", "the `TEXT` that the model goes on with")
	f.IntVar(&o.Tokens, "tokens", 256, "how many tokens to write at most")
	f.Float64Var(&o.Temperature, "temperature", 0.8, "0 always takes the likeliest token; 1 draws as the model says; above is wilder")
	f.Float64Var(&o.TopP, "top-p", 1, "draw from the likeliest tokens alone, until their probabilities sum to this")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the draws")
	f.StringSliceVar(&adapters, "adapter", nil, "the `FILE,...` of one or several adapters, each of which writes in turn")
	f.BoolVar(&merged, "merged", false, "add the adapter into the weights before the model writes")
	f.StringVar(&d.dir, "draft", "", "the folder `DIR` of a smaller model, which writes ahead")
	f.IntVar(&d.ahead, "draft-tokens", 4, "with --draft: how many tokens it writes ahead")
	return cmd
}

// generateWith lets the model write with each of several adapters.
func generateWith(cmd *cobra.Command, impl, dir string, g *train.Generator, adapters []string, merged bool) error {
	for _, file := range adapters {
		if err := train.IsAdapter(file); err != nil {
			return err
		}
	}
	return withTuner(cmd, tuneOptions{impl: impl, template: train.UsualTemplate()}, dir, func(t *tuner) error {
		a, err := t.answerer(dir, adapters[0])
		if err != nil {
			return err
		}
		defer a.Close()
		a.Merged = merged
		for _, a.Adapter = range adapters {
			if len(adapters) > 1 {
				fmt.Fprintf(cmd.OutOrStdout(), "== %s\n", a.Adapter)
			}
			if err := g.RunWith(a, cmd.OutOrStdout()); err != nil {
				return err
			}
		}
		return nil
	})
}

// whichRun asks for a run, and names those that there are.
func whichRun() error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	var runs []string
	folders, err := filepath.Glob(filepath.Join(kit.Root, "runs", "*"))
	if err != nil {
		return command.Failed(err)
	}
	for _, folder := range folders {
		if _, err := run.Open(folder); err == nil {
			runs = append(runs, "runs/"+filepath.Base(folder))
		}
	}
	if len(runs) == 0 {
		return lang.Errorf("there is no model yet; one is made by: go run ./cmd/grade train --config tiny")
	}
	return lang.Errorf("which model? There are: %s", strings.Join(runs, ", "))
}
