//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into a process group of its own.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
