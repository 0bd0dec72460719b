package child

import (
	"os/exec"
	"syscall"
)

// isolate gives the command a process group of its own, so that Ctrl-C is heard
// by this process alone.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup kills the command. What it has started is not found once it has
// ended.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
