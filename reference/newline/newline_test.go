package newline_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/newline"
)

func TestUnix(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"lines of Windows":             {"a\r\nb\r\n\r\n", "a\nb\n\n"},
		"lines of Unix":                {"a\nb\n", "a\nb\n"},
		"both":                         {"a\r\nb\n", "a\nb\n"},
		"a carriage return in a line":  {"a\rb\r\r\n", "a\rb\r\n"},
		"what holds a zero is no text": {"PK\x00\r\n", "PK\x00\r\n"},
		"nothing":                      {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, string(newline.Unix([]byte(tt.data))))
			data, err := fs.ReadFile(newline.FS{FS: fstest.MapFS{"f": {Data: []byte(tt.data)}}}, "f")
			require.NoError(t, err)
			require.Equal(t, tt.want, string(data))
		})
	}
}
