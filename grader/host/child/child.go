// Package child starts programs that must not outlive this one: each in a
// session of its own, which ends with it and can be ended whole.
package child

import (
	"os/exec"
	"runtime"
)

// Start starts a command. The caller calls end once the command has been waited
// for, on the same goroutine: it ends whatever the command has left behind.
//
// If this process is killed, Linux kills the command; elsewhere the command runs
// on until its pipes break or it ends. Linux does so when the thread that
// started the command ends, so the goroutine keeps its thread until end.
func Start(cmd *exec.Cmd) (end func(), err error) {
	runtime.LockOSThread()
	Isolate(cmd)
	if cmd.Cancel != nil { // made by exec.CommandContext
		cmd.Cancel = func() error { return Kill(cmd) }
	}
	if err := cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	Gather(cmd)
	return func() {
		Kill(cmd)
		runtime.UnlockOSThread()
	}, nil
}
