//go:build unix

package endure_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/class/endure"
)

// script stands for the grading of two submissions: it stores one at a time, and
// loses what LOSE says when it was killed before.
const script = `
mkdir -p "$OUT/results"
if [ -e "$OUT/results/ann.json" ] && [ "$LOSE" = ann ]; then row="ann,0"; else row="ann,100"; fi
touch "$OUT/results/ann.json"
if [ -e "$OUT/again" ] || [ "$OUT" != "$PIECES" ]; then :; else touch "$OUT/again"; sleep 600; fi
printf 'student,total\n%s\nbob,50\n' "$row" > "$OUT/gradebook.csv"
for f in csv json md; do echo "$row" > "$OUT/misconceptions.$f"; done
`

func TestTrial(t *testing.T) {
	for name, c := range map[string]struct {
		lose   string
		kills  int
		varies bool
		want   []string
	}{
		"nothing is lost":    {"", 1, false, nil},
		"a row is lost":      {"ann", 1, false, []string{"the row ann,0 was ann,100 without interruption", "misconceptions.csv differs", "misconceptions.json differs", "misconceptions.md differs"}},
		"a row that may":     {"ann", 1, true, nil},
		"it ended too early": {"", 2, false, []string{"run 2 of 2 came to its end before it was killed"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			whole, pieces := filepath.Join(dir, "whole"), filepath.Join(dir, "pieces")
			trial := endure.Trial{Number: 1, Kills: c.kills, Rand: rand.New(rand.NewPCG(1, 1)), Log: t.Logf,
				Varies: func(string) bool { return c.varies },
				Command: func(out string) *exec.Cmd {
					cmd := exec.Command("/bin/sh", "-c", script)
					cmd.Env = append(os.Environ(), "OUT="+out, "PIECES="+pieces, "LOSE="+c.lose)
					return cmd
				}}
			got, err := trial.Run(whole, pieces)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
