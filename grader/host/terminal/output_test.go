package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/terminal"
)

// An output that can take no more is remembered, whatever whoever wrote thinks of it.
func TestOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(file)
	require.NoError(t, err)
	o := terminal.NewOutput(f)
	fmt.Fprintln(o, "a line")
	require.NoError(t, o.Err())
	require.Equal(t, f.Fd(), o.Fd())
	require.NoError(t, f.Close())
	fmt.Fprintln(o, "another")
	require.ErrorIs(t, o.Err(), os.ErrClosed)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "a line\n", string(text))
}
