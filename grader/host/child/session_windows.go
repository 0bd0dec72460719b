package child

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Isolate gives a command that has not been started a process group of its own,
// so that Ctrl-C is heard by this process alone.
func Isolate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// Gather puts a command that has just been started into a job, and with it all that it
// starts from then on. The command itself holds the job: when it has ended, for whatever
// reason, Windows ends the rest. Where that cannot be had, what the command has started
// outlives it.
func Gather(cmd *exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	defer windows.CloseHandle(job)
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return
	}
	cmd.Process.WithHandle(func(process uintptr) {
		theirs := windows.Handle(process)
		if windows.AssignProcessToJobObject(job, theirs) == nil {
			var held windows.Handle
			windows.DuplicateHandle(windows.CurrentProcess(), job, theirs, &held, 0, false, windows.DUPLICATE_SAME_ACCESS)
		}
	})
}

// Kill kills the command, and so what it has started.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
