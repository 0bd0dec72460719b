package cputime

import (
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The times that Windows tells of a process and of a thread have ticks of 16 ms.
func process() time.Duration { return wall() }

func thread() time.Duration { return wall() }

// wall reads the performance counter, which has ticks of a tenth of a microsecond or
// less. Those of time.Now are up to 16 ms long here: a short piece of work takes none.
func wall() time.Duration {
	c := counter()
	return time.Duration(float64(read(c.ticks)) * c.length)
}

// clock is the performance counter, and how many nanoseconds a tick of it lasts.
type clock struct {
	ticks  *windows.LazyProc
	length float64
}

var counter = sync.OnceValue(func() clock {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	frequency := read(kernel.NewProc("QueryPerformanceFrequency"))
	return clock{kernel.NewProc("QueryPerformanceCounter"), 1e9 / float64(frequency)}
})

// read returns the number that a procedure of the counter gives; neither can fail.
func read(procedure *windows.LazyProc) int64 {
	var n int64
	procedure.Call(uintptr(unsafe.Pointer(&n)))
	return n
}
