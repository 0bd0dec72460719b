package progress

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// attempt returns a record that is different for every seed and long enough to
// be torn.
func attempt(seed uint64) Attempt {
	a := Attempt{Time: time.Unix(int64(seed), 0).UTC(), Step: "step05", Score: int(seed % 100), Max: 100,
		Verdict: "wrong_values", Seed: seed, Checks: map[string]string{}}
	for i := range 40 {
		a.Checks[fmt.Sprintf("check.%d.of.%d", i, seed)] = "wrong_values"
	}
	return a
}

func newHistory(t *testing.T) *History {
	return Open(filepath.Join(t.TempDir(), ".stubformer", "history.jsonl"))
}

func TestAppend(t *testing.T) {
	h := newHistory(t)
	attempts, damaged, err := h.Read()
	require.NoError(t, err)
	require.Empty(t, attempts)
	require.Zero(t, damaged)
	var want []Attempt
	for seed := range uint64(3) {
		want = append(want, attempt(seed))
		require.NoError(t, h.Append(attempt(seed)))
	}
	attempts, err = h.Attempts()
	require.NoError(t, err)
	require.Equal(t, want, attempts)
	data, err := os.ReadFile(h.path)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(data), "\n"), "one line a record")
}

func TestDamagedLines(t *testing.T) {
	for name, c := range map[string]struct {
		damage  func(data string) string
		damaged int
		lost    bool // the record that was there before
	}{
		"none":               {func(s string) string { return s }, 0, false},
		"torn at the end":    {func(s string) string { return s + s[:100] }, 1, false},
		"torn record":        {func(s string) string { return s[:len(s)-2] }, 1, true},
		"no line end":        {func(s string) string { return s[:len(s)-1] }, 0, false},
		"a blank line":       {func(s string) string { return s + "\n \n" }, 0, false},
		"not JSON":           {func(s string) string { return "x\n" + s + "}{\n" }, 2, false},
		"another JSON":       {func(s string) string { return "[1]\n{}\n\"step\"\n" + s }, 3, false},
		"a wrong type":       {func(s string) string { return `{"step":"step01","score":"x"}` + "\n" + s }, 1, false},
		"zeros after a halt": {func(s string) string { return s + "\x00\x00\x00" }, 1, false},
	} {
		h := newHistory(t)
		require.NoError(t, h.Append(attempt(1)))
		data, err := os.ReadFile(h.path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(h.path, []byte(c.damage(string(data))), 0o644))
		require.NoError(t, h.Append(attempt(2)))
		attempts, damaged, err := h.Read()
		require.NoError(t, err)
		want := []Attempt{attempt(1), attempt(2)}
		if c.lost {
			want = want[1:]
		}
		require.Equal(t, want, attempts, name)
		require.Equal(t, c.damaged, damaged, name)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	require.Error(t, Open(filepath.Join(dir, "file", "history.jsonl")).Append(attempt(1)), "a file where the folder should be")
	_, err := Open(dir).Attempts()
	require.Error(t, err, "a folder where the file should be")
}

func TestBest(t *testing.T) {
	try := func(step string, score int, seed uint64) Attempt {
		return Attempt{Step: step, Score: score, Max: 100, Seed: seed}
	}
	best := Best([]Attempt{try("step01", 0, 1), try("step02", 50, 2), try("step01", 80, 3), try("step01", 80, 4), try("step01", 70, 5),
		{Step: "step03", Hint: 1, HintFor: "rope"}, {Step: "step02", Score: 100, Hint: 1, HintFor: "linear"}})
	require.Equal(t, map[string]Attempt{"step01": try("step01", 80, 3), "step02": try("step02", 50, 2)}, best)
}

func TestHints(t *testing.T) {
	h := newHistory(t)
	require.NoError(t, h.AppendHint("step01", "gain", 1))
	require.NoError(t, h.AppendHint("step01", "gain", 2))
	require.NoError(t, h.AppendHint("step01", "truncnormal", 1))
	require.NoError(t, h.Append(attempt(1)))
	attempts, err := h.Attempts()
	require.NoError(t, err)
	require.Equal(t, 2, Hints(attempts, "step01", "gain"))
	require.Equal(t, 1, Hints(attempts, "step01", "truncnormal"))
	require.Zero(t, Hints(attempts, "step02", "gain"))
	require.Zero(t, Hints(attempts, "step05", ""), "an attempt is no hint")
}

// TestMain makes the test binary a writer for TestKilled: it appends records
// until it is killed, and prints the seed of each that Append acknowledged.
func TestMain(m *testing.M) {
	path, first := os.Getenv("PROGRESS_TEST_PATH"), os.Getenv("PROGRESS_TEST_FIRST")
	if path == "" {
		os.Exit(m.Run())
	}
	seed, err := strconv.ParseUint(first, 10, 64)
	for fmt.Println("ready"); err == nil; seed++ {
		if err = Open(path).Append(attempt(seed)); err == nil {
			fmt.Println(seed)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// perWriter is how many seeds a writer has to itself.
const perWriter = 1 << 20

// TestKilled keeps two writers at work and kills one of them again and again at
// random moments. Every record that was acknowledged must be there, once and
// intact; of each writer at most one record more, the one that it was killed in.
func TestKilled(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 20
	}
	h, rng := newHistory(t), rand.New(rand.NewPCG(1, 2))
	var acknowledged []uint64
	var writers [2]*writer
	for i := range kills + len(writers) {
		slot := i % len(writers)
		if w := writers[slot]; w != nil {
			time.Sleep(time.Duration(rng.IntN(5000)) * time.Microsecond)
			acknowledged = append(acknowledged, w.kill(t)...)
		}
		writers[slot] = nil
		if i < kills {
			writers[slot] = startWriter(t, h, uint64(i)*perWriter)
		}
	}
	attempts, damaged, err := h.Read()
	require.NoError(t, err)
	times := map[uint64]int{}
	for _, a := range attempts {
		require.Equal(t, attempt(a.Seed), a)
		times[a.Seed]++
	}
	for _, seed := range acknowledged {
		require.Equal(t, 1, times[seed], "record %d of writer %d", seed%perWriter, seed/perWriter)
	}
	require.NotEmpty(t, acknowledged)
	require.LessOrEqual(t, len(times)+damaged, len(acknowledged)+kills)
	t.Logf("%d records acknowledged, %d more written, %d lines torn", len(acknowledged), len(times)-len(acknowledged), damaged)
}

// writer is a process that appends records.
type writer struct {
	cmd    *exec.Cmd
	output *bufio.Scanner
}

// startWriter starts a writer and waits until it is about to write.
func startWriter(t *testing.T, h *History, first uint64) *writer {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROGRESS_TEST_PATH="+h.path, fmt.Sprintf("PROGRESS_TEST_FIRST=%d", first))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	w := &writer{cmd, bufio.NewScanner(stdout)}
	t.Cleanup(func() { w.cmd.Process.Kill() })
	require.True(t, w.output.Scan(), "the writer ended")
	require.Equal(t, "ready", w.output.Text())
	return w
}

// kill kills the writer and returns what it had acknowledged.
func (w *writer) kill(t *testing.T) []uint64 {
	t.Helper()
	require.NoError(t, w.cmd.Process.Kill())
	var seeds []uint64
	for w.output.Scan() {
		seed, err := strconv.ParseUint(w.output.Text(), 10, 64)
		require.NoError(t, err)
		seeds = append(seeds, seed)
	}
	require.Error(t, w.cmd.Wait(), "killed")
	return seeds
}

// What is wrong is kept with the attempt: what, what to do, and where, in the language of
// the report.
func TestCausesAreKept(t *testing.T) {
	h := newHistory(t)
	score := 24
	mistake := verdict.Diagnosis{Kind: verdict.Mistake, ID: "no-scale", Text: lang.Raw("the scores are not divided by √K")}
	r := &report.Report{Steps: []report.Step{{ID: "step08", Score: &score, Max: 100, Verdict: verdict.WrongValues, Checks: []report.Check{
		{ID: "attention.forward", Max: 12, Verdict: verdict.WrongValues, Diagnosis: mistake},
		{ID: "attention.backward", Max: 13, Verdict: verdict.WrongValues, Diagnosis: mistake},
		{ID: "causal_mask", Max: 5, Points: 5, Verdict: verdict.Passed},
	}}}}
	place := func(step, check, _ string) (string, int) { return "steps/" + step + "/" + check + ".go", 41 }
	require.NoError(t, h.Record(r, time.Now(), Told{Place: place}))
	attempts, err := h.Attempts()
	require.NoError(t, err)
	require.Equal(t, []report.Finding{{What: "the scores are not divided by √K", Where: "steps/step08/attention.forward.go:41", Checks: 2, Points: 25}}, attempts[0].Causes)
}
