// Command tui is the dashboard: the map of the course and your progress, each
// step's lesson, and the grader's verdict a moment after you save a file.
//
//	go run ./cmd/tui
//	go run ./cmd/tui --lang zh
//
// It grades, records and trains exactly as cmd/grade does; whatever it shows,
// `go run ./cmd/grade --plain` says in lines that a screen reader can read.
//
// It is built on version 1 of Bubble Tea, which the course's users know and
// whose components are settled.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/pflag"

	"github.com/stubformer/stubformer/cmd/tui/app"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

func main() {
	box := sandbox.Main().Limits()
	p, help, err := read(os.Args[1:], os.Getenv)
	p = p.Within(terminal.Columns(os.Stdout))
	switch {
	case err == nil && help:
		usage(os.Stdout, p)
		return
	case err == nil:
		err = show(p, box)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, p.Fill("tui: "+p.Error(err), 0))
		os.Exit(1)
	}
}

// read reads the command line: the language to speak, and whether only the help
// is wanted. An error is to be told in the language that is returned with it.
func read(args []string, getenv func(string) string) (p lang.Printer, help bool, err error) {
	locale := lang.Locale(getenv)
	if p, err = lang.For(locale); err != nil {
		return p, false, err
	}
	flags := pflag.NewFlagSet("tui", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("lang", locale, "")
	flags.BoolVarP(&help, "help", "h", false, "")
	parsed := flags.Parse(args)
	if chosen, err := lang.For(*name); err == nil {
		p = chosen
	} else if parsed == nil {
		return p, false, err
	}
	if parsed != nil || flags.NArg() > 0 {
		return p, false, lang.Errorf("the dashboard takes no arguments but --lang; start it with: go run ./cmd/tui")
	}
	return p, help, nil
}

// usage writes the help.
func usage(w io.Writer, p lang.Printer) {
	p.Tell(w, `The dashboard: the map of the course and your progress, each step's lesson, and
the grader's verdict a moment after you save a file.

Usage:
  go run ./cmd/tui

Flags:
      --lang string   the language, en or zh (default: the locale's)
  -h, --help          this help

NO_COLOR=1 turns the colours off. The keys stand on the last lines of every screen.
Without a terminal, or with a screen reader: go run ./cmd/grade --plain
`)
}

// show shows the dashboard until it is quit, its terminal goes away, or it is
// asked to end; then it waits for what it has started to end. The student's code
// runs in the box.
func show(p lang.Printer, box *sandbox.Box) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return err
	}
	if !terminal.Is(os.Stdin) || !terminal.Live(os.Stdout, os.Getenv) {
		return lang.Errorf("the dashboard needs a terminal that it can draw on, which none is with TERM=dumb; without one, use: go run ./cmd/grade --plain")
	}
	runewidth.DefaultCondition.EastAsianWidth = false // in no locale does a terminal give √ two columns; see lang.Width
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGHUP, syscall.SIGTERM)
	defer stop()
	steps := registry.Steps()
	for i, s := range steps {
		steps[i] = kit.Hinted(s)
	}
	e := engine.New(context.Background(), kit, box, steps, time.Now)
	look := theme.New(lipgloss.DefaultRenderer())
	look.Plain = terminal.Plain(os.Getenv)
	model := app.New(look, p, e, steps)
	// Bubble Tea's own handler of signals waits for a loop that the context has ended.
	_, err = tea.NewProgram(model, tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler()).Run()
	if model.Training() {
		p.Tell(os.Stdout, "Saving the training run …\n")
	}
	e.Close()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}
