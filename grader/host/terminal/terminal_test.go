package terminal_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/terminal"
)

func TestPlain(t *testing.T) {
	for name, tt := range map[string]struct {
		env   map[string]string
		plain bool
	}{
		"nothing said":              {nil, false},
		"UTF-8":                     {map[string]string{"LANG": "de_DE.UTF-8"}, false},
		"C with UTF-8":              {map[string]string{"LANG": "C.utf8"}, false},
		"C":                         {map[string]string{"LANG": "C"}, true},
		"POSIX over UTF-8":          {map[string]string{"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, true},
		"characters over languages": {map[string]string{"LC_CTYPE": "C.UTF-8", "LANG": "C"}, false},
		"Latin-1":                   {map[string]string{"LANG": "de_DE.ISO-8859-1"}, true},
		"no encoding named":         {map[string]string{"LANG": "zh_CN"}, false},
		"a dumb terminal":           {map[string]string{"TERM": "dumb", "LANG": "C.UTF-8"}, true},
	} {
		require.Equal(t, tt.plain, terminal.Plain(func(name string) string { return tt.env[name] }), name)
	}
}

func TestNoTerminal(t *testing.T) {
	var b bytes.Buffer
	require.False(t, terminal.Is(&b))
	require.Zero(t, terminal.Columns(&b))
	require.False(t, terminal.Live(&b, func(string) string { return "" }))
	require.False(t, terminal.Coloured(&b, func(string) string { return "" }))
}
