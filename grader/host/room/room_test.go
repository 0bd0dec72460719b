package room

import (
	"fmt"
	"io/fs"
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLacking(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a full disk":              {fmt.Errorf("the build: %w", &fs.PathError{Op: "write", Path: "/tmp/x", Err: full()[0]}), true},
		"too little for grading":   {&FullError{Dir: "/tmp", Left: 1}, true},
		"no descriptor left":       {&fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, true},
		"a name that is too long":  {&fs.PathError{Op: "open", Path: "x", Err: syscall.ENAMETOOLONG}, false},
		"a file that is not there": {fs.ErrNotExist, false},
		"none":                     {nil, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Lacking(c.err)) })
	}
	require.True(t, Says("# x\n/go/link: mapping output file failed: no space left on device\n"))
	require.False(t, Says("steps/a.go:3: undefined: space"))
}

// Those who write at the same time never have more than there is, however many they are.
func TestShare(t *testing.T) {
	left, err := Left(t.TempDir())
	require.NoError(t, err)
	require.Equal(t, int64(1), Share(t.TempDir(), 1))
	require.LessOrEqual(t, Share(t.TempDir(), math.MaxInt64), left/3, "others may make room meanwhile")
}
