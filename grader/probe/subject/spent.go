package subject

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
)

// Multiplications returns how many multiplications the products of matrices take that
// are computed while do runs, whoever asks for them.
func Multiplications(do func()) int {
	var count atomic.Int64
	defer kernel.WatchProducts(func(rows, cols, depth int) {
		count.Add(int64(rows) * int64(cols) * int64(depth))
	})()
	do()
	return int(count.Load())
}

// OneProcessor gives all goroutines one processor, on which none waits for others, and
// lets nothing be garbage. It returns a function that gives them all again.
//
// What is measured on it is lent what it works with just before, and its result is copied
// at once. So nothing is done ahead, and what is put off is missing.
func OneProcessor() (all func()) {
	before := runtime.GOMAXPROCS(1)
	runtime.GC()
	return func() { runtime.GOMAXPROCS(before) }
}

// Spent returns how much of a processor's time the program takes while do runs, in
// whichever goroutine.
func Spent(do func()) time.Duration {
	begin := cputime.Process()
	do()
	return cputime.Process() - begin
}

// Alone returns how much of a processor's time do takes. What other goroutines do
// meanwhile does not count: nobody makes something slow that is compared with.
func Alone(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := cputime.Thread()
	do()
	return cputime.Thread() - begin
}
