package probe

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A thread that computes is told from one that waits, while both stand still.
func TestThreads(t *testing.T) {
	for command, computes := range map[string]bool{"echo; while :; do :; done": true, "echo; exec sleep 1000": false} {
		cmd := exec.Command("sh", "-c", command)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		_, err = out.Read(make([]byte, 1)) // it has begun
		require.NoError(t, err)
		calm := func() bool { // it has come to where it stays
			require.NoError(t, syscall.Kill(cmd.Process.Pid, syscall.SIGSTOP))
			all := stopped(cmd.Process.Pid)
			require.Len(t, all, 1)
			require.True(t, all[0].stands)
			require.NoError(t, syscall.Kill(cmd.Process.Pid, syscall.SIGCONT))
			return all[0].code == computes
		}
		for !calm() {
		}
	}
	best, ok := computing([]thread{{id: 1, ticks: 9}, {id: 2, code: true, ticks: 3}, {id: 3, code: true, ticks: 5}, {id: 4, code: true, ticks: 4}})
	require.True(t, ok)
	require.Equal(t, 3, best.id)
	_, ok = computing(nil)
	require.False(t, ok)
}
