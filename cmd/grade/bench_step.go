package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/bench"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newBenchStep() *cobra.Command {
	var impl, config, out string
	var seconds float64
	cmd := &cobra.Command{
		Use:   "step",
		Short: "Measure where the time of a training step goes",
		Long: `Step measures a training step on one core, layer by layer: the time of each operation,
its products apart, the work it does and the numbers it moves, and how near that is to
the limit of the machine. An operation is limited by the peak of the arithmetic or by
what the memory can deliver; more than 100 % of the memory means that the numbers lay
in a cache.`,
		Example: `  go run ./cmd/grade bench step
  go run ./cmd/grade bench step --impl solutions --config base --out step.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(seconds > 0 && seconds <= 3600) {
				return lang.Errorf("--seconds is %v; want more than 0, and at most 3600", seconds)
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return failed(err)
			}
			s, err := sourceOf(kit, impl)
			if err != nil {
				return err
			}
			step, err := bench.MeasureStep(cmd.Context(), kit, s, config, seconds)
			if err != nil {
				return failed(err)
			}
			fmt.Fprint(cmd.OutOrStdout(), step.Table())
			if out == "" {
				return nil
			}
			data, err := json.MarshalIndent(step, "", "\t")
			if err != nil {
				return failed(err)
			}
			return failed(writeFile(out, append(data, '\n')))
		},
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose steps: mine or solutions")
	f.StringVar(&config, "config", "small", "the configuration `NAME` of the model: tiny, small or base, or a file")
	f.StringVar(&out, "out", "", "also write the numbers to `FILE` as JSON, for grade plot step")
	f.Float64Var(&seconds, "seconds", 3, "for how long the step is repeated")
	return cmd
}
