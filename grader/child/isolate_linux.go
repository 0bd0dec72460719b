package child

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into a process group of its own, and has it killed
// if this process dies.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
