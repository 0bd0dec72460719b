package course

import (
	"slices"
	"strings"
)

// ForwardOnly returns the steps for a course that teaches the forward pass
// only: checks that need a backward pass are left out, and with them their
// points.
func ForwardOnly(steps []*Step) []*Step {
	return changed(steps, func(s *Step) {
		s.Checks = slices.DeleteFunc(s.Checks, func(c Check) bool { return needsBackward(c) })
	})
}

// needsBackward reports whether a check cannot pass without a backward pass: by its
// name, because it trains, or because it says so.
func needsBackward(c Check) bool {
	return c.Backward || strings.Contains(c.ID, ".backward") || strings.HasPrefix(c.ID, "train.")
}
