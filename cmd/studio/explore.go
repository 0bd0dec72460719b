package main

import (
	"cmp"
	"encoding/json"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/explore"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// exploreOptions are the flags of `grade explore`.
type exploreOptions struct {
	impl     string
	text     string
	snapshot int
	json     bool
	html     string
	explore.State
}

func newExplore() *cobra.Command {
	var o exploreOptions
	cmd := &cobra.Command{
		Use: "explore DIR",
		Long: `Explore shows on a page in the browser how the model in DIR reads a text, with
your own code: the surprise of each token, what was expected, what attention
looked at, what each layer would say, what each part adds, and the loss without
it; the same after earlier steps of the training; and it writes on, step by step.

The page is served on this machine only, at the address that is printed, until
Ctrl-C. --html freezes a view into one file that can be sent; --json prints the
numbers that the page shows.`,
		Example: `  go run ./cmd/grade explore runs/tiny-village
  go run ./cmd/grade explore runs/tiny-village --text "One morning" --html view.html
  go run ./cmd/grade explore runs/tiny-village --off layer1.head2,layer2 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return whichRun()
			}
			return exploreModel(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&o.text, "text", "", "the `TEXT` to begin with (default: the beginning of the validation text)")
	f.StringVar(&o.html, "html", "", "write one page that shows what is seen now to `FILE`, and serve nothing")
	f.BoolVar(&o.json, "json", false, "print the numbers of the page as JSON, and serve nothing")
	f.IntVar(&o.At, "at", 0, "with --json or --html: the token to look at, counted from 0 (default: one that surprised)")
	f.StringSliceVar(&o.Off, "off", nil, "with --json or --html: leave out `PARTS`, such as layer1.head2, layer1.ffn or layer1")
	f.IntVar(&o.snapshot, "snapshot", 0, "with --json or --html: the model as it was after `STEP` of its training")
	f.Float64Var(&o.Temperature, "temperature", 1, "with --json or --html: of what is expected")
	f.Float64Var(&o.TopP, "top-p", 1, "with --json or --html: of what is expected")
	cmd.MarkFlagsMutuallyExclusive("json", "html")
	return cmd
}

// exploreModel serves the page of a model, or writes what it shows.
func exploreModel(cmd *cobra.Command, dir string, o exploreOptions) error {
	if err := seenOnPage(cmd, o); err != nil {
		return err
	}
	m, err := explore.Open(dir, func(dir string, vocab int) (tokenizer.Tokenizer, error) {
		return train.OpenTokenizer(dir, vocab, coding(cmd, o.impl))
	})
	if err != nil {
		return err
	}
	if err := train.HasModel(dir); err != nil {
		return err
	}
	m.Text, m.Code = cmp.Or(o.text, m.Text), o.impl
	if o.IDs, err = m.Encode(m.Text); err != nil {
		return err
	}
	if cmd.Flags().Changed("snapshot") {
		o.Snapshot = &o.snapshot
	}
	if err := m.Check(o.State); err != nil {
		return err
	}
	return program.With(cmd, o.impl, dir, func(binary string) error {
		talk := train.Converse(binary, dir, cmd.ErrOrStderr())
		defer talk.Close()
		m.Asker = talk
		if o.json || o.html != "" {
			return writeView(cmd, m, o)
		}
		return servePage(cmd, m)
	})
}

// seenOnPage turns down what only a view that is written can be given: on a page it is chosen
// there.
func seenOnPage(cmd *cobra.Command, o exploreOptions) error {
	if o.json || o.html != "" {
		return nil
	}
	for _, name := range []string{"at", "off", "snapshot", "temperature", "top-p"} {
		if cmd.Flags().Changed(name) {
			return lang.Errorf("--%s goes with --json or --html FILE; without them a page is served, on which you choose it", name)
		}
	}
	return nil
}

// writeView writes what the page shows, without a page or as one.
func writeView(cmd *cobra.Command, m *explore.Model, o exploreOptions) error {
	v, err := m.View(o.State)
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", " ")
		return e.Encode(v)
	}
	page, err := explore.Freeze(v, command.Speaker(cmd).Name())
	if err != nil {
		return err
	}
	if err := whole.Write(o.html, page); err != nil {
		return err
	}
	command.Speaker(cmd).Tell(cmd.OutOrStdout(), "Written to %s\n", o.html)
	return nil
}

// servePage serves the page until Ctrl-C.
func servePage(cmd *cobra.Command, m *explore.Model) error {
	s, err := explore.Listen(m, command.Speaker(cmd).Name())
	if err != nil {
		return command.Failed(err)
	}
	command.Speaker(cmd).Tell(cmd.OutOrStdout(), "Open this address in a browser on this machine; Ctrl-C ends it:\n  %s\n", s.Address())
	return s.Serve(cmd.Context())
}
