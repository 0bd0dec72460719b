package command

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// OpenBox opens the sandbox that was asked for, or the best one.
func OpenBox(level string, require bool) (*sandbox.Box, error) {
	if err := probe.Cramped(); err != nil { // a level would seem not to be there
		return nil, err
	}
	if level != "" && (level != string(sandbox.Limits) || !require) {
		return sandbox.Open(sandbox.Main(), sandbox.Level(level))
	}
	box, reasons := sandbox.Best(sandbox.Main())
	if require && (box.Level() == sandbox.Limits || level != "") {
		return nil, fmt.Errorf("--require-sandbox refuses to grade with limits alone: %w", cmp.Or(reasons, errors.New("--sandbox asks for limits")))
	}
	return box, nil
}
