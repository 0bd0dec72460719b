package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/creack/pty"

	"github.com/stubformer/stubformer/cmd/author/film"
	"github.com/stubformer/stubformer/cmd/teach/release"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// studio is a kit in a folder of its own, with the steps of a student.
type studio struct {
	kit    *workspace.Kit
	dir    string
	binary string
}

// inStudio does something in a studio with some steps solved, which goes away after it.
func inStudio(ctx context.Context, solved []*course.Step, do func(*studio) error) (err error) {
	kit, err := workspace.Find(".")
	if err != nil {
		return err
	}
	work, err := scratch.New()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	s := &studio{kit: kit, dir: filepath.Join(work.Path, "kit"), binary: filepath.Join(work.Path, "grade")}
	if err := s.furnish(ctx, solved); err != nil {
		return err
	}
	return do(s)
}

// furnish writes the kit with some steps solved and one mistake in them, commits that,
// and builds the command.
func (s *studio) furnish(ctx context.Context, solved []*course.Step) error {
	if err := release.Write(ctx, s.kit, s.dir, release.Options{Steps: registry.Steps()}); err != nil {
		return err
	}
	solutions, err := mistake.Solutions(s.kit.Root)
	if err != nil {
		return err
	}
	maps.DeleteFunc(solutions, func(name string, _ []byte) bool {
		return !slices.ContainsFunc(solved, func(s *course.Step) bool { return strings.HasPrefix(name, s.Folder+"/") })
	})
	if err := s.put(solutions); err != nil {
		return err
	}
	changed, err := s.mistaken(solutions)
	if err != nil {
		return err
	}
	if err := s.put(changed); err != nil {
		return err
	}
	for _, command := range []string{"git init -q", "git add -A", "git -c user.name=student -c user.email=student@localhost commit -q -m steps", "go build -o " + s.binary + " ./cmd/grade"} {
		words := strings.Fields(command)
		c := exec.CommandContext(ctx, words[0], words[1:]...)
		c.Dir = s.dir
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out)
		}
	}
	return nil
}

// mistaken returns the files of the solutions in which the mistake is, with it.
func (s *studio) mistaken(solutions map[string][]byte) (map[string][]byte, error) {
	all, err := mistake.Load(s.kit.Root, filmedStep)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		for _, v := range m.Versions {
			if v.ID == filmedMistake {
				return v.Apply(solutions)
			}
		}
	}
	return nil, fmt.Errorf("%s has no mistake %s", filmedStep, filmedMistake)
}

// put writes files of the solutions to the steps, tests aside.
func (s *studio) put(files map[string][]byte) error {
	for name, data := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if err := os.WriteFile(filepath.Join(s.dir, "steps", filepath.FromSlash(name)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// repair takes the mistake out.
func (s *studio) repair() error {
	solutions, err := mistake.Solutions(s.kit.Root)
	if err != nil {
		return err
	}
	return s.put(solutions)
}

// run runs a command at a terminal and returns what it printed there, and when, within so
// much time of the film; what it prints to the error output is not shown.
func (s *studio) run(ctx context.Context, command string, most time.Duration) ([]film.Line, error) {
	shown := strings.Replace(command, "go run ./cmd/grade", s.binary, 1)
	if command == "git diff" {
		shown = "git --no-pager -c color.ui=always diff -U1"
	}
	c := exec.CommandContext(ctx, "sh", "-c", shown)
	c.Dir, c.Env = s.dir, append(os.Environ(), "LANG=en_US.UTF-8", "TERM=xterm-256color")
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer discard.Close()
	c.Stderr = discard
	begin := time.Now()
	terminal, err := pty.StartWithSize(c, &pty.Winsize{Rows: film.Rows, Cols: film.Columns})
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	var lines []film.Line
	for in := bufio.NewScanner(terminal); in.Scan(); {
		text := strings.TrimRight(in.Text(), "\r") // of a line that was written again and again, the last
		lines = append(lines, film.Line{Text: text[strings.LastIndexByte(text, '\r')+1:], At: time.Since(begin).Round(50 * time.Millisecond)})
	}
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s printed nothing", command)
	}
	if last := lines[len(lines)-1].At; last > most {
		for i := range lines {
			lines[i].At = time.Duration(float64(lines[i].At) * float64(most) / float64(last))
		}
	}
	return lines, nil
}
