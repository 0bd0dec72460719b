package training

import (
	"math"
	"runtime"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
)

// timesAsFast is a limit for a subject that is to be many times as fast as plain loops.
// It holds where the kit's own product is that fast by a margin.
func timesAsFast(atLeast float64, advice lang.Text) course.Limit {
	const margin = 2
	return course.Limit{
		Ratio: 1 / atLeast,
		Sure:  func() bool { return cputime.Told() && control() >= margin*atLeast },
		Says: func(p course.Pace) lang.Text {
			return lang.T("it takes %.3g ms where plain loops take %.3g ms: %.1f times as fast, want at least %g times. %s",
				1e3*p.Own, 1e3*p.Other, 1/p.Ratio(), atLeast, advice)
		},
	}
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
