// Package program builds the program around a model of the student's, for the commands that
// run one, and says what to do where that fails.
package program

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Builder is a function that builds a program for a model, as train.Build does.
type Builder func(context.Context, *workspace.Kit, workspace.Source, run.Model, string) (string, error)

// Build builds the training program for a model; remove takes it away again.
func Build(ctx context.Context, kit *workspace.Kit, impl string, model run.Model) (binary string, remove func(), err error) {
	return build(ctx, kit, impl, model, train.Build)
}

func build(ctx context.Context, kit *workspace.Kit, impl string, model run.Model, by Builder) (binary string, remove func(), err error) {
	if _, err := train.StandIns(model); err != nil {
		return "", nil, err
	}
	return Around(kit, impl, func(source workspace.Source, dir string) (string, error) {
		return by(ctx, kit, source, model, dir)
	})
}

// Around lets build put a program around the steps that impl names into a folder; remove
// takes it away again.
func Around(kit *workspace.Kit, impl string, build func(source workspace.Source, dir string) (binary string, err error)) (
	binary string, remove func(), err error) {
	source, err := command.SourceOf(kit, impl)
	if err != nil {
		return "", nil, err
	}
	dir, err := scratch.New()
	if err != nil {
		return "", nil, command.Failed(err)
	}
	remove = func() { dir.Remove() }
	if binary, err = build(source, dir.Path); err != nil {
		remove()
		return "", nil, Explain(err)
	}
	return binary, remove, nil
}

// Explain gives what went wrong in the training program its exit status, and
// says what to do about it.
func Explain(err error) error {
	var todo *train.NotImplementedError
	var compile *workspace.CompileError
	var refused *workspace.RefusedError
	var crash *train.CrashError
	var said *train.ProgramError
	var mismatch *train.MismatchError
	var unanswered *train.RefusedError
	var machine *scratch.MachineError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &machine):
		return command.Failed(err)
	case errors.As(err, &todo):
		return command.StatusError{Code: command.ExitWrong, Err: lang.Errorf("%w; it is needed here. Next: go run ./cmd/grade %s", todo, todo.Step())}
	case errors.As(err, &compile):
		return command.StatusError{Code: command.ExitWrong, Err: lang.Errorf("your code does not compile:\n%w", err)}
	case errors.As(err, &crash), errors.As(err, &refused), errors.As(err, &said), errors.As(err, &mismatch), errors.As(err, &unanswered):
		return command.StatusError{Code: command.ExitWrong, Err: err}
	case errors.As(err, new(lang.Sayer)):
		return err // for who asked, as it is
	}
	return command.Failed(err)
}

// With builds the training program for the model in a folder and hands it to f.
func With(cmd *cobra.Command, impl, dir string, f func(binary string) error) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	if _, err := command.SourceOf(kit, impl); err != nil {
		return err
	}
	c, err := run.Open(dir)
	if err != nil {
		return err
	}
	return For(cmd, impl, c.Model, train.Build, f)
}

// For builds a program for a model and hands it to f.
func For(cmd *cobra.Command, impl string, model run.Model, by Builder, f func(binary string) error) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	binary, remove, err := build(cmd.Context(), kit, impl, model, by)
	if err != nil {
		return err
	}
	defer remove()
	return Explain(f(binary))
}
