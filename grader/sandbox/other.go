//go:build !linux

package sandbox

import (
	"errors"
	"os/exec"
	"runtime"
)

func open(h Helper, level Level) (*Box, error) {
	if level == Limits {
		return &Box{level: level, helper: h}, nil
	}
	return nil, errors.New("it needs Linux; this is " + runtime.GOOS)
}

// Stranger returns nil: there is no other user to run as.
func (b *Box) Stranger() (*Stranger, error) { return nil, nil }

// Give does nothing either.
func (b *Box) Give(Policy, string) error { return nil }

// LetPass does nothing either.
func (b *Box) LetPass(string) error { return nil }

// Wrap does nothing: there is no box on this system.
func (b *Box) Wrap(*exec.Cmd, Policy) {}

func confine(string, []string) error { return errors.New("it needs Linux") }
