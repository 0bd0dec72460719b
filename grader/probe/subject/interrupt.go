package subject

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// interruptions is how often a call is interrupted at most.
	interruptions = 64
	// stalled is how long an interrupted call waits for the other. One that waits for the
	// interrupted call itself, as behind a lock, goes on beside it.
	stalled = 200 * time.Millisecond
)

// interrupted makes a call, which waits before each of its products of matrices until
// another goroutine has made the other call. That is where goroutines that share what a call
// writes on its way disturb each other whenever they meet, and here they always meet. It
// returns the answer, or what the other call came to if that did not end well.
func interrupted(call, other func() wire.Message) wire.Message {
	var busy atomic.Bool // the other call has products too, and several goroutines may compute one call
	var times atomic.Int64
	var bad atomic.Pointer[wire.Message]
	var all sync.WaitGroup
	stop := kernel.WatchProducts(func(int, int, int) {
		if times.Load() >= interruptions || !busy.CompareAndSwap(false, true) {
			return
		}
		times.Add(1)
		done := make(chan struct{})
		all.Go(func() {
			defer close(done)
			defer busy.Store(false)
			if m := other(); !well(m) {
				bad.Store(&m)
			}
		})
		select {
		case <-done:
		case <-time.After(stalled):
			times.Store(interruptions)
		}
	})
	answer := call()
	stop()
	all.Wait()
	if m := bad.Load(); m != nil {
		return *m
	}
	return answer
}
