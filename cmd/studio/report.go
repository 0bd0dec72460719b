package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/progress/times"
	"github.com/stubformer/stubformer/grader/report/sheet"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newReport() *cobra.Command {
	var html, title string
	var seed uint64
	var plain bool
	cmd := &cobra.Command{
		Use: "report --html FILE",
		Long: `Report grades all steps and writes one page for a browser to FILE: the checks and what
is known about those that did not pass, how the work went, the card of what you have
built and what your models wrote. The page needs no other file and loads nothing.`,
		Example: `  go run ./cmd/grade report --html report.html
  go run ./cmd/grade report --html report.html --title "Ada, week 3"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if html == "" {
				return lang.Errorf("--html is missing: name the file for the page")
			}
			if info, err := os.Stat(filepath.Dir(html)); err != nil || !info.IsDir() {
				return lang.Errorf("--html %s: there is no folder %s", html, filepath.Dir(html)) // before anything is graded
			}
			if !cmd.Flags().Changed("seed") {
				seed = uint64(rand.Uint32())
			}
			return command.Failed(writeReport(cmd, html, title, seed, plain))
		},
	}
	f := cmd.Flags()
	f.StringVar(&html, "html", "", "write the page to `FILE`")
	f.StringVar(&title, "title", "Stubformer", "what stands at the head of the page")
	f.Uint64Var(&seed, "seed", 0, "seed of the fresh random cases (default: random, always printed)")
	f.BoolVar(&plain, "plain", false, "no colour, no progress line")
	return cmd
}

// writeReport grades all steps and writes the page.
func writeReport(cmd *cobra.Command, html, title string, seed uint64, plain bool) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return err
	}
	p := command.Speaker(cmd)
	line := command.NewStatusLine(cmd.ErrOrStderr(), plain, p)
	r, err := grader.Grade(cmd.Context(), grader.Request{Kit: kit, Steps: registry.Steps(), Impl: grader.Mine, Seed: seed,
		Limits: probe.DefaultLimits(), Lang: p.Within(0), Box: sandbox.Main().Limits()}, line.Show)
	line.Clear()
	if err := errors.Join(err, command.Record(kit, r, p.Within(0))); err != nil {
		return err
	}
	attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
	if err != nil {
		return err
	}
	s := sheet.Sheet{Title: title, Went: went(attempts), Wrote: wrote(kit)}
	if s.Card, err = cardOf(cmd, kit); err != nil {
		command.SayError(p, lang.Errorf("the page has no card: %w", err))
	}
	page, err := s.Page(r, p.Within(0))
	if err != nil {
		return err
	}
	if err := whole.Write(html, page); err != nil {
		return err
	}
	p.Tell(cmd.OutOrStdout(), "%s is written. Open it in a browser.\n", html)
	return nil
}

// went is how the work at each step went.
func went(attempts []progress.Attempt) []sheet.Went {
	var rows []sheet.Went
	for _, s := range times.Of(registry.Steps(), attempts).Steps {
		w := sheet.Went{Step: s.ID, Attempts: s.Attempts, Minutes: s.Minutes}
		for _, a := range attempts {
			switch day := a.Time.Local().Format(time.DateOnly); {
			case a.Step != s.ID || a.Hint > 0 || a.Verdict == string(verdict.NotImplemented):
			case w.First == "":
				w.First = day
				fallthrough
			default:
				if w.Passed == "" && a.Max > 0 && a.Score == a.Max {
					w.Passed = day
				}
			}
		}
		rows = append(rows, w)
	}
	return rows
}

// wrote is the newest that each trained model wrote. Folders that are no run are left out.
func wrote(kit *workspace.Kit) []sheet.Wrote {
	dirs, _ := filepath.Glob(filepath.Join(kit.Root, "runs", "*")) // the pattern is well-formed
	var all []sheet.Wrote
	for _, dir := range dirs {
		steps, err := run.ReadLog(dir)
		if err != nil {
			continue
		}
		newest := sheet.Wrote{Run: filepath.Base(dir)}
		if c, err := run.Open(dir); err == nil {
			newest.Trainer = c.Trainer()
		}
		for _, s := range steps {
			if s.Sample != "" && s.ValidationLoss != nil {
				newest.Step, newest.Loss, newest.Text = s.Step, *s.ValidationLoss, s.Sample
			}
		}
		if newest.Text != "" {
			all = append(all, newest)
		}
	}
	return all
}

// cardOf lets cmd/plot draw the card, for light and for dark pages.
func cardOf(cmd *cobra.Command, kit *workspace.Kit) (*sheet.Card, error) {
	binary, err := command.BuildTool(cmd.Context(), kit, "plot")
	if err != nil {
		return nil, err
	}
	dir, err := scratch.New()
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	name := filepath.Join(dir.Path, "card")
	draw := func(more ...string) ([]byte, error) {
		said, err := exec.CommandContext(cmd.Context(), binary, append([]string{"card", "--quick", "--out", name}, more...)...).CombinedOutput()
		if err != nil {
			return nil, lang.Errorf("%w: %s", err, said)
		}
		return fs.ReadFile(os.DirFS(dir.Path), "card.svg")
	}
	light, err := draw()
	if err != nil {
		return nil, err
	}
	dark, err := draw("--dark")
	return &sheet.Card{Light: light, Dark: dark}, err
}
