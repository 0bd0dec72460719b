//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// killGroup kills the command and everything in its group.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
