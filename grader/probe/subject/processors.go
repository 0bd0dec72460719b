package subject

import "runtime"

// Draws runs what draws random numbers on one processor and on four in turn: the same
// seed gives the same numbers on any machine.
func (a Args) Draws(draw func()) {
	procs := 1
	if a.host.drawn++; a.host.drawn%2 == 0 {
		procs = 4
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	draw()
}
