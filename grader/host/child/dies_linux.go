package child

import "syscall"

// diesWithThread has the command killed when the thread that starts it ends.
func diesWithThread(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
