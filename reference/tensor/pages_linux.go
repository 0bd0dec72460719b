package tensor

import (
	"syscall"
	"unsafe"
)

// inLargePages asks for the memory of x in pages of 2 MiB, as far as the system has them.
// Where the processor has to look up every 4 KiB of a large matrix, it looks up longer
// than it reads.
//
// The pages at both ends hold other memory of Go's heap, whose regions are larger. The
// request may be refused, and then everything is as it was.
func inLargePages(x []float32) {
	const page = 2 << 20
	start := uintptr(unsafe.Pointer(&x[0]))
	from, to := start&^(page-1), (start+uintptr(4*len(x))+page-1)&^(page-1)
	syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
