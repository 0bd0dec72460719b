//go:build unix

package probe

import (
	"os"
	"os/exec"
	"syscall"
)

// hand gives the command its two ends of the wire, as descriptors 3 and 4.
func hand(cmd *exec.Cmd, in, out *os.File) {
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.Env = append(cmd.Env, "STUBFORMER_PROBE_IN=3", "STUBFORMER_PROBE_OUT=4")
}

// shellLine does nothing: the line is among the arguments.
func shellLine(*exec.Cmd, Command) {}

// killedBy names the signal that ended a process, or "". A box may tell it as
// an exit status, as shells do.
func killedBy(state *os.ProcessState) string {
	const shells = 128
	if n := state.ExitCode(); n == shells+int(syscall.SIGKILL) {
		return syscall.SIGKILL.String()
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
