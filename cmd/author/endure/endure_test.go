//go:build unix

package endure_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/endure"
)

// script stands for the grading of a class: it stores one result and ends. The run that is
// to be killed waits to be, however far it has come, and those after it lose what LOSE says.
const script = `
mkdir -p "$OUT/results"
touch "$OUT/results/ann.json"
if [ "$RUN" = 2 ]; then sleep 600; fi
if [ "$RUN" -gt 2 ] && [ "$LOSE" = ann ]; then row="ann,0"; else row="ann,100"; fi
printf 'student,total\n%s\nbob,50\n' "$row" > "$OUT/gradebook.csv"
for f in csv json md; do echo "$row" > "$OUT/misconceptions.$f"; done
`

func TestTrial(t *testing.T) {
	for name, c := range map[string]struct {
		lose   string
		number int // of submissions, by which the runs are killed after 0 results, or after 0 and 5
		kills  int
		varies bool
		want   []string
	}{
		"nothing is lost":    {"", 1, 1, false, nil},
		"a row is lost":      {"ann", 1, 1, false, []string{"the row ann,0 was ann,100 without interruption", "misconceptions.csv differs", "misconceptions.json differs", "misconceptions.md differs"}},
		"a row that may":     {"ann", 1, 1, true, nil},
		"it ended too early": {"", 7, 2, false, []string{"run 2 of 2 came to its end before it was killed"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			whole, pieces := filepath.Join(dir, "whole"), filepath.Join(dir, "pieces")
			run := 0
			trial := endure.Trial{Number: c.number, Kills: c.kills, Rand: rand.New(rand.NewPCG(1, 1)), Log: t.Logf,
				Varies: func(string) bool { return c.varies },
				Command: func(out string) *exec.Cmd {
					cmd := exec.Command("/bin/sh", "-c", script)
					run++
					cmd.Env = append(os.Environ(), "OUT="+out, fmt.Sprint("RUN=", run), "LOSE="+c.lose)
					return cmd
				}}
			got, err := trial.Run(whole, pieces)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
