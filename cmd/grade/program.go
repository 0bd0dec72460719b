package main

import (
	"context"
	"errors"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/scratch"
	"github.com/stubformer/stubformer/grader/train"
	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// codeOf says whose code it is.
func codeOf(impl string) lang.Text {
	if impl == "solutions" {
		return lang.T("the solutions")
	}
	return lang.T("your own code")
}

// buildProgram builds the training program for a model; remove takes it away again.
func buildProgram(ctx context.Context, kit *workspace.Kit, impl string, model run.Model) (binary string, remove func(), err error) {
	if _, err := train.StandIns(model); err != nil {
		return "", nil, err
	}
	source, err := sourceOf(kit, impl)
	if err != nil {
		return "", nil, err
	}
	dir, err := scratch.New()
	if err != nil {
		return "", nil, failed(err)
	}
	remove = func() { dir.Remove() }
	binary, err = train.Build(ctx, kit, source, model, dir.Path)
	if err != nil {
		remove()
		return "", nil, explain(err)
	}
	return binary, remove, nil
}

// explain gives what went wrong in the training program its exit status, and
// says what to do about it.
func explain(err error) error {
	var todo *train.NotImplementedError
	var compile *workspace.CompileError
	var refused *workspace.RefusedError
	var crash *train.CrashError
	var said *train.ProgramError
	var mismatch *train.MismatchError
	var unanswered *train.RefusedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &todo):
		return statusError{exitWrong, lang.Errorf("%w; it is needed here. Next: go run ./cmd/grade %s", todo, todo.Step())}
	case errors.As(err, &compile):
		return statusError{exitWrong, lang.Errorf("your code does not compile:\n%w", err)}
	case errors.As(err, &crash), errors.As(err, &refused), errors.As(err, &said), errors.As(err, &mismatch), errors.As(err, &unanswered):
		return statusError{exitWrong, err}
	case errors.As(err, new(lang.Sayer)):
		return err // for who asked, as it is
	}
	return failed(err)
}
