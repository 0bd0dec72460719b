package bench_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/grader/workspace"
)

// asPeer makes the test binary a peer: it answers "rate R" with 1/R seconds,
// twice as long at every other question, and nothing else.
const asPeer = "STUBFORMER_TEST_PEER"

func TestMain(m *testing.M) {
	if os.Getenv(asPeer) == "" {
		os.Exit(m.Run())
	}
	lines := bufio.NewScanner(os.Stdin)
	for factor := 1.0; lines.Scan(); factor = 3 - factor {
		var rate float64
		switch _, err := fmt.Sscanf(lines.Text(), "rate %g", &rate); {
		case err == nil:
			fmt.Println(factor / rate)
		case lines.Text() == "die":
			os.Exit(3)
		case lines.Text() == "env":
			_, core := os.LookupEnv("OPENBLAS_CORETYPE")
			fmt.Println(core, os.Getenv("OMP_NUM_THREADS"), os.Getenv("PATH") != "")
		default:
			fmt.Println("! there is no", lines.Text())
		}
	}
}

func peer(t *testing.T, name string) *bench.Peer {
	t.Helper()
	p, err := bench.Start(name, []string{asPeer + "=1"}, os.Args[0])
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// TestCompare has peers that are twice as slow in every second round. The ratios
// are not touched by it.
func TestCompare(t *testing.T) {
	ask := func(rates map[string]string) func(string) string {
		return func(name string) string { return rates[name] }
	}
	questions := []bench.Question{
		{Name: "both", Work: 2, Ask: ask(map[string]string{"ours": "rate 30", "theirs": "rate 10"})},
		{Name: "one has no answer", Work: 1, Ask: ask(map[string]string{"ours": "rate 8", "theirs": "tea"})},
		{Name: "one is not asked", Work: 1, Ask: ask(map[string]string{"ours": "rate 8"})},
	}
	table, err := bench.Compare("speed", "things/s", []*bench.Peer{peer(t, "ours"), peer(t, "theirs")}, questions, 5, func(string) {})
	require.NoError(t, err)
	require.Equal(t, []string{"ours", "theirs"}, table.Peers)
	require.Equal(t, []string{"theirs: there is no tea"}, table.Missing)

	both := table.Rows[0]
	require.InDelta(t, 60, both.Rates["ours"], 1e-9, "three of the five rounds are fast ones")
	require.InDelta(t, 3, both.Ratios["theirs"], 1e-9)
	for _, row := range table.Rows[1:] {
		require.Contains(t, row.Rates, "ours", row.Name)
		require.NotContains(t, row.Rates, "theirs", row.Name)
		require.Empty(t, row.Ratios, row.Name)
	}
}

func TestPeerThatEnds(t *testing.T) {
	p, err := bench.Start("short", []string{asPeer + "=1"}, os.Args[0])
	require.NoError(t, err)
	_, err = p.Ask("die")
	require.ErrorContains(t, err, `short ended at "die"`)
	require.NoError(t, p.Close())
	_, err = bench.Start("none", nil, filepath.Join(t.TempDir(), "none"))
	require.Error(t, err)
}

// No peer inherits what steers its library; what it is given, it has.
func TestPeerIsNotSteered(t *testing.T) {
	t.Setenv("OPENBLAS_CORETYPE", "Prescott")
	t.Setenv("OMP_NUM_THREADS", "7")
	p, err := bench.Start("one", []string{asPeer + "=1", "OMP_NUM_THREADS=2"}, os.Args[0])
	require.NoError(t, err)
	env, err := p.Query("env")
	require.NoError(t, err)
	require.Equal(t, "false 2 true", env)
	require.NoError(t, p.Close())
	require.Subset(t, bench.Steered(), []string{"OPENBLAS_CORETYPE=Prescott", "OMP_NUM_THREADS=7"})
}

func TestMeans(t *testing.T) {
	require.Equal(t, 2.0, bench.Median([]float64{9, 1, 2}))
	require.Equal(t, 1.5, bench.Median([]float64{2, 1}))
	require.True(t, math.IsNaN(bench.Median(nil)))
	require.InDelta(t, 1, bench.GeometricMean([]float64{0.25, 4}), 1e-12)
}

// TestOverlay builds the worker with the overlay and looks whose code is in it.
func TestOverlay(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	data, err := bench.Overlay(kit.Root)
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(data, &overlay))
	stub := filepath.Join(kit.Root, "steps", "step05_swiglu", "swiglu.go")
	require.Equal(t, filepath.Join(kit.Root, "solutions", "step05_swiglu", "swiglu.go"), overlay.Replace[stub])

	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	list := exec.Command("go", "build", "-overlay", file, "-o", filepath.Join(t.TempDir(), "worker"), "./grader/programs/bench")
	list.Dir = kit.Root
	text, err := list.CombinedOutput()
	require.NoError(t, err, string(text))

	_, err = bench.Overlay(t.TempDir())
	require.ErrorContains(t, err, "holds no solutions")
}

func TestLadderTable(t *testing.T) {
	l := bench.Ladder{Machine: "a machine", Size: 512, Peak: 100, Missing: []string{"OpenBLAS: not here"},
		Rungs: []bench.Rung{{Name: "naive", GFLOPS: 1}, {Name: "the kit's assembly", GFLOPS: 75}}}
	for columns, bar := range map[int]string{60: strings.Repeat("█", 16) + "▌", 80: strings.Repeat("█", 31) + "▌"} { // three quarters
		text := l.Table(columns)
		for _, want := range []string{"512 × 512", "a machine", "75.0   75.0×  " + bar + "\n", "peak of one core", "missing  OpenBLAS: not here"} {
			require.Contains(t, text, want)
		}
	}
}
