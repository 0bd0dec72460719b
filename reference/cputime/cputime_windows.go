package cputime

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The times that Windows tells of a process and of a thread have ticks of 16 ms.
func process() time.Duration { return wall() }

func thread() time.Duration { return wall() }

// told computes for ten ticks, and compares with the clock what Windows says of that.
func told() bool {
	const long = 160 * time.Millisecond
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin, before := wall(), ran()
	for wall()-begin < long {
	}
	return ran()-before > long*3/4
}

// ran is how long the calling thread has run, in whole ticks.
func ran() time.Duration {
	var made, ended, kernel, user windows.Filetime
	windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadTimes").Call(uintptr(windows.CurrentThread()),
		uintptr(unsafe.Pointer(&made)), uintptr(unsafe.Pointer(&ended)),
		uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100
}

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
