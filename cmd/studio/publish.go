package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/studio/publish"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// mailLimit is how many bytes most mail takes.
const mailLimit = 10_000_000

func newPublish() *cobra.Command {
	var m publish.Model
	var out string
	cmd := &cobra.Command{
		Use: "publish DIR",
		Long: `Publish makes one HTML file of the model in DIR: your own code of steps 01 to 10,
and of step 12 if it is written, compiled to WebAssembly, and the parameters.
Whoever opens it, from a disk, a mail or a server of files, lets the model write,
and sees what it expected and what it looked at. The page needs no Go and no
server; it fetches nothing and sends nothing.

The page begins with some of the validation text, or with --prompt, and says what
the model was trained on, how well, and by whose code.`,
		Example: `  go run ./cmd/grade publish runs/tiny-village --out village.html
  go run ./cmd/grade publish runs/tiny-opticks --title "Newton again" --by "Ada" --out page.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return whichRun()
			}
			m.Dir = args[0]
			return publishModel(cmd, m, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.Impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&out, "out", "page.html", "the `FILE` to write")
	f.StringVar(&m.Title, "title", "", "what the page calls the model (default: the name of DIR)")
	f.StringVar(&m.By, "by", "", "your `NAME`, if it is to stand on the page")
	f.StringVar(&m.Prompt, "prompt", "", "the `TEXT` that the page begins with (default: the beginning of the validation text)")
	return cmd
}

// publishModel writes the page of a model.
func publishModel(cmd *cobra.Command, m publish.Model, out string) (err error) {
	if m.Kit, err = workspace.Find("."); err != nil {
		return command.Failed(err)
	}
	if m.Source, err = command.SourceOf(m.Kit, m.Impl); err != nil {
		return err
	}
	m.Prints = cmd.ErrOrStderr()
	p := command.Speaker(cmd)
	p.Tell(cmd.OutOrStdout(), "Compiling %s for a browser; the first time takes about a minute\n", run.CodeOf(m.Impl))
	page, err := m.Page(cmd.Context(), p.Name())
	var browser *publish.BrowserError
	if errors.As(err, &browser) {
		return command.StatusError{Code: command.ExitWrong, Err: err}
	}
	if err != nil {
		return program.Explain(err)
	}
	if err := whole.Write(out, page); err != nil {
		return err
	}
	p.Tell(cmd.OutOrStdout(), "Written to %s, %.1f MB; open it in a browser, or send it\n", out, float64(len(page))/1e6)
	if len(page) > mailLimit {
		p.Tell(cmd.OutOrStdout(), "Many mailboxes take no more than 10 MB; put it on a server of files instead\n")
	}
	return nil
}
