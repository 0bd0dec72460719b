package probe

import (
	"runtime"
	"time"
)

const (
	// overtime is how many times its limit a program may take on the clock, if it
	// spends the rest waiting for a processor that others have: a busy machine is
	// not the program's fault.
	overtime = 20
	// looks is how often it is looked at within its limit.
	looks = 10
)

// schedule is what became of the threads of a program, all together, since its
// start.
type schedule struct {
	ran    time.Duration // on a processor
	waited time.Duration // ready to run, without a processor
}

// lost returns how much of some time on the clock the program lost to others,
// between two looks: not where it filled the processors itself.
func (s schedule) lost(before schedule, clock time.Duration, processors int) time.Duration {
	rest := clock - (s.ran-before.ran)/time.Duration(processors)
	return max(min(s.waited-before.waited, rest), 0)
}

// stint is the time that a program has had for an answer.
type stint struct {
	limit  time.Duration
	clock  time.Duration // that has passed
	had    time.Duration // of that, without what was lost to others
	last   schedule
	looked bool
}

// look takes down that some time has passed, and what is known of the program's
// threads. It reports whether the program has had its time.
func (s *stint) look(passed time.Duration, now schedule) bool {
	own := passed
	if s.looked {
		own -= now.lost(s.last, passed, runtime.NumCPU())
	}
	s.clock, s.had, s.last, s.looked = s.clock+passed, s.had+own, now, true
	almost := s.limit - s.limit/(2*looks) // looks do not come on the dot
	return s.had >= almost || s.clock >= overtime*s.limit
}
