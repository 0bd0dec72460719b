package probe

import "time"

const (
	// overtime is how many times its limit a program may take on the clock, if it
	// spends the rest waiting for a processor that others have: a busy machine is
	// not the program's fault.
	overtime = 5
	// looks is how often it is looked at within its limit.
	looks = 10
)

// stint is the time that a program has had for an answer.
type stint struct {
	limit  time.Duration
	clock  time.Duration // that has passed
	had    time.Duration // of that, without the time in which it waited for a processor
	waited time.Duration // what look was told last
	looked bool
}

// look takes down that some time has passed, and how long all threads of the
// program have waited for a processor since its start. It reports whether the
// program has had its time.
func (s *stint) look(passed, waited time.Duration) bool {
	own := passed
	if s.looked {
		own -= min(max(waited-s.waited, 0), passed)
	}
	s.clock, s.had, s.waited, s.looked = s.clock+passed, s.had+own, waited, true
	almost := s.limit - s.limit/(2*looks) // looks do not come on the dot
	return s.had >= almost || s.clock >= overtime*s.limit
}
