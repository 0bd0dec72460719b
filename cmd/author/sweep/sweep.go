// Package sweep holds back the tests that take minutes: those that build programs by the
// dozen, work on copies of the whole kit, or wait for limits. `go test ./...` leaves out of
// them what SWEEP=1 adds; .ci/run runs all.
package sweep

import (
	"os"
	"testing"
)

// On reports whether everything is asked for.
func On() bool { return os.Getenv("SWEEP") != "" }

// Only skips a test unless everything is asked for.
func Only(t testing.TB) {
	t.Helper()
	if !On() {
		t.Skip("it takes long; SWEEP=1 runs it")
	}
}

// Some returns all that is asked for, or else the first few.
func Some[E any](all []E, few int) []E {
	if On() {
		return all
	}
	return all[:min(few, len(all))]
}
