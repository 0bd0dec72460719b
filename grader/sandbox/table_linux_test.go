package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/sandbox"
)

// The table stands between these lines.
const (
	tableBegins = "<!-- walls: made by go test ./grader/sandbox -run TestWalls -update -->\n"
	tableEnds   = "<!-- walls end -->\n"
)

// cells are what the table says, by whether it is held as root and as a user.
func cells() map[[2]bool]string {
	return map[[2]bool]string{
		{true, true}:   "held",
		{false, false}: "**not held**",
		{true, false}:  "held as root, **not** as a user",
		{false, true}:  "held as a user, **not** as root",
	}
}

// table writes the table of what was found.
func table(found map[string]findings) string {
	var b strings.Builder
	b.WriteString("| a submission tries to |")
	for _, level := range sandbox.Levels() {
		fmt.Fprintf(&b, " `%s` |", level)
	}
	b.WriteString("\n|---|---|---|---|\n")
	for _, thing := range things() {
		fmt.Fprintf(&b, "| %s |", thing.text)
		for _, level := range sandbox.Levels() {
			held := [2]bool{!found["root"].through(level, thing), !found["user"].through(level, thing)}
			fmt.Fprintf(&b, " %s |", cells()[held])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// compareTable compares what was found with the table in a file, or writes it
// there.
func compareTable(t *testing.T, file string, found map[string]findings) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), tableBegins)
	require.True(t, ok, "%s has no line %s", file, tableBegins)
	old, after, ok := strings.Cut(rest, tableEnds)
	require.True(t, ok, "%s has no line %s", file, tableEnds)
	if *update {
		for _, who := range []string{"root", "user"} {
			require.Len(t, found[who], len(sandbox.Levels())+2, "the table is made as root, where every level is available")
		}
		require.NoError(t, os.WriteFile(file, []byte(before+tableBegins+table(found)+tableEnds+after), 0o644))
		return
	}
	rows := map[string][]string{}
	for line := range strings.Lines(old) {
		fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		rows[strings.TrimSpace(fields[0])] = fields[1:]
	}
	for _, thing := range things() {
		row := rows[thing.text]
		require.Len(t, row, len(sandbox.Levels()), "the table has no row %q; make it anew with -update", thing.text)
		for i, level := range sandbox.Levels() {
			for held, text := range cells() {
				if strings.TrimSpace(row[i]) != text {
					continue
				}
				for j, who := range []string{"root", "user"} {
					if f := found[who]; f[level] != nil && f.through(level, thing) == held[j] {
						t.Errorf("%s, level %s, %s: the table says %q; found: %s", who, level, thing.name, text, f[level][thing.name])
					}
				}
			}
		}
	}
}
