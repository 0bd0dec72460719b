package probe

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// shellLine hands a line for the shell on as it is: cmd.exe does not read quotes
// as Go writes them.
func shellLine(cmd *exec.Cmd, c Command) {
	if c.line != "" {
		cmd.SysProcAttr.CmdLine = `cmd /S /C "` + c.line + `"`
	}
}

// hand gives the command its two ends of the wire as inherited handles.
func hand(cmd *exec.Cmd, in, out *os.File) {
	for name, f := range map[string]*os.File{"STUBFORMER_PROBE_IN": in, "STUBFORMER_PROBE_OUT": out} {
		handle := syscall.Handle(f.Fd())
		syscall.SetHandleInformation(handle, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT)
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, handle)
		cmd.Env = append(cmd.Env, name+"="+strconv.FormatUint(uint64(handle), 10))
	}
}

// killedBy names the signal that ended a process: there are none on Windows.
func killedBy(*os.ProcessState) string { return "" }
