package main

import (
	"github.com/stubformer/stubformer/cmd/command/tree"

	"github.com/spf13/cobra"
	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

func newImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:  "import",
		Args: cobra.ArbitraryArgs,
		RunE: tree.Subcommand,
	}
	cmd.AddCommand(newImportGGUF(), newImportHF(), newImportLlama2c(), newImportState())
	return cmd
}

func newImportLlama2c() *cobra.Command {
	var tokens, out string
	var with []string
	cmd := &cobra.Command{
		Use:   "llama2c FILE --tokenizer FILE --out DIR",
		Short: "A checkpoint of llama2.c, version 0, such as stories15M.bin",
		Long: `Import llama2c reads a checkpoint and a tokenizer in the formats of
github.com/karpathy/llama2.c. A model with grouped queries is run by your layer of
step 13, any other by that of step 08.`,
		Example: `  go run ./cmd/grade import llama2c stories15M.bin --tokenizer tokenizer.bin --out runs/stories
  go run ./cmd/grade generate runs/stories --prompt "Once upon a time"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			with, err := standIns(with)
			if err != nil {
				return err
			}
			c, err := train.ImportLlama2c(args[0], tokens, out, with)
			return imported(cmd, c, out, err)
		},
	}
	cmd.Flags().StringVar(&tokens, "tokenizer", "", "the `FILE` tokenizer.bin that belongs to the model")
	cmd.Flags().StringVar(&out, "out", "", "a new folder `DIR` for the model")
	cmd.Flags().StringSliceVar(&with, "with", nil, withUsage)
	cmd.MarkFlagRequired("tokenizer")
	cmd.MarkFlagRequired("out")
	return cmd
}

func newImportGGUF() *cobra.Command {
	var out string
	var with []string
	cmd := &cobra.Command{
		Use:   "gguf FILE --out DIR",
		Short: "A .gguf file: what export writes, and small models of Llama's family",
		Long: `Import gguf reads a model and its tokenizer from a file of llama.cpp's, with
numbers in f32, f16, bf16 or q8_0. It must be of Llama's architecture and have
nothing that the course's model has not; what is in the way is named. A model
with grouped queries is run by your layer of step 13, one with experts by that
of step 18.`,
		Example: `  go run ./cmd/grade import gguf model.gguf --out runs/mine
  go run ./cmd/grade generate runs/mine`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			with, err := standIns(with)
			if err != nil {
				return err
			}
			c, err := train.ImportGGUF(args[0], out, with)
			return imported(cmd, c, out, err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "a new folder `DIR` for the model")
	cmd.Flags().StringSliceVar(&with, "with", nil, withUsage)
	cmd.MarkFlagRequired("out")
	return cmd
}

func newImportHF() *cobra.Command {
	var out string
	var with []string
	cmd := &cobra.Command{
		Use:   "hf FOLDER --out DIR",
		Short: "A folder of Hugging Face's transformers: small models of Llama's family, and GPT-2's",
		Long: `Import hf reads a model and its tokenizer from a folder that transformers has
saved: config.json, tokenizer.json and .safetensors, one or several, with numbers
in F32, F16 or BF16. It must be of Llama's architecture or of GPT-2's and have
nothing that the course's model has not; what is in the way is named. The
tokenizer is one of bytes, like GPT-2's and yours of step 14, or of pieces, like
Llama 2's. A model with grouped queries is run by your layer of step 13.

transformers turns the first half of a head with the second by RoPE, and step 06
turns neighbours: the rows of W_Q and W_K change their places.

A model of GPT-2's is run by your parts of step 19: layernorm, learned-positions,
and gelu-tanh, gelu or relu, as config.json says. The course's attention has no
biases, and theirs are carried by a few more numbers in each head: d_model is
larger than n_embd. The lesson of step 19 says how.`,
		Example: `  go run ./cmd/grade import hf FOLDER --out runs/theirs
  go run ./cmd/grade generate runs/theirs`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			with, err := standIns(with)
			if err != nil {
				return err
			}
			c, err := train.ImportHF(args[0], out, with)
			return imported(cmd, c, out, err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "a new folder `DIR` for the model")
	cmd.Flags().StringSliceVar(&with, "with", nil, withUsage)
	cmd.MarkFlagRequired("out")
	return cmd
}

func newImportState() *cobra.Command {
	var like, out string
	cmd := &cobra.Command{
		Use:   "state FILE --like DIR --out DIR",
		Short: "A state dictionary in a .safetensors or .npz file",
		Long: `Import state reads the parameters of a model that has the same shape and
tokenizer as the one in the folder given with --like: for example one that was
trained with PyTorch on the tokens of that run.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := train.ImportState(args[0], like, out)
			return imported(cmd, c, out, err)
		},
	}
	cmd.Flags().StringVar(&like, "like", "", "a run or model `DIR` of the same shape")
	cmd.Flags().StringVar(&out, "out", "", "a new folder `DIR` for the model")
	cmd.MarkFlagRequired("like")
	cmd.MarkFlagRequired("out")
	return cmd
}

func imported(cmd *cobra.Command, c run.Config, out string, err error) error {
	if err != nil {
		return err
	}
	m := c.Model
	command.Speaker(cmd).Tell(cmd.OutOrStdout(), "Imported into %s: %d layers, %d heads, d_model %d, d_ff %d, %d tokens, context %d\n"+
		"To let it write:\n  go run ./cmd/grade generate %s\n", out, m.NumLayers, m.NumHeads, m.DModel, m.DFF, c.VocabSize, m.ContextLength, lang.Argument(out))
	return nil
}
