package excerpt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlace(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.go"), []byte("package a\n\nfunc f() {\n\tpanic(tensor.TODO(1))\n}\n\nfunc (s *SwiGLU) Forward() {}\n\nfunc DFF() {}\n\nfunc (s *SwiGLU) Backward() {\n\tpanic(tensor.TODO(\"step05: SwiGLU.Backward\"))\n}\n\nfunc Glu16Swi() {}\n\nfunc (s *SwiGLU) Reset() {}\n\nfunc (d *Other) Reset() {}\n"), 0o644))
	files := []string{"a.go", "b.go"}
	for name, tt := range map[string]struct {
		check, message, file string
		line                 int
	}{
		"a compile error":       {"", "steps/step02_x/a.go:7:3: undefined", "a.go", 7},
		"the first of the step": {"dff", "panic\n  tensor.go:9 Mul\n  b.go:2 f", "b.go", 2},
		"what is not written":   {"", "wrong values", "b.go", 4},
		"a method":              {"swiglu.forward.fresh", "wrong values", "b.go", 7},
		"a function":            {"dff", "wrong values", "b.go", 9},
		"what a stub says":      {"step05: SwiGLU.Backward", "not implemented", "b.go", 12},
		"half a name":           {"dffs", "wrong values", "a.go", 1},
		"of another package":    {"ffn.backward", "wrong values", "b.go", 11},
		"put together":          {"swi.glu_16.fresh", "wrong values", "b.go", 15},
		"a name that two have":  {"swi.reset", "wrong values", "a.go", 1},
		"a name that none has":  {"swi.again", "wrong values", "a.go", 1},
	} {
		file, line := Place(dir, files, tt.check, tt.message)
		require.Equal(t, filepath.Join(dir, tt.file), file, name)
		require.Equal(t, tt.line, line, name)
	}
	file, line := Place(dir, files[:1], "", "")
	require.Equal(t, filepath.Join(dir, "a.go"), file)
	require.Equal(t, 1, line)
}
