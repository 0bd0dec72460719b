// Package release writes editions of the kit: the steps that a course uses,
// with the stubs as they are handed out, and for students without anything that
// gives the answers away.
//
// A student edition is the same program with a few files exchanged and some left
// out. It holds no solutions, no oracle and no source of a known mistake. What
// it cannot check without them it leaves out of the points and says so; the
// instructor's edition checks it.
package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/cmd/studio/update"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Options say what an edition holds.
type Options struct {
	Steps            []*course.Step // in order; with every step that they need
	ForwardOnly      bool           // checks of the backward pass are left out of the points
	WithoutSolutions bool           // the student edition
	WithoutAgents    bool           // the student edition has no AGENTS.md
	Derive           bool           // the stubs leave the derivatives out
}

// Write writes an edition of the kit to dir, which must be empty or not exist.
// It is written elsewhere first, built there, and then renamed: dir is whole or
// is not there.
func Write(ctx context.Context, kit *workspace.Kit, dir string, o Options) error {
	if err := complete(o.Steps); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := vacant(kit, dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".stubformer-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // does nothing after the rename
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := newEdition(kit, tmp, o).write(); err != nil {
		return err
	}
	if err := build(ctx, tmp); err != nil {
		return err
	}
	if err := update.WriteManifest(tmp); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) { // it is empty
		return err
	}
	return os.Rename(tmp, dir)
}

// complete refuses steps that need others which are not there.
func complete(steps []*course.Step) error {
	if len(steps) == 0 {
		return errors.New("an edition needs at least one step")
	}
	there := map[string]bool{}
	for _, s := range steps {
		there[s.ID] = true
	}
	for _, s := range steps {
		for _, need := range s.Needs {
			if !there[need] {
				return fmt.Errorf("%s calls the code of %s, which is not among the steps; release %s as well", s.ID, need, need)
			}
		}
	}
	return nil
}

// vacant refuses a place where something would be lost, and one inside the kit.
func vacant(kit *workspace.Kit, dir string) error {
	if rel, err := filepath.Rel(kit.Root, dir); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s lies in the kit itself; choose a folder outside of it", dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty; choose a new folder", dir)
	}
	return nil
}

// build makes sure that the edition compiles, with its tests.
func build(ctx context.Context, root string) error {
	cmd := exec.CommandContext(ctx, "go", "vet", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+root)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return fmt.Errorf("the edition does not compile, so it was not written: %w\n%s", err, strings.TrimSpace(string(out)))
	case err != nil:
		return fmt.Errorf("the edition could not be compiled, so it was not written: go vet could not be started: %w", err)
	}
	return nil
}
