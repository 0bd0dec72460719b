package main

import (
	"context"
	"fmt"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newBenchStep() *cobra.Command {
	return benchModel(&cobra.Command{
		Use:   "step",
		Short: "Measure where the time of a training step goes",
		Long: `Step measures a training step on one core, layer by layer: the time of each operation,
its products apart, the work it does and the numbers it moves, and how near that is to
the limit of the machine. An operation is limited by the peak of the arithmetic or by
what the memory can deliver; more than 100 % of the memory means that the numbers lay
in a cache.`,
		Example: `  go run ./cmd/grade bench step
  go run ./cmd/grade bench step --impl solutions --config base --out step.json`,
	}, "for how long the step is repeated", func(ctx context.Context, kit *workspace.Kit, s workspace.Source, config string, seconds float64) (tabled, error) {
		step, err := bench.MeasureStep(ctx, kit, s, config, seconds)
		return &step, err
	})
}

func newBenchScaling() *cobra.Command {
	return benchModel(&cobra.Command{
		Use:   "scaling",
		Short: "Measure what more cores would make of a training step",
		Long: `Scaling measures the parts of a training step on one core and on all cores of this
machine: the layers of a shard, its products, the sums of the gradients, the optimiser,
and waking the other cores. From these it works out what a step takes on 1 to 32 cores,
and holds it against the steps that this machine can make.`,
		Example: `  go run ./cmd/grade bench scaling
  go run ./cmd/grade bench scaling --impl solutions --config base --out scaling.json`,
	}, "for how long each part is repeated", func(ctx context.Context, kit *workspace.Kit, s workspace.Source, config string, seconds float64) (tabled, error) {
		step, err := bench.MeasureScaling(ctx, kit, s, config, seconds)
		return &step, err
	})
}

// tabled is what a measurement shows.
type tabled interface{ Table() string }

// benchModel adds to a command the measurement of a model in training, and its flags.
func benchModel(cmd *cobra.Command, span string,
	measure func(ctx context.Context, kit *workspace.Kit, s workspace.Source, config string, seconds float64) (tabled, error)) *cobra.Command {
	var impl, config, out string
	var seconds float64
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !(seconds > 0 && seconds <= 3600) {
			return lang.Errorf("--seconds is %v; want more than 0, and at most 3600", seconds)
		}
		kit, err := workspace.Find(".")
		if err != nil {
			return command.Failed(err)
		}
		s, err := command.SourceOf(kit, impl)
		if err != nil {
			return err
		}
		result, err := measure(cmd.Context(), kit, s, config, seconds)
		if err != nil {
			return command.Failed(err)
		}
		fmt.Fprint(cmd.OutOrStdout(), result.Table())
		return keepNumbers(out, result)
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose steps: mine or solutions")
	f.StringVar(&config, "config", "small", "the configuration `NAME` of the model: tiny, small or base, or a file")
	f.StringVar(&out, "out", "", "also write the numbers to `FILE` as JSON")
	f.Float64Var(&seconds, "seconds", 3, span)
	return cmd
}
