//go:build stubformer_probe && windows

package subject

import "syscall"

func closeOnExec(handle uintptr) { syscall.CloseOnExec(syscall.Handle(handle)) }
