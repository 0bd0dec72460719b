package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// drafting are the flags of a draft.
type drafting struct {
	dir   string
	ahead int // γ
}

// maxAhead is how many tokens a draft writes ahead at most. What is refused behind the
// first is thrown away, so that nobody wants as many.
const maxAhead = 64

// check says what cannot be.
func (d drafting) check(cmd *cobra.Command, adapted bool) error {
	switch {
	case d.dir == "" && cmd.Flags().Changed("draft-tokens"):
		return lang.Errorf("--draft-tokens says how far a draft writes ahead; name one with --draft")
	case d.dir == "":
		return nil
	case adapted:
		return lang.Errorf("--draft and --adapter do not go together: an adapter stands in one model alone")
	}
	return checkAhead(d.ahead)
}

func checkAhead(ahead int) error {
	if ahead < 1 || ahead > maxAhead {
		return lang.Errorf("--draft-tokens is %d; want 1 to %d", ahead, maxAhead)
	}
	return nil
}

// openPair opens a model and its draft. Unless --tokens is given, they write as many as
// their contexts allow, up to its default.
func openPair(cmd *cobra.Command, impl, dir, draft string, o train.Sampling) (*train.Pair, error) {
	if !cmd.Flags().Changed("tokens") {
		o.Tokens = -1
	} else if o.Tokens < 0 {
		return nil, lang.Errorf("%d tokens cannot be written; want 0 or more", o.Tokens)
	}
	pair, err := train.OpenPair(dir, draft, o, coding(cmd, impl))
	return pair, program.Explain(err)
}

// generateWithDraft writes a text with a draft and then one without, and says how both went.
func generateWithDraft(cmd *cobra.Command, impl, dir string, o train.Sampling, d drafting) error {
	pair, err := openPair(cmd, impl, dir, d.dir, o)
	if err != nil {
		return err
	}
	return program.For(cmd, impl, pair.Model, train.BuildPaged, func(binary string) error {
		var with, without run.Drafted
		ahead := []int{d.ahead, run.LargeAlone}
		err := pair.Write(cmd.Context(), binary, ahead, cmd.ErrOrStderr(), func(one run.Drafted) {
			if one.Ahead == run.LargeAlone {
				without = one
				return
			}
			with = one
			if text, err := pair.Text(one.Tokens); err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
		})
		if err != nil || with.Rounds == 0 || without.Seconds == 0 {
			return err
		}
		p, w := command.Speaker(cmd), cmd.ErrOrStderr()
		p.Tell(w, "%d tokens in %d rounds: of %d drafted ones %d were taken, %.2f a round\n", len(with.Tokens), with.Rounds,
			with.Drafted, with.Accepted, float64(with.Accepted)/float64(with.Rounds))
		p.Tell(w, "%.0f tokens/s with the draft, %.0f without: %.2f times as fast\n", with.PerSecond(), without.PerSecond(),
			with.PerSecond()/without.PerSecond())
		if o.Temperature == 0 && !slices.Equal(with.Tokens, without.Tokens) {
			p.Tell(w, "Without the draft the text is another one. Where two tokens are nearly as likely, rounding may decide; "+
				"otherwise: go run ./cmd/grade step22\n")
		}
		return nil
	})
}

func newBenchDraft() *cobra.Command {
	var impl, out string
	var rounds int
	var ahead []int
	var o train.Sampling
	cmd := &cobra.Command{
		Use:   "draft DIR DRAFT",
		Short: "What a draft gains, by how far it writes ahead, with your own step 22",
		Long: `Draft lets the model in DIR write texts with the one in DRAFT, which must know the same
tokens, and prints for each number of tokens that are written ahead how many of them were
taken, how many tokens a call of the large model gave, and how fast the texts were
written, against the large model alone, one token in a call. All take turns, in several
rounds, each with a seed of its own, on one core and by its time; of speeds the medians
count.`,
		Example: `  go run ./cmd/grade bench draft runs/large runs/draft
  go run ./cmd/grade bench draft runs/large runs/draft --temperature 0 --ahead 2,4,8`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rounds < 1 {
				return lang.Errorf("--rounds is %d; want at least 1", rounds)
			}
			for _, n := range ahead {
				if n < 1 || n > maxAhead {
					return lang.Errorf("--ahead has %d; want numbers from 1 to %d", n, maxAhead)
				}
			}
			pair, err := openPair(cmd, impl, args[0], args[1], o)
			if err != nil {
				return err
			}
			return program.For(cmd, impl, pair.Model, train.BuildPaged, func(binary string) error {
				return benchDraft(cmd, pair, binary, ahead, rounds, out)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	f.IntSliceVar(&ahead, "ahead", []int{1, 2, 3, 4, 6, 8}, "how many tokens are written ahead")
	f.StringVar(&o.Prompt, "prompt", "", "the `TEXT` that the models go on with")
	f.IntVar(&o.Tokens, "tokens", 256, "how many tokens to write at most")
	f.Float64Var(&o.Temperature, "temperature", 0.8, "0 always takes the likeliest token")
	f.Float64Var(&o.TopP, "top-p", 1, "draw from the likeliest tokens alone, until their probabilities sum to this")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the first round")
	f.IntVar(&rounds, "rounds", 9, "how many texts are written each way")
	f.StringVar(&out, "out", "", "also write the numbers to `FILE` as JSON")
	return cmd
}

// benchDraft writes the texts and prints the table.
func benchDraft(cmd *cobra.Command, pair *train.Pair, binary string, ahead []int, rounds int, out string) error {
	ways := append([]int{run.LargeAlone, run.DraftAlone}, ahead...)
	texts := map[int][]run.Drafted{}
	var all []run.Drafted
	err := pair.Measure(cmd.Context(), binary, ways, rounds, cmd.ErrOrStderr(), func(d run.Drafted) {
		texts[d.Ahead], all = append(texts[d.Ahead], d), append(all, d)
	})
	if err != nil {
		return err
	}
	if len(all) < len(ways)*rounds {
		return cmp.Or(cmd.Context().Err(), lang.Errorf("the program ended before all texts were written"))
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	p.Tell(w, "| ahead | taken, of 100 | tokens a call | tokens/s | times as fast |\n")
	fmt.Fprintln(w, "|--:|--:|--:|--:|--:|")
	for _, n := range append([]int{run.LargeAlone}, ahead...) {
		var drafted, accepted, rounds, tokens int
		var rates, gains []float64
		for i, d := range texts[n] {
			drafted, accepted, rounds, tokens = drafted+d.Drafted, accepted+d.Accepted, rounds+d.Rounds, tokens+len(d.Tokens)
			rates = append(rates, d.PerSecond())
			gains = append(gains, d.PerSecond()/texts[run.LargeAlone][i].PerSecond())
		}
		taken, each := "–", 1.0
		if n != run.LargeAlone {
			taken = fmt.Sprintf("%.1f", 100*float64(accepted)/float64(max(1, drafted)))
			each = float64(tokens) / float64(max(1, rounds))
		}
		fmt.Fprintf(w, "| %d | %s | %.2f | %.0f | %.2f |\n", n, taken, each, bench.Median(rates), bench.Median(gains))
	}
	var costs []float64
	for i, d := range texts[run.DraftAlone] {
		costs = append(costs, texts[run.LargeAlone][i].PerSecond()/d.PerSecond())
	}
	p.Tell(w, "\nA token of the draft costs %.2f of one of the large model.\n", bench.Median(costs))
	return keepNumbers(out, all)
}
