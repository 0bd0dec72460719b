package stint

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// session is the one of this process.
func session(t *testing.T) int {
	id, err := unix.Getsid(0)
	require.NoError(t, err)
	return id
}
