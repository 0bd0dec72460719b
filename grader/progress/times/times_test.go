package times

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/progress"
)

// day is a history: what happened how many minutes after its beginning.
type record struct {
	minute int
	step   string
	score  int // below 0: nothing is written yet
	hint   int
}

func history(records ...record) []progress.Attempt {
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var all []progress.Attempt
	for _, r := range records {
		verdict := "wrong_values"
		if r.score < 0 {
			r.score, verdict = 0, "not_implemented"
		}
		all = append(all, progress.Attempt{Verdict: verdict, Time: begin.Add(time.Duration(r.minute) * time.Minute), Step: r.step, Score: r.score, Max: 100 * min(1, 1-r.hint), Hint: r.hint})
	}
	return all
}

func TestOf(t *testing.T) {
	f := Of(registry.Steps(), history(
		record{0, "step01", 0, 0}, record{20, "step01", 30, 0}, record{25, "step01", 0, 1}, record{40, "step01", 100, 0},
		record{60, "step02", 10, 0},                                // 20 minutes after step 01 passed: its lesson was read
		record{300, "step02", 50, 0},                               // after lunch: nobody knows what this was
		record{330, "step02", 100, 0},                              // as long as a pause may be
		record{340, "step01", 100, 0}, record{341, "step02", 0, 0}, // looking back
		record{350, "step04", 0, 0}, record{351, "step05", -1, 0}, record{355, "step06", -1, 0}, record{365, "step06", 5, 0}))
	require.Equal(t, File{Schema: 1, Steps: []Step{
		{ID: "step01", Minutes: 40, Attempts: 3, Hints: 1, Passed: true},
		{ID: "step02", Minutes: 50, Attempts: 3, Passed: true},
		{ID: "step04", Minutes: 9, Attempts: 1},
		{ID: "step06", Minutes: 14, Attempts: 1}, // nothing was written at first; of step 05 nothing at all
	}}, f)
}

// What was written is read back, and what somebody else wrote is refused by name.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ada.json")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	f := Of(registry.Steps(), history(record{0, "step01", 0, 0}, record{20, "step01", 100, 0}))
	text, err := f.Text()
	require.NoError(t, err)
	write(string(text))
	back, err := Read(path, registry.Steps())
	require.NoError(t, err)
	require.Equal(t, f, back)
	for text, want := range map[string]string{
		`{"schema": 1, "steps": [{"step": "step99"}]}`:                     `"step99" is no step of the course`,
		`{"schema": 1, "steps": [{"step": "step01"}, {"step": "step01"}]}`: "or there twice",
		`{"schema": 1, "steps": [{"step": "step01", "minutes": -1}]}`:      "below 0",
		`{"schema": 2, "steps": []}`:                                       "schema 2",
		`{"schema": 1, "name": "Ada"}`:                                     "is not what grade history --times writes",
	} {
		write(text)
		_, err := Read(path, registry.Steps())
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
	}
}

func TestCollect(t *testing.T) {
	class := func(minutes ...int) []File {
		var files []File
		for _, m := range minutes {
			files = append(files, File{Schema: 1, Steps: []Step{{ID: "step05", Minutes: m, Attempts: m / 30, Passed: m < 1000}}})
		}
		return files
	}
	rows := Collect(registry.Steps(), class(60, 5000, 300, 120, 180))
	require.Len(t, rows, 1)
	r := rows[0]
	require.Equal(t, "step05", r.Step.ID)
	require.Equal(t, []float64{4, 2.5, 1.75, 3.5, 5}, []float64{float64(r.Students), r.Median, r.Low, r.High, r.Attempts}, "who has not passed does not count")
	require.Empty(t, Collect(registry.Steps(), class(2000)))
}

// The curriculum and its translation say what was measured, once, and nothing else changes.
func TestMeasure(t *testing.T) {
	step, err := course.Find(registry.Steps(), "step05")
	require.NoError(t, err)
	for _, page := range []string{"CURRICULUM.md", "CURRICULUM.zh-CN.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", page))
		require.NoError(t, err)
		rows := []Row{{Step: step, Median: 2.55, Students: 41}}
		once, err := Measure(string(text), rows)
		require.NoError(t, err)
		require.Contains(t, once, " | 4 (2.5, n = 41) | 100 | ")
		require.Equal(t, "4", rows[0].Estimate)
		require.Equal(t, len(text)+len(" (2.5, n = 41)"), len(once))
		rows[0].Students = 7
		again, err := Measure(once, rows)
		require.NoError(t, err)
		require.Contains(t, again, " | 4 (2.5, n = 7) | 100 | ")
		_, err = Measure("no map", rows)
		require.ErrorContains(t, err, "has no row for step05")
	}
}
