package notices

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the programs link on this system is named in the notices, version and
// all. Other systems are looked at by: grade dev notices --check
func TestEverythingLinkedIsNamed(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(File)))
	require.NoError(t, err)
	linked, err := Linked(t.Context(), []Program{{Dir: root, Patterns: []string{"./cmd/..."}}})
	require.NoError(t, err)
	require.Greater(t, len(linked), 20)
	for m := range linked {
		require.Contains(t, string(text), m.Path+", "+m.Version+": ", "run: go run ./cmd/grade dev notices")
	}
	for _, carried := range []string{"Go, standard library and runtime: LICENSE", "github.com/ajstarks/svgo, ",
		"github.com/golang/freetype, ", "codeberg.org/go-fonts/liberation, v0.5.0: LICENSE-SIL"} {
		require.Contains(t, string(text), carried)
	}
}

func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  []string // nil: refused
	}{
		"at the root":            {[]string{"LICENSE", "README.md", "a/b/x.go"}, []string{"LICENSE"}},
		"British, and more":      {[]string{"LICENCE.txt", "NOTICE", "PATENTS", "license.go"}, []string{"LICENCE.txt", "NOTICE", "PATENTS"}},
		"beside the package":     {[]string{"LICENSE", "a/LICENSE-SIL", "a/b/COPYING"}, []string{"LICENSE", "a/LICENSE-SIL", "a/b/COPYING"}},
		"of another package":     {[]string{"LICENSE", "c/COPYING"}, []string{"LICENSE"}},
		"in a folder":            {[]string{"LICENSE", "licenses/ftl.txt"}, []string{"LICENSE", "licenses/ftl.txt"}},
		"in the README":          {[]string{"README.md"}, []string{"README.md"}},
		"nowhere":                {[]string{"a/b/x.go"}, nil},
		"a name that is similar": {[]string{"licensing_test.txt", "noticed"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := Module{"example.org/m", "v1.0.0", t.TempDir()}
			inner := filepath.Join(m.Dir, "a", "b")
			require.NoError(t, os.MkdirAll(inner, 0o755))
			for _, file := range c.files {
				path := filepath.Join(m.Dir, filepath.FromSlash(file))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte("# m\r\n\r\n## License  \r\n\r\nMIT\r\n"), 0o644))
			}
			found, err := of(m, map[string]bool{inner: true})
			if c.want == nil {
				require.ErrorContains(t, err, "example.org/m v1.0.0 has no licence file")
				return
			}
			require.NoError(t, err)
			var names []string
			for name, text := range found {
				names = append(names, name)
				require.NotContains(t, text, "\r")
				require.Contains(t, text, "## License\n\nMIT\n")
			}
			require.ElementsMatch(t, c.want, names)
		})
	}
}

func TestWrite(t *testing.T) {
	users := map[string][]string{"MIT\n": {"b, v1: LICENSE", "a, v1: LICENSE"}, "BSD\n": {"c, v2: LICENSE"}}
	text := string(write(users))
	require.Regexp(t, `(?s)a, v1: LICENSE\nb, v1: LICENSE\n\nMIT\n.*c, v2: LICENSE\n\nBSD\n`, text)
}
