//go:build unix && !linux

package probe

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into a process group of its own, which can be
// killed whole.
func isolate(cmd *exec.Cmd, _ Command) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
