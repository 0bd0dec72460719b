package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/cmd/tui/component/shades"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// translateOptions are the flags of `grade translate`.
type translateOptions struct {
	impl      string
	beam      int
	alpha     float64
	svg, json string
	asked     int
}

func newTranslate() *cobra.Command {
	var o translateOptions
	cmd := &cobra.Command{
		Use: "translate DIR TEXT",
		Long: `Translate lets the model in DIR, which grade train --task has taught a task, write what
it makes of a text, with your own step 20, and shows what it looked at: a row for every
character that it wrote, a column for every character of the source.

Greedy search is the default; --beam keeps several translations in view. A sentence of
the village has one translation: it is shown beside a wrong one. With --asked the model
is asked for texts that were kept back, in place of TEXT, and scored: a text is right when
all of it is, character by character, and BLEU tells how much of it is.`,
		Example: `  go run ./cmd/grade train --task translation --out runs/translation
  go run ./cmd/grade translate runs/translation "On a cold night Tom went to the river. He wanted a song."
  go run ./cmd/grade translate runs/translation "Little Wren thought of her grandmother and was sad." --svg looked.svg
  go run ./cmd/grade translate runs/translation --asked 500 --beam 4`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return err
			}
			binary, remove, err := buildPairs(cmd, o.impl)
			if err != nil {
				return err
			}
			defer remove()
			if len(args) == 1 {
				return score(cmd, o.asked, binary, args[0], o.search)
			}
			return translate(cmd, o, binary, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.IntVar(&o.beam, "beam", 1, "how many translations are kept in view; 1 is greedy")
	f.Float64Var(&o.alpha, "alpha", 0.6, "with --beam: of the penalty of lengths, ((5 + n)/6)^alpha")
	f.StringVar(&o.svg, "svg", "", "draw what was looked at, by layer and head, into `FILE`, which ends in .svg")
	f.StringVar(&o.json, "json", "", "write the translation and what was looked at to `FILE`")
	f.IntVar(&o.asked, "asked", 0, "score the model on `N` texts that were kept back")
	return cmd
}

// search says how the translations are looked for.
func (o translateOptions) search(t *train.Translator) { t.Width, t.Alpha = o.beam, o.alpha }

// check says what cannot be, before anything is built.
func (o translateOptions) check(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	t, err := train.NewTranslator("", args[0], cmd.ErrOrStderr())
	switch {
	case err != nil:
		return err
	case len(args) == 1 && !changed("asked"):
		return lang.Errorf("which text? Write it behind the folder, between quotation marks, such as %q", t.HeldOut(1)[0].Source)
	case len(args) == 2 && changed("asked"):
		return lang.Errorf("--asked scores the model on texts that were kept back; leave it or the text out")
	case changed("asked") && o.asked < 1:
		return lang.Errorf("--asked is %d; want at least 1", o.asked)
	case changed("asked") && (o.svg != "" || o.json != ""):
		return lang.Errorf("--svg and --json are of one translation; they do not go with --asked")
	case o.beam < 1 || o.beam > 100:
		return lang.Errorf("--beam is %d; want a number from 1 to 100", o.beam)
	case !(o.alpha >= 0 && o.alpha <= 10):
		return lang.Errorf("--alpha is %g; want a number from 0 to 10", o.alpha)
	case o.svg != "" && filepath.Ext(o.svg) != ".svg":
		return lang.Errorf("--svg is %s; want a file that ends in .svg", o.svg)
	case len(args) == 1:
		return nil
	}
	return t.Check(args[1])
}

// translate writes a translation and what it looked at.
func translate(cmd *cobra.Command, o translateOptions, binary, dir, text string) error {
	t, err := train.NewTranslator(binary, dir, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer t.Close()
	o.search(t)
	found, err := t.Translate(text, true)
	if err != nil {
		return program.Explain(err)
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	fmt.Fprintln(w, found.Target)
	if !found.Ended {
		p.Tell(w, "It has not come to an end.\n")
	}
	if t.Task == corpus.TranslationName {
		if right := corpus.Translation(text); right != "" && right != found.Target {
			p.Tell(w, "The grammar says: %s\n", right)
		}
	}
	if err := look(cmd, found); err != nil {
		return err
	}
	return o.keep(cmd, found)
}

// look shows in the terminal what the last layer looked at, in the mean of its heads.
func look(cmd *cobra.Command, found train.Translation) error {
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	panel, err := figure.Looked(p, found, len(found.Attention)-1, -1)
	if err != nil {
		return command.Failed(err)
	}
	panel.Heat.Max = 0
	_, panel.Heat.Max = panel.Heat.Range() // the scale ends at the largest weight
	width := terminal.Columns(w)
	if width == 0 {
		width = 100
	}
	paint := lipgloss.NewRenderer(w)
	paint.SetHasDarkBackground(true) // else the terminal is asked
	fmt.Fprintf(w, "\n%s\n", panel.Title)
	for _, line := range shades.Lines(theme.New(paint), panel, width, len(panel.Heat.Rows)+6) {
		fmt.Fprintln(w, line)
	}
	return nil
}

// keep writes a translation to the files that are asked for.
func (o translateOptions) keep(cmd *cobra.Command, found train.Translation) (err error) {
	if o.json == "" && o.svg == "" {
		return nil
	}
	data, err := json.Marshal(found)
	if err != nil {
		return command.Failed(err)
	}
	if o.json != "" {
		if err := whole.Write(o.json, append(data, '\n')); err != nil {
			return err
		}
	}
	if o.svg == "" {
		return nil
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	work, err := scratch.New()
	if err != nil {
		return command.Failed(err)
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	file := filepath.Join(work.Path, "translation.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return command.Failed(err)
	}
	return drawn(cmd, kit, "translation", "--data", file, "--out", o.svg)
}

// drawn lets cmd/plot make a picture, and says what that says.
func drawn(cmd *cobra.Command, kit *workspace.Kit, args ...string) error {
	binary, err := command.BuildTool(cmd.Context(), kit, "plot")
	if err != nil {
		return command.Failed(err)
	}
	said, err := exec.CommandContext(cmd.Context(), binary, args...).CombinedOutput()
	if err != nil {
		return command.Failed(lang.Errorf("%w: %s", err, said))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s", said)
	return nil
}
