package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// entrypoint is the run.sh of docs/instructors.md, for folders below dir.
func entrypoint(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "instructors.md"))
	require.NoError(t, err)
	_, script, found := strings.Cut(string(text), "    #!/usr/bin/env bash\n")
	require.True(t, found)
	script, _, _ = strings.Cut(script, "\n\n")
	kit, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return strings.NewReplacer("cd /kit", "cd "+kit, "/grade/", dir+"/grade/", "/tmp/submission", dir+"/submission").Replace(script)
}

// The script for PrairieLearn leaves results.json, whatever was handed in.
func TestPrairieLearnHasResults(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here")
	}
	for name, c := range map[string]struct {
		file, says string
	}{
		"nothing":        {"", "it holds no Go files"},
		"an empty place": {"grade/student/", "it holds no Go files"},
		"no Go file":     {"grade/student/notes.txt", "it holds no Go files"},
		"no Go":          {"grade/student/swiglu.go", "expected 'package'"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			if strings.HasSuffix(c.file, "/") {
				require.NoError(t, os.MkdirAll(path, 0o755))
			} else if c.file != "" {
				require.NoError(t, os.WriteFile(path, []byte("no Go\n"), 0o644))
			}
			out, err := exec.Command("bash", "-c", entrypoint(t, dir)).CombinedOutput()
			require.NoError(t, err, "%s", out)
			data, err := os.ReadFile(filepath.Join(dir, "grade", "results", "results.json"))
			require.NoError(t, err, "%s", out)
			var results struct {
				Gradable bool
				Errors   []string `json:"format_errors"`
			}
			require.NoError(t, json.Unmarshal(data, &results))
			require.False(t, results.Gradable)
			require.Contains(t, strings.Join(results.Errors, "\n"), c.says)
		})
	}
}
