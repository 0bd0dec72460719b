// Package cputime tells how much of the processors' time was spent, which a busy
// machine changes far less than what a clock on the wall says.
package cputime

import "time"

// Process returns the time that the processors have spent on this process, all
// threads together. Where the system does not tell it precisely, it is the time
// on the wall; see Told.
func Process() time.Duration { return process() }

// Thread returns the time that the processors have spent on the calling thread,
// as Process does; the goroutine must be locked to it.
func Thread() time.Duration { return thread() }

// Told reports whether the times of Process and Thread say how much was computed, here and
// now. Times on the wall do as long as whoever computes has a processor all the time.
func Told() bool { return told() }

// Wall returns the time on the wall since a fixed moment, in the shortest ticks that the
// system has: for what takes less than a millisecond.
func Wall() time.Duration { return wall() }
