package engine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/host/child"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// Asked says which picture is wanted.
type Asked struct {
	Name string
	Run  string // the folder of a training run, below the kit; "" if none is needed
	Impl string // whose code is run: mine or solutions
}

// Drawn is a picture as data.
type Drawn struct {
	Asked Asked
	Chart *chart.Chart
	Err   error
}

// Figure makes a picture after a pause, in the language of p. ctx ends it early.
func (e *Engine) Figure(ctx context.Context, a Asked, p lang.Printer, pause time.Duration) tea.Cmd {
	return e.during(func() tea.Msg {
		if !wait(ctx, pause) {
			return nil
		}
		o := figure.Options{Kit: e.kit, Lang: p, Impl: grader.Impl(a.Impl), Box: e.box}
		if a.Run != "" {
			o.Runs = []string{filepath.Join(e.kit.Root, a.Run)}
		}
		chart, err := figure.Make(ctx, a.Name, o)
		if ctx.Err() != nil {
			return nil
		}
		return Drawn{a, chart, err}
	})
}

// Saved says where a picture was written.
type Saved struct {
	Files []string // below the kit
	Err   error
}

// Save writes a picture as PNG and SVG below out/. A program of its own draws
// it: the drawing library is no part of the dashboard.
func (e *Engine) Save(a Asked) tea.Cmd {
	return e.during(func() tea.Msg {
		plot, remove, err := e.plotter()
		if err != nil {
			return Saved{Err: err}
		}
		defer remove()
		if err := os.MkdirAll(filepath.Join(e.kit.Root, "out"), 0o755); err != nil {
			return Saved{Err: err}
		}
		var files []string
		for _, ending := range []string{".png", ".svg"} {
			file := filepath.Join("out", a.Name+ending)
			args := []string{a.Name, "--impl", a.Impl, "--out", file}
			if a.Run != "" {
				args = append(args, "--run", a.Run)
			}
			if err := e.child(plot, args...); err != nil {
				return Saved{Err: err}
			}
			files = append(files, filepath.ToSlash(file))
		}
		return Saved{Files: files}
	})
}

// plotter builds the program that draws. remove takes it away again.
func (e *Engine) plotter() (plot string, remove func(), err error) {
	tmp, err := scratch.New()
	if err != nil {
		return "", nil, err
	}
	remove = func() { tmp.Remove() }
	plot = filepath.Join(tmp.Path, "plot")
	if runtime.GOOS == "windows" {
		plot += ".exe"
	}
	if err := e.child("go", "build", "-o", plot, "./cmd/plot"); err != nil {
		remove()
		return "", nil, err
	}
	return plot, remove, nil
}

// child runs a program in the kit's folder. Its error is what the program says.
func (e *Engine) child(name string, args ...string) error {
	cmd := exec.CommandContext(e.ctx, name, args...)
	cmd.Dir = e.kit.Root
	var said bytes.Buffer
	cmd.Stderr = &said
	end, err := child.Start(cmd)
	if err != nil {
		return err
	}
	defer end()
	err = cmd.Wait()
	if text := strings.TrimSpace(said.String()); err != nil && text != "" {
		return errors.New(text)
	}
	return err
}
