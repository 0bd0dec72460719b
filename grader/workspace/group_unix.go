//go:build unix

package workspace

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group of its own, so that cancelling it
// ends the compiler and the linker too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
