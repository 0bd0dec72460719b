//go:build unix

package command

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The end of a terminal ends a run in order, unless nohup started it.
func TestEndings(t *testing.T) {
	require.True(t, slices.Contains(endings(), os.Signal(syscall.SIGHUP)) || signal.Ignored(syscall.SIGHUP))
	require.Contains(t, endings(), syscall.SIGTERM)
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	require.NotContains(t, endings(), syscall.SIGHUP)
}
