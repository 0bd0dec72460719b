//go:build unix

package probe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// No program may fill the disk that others write to at the same time, and where there is
// little room nobody is blamed for having used it up.
func TestShareOfTheDisk(t *testing.T) {
	left, err := room.Left(t.TempDir())
	require.NoError(t, err)
	p, err := start(Command{Path: "/bin/sh", Args: []string{"-c", "exit 0"}}, Limits{Disk: 1 << 60, Output: 1 << 20, Call: time.Minute})
	require.NoError(t, err)
	defer p.kill()
	require.LessOrEqual(t, p.limits.Disk, left/2)
	require.Equal(t, p.limits.Disk < room.Ample, p.cramped)

	p.cramped = false
	var f *verdict.Failure
	require.ErrorAs(t, p.overflow(lang.T("during f")), &f)
	require.Equal(t, verdict.Exited, f.Kind)
	p.cramped = true
	require.ErrorAs(t, p.overflow(lang.T("during f")), new(*scratch.MachineError))
}
