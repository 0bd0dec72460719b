package course

import (
	"math"
	"runtime"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/cputime"
)

// Pace is how much of a processor's time a task took, and how much something else that
// it is compared with did, in the same process.
type Pace struct {
	Function   string // empty if it is not known
	Asked      lang.Text
	Own, Other float64 // seconds
}

// Ratio is how many times as long as the other the task took.
func (p Pace) Ratio() float64 { return p.Own / p.Other }

// told reports whether the clock could tell both: where it ticks coarsely, what is short
// takes no time at all.
func (p Pace) told() bool { return p.Own >= 0 && p.Other > 0 }

// Limit is how many times as long as something else a task may take. It lies far from
// what right programs take, and far from what wrong ones do.
type Limit struct {
	Ratio float64
	Sure  func() bool            // whether this machine tells the one from the other, here and now
	Says  func(p Pace) lang.Text // of the best of several attempts, that it was too slow
}

// How often a task is timed, and how often it must have been too slow on a machine that
// is sure of it, before it is said to be. Far beyond the limit, once is enough.
const (
	paceAttempts = 8
	tooSlowWhen  = 3
	farBeyond    = 4
)

// Decide measures until the task was fast enough once, or surely is not. A machine that is
// never sure decides nothing: the check is then left out.
func (l Limit) Decide(measure func() (Pace, error)) error {
	var best Pace
	for slow, attempt := 0, 0; attempt < paceAttempts; attempt++ {
		p, err := measure()
		if err != nil || p.told() && p.Ratio() <= l.Ratio {
			return err
		}
		if !p.told() {
			continue
		}
		if best.Other == 0 || p.Ratio() < best.Ratio() {
			best = p
		}
		if !l.Sure() {
			continue
		}
		if slow++; slow == tooSlowWhen || p.Ratio() > farBeyond*l.Ratio {
			return &verdict.Failure{Kind: verdict.TooSlow, Function: best.Function, Asked: best.Asked, Message: l.Says(best)}
		}
	}
	return &LeftOut{Why: lang.T("this machine is too busy to time them")}
}

// Steady reports whether four times the work takes about four times as long, here and now,
// by a clock that says who computed.
func Steady() bool {
	if !cputime.Told() {
		return false
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := uint64(1)
	work := func(n int) float64 {
		best := math.Inf(1)
		for range 3 {
			start := cputime.Thread()
			for range n {
				x = x*6364136223846793005 + 1
			}
			best = min(best, (cputime.Thread() - start).Seconds())
		}
		return best
	}
	ratio := work(8<<20) / work(2<<20)
	return x != 0 && 3 < ratio && ratio < 5.5
}
