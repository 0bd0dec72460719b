package training

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a team says of itself decides into how many parts a product is cut, which no number
// shows: every goroutine is counted while it works, and none afterwards.
func TestTeamCounts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	var all sync.WaitGroup // three calls that wait for each other are three goroutines
	all.Add(3)
	counted := make([]int64, 3)
	meet := newTeam(func(i int, _ struct{}) {
		all.Done()
		all.Wait()
		counted[i] = atWork.Load()
		if i == 1 {
			panic("as a layer may")
		}
	})
	require.Zero(t, atWork.Load())
	require.PanicsWithValue(t, "as a layer may", func() { meet.run(3, struct{}{}) })
	require.Contains(t, counted, int64(3), "when all have met and none has left")
	require.Zero(t, atWork.Load())
}
