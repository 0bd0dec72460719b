package course

import (
	"slices"
	"strings"
)

// ForwardOnly returns the steps for a course that teaches the forward pass
// only: checks that need a backward pass are left out, and with them their
// points.
func ForwardOnly(steps []*Step) []*Step {
	forward := make([]*Step, len(steps))
	for i, s := range steps {
		own := *s
		own.Checks = slices.DeleteFunc(slices.Clone(s.Checks), func(c Check) bool { return needsBackward(c.ID) })
		forward[i] = &own
	}
	return forward
}

// needsBackward reports whether a check cannot pass without a backward pass: by
// its name, or because it trains.
func needsBackward(check string) bool {
	return strings.Contains(check, ".backward") || strings.HasPrefix(check, "train.") ||
		slices.Contains([]string{"lm.replica", "matmul.model"}, check)
}
