package lang

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgument(t *testing.T) {
	for path, want := range map[string]struct{ unix, windows string }{
		"runs/tiny-opticks": {"runs/tiny-opticks", "runs/tiny-opticks"},
		"模型":                {"模型", "模型"},
		"":                  {"''", `""`},
		"my runs/a":         {"'my runs/a'", `"my runs/a"`},
		`C:\runs\a`:         {`'C:\runs\a'`, `C:\runs\a`},
		`D:\my runs\a`:      {`'D:\my runs\a'`, `"D:\my runs\a"`},
		"it's $HOME":        {`'it'\''s $HOME'`, `"it's $HOME"`},
		"~/a":               {"'~/a'", `"~/a"`},
	} {
		require.Equal(t, want.unix, argument(path, false))
		require.Equal(t, want.windows, argument(path, true))
	}
}
