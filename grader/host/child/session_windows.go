package child

import (
	"os/exec"
	"strconv"
	"syscall"
)

// Isolate gives a command that has not been started a process group of its own,
// so that Ctrl-C is heard by this process alone.
func Isolate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// Kill kills the command and what it has started, as far as Windows knows: a
// process whose parent has ended is not found.
func Kill(cmd *exec.Cmd) error {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	return cmd.Process.Kill()
}
