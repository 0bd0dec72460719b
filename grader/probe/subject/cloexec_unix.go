//go:build stubformer_probe && unix

package subject

import "syscall"

func closeOnExec(fd uintptr) { syscall.CloseOnExec(int(fd)) }
