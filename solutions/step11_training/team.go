package training

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// team is a parallel for-loop that is run again and again: it calls do(0, with), …,
// do(n−1, with), as many at a time as there are processors. It is made once, so that a
// training step allocates nothing.
type team[W any] struct {
	do       func(i int, with W)
	with     W // what all calls of this run are given
	n        int64
	next     atomic.Int64 // the least i that nobody has taken yet
	others   sync.WaitGroup
	help     func() // work, for a goroutine of its own
	panicked atomic.Pointer[any]
}

// atWork counts the goroutines of all teams that are at work now. If they are fewer than
// the processors, MatMul divides a product among the idle ones. If not, every processor
// has work already, and dividing would only cost time.
var atWork atomic.Int64

func newTeam[W any](do func(i int, with W)) *team[W] {
	t := &team[W]{do: do}
	t.help = func() {
		defer t.others.Done()
		t.work()
	}
	return t
}

// run returns when all calls have returned. If one of them panics, so does run,
// on the caller's goroutine, where somebody can recover it.
func (t *team[W]) run(n int, with W) {
	t.n, t.with = int64(n), with
	t.next.Store(0)
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		t.others.Add(1)
		go t.help()
	}
	t.work()
	t.others.Wait()
	if p := t.panicked.Swap(nil); p != nil {
		panic(*p)
	}
}

// work takes one call after the other until none is left.
func (t *team[W]) work() {
	atWork.Add(1)
	defer func() {
		atWork.Add(-1)
		if p := recover(); p != nil {
			first := p
			t.panicked.CompareAndSwap(nil, &first)
		}
	}()
	for i := t.next.Add(1) - 1; i < t.n; i = t.next.Add(1) - 1 {
		t.do(int(i), t.with)
	}
}
