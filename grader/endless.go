package grader

import (
	"errors"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// endless remembers the folders whose build met a limit. Whatever else is built
// on the same code would cost as much once more, and end the same.
type endless map[string]error

// note remembers a step if that is why it could not be built.
func (e *endless) note(step *course.Step, err error) {
	if limit := new(workspace.BuildLimitError); !errors.As(err, &limit) {
		return
	}
	if *e == nil {
		*e = endless{}
	}
	(*e)[step.Folder] = err
}

// known returns the error of the step, or of one below it that is not a solution,
// if there is one.
func (e endless) known(step *course.Step, b workspace.Build) error {
	for _, s := range append(course.Prerequisites(registry.Steps(), step), step) {
		if err := e[s.Folder]; err != nil && b.Sources[s.Folder] != workspace.Solutions() {
			return err
		}
	}
	return nil
}
