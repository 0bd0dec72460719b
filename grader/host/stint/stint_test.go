package stint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program is held to the time that it had, not to the time on the clock.
func TestLost(t *testing.T) {
	const ms, processors = time.Millisecond, 2
	for name, c := range map[string]struct {
		threads func(look int, t []thread) // changes them, for 100 ms
		lost    time.Duration              // of ten seconds
	}{
		"alone on the machine": {func(_ int, all []thread) { all[0].runs(100*ms, 0) }, 0},
		"it sleeps":            {func(int, []thread) {}, 0},
		"a neighbour has half of it": {func(_ int, all []thread) {
			all[0].runs(50*ms, 50*ms)
		}, 5 * time.Second},
		"threads in turn, with half of it": {func(look int, all []thread) {
			for i := range all {
				all[i].ready = i == look%len(all)
			}
			all[look%len(all)].runs(50*ms, 50*ms)
		}, 5 * time.Second},
		"many threads that fill the machine": {func(_ int, all []thread) {
			for i := range all {
				all[i].runs(processors*ms, 98*ms)
			}
		}, 0},
		"many threads, with half of the machine": {func(_ int, all []thread) {
			for i := range all {
				all[i].runs(ms, 99*ms)
			}
		}, 5 * time.Second},
		"threads that wake together, and sleep most of the time": {func(look int, all []thread) {
			for i := range all { // each runs for 0.05 ms, a hundred after one another
				all[i].runs(ms/20, 2*ms)
				all[i].ready = look%20 == 0
			}
		}, 250 * ms},
		"a wait of many looks, not told yet": {func(look int, all []thread) {
			all[0].ready = true
			if look == 0 {
				all[0].ran += ms
			}
		}, 98 * 100 * ms},
		"a wait of many looks, told at its end": {func(look int, all []thread) {
			all[0].ready = true
			if look%25 == 24 {
				all[0].runs(100*ms, 2400*ms)
			}
		}, 96 * 100 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			l, begun, all := ledger{}, time.Now(), make([]thread, 100)
			for i := range all {
				all[i] = thread{ran: time.Hour, waited: time.Hour}
			}
			record := func(look int) {
				now := map[int]thread{}
				for i, one := range all {
					now[i] = one
				}
				l.look(begun.Add(time.Duration(look)*100*ms), now)
			}
			record(0)
			since := l.Account
			for look := range 100 {
				for i := range all {
					all[i].ready = false
				}
				c.threads(look, all)
				record(look + 1)
			}
			require.InDelta(t, c.lost, l.Lost(since, processors), float64(150*ms))
		})
	}
}

// runs lets some time pass for a thread.
func (t *thread) runs(ran, waited time.Duration) {
	t.ran, t.waited, t.ready = t.ran+ran, t.waited+waited, true
}

// Where whoever looks is late, the time counts as lost, but for what the session has run.
func TestLateLooks(t *testing.T) {
	const s = time.Second
	l, begun := ledger{}, time.Now()
	l.look(begun, map[int]thread{1: {}})
	l.look(begun.Add(10*s), map[int]thread{1: {ran: 4 * s}})
	require.Equal(t, 10*s-every-2*s, l.Lost(Account{}, 2))
	overdue := l.until(begun.Add(15 * s))
	require.Equal(t, 15*s-2*every-2*s, overdue.Lost(Account{}, 2))
	l.look(begun.Add(15*s), map[int]thread{1: {ran: 4 * s}})
	require.Equal(t, overdue, l.Account)
}
