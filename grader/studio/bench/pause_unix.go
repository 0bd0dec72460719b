//go:build unix

package bench

import (
	"os"
	"syscall"
)

// pause stops a process and all its threads; resume lets it go on.
func pause(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
