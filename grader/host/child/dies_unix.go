//go:build unix && !linux

package child

import "syscall"

// diesWithThread does nothing: this system has no such order.
func diesWithThread(*syscall.SysProcAttr) {}
