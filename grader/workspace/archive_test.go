package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// Archives are read as others read the format, and nothing is stored that would be read
// as something else.
func TestArchive(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		ok    bool
	}{
		"two files":          {map[string]string{"a.go": "package a\n\n// -- no marker --x\n", "b.go": "package a\n"}, true},
		"an empty file":      {map[string]string{"a.go": "", "b.go": "package a\n"}, true},
		"no line end":        {map[string]string{"a.go": "package a"}, false},
		"none in the middle": {map[string]string{"a.go": "package a", "b.go": "package a\n"}, false},
		"a marker":           {map[string]string{"a.go": "package a\n/*\n-- c.go --\n*/\n"}, false},
		"a name of blanks":   {map[string]string{"a.go": "package a\n/*\n--   --\n*/\n"}, true},
	} {
		files := map[string][]byte{}
		for name, text := range c.files {
			files[name] = []byte(text)
		}
		data, ok := pack("A comment.\n\n", files)
		require.Equal(t, c.ok, ok, name)
		read := map[string][]byte{}
		for _, f := range txtar.Parse(data).Files {
			read[f.Name] = f.Data
		}
		if ok {
			require.Equal(t, files, unpack(data), name)
			require.Equal(t, files, read, name)
		}
	}
}
