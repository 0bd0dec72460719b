package probe

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into a process group of its own, which can be
// killed whole, and has it killed if the grader dies.
func isolate(cmd *exec.Cmd, _ Command) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
