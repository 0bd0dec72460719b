// Package stint says how much of the time that passes a program has had: a busy machine is
// not the program's fault. What its threads spend waiting for a processor that others have
// does not count, where the system tells it.
package stint

import (
	"runtime"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
)

const (
	// Overtime is how many times its limit a program may take on the clock.
	Overtime = 20
	// every is how often a session is looked at.
	every = 100 * time.Millisecond
)

// Watch looks at a session of processes, from its start on.
type Watch struct {
	session int
	end     chan struct{}
	looking sync.WaitGroup

	mu     sync.Mutex
	ledger ledger
}

// Start begins to look at a session. The caller calls End when it has ended.
func Start(session int) *Watch {
	w := &Watch{session: session, end: make(chan struct{})}
	w.looking.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		var c census
		for {
			w.look(time.Now(), c.look(session))
			select {
			case <-w.end:
				return
			case <-ticker.C:
			}
		}
	})
	return w
}

// End ends the looking.
func (w *Watch) End() {
	close(w.end)
	w.looking.Wait()
}

func (w *Watch) look(at time.Time, now map[int]thread) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger.look(at, now)
}

// Account returns what has become of the session so far.
func (w *Watch) Account() Account {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ledger.until(time.Now())
}

// Stint is a part of what a session does, which has a limit of time.
type Stint struct {
	watch *Watch
	limit time.Duration
	begun time.Time
	since Account
}

// Within begins a stint.
func (w *Watch) Within(limit time.Duration) *Stint {
	return &Stint{watch: w, limit: limit, begun: time.Now(), since: w.Account()}
}

// Expired returns a channel that tells why the stint is over, unless done was closed
// before: nil if the session has had its time, and a *StarvedError if it has not, in much
// more time on the clock.
func (s *Stint) Expired(done <-chan struct{}) <-chan error {
	over := make(chan error, 1)
	go func() {
		ticker := time.NewTicker(max(min(every, s.limit/20), time.Millisecond))
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			clock := time.Since(s.begun)
			had := clock - s.watch.Account().Lost(s.since, runtime.NumCPU())
			if had >= s.limit {
				over <- nil
				return
			}
			if clock >= Overtime*s.limit {
				over <- &StarvedError{Clock: clock, Had: had}
				return
			}
		}
	}()
	return over
}

// StarvedError says that nothing can be said of a program, for want of a processor.
type StarvedError struct{ Clock, Had time.Duration }

func (e *StarvedError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *StarvedError) In(p lang.Printer) string {
	return p.Say("this machine is too busy: in %v on the clock the program had a processor for %v. Try again when less is going on",
		e.Clock.Round(time.Second), e.Had.Round(time.Second/10))
}
