//go:build linux || darwin

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

func process() time.Duration { return read(unix.CLOCK_PROCESS_CPUTIME_ID) }

func thread() time.Duration { return read(unix.CLOCK_THREAD_CPUTIME_ID) }

func read(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return wall()
	}
	return time.Duration(t.Nano())
}

func told() bool { return true }
