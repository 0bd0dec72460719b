package stint

import "time"

// thread is what became of a thread since its start.
type thread struct {
	ran    time.Duration // on a processor
	waited time.Duration // ready to run, without one
	ready  bool          // it runs, or is ready to
	told   bool          // all that it has waited; else what it has since it last ran is told when it runs again
}

// Account is what became of the threads of a session. Whoever looks at them counts as one
// that waits, where a look is late: then it does not know better.
type Account struct {
	Ran    time.Duration // on a processor, of all threads together
	Waited time.Duration // ready to run without one, of all threads together
	Active time.Duration // on the clock, where a thread ran or was ready to
}

// Lost returns how much of the time since another account the session lost to others:
// not where no thread of it was ready, nor where it filled the processors itself. Its
// threads may have waited for each other, and together for much longer than that.
func (a Account) Lost(since Account, processors int) time.Duration {
	rest := a.Active - since.Active - (a.Ran-since.Ran)/time.Duration(processors)
	return max(min(a.Waited-since.Waited, rest), 0)
}

// ledger makes the account of looks at the threads.
type ledger struct {
	Account
	at      time.Time // of the last look
	threads map[int]thread
	since   map[int]time.Time // of those that were ready and have not run: the look from which on
}

// look takes down what has become of the threads until now. Whether the session is active
// it sees now and then only, as often when it is as when it is not.
func (l *ledger) look(at time.Time, now map[int]thread) {
	since, active := map[int]time.Time{}, false
	for id, t := range now {
		before, known := l.threads[id]
		l.Ran, l.Waited = l.Ran+t.ran-before.ran, l.Waited+t.waited-before.waited
		if from, waits := l.since[id]; waits && t.waited != before.waited {
			l.Waited -= l.at.Sub(from) // which was counted before it was told
		}
		if active = active || t.ready; !t.ready {
			continue
		}
		since[id] = at
		if from, waits := l.since[id]; waits && known && !t.told && t.ran == before.ran && t.waited == before.waited {
			since[id] = from
			l.Waited += at.Sub(l.at)
		}
	}
	if active && !l.at.IsZero() {
		l.Active += at.Sub(l.at) - l.late(at)
	}
	l.Account = l.until(at)
	l.at, l.threads, l.since = at, now, since
}

// late is by how much a look would be late.
func (l *ledger) late(at time.Time) time.Duration {
	if l.at.IsZero() {
		return 0
	}
	return max(at.Sub(l.at)-every, 0)
}

// until returns the account with what is overdue.
func (l *ledger) until(at time.Time) Account {
	a, late := l.Account, l.late(at)
	a.Waited, a.Active = a.Waited+late, a.Active+late
	return a
}
