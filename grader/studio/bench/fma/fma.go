// Package fma measures the peak of one core: how many floating-point operations
// it does in a second when every instruction is a fused multiply-add on vector
// registers, none waits for another, and memory is not touched at all. No
// matrix product can be faster.
package fma

import (
	"time"

	"github.com/stubformer/stubformer/reference/cputime"
)

// perCall is how many rounds of the loop one call makes.
const perCall = 100_000

// Peak runs fused multiply-adds for about the given time and returns how many
// floating-point operations a second the best stretch reached. It is 0 where
// there is no code for the machine.
func Peak(d time.Duration) float64 {
	run, perRound := loop()
	if run == nil {
		return 0
	}
	best := 0.0
	for end := time.Now().Add(d); time.Now().Before(end); {
		start := cputime.Wall()
		run(perCall)
		best = max(best, float64(perRound)*perCall/(cputime.Wall()-start).Seconds())
	}
	return best
}
