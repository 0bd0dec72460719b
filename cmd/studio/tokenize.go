package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

func newTokenize() *cobra.Command {
	cmd := &cobra.Command{
		Use: "tokenize",
		Long: `Tokenize runs your own byte-pair encoding. A tokenizer is a folder with the two
files in which GPT-2's was published, vocab.json and merges.txt; GPT-2's own are
read as well. Special tokens are those that are written <|name|>.`,
	}
	impl := cmd.PersistentFlags().String("impl", "mine", "whose code: mine or solutions")
	cmd.AddCommand(newLearn(impl),
		newCode(impl, "encode DIR [FILE]", "Write a text's token ids, one a line", (*train.Coder).EncodeFile),
		newCode(impl, "decode DIR [FILE]", "Write the text of token ids", (*train.Coder).DecodeFile))
	return cmd
}

func newLearn(impl *string) *cobra.Command {
	var text, out string
	var size int
	var special []string
	cmd := &cobra.Command{
		Use:   "train --out DIR",
		Short: "Learn a vocabulary from a text",
		Example: `  go run ./cmd/grade tokenize train --corpus opticks --vocab 500 --out tokens/opticks
  go run ./cmd/grade train --tokenizer bpe:tokens/opticks`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := train.WantsOut(out); err != nil {
				return err
			}
			return withCoder(cmd, *impl, func(c *train.Coder, work string) error {
				file, err := textFile(text, work)
				if err != nil {
					return err
				}
				if err := c.Learn(file, size, special, out); err != nil {
					return err
				}
				return describeTokens(cmd, c, out)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&text, "corpus", corpus.OpticksName, "opticks, village, villages or the `PATH` of any file")
	f.IntVar(&size, "vocab", 500, "how many tokens at most: the 256 bytes, what is learnt, the special ones")
	f.StringSliceVar(&special, "special", nil, "tokens that are never cut nor learnt, as `<|NAME|>,...`")
	f.StringVar(&out, "out", "", "a new folder `DIR` for the tokenizer")
	cmd.MarkFlagRequired("out")
	return cmd
}

// newCode is a command that reads a file, or the standard input, and writes another
// form of it to the standard output.
func newCode(impl *string, use, short string, code func(c *train.Coder, dir, from, to string) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCoder(cmd, *impl, func(c *train.Coder, work string) (err error) {
				from, to := filepath.Join(work, "from"), filepath.Join(work, "to")
				if len(args) == 2 {
					from = args[1]
				} else if err := copyTo(from, cmd.InOrStdin()); err != nil {
					return err
				}
				if _, err := os.Stat(from); err != nil {
					return noFile(from, err)
				}
				if err := code(c, args[0], from, to); err != nil {
					return err
				}
				f, err := os.Open(to)
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = io.Copy(cmd.OutOrStdout(), f)
				return err
			})
		},
	}
}

// withCoder builds the student's tokenizer and hands it to f, with a folder to work in.
func withCoder(cmd *cobra.Command, impl string, f func(c *train.Coder, work string) error) error {
	work, err := scratch.New()
	if err != nil {
		return command.Failed(err)
	}
	defer work.Remove()
	c, err := coding(cmd, impl)()
	if err != nil {
		return program.Explain(err)
	}
	defer c.Close()
	return program.Explain(f(c, work.Path))
}

// coding makes a Coder of the kit around here.
func coding(cmd *cobra.Command, impl string) train.Coding {
	return func() (*train.Coder, error) {
		kit, err := workspace.Find(".")
		if err != nil {
			return nil, err
		}
		source, err := command.SourceOf(kit, impl)
		if err != nil {
			return nil, err
		}
		return train.NewCoder(cmd.Context(), kit, source, cmd.ErrOrStderr())
	}
}

// textFile returns the file of a text: a path, or a corpus of the kit, which is
// written into the folder work.
func textFile(name, work string) (string, error) {
	if !slices.Contains(corpus.Names(), name) {
		if _, err := os.Stat(name); err != nil {
			return "", lang.DidYouMean(noFile(name, err), name, corpus.Names()...)
		}
		return name, nil
	}
	text, err := corpus.Load(name)
	if err != nil {
		return "", err
	}
	file := filepath.Join(work, "text")
	return file, os.WriteFile(file, []byte(text), 0o600)
}

func noFile(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return lang.Errorf("there is no file %s", name)
	}
	return err
}

func copyTo(file string, r io.Reader) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// bytesAlone is how many tokens every vocabulary begins with: one for each byte.
const bytesAlone = 256

// describeTokens says what was learnt: the first tokens and the longest.
func describeTokens(cmd *cobra.Command, c *train.Coder, dir string) error {
	tokens, err := c.Tokens(dir)
	if err != nil {
		return err
	}
	learnt := tokens[min(bytesAlone, len(tokens)):]
	longest := slices.DeleteFunc(slices.Clone(learnt), func(t []byte) bool { return tokenizer.IsSpecial(string(t)) })
	slices.SortStableFunc(longest, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	p, out := command.Speaker(cmd), cmd.OutOrStdout()
	p.Tell(out, "%d tokens in %s\n", len(tokens), dir)
	p.Tell(out, "  the first: %s\n  the longest: %s\n", listed(learnt), listed(longest))
	p.Tell(out, "To train a model on them:\n  go run ./cmd/grade train --tokenizer bpe:%s\n", dir)
	return nil
}

// listed quotes some of the tokens.
func listed(tokens [][]byte) string {
	const shown = 12
	var all []string
	for _, t := range tokens[:min(shown, len(tokens))] {
		all = append(all, strconv.Quote(string(t)))
	}
	return strings.Join(all, " ")
}
