//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// Isolate puts a command that has not been started into a session of its own,
// without a terminal, and so into a process group of its own too. Linux kills it
// when the thread that starts it ends.
func Isolate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	diesWithThread(cmd.SysProcAttr)
}

// Gather does nothing: what a command starts is in its session.
func Gather(*exec.Cmd) {}

// Kill kills the command and everything in its group.
func Kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
