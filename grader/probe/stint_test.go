package probe

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program is held to the time that it had, not to the time on the clock.
func TestStint(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		ran, waits time.Duration // in each second that passes, of all threads
		over       time.Duration // on the clock, when its ten seconds are up
	}{
		"alone on the machine":        {s, 0, 10 * s},
		"it sleeps":                   {0, 0, 10 * s},
		"a neighbour has half of it":  {s / 2, s / 2, 18 * s},
		"neighbours have nearly all":  {0, s * 99 / 100, 200 * s},
		"many threads of its own":     {s * time.Duration(runtime.NumCPU()), 100 * s, 10 * s},
		"many threads and neighbours": {s * time.Duration(runtime.NumCPU()) / 2, 100 * s, 18 * s},
	} {
		t.Run(name, func(t *testing.T) {
			st, clock := stint{limit: 10 * s}, time.Duration(0)
			now := schedule{ran: 3 * time.Hour, waited: 5 * time.Hour} // before this answer
			for over := false; !over; {
				clock += s
				now.ran, now.waited = now.ran+c.ran, now.waited+c.waits
				over = st.look(s, now)
			}
			require.Equal(t, c.over, clock)
		})
	}
}

func TestExcusedTime(t *testing.T) {
	b := NewBudget(Limits{Budget: 10 * time.Second})
	b.spend(10 * time.Second)
	require.True(t, b.spent())
	b.excuse(4 * time.Second)
	require.Equal(t, 4*time.Second, b.left())
	for range 2 * overtime { // as much as it says it has waited, there is an end
		b.spend(10 * time.Second)
		b.excuse(time.Hour)
	}
	require.True(t, b.spent())
	NewBudget(Limits{}).excuse(time.Hour)
}
