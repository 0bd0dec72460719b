package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Outside of a box the port of a trial is reached: that it is not reached says something.
func TestTrialHasAPort(t *testing.T) {
	port, hangUp, err := listen()
	require.NoError(t, err)
	require.True(t, reaches(port))
	require.True(t, reaches(port), "again, though nobody has answered")
	hangUp()
	require.False(t, reaches(port))
}
