package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/grader/workspace/excerpt"
)

// The report that README shows, in both languages, is what attention without its scale is told.
func TestReportInREADME(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	all := registry.Steps()
	step := all[slices.IndexFunc(all, func(s *course.Step) bool { return s.ID == "step08" })]
	mistakes, err := mistake.Load(kit.Root, step.Folder)
	require.NoError(t, err)
	solutions, err := mistake.Solutions(kit.Root)
	require.NoError(t, err)
	i := slices.IndexFunc(mistakes, func(m mistake.Mistake) bool { return m.ID == "no-scale" })
	overlay, err := mistakes[i].Versions[0].Apply(solutions)
	require.NoError(t, err)
	r, err := grader.Grade(t.Context(), grader.Request{Kit: kit, Steps: []*course.Step{step}, Impl: grader.Solutions,
		Overlay: overlay, Limits: probe.DefaultLimits()}, nil)
	require.NoError(t, err)
	files, err := kit.StubFiles(step.Folder)
	require.NoError(t, err)
	mistaken := t.TempDir()
	for name, text := range overlay {
		require.NoError(t, os.WriteFile(filepath.Join(mistaken, filepath.Base(name)), text, 0o644))
	}
	rounded := regexp.MustCompile(`\(to [^)]*\)`) // by each processor in its own way
	for page, language := range map[string]string{"README.md": "en", "README.zh-CN.md": "zh"} {
		printer, err := lang.For(language)
		require.NoError(t, err)
		r.Steps[0].Title = lang.Of(step.Title).In(printer)
		style := report.Style{Signs: true, Lang: printer.Within(80)}
		var said strings.Builder
		require.NoError(t, r.WriteText(&said, report.Setting{Style: style, Place: func(_, check, message string) (string, int) {
			_, line := excerpt.Place(mistaken, files, check, message)
			return "steps/" + step.Folder + "/" + files[0], line
		}}))
		_, block, found := strings.Cut(read(t, kit, page), "$ go run ./cmd/grade step08\n")
		require.True(t, found, page)
		block, _, _ = strings.Cut(block, "\n```")
		for _, line := range strings.Split(block, "\n") {
			require.Contains(t, rounded.ReplaceAllString(said.String(), ""), rounded.ReplaceAllString(line, "")+"\n")
		}
	}
}

// The points that CURRICULUM leaves to a course without backward passes, and those of
// the parts of step 11.
func TestPointsInCurriculum(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	curriculum := read(t, kit, "CURRICULUM.md")
	said := func(pattern string) int {
		m := regexp.MustCompile(pattern).FindStringSubmatch(curriculum)
		require.NotNil(t, m, pattern)
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		return n
	}
	sum := 0
	for _, s := range course.ForwardOnly(registry.Steps())[:10] {
		sum += s.Max()
	}
	require.Equal(t, sum, said(`(\d+) of the 1000 points of steps 01 to 10`))
	require.Equal(t, sum, addedUp(t, curriculum, "| day | what | hours | points |"))
	core := 0
	for _, s := range registry.Steps() {
		if !s.Elective() {
			core += s.Max()
		}
	}
	require.Equal(t, core, addedUp(t, curriculum, "| week | what | question to end the week with | hours | points |"))
	training := registry.Steps()[10]
	lesson := read(t, kit, "steps/step11_training/README.md")
	for i, part := range training.Parts {
		sum = 0
		for _, c := range training.Checks {
			if part.Owns(c.ID) {
				sum += c.Points
			}
		}
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %c \|.*\| %d \|$`, 'a'+i, sum), lesson)
		if i == 0 {
			require.Equal(t, sum, said(`part a of step 11 \((\d+) points\)`))
		}
	}
}

// addedUp adds up the points of a table's rows, "40 + 50", and holds the sum to that of
// its last row.
func addedUp(t *testing.T, page, header string) int {
	t.Helper()
	_, table, found := strings.Cut(page, header+"\n")
	require.True(t, found, header)
	table, _, _ = strings.Cut(table, "\n\n")
	sum, last := 0, 0
	for _, row := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(row, "|")
		last = 0
		for _, n := range regexp.MustCompile(`\d+`).FindAllString(cells[len(cells)-2], -1) {
			points, err := strconv.Atoi(n)
			require.NoError(t, err)
			last += points
		}
		sum += last
	}
	require.Equal(t, last, sum-last, header)
	return last
}

func read(t *testing.T, kit *workspace.Kit, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(kit.Root, name))
	require.NoError(t, err)
	return string(data)
}
