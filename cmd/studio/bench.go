package main

import (
	"github.com/stubformer/stubformer/cmd/command/tree"

	"encoding/json"
	"fmt"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/grader/studio/bench/rungs"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{Use: "bench",
		Args: cobra.ArbitraryArgs, RunE: tree.Subcommand}
	cmd.AddCommand(newBenchLadder(), newBenchFormats(), newBenchAttention(), newBenchDraft(), newBenchStep(), newBenchScaling(), newBenchOverlay())
	return cmd
}

func newBenchOverlay() *cobra.Command {
	return &cobra.Command{
		Use:   "overlay FILE",
		Short: "Write the file for `go test -overlay` that puts the solutions behind the steps",
		Example: `  go run ./cmd/grade bench overlay overlay.json
  go test -overlay overlay.json -bench . ./bench/layers`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			data, err := bench.Overlay(kit.Root)
			if err != nil {
				return command.Failed(err)
			}
			return command.Failed(whole.Write(args[0], data))
		},
	}
}

func newBenchLadder() *cobra.Command {
	var impl, out string
	var size, rounds int
	cmd := &cobra.Command{
		Use:   "ladder",
		Short: "Measure how a matrix product gets faster, change by change",
		Long: `Ladder measures one matrix product on this machine, on one core, from the loops
of its definition to the peak of the processor: loops reordered, blocked, packed,
your own micro-kernel of step 11, the kit's assembly, and OpenBLAS if it is
installed. All of them take turns, so that what disturbs the machine disturbs
all of them.`,
		Example: `  go run ./cmd/grade bench ladder
  go run ./cmd/grade bench ladder --impl solutions --out ladder.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if size < rungs.Block || size%rungs.Block != 0 {
				return lang.Errorf("--size is %d; want a multiple of %d", size, rungs.Block)
			}
			if rounds < 1 {
				return lang.Errorf("--rounds is %d; want at least 1", rounds)
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			s, err := command.SourceOf(kit, impl)
			if err != nil {
				return err
			}
			ladder, err := bench.MeasureLadder(cmd.Context(), kit, s, size, rounds, func(what string) { cmd.PrintErrln(what) })
			if err != nil {
				return command.Failed(err)
			}
			p := command.Speaker(cmd)
			fmt.Fprint(cmd.OutOrStdout(), p.Fill(ladder.Table(p.Measure()), 0))
			return keepNumbers(out, ladder)
		},
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose step 11: mine or solutions")
	f.StringVar(&out, "out", "", "also write the numbers to `FILE` as JSON, for grade plot ladder")
	f.IntVar(&size, "size", 512, "rows and columns of the matrices, a multiple of 64")
	f.IntVar(&rounds, "rounds", 5, "how often everything is measured; the medians count")
	return cmd
}

// keepNumbers writes what was measured to a file as JSON, unless its name is empty.
func keepNumbers(file string, measured any) error {
	if file == "" {
		return nil
	}
	data, err := json.MarshalIndent(measured, "", "\t")
	if err != nil {
		return command.Failed(err)
	}
	return command.Failed(whole.Write(file, append(data, '\n')))
}
