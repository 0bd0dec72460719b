package training

import (
	"math"
	"runtime"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
)

// contest wants a subject to be many times faster than plain loops.
type contest struct {
	atLeast float64
	advice  lang.Text
	control func() float64 // how many times faster the kit's own product is, here and now
}

// timing is how many seconds of a processor's time the same multiplications took.
type timing struct {
	asked           lang.Text
	multiplications float64
	own, plain      float64
}

func (t timing) ratio() float64 { return t.plain / t.own }

// How often a subject is timed, and how often it must have been too slow, while
// the control was fast by a margin, before it is said to be slow.
const (
	attempts = 8
	slowWhen = 3
	margin   = 2
)

// decide measures until the subject was fast enough once, or surely is not. A
// machine on which the kit's own product is not fast either decides nothing: the
// check is then left out.
func (c contest) decide(measure func() (timing, error)) error {
	var best timing
	for slow, attempt := 0, 0; attempt < attempts; attempt++ {
		t, err := measure()
		if err != nil || t.ratio() >= c.atLeast {
			return err
		}
		if attempt == 0 || t.ratio() > best.ratio() {
			best = t
		}
		if c.control() >= margin*c.atLeast {
			slow++
		}
		if slow == slowWhen {
			return &verdict.Failure{Kind: verdict.TooSlow, Asked: best.asked,
				Message: lang.T("it takes %.3g ms where plain loops take %.3g ms: %.1f times as fast, want at least %g times. %s",
					1e3*best.own, 1e3*best.plain, best.ratio(), c.atLeast, c.advice)}
		}
	}
	return &course.LeftOut{Why: lang.T("this machine is too busy to time them")}
}

// control times the kit's own product beside plain loops in this process, both on
// one thread.
func control() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const n, rows, turns = 192, 48, 5
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = float32(i%7), float32(i%5)
	}
	square := func(data []float32) kernel.Matrix {
		return kernel.Matrix{Rows: n, Cols: n, Data: data, Down: n, Right: 1}
	}
	plain, fast := math.Inf(1), math.Inf(1)
	for range turns {
		start := cputime.Thread()
		for i := range rows * n {
			row, sum := a[i/n*n:i/n*n+n], float32(0)
			for p, x := range row {
				sum += x * b[p*n+i%n]
			}
			c[i] = sum
		}
		between := cputime.Thread()
		kernel.GemmSerial(square(c), square(a), square(b), false)
		end := cputime.Thread()
		plain, fast = min(plain, (between-start).Seconds()*n/rows), min(fast, (end-between).Seconds())
	}
	return plain / fast
}
