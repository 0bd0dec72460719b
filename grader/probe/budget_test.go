package probe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Time that was lost to others is given back, and there is an end to that, which nobody
// is blamed for.
func TestExcusedTime(t *testing.T) {
	b := NewBudget(Limits{Budget: 10 * time.Second})
	b.spend(10 * time.Second)
	require.True(t, b.spent())
	require.ErrorAs(t, b.failure(), new(*verdict.Failure))
	b.excuse(4 * time.Second)
	require.Equal(t, 4*time.Second, b.left())
	for range 2 * stint.Overtime { // as much as it says it has waited
		b.spend(10 * time.Second)
		b.excuse(time.Hour)
	}
	require.True(t, b.spent())
	require.ErrorAs(t, b.failure(), new(*stint.StarvedError))
	NewBudget(Limits{}).excuse(time.Hour)
}
