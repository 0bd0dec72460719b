package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/train/plot"
	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

func newPlot() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "plot DIR",
		Short: "Draw the losses of a training run as a picture",
		Long: `Plot draws the losses in the log of a run as an SVG picture, which every web
browser shows. If the text was village, it draws the floor as well: the exact
entropy, below which no model can stay.`,
		Example: `  go run ./cmd/grade train --config small --corpus village --out runs/village
  go run ./cmd/grade plot runs/village`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			c, err := run.Open(dir)
			if err != nil {
				return err
			}
			steps, err := run.ReadLog(dir)
			if err != nil {
				return failed(err)
			}
			floor := 0.0
			if c.Corpus == corpus.VillageName {
				floor = corpus.VillageEntropy()
			}
			picture, err := plot.Draw(fmt.Sprintf("%s, %d layers, d_model %d", c.Corpus, c.Model.NumLayers, c.Model.DModel), steps, floor)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(dir, "loss.svg")
			}
			if err := writeFile(out, picture); err != nil {
				return failed(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), out)
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the picture to `FILE` (default DIR/loss.svg)")
	return cmd
}
