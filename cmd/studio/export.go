package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
)

func newExport() *cobra.Command {
	var impl, as string
	var folder bool
	cmd := &cobra.Command{
		Use: "export DIR FILE",
		Long: `Export writes the parameters of the model in DIR to FILE. The ending of FILE
decides the format: .safetensors and .npz hold them under the names of the
course, for a program in another language; .gguf is the whole model with its
tokenizer, for llama.cpp and what is built on it, its matrices as --type says.

With --hf, FILE is a new folder that Hugging Face's transformers opens, with
AutoModelForCausalLM and AutoTokenizer: config.json, model.safetensors and
tokenizer.json. A model of the parts of step 19 (--with gpt2) is written as one
of GPT-2's architecture, and any other as one of Llama's; grade import hf reads
both where their tokens are those of step 14.`,
		Example: `  go run ./cmd/grade export runs/small-opticks model.safetensors
  go run ./cmd/grade export runs/small-opticks model.gguf --type q8_0
  go run ./cmd/grade export runs/small-opticks opticks --hf`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, file := args[0], args[1]
			if folder {
				if cmd.Flags().Changed("type") {
					return lang.Errorf("--type says how the matrices of a .gguf file are stored; %s is another file", file)
				}
				return program.With(cmd, impl, dir, func(binary string) error {
					return train.ExportHF(cmd.Context(), binary, dir, file, cmd.ErrOrStderr())
				})
			}
			ending := filepath.Ext(file)
			whole := ending == train.GGUFExt
			if !whole && ending != ".safetensors" && ending != ".npz" {
				return lang.Errorf("%s: want a file that ends in .safetensors, .npz or .gguf, or --hf for a folder", file)
			}
			if !whole && cmd.Flags().Changed("type") {
				return lang.Errorf("--type says how the matrices of a .gguf file are stored; %s is another file", file)
			}
			t, err := ggufType(as)
			if err != nil {
				return err
			}
			return program.With(cmd, impl, dir, func(binary string) error {
				if whole {
					return train.ExportGGUF(cmd.Context(), binary, dir, file, t, cmd.ErrOrStderr())
				}
				return train.Export(cmd.Context(), binary, dir, file, cmd.ErrOrStderr())
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code reads the checkpoint: mine or solutions")
	cmd.Flags().BoolVar(&folder, "hf", false, "write a folder for Hugging Face's transformers")
	cmd.Flags().StringVar(&as, "type", gguf.F32.String(), "what the matrices of a .gguf file are stored as: "+strings.Join(typeNames(), ", "))
	return cmd
}

// ggufType returns the type of a name.
func ggufType(name string) (gguf.Type, error) {
	names := typeNames()
	if i := slices.Index(names, name); i >= 0 {
		return gguf.Types()[i], nil
	}
	return 0, lang.DidYouMean(lang.Errorf("--type is %q; want one of %s", name, strings.Join(names, ", ")), name, names...)
}

func typeNames() (names []string) {
	for _, t := range gguf.Types() {
		names = append(names, t.String())
	}
	return names
}
