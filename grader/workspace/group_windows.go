package workspace

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group of its own. Cancelling ends the go
// command; a compiler that it has started ends by itself soon after.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
