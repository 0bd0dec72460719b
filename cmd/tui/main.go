// Command tui is the dashboard: the map of the course and your progress, each
// step's lesson, and the grader's verdict a moment after you save a file.
//
//	go run ./cmd/tui
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
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"golang.org/x/term"

	"github.com/stubformer/stubformer/cmd/tui/app"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

func main() {
	if err := show(); err != nil {
		fmt.Fprintln(os.Stderr, "tui:", err)
		os.Exit(1)
	}
}

// show shows the dashboard until it is quit, its terminal goes away, or it is
// asked to end; then it waits for what it has started to end.
func show() error {
	if len(os.Args) > 1 {
		return errors.New("the dashboard takes no arguments; start it with: go run ./cmd/tui")
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return err
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return errors.New("the dashboard needs a terminal; without one, use: go run ./cmd/grade --plain")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP, syscall.SIGTERM)
	defer stop()
	e := engine.New(context.Background(), kit, course.Steps(), time.Now)
	model := app.New(theme.New(lipgloss.DefaultRenderer()), e, course.Steps())
	_, err = tea.NewProgram(model, tea.WithAltScreen(), tea.WithContext(ctx)).Run()
	if model.Training() {
		fmt.Println("Saving the training run …")
	}
	e.Close()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}
