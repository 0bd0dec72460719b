package lint_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlocksPrint runs every Go file that a lesson asks the reader to put beside their
// code, on the solutions, and holds what it prints to the block that follows it there.
func TestBlocksPrint(t *testing.T) {
	root, all := pages(t)
	replace := map[string]string{}
	solutions, err := filepath.Glob(filepath.Join(root, "solutions", "step*", "*.go"))
	require.NoError(t, err)
	for _, file := range solutions {
		if !strings.HasSuffix(file, "_test.go") {
			replace[filepath.Join(root, "steps", filepath.Base(filepath.Dir(file)), filepath.Base(file))] = file
		}
	}
	said := map[string][]string{} // by folder: what the lesson says that is printed
	for name, p := range all {
		for i, b := range p.blocks[:max(0, len(p.blocks)-1)] {
			next := p.blocks[i+1]
			if b.language != "go" || next.language != "" || strings.HasPrefix(next.code, "go ") || strings.Contains(name, ".zh-CN.") {
				continue
			}
			file := filepath.Join(t.TempDir(), "block_test.go")
			require.NoError(t, os.WriteFile(file, []byte(b.code), 0o644))
			replace[filepath.Join(root, filepath.Dir(name), "try_test.go")] = file
			require.Nil(t, said[path.Dir(name)], "%s: a second file that prints", name)
			said[path.Dir(name)] = strings.Split(strings.TrimSpace(next.code), "\n")
		}
	}
	require.NotEmpty(t, said)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o644))
	for folder, lines := range said {
		t.Run(path.Base(folder), func(t *testing.T) {
			run := exec.Command("go", "test", "-v", "-overlay="+file, "-run=^TestTry$", "./"+folder)
			run.Dir = root
			out, err := run.CombinedOutput()
			require.NoError(t, err, "%s", out)
			printed := regexp.MustCompile(`(?m)^\s+try_test\.go:\d+: `).ReplaceAllString(string(out), "")
			for _, line := range lines {
				require.True(t, slices.ContainsFunc(strings.Split(printed, "\n"), func(have string) bool { return alike(line, have) }), "the lesson has\n%s\nand printed is\n%s", line, printed)
			}
		})
	}
}

// alike reports whether two lines have the same words, and numbers that differ by no more
// than another processor's rounding.
func alike(a, b string) bool {
	return slices.EqualFunc(strings.Fields(a), strings.Fields(b), func(a, b string) bool {
		x, xerr := strconv.ParseFloat(a, 64)
		y, yerr := strconv.ParseFloat(b, 64)
		return a == b || xerr == nil && yerr == nil && math.Abs(x-y) < 0.005*math.Abs(x)
	})
}
