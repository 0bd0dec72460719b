package grader

import (
	"errors"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// endless remembers what took all the time that there is, and would again.
type endless struct {
	steps map[string]error // by folder: its build met a limit, and so does whatever is built on the same code
	busy  error            // the machine has no time for anything
}

// note remembers why a step could not be built or asked, if that is so.
func (e *endless) note(folder string, err error) {
	var limit *workspace.BuildLimitError
	switch {
	case workspace.TooBusy(err):
		e.busy = err
	case errors.As(err, &limit) && limit.Kind != workspace.OfSystem:
		if e.steps == nil {
			e.steps = map[string]error{}
		}
		e.steps[folder] = err
	}
}

// known returns the error of the step, or of one below it that is not a solution,
// if there is one.
func (e *endless) known(step *course.Step, b workspace.Build) error {
	if e.busy != nil {
		return e.busy
	}
	for _, s := range append(course.Prerequisites(registry.Steps(), step), step) {
		if err := e.steps[s.Folder]; err != nil && b.Sources[s.Folder] != workspace.Solutions() {
			return err
		}
	}
	return nil
}
