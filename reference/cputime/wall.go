package cputime

import "time"

// wall returns the time since a fixed moment, to the precision of the system's
// clock.
func wall() time.Duration { return time.Duration(time.Now().UnixNano()) }
