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

// The cells that GoNB writes are programs of this shape.
const cell = `package main

import (
	"fmt"

	_ "github.com/stubformer/stubformer/notebooks/figure"
	rope "github.com/stubformer/stubformer/steps/step06_rope"
)

func main() { fmt.Print(rope.New(100, 4, 2).Cos.At(1, 1)) }
`

func TestACellRunsOnTheSolutions(t *testing.T) {
	dir := t.TempDir()
	t.Chdir("..") // notebooks/
	require.NoError(t, use([]string{"own"}, t.TempDir()))
	require.NoError(t, use([]string{"solutions"}, dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(cell), 0o600))
	cmd := exec.Command("go", "run", "-overlay=overlay.json", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "0.9950042", string(out)) // cos 0.1
}

func TestUse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		build string
		want  string
	}{
		{"no word", nil, "x", "want one word: solutions, or own"},
		{"another word", []string{"mine"}, "x", `got "mine"`},
		{"outside of a notebook", []string{"own"}, "", "run this in a cell of a notebook"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, use(tt.args, tt.build), tt.want)
		})
	}
}

// kit writes a kit of two steps, the first of which has been begun, and returns
// its folder.
func kit(t *testing.T) string {
	stub := "package p\n\nfunc F() {\n\tpanic(tensor.TODO(\"step: F\"))\n}\n\nfunc G() {\n\tpanic(tensor.TODO(\"step: G\"))\n}\n"
	root := t.TempDir()
	for path, data := range map[string]string{
		"grader/workspace/pristine/step01_a.txtar": "-- a.go --\n" + stub,
		"grader/workspace/pristine/step02_b.txtar": "-- b.go --\n" + stub,
		"steps/step01_a/a.go":                      strings.Replace(stub, `panic(tensor.TODO("step: F"))`, "println()", 1),
		"steps/step02_b/b.go":                      stub,
		"steps/step02_b/own_test.go":               "package p\n",
		"solutions/step01_a/a.go":                  "package p\n",
		"solutions/step02_b/b.go":                  "package p\n",
		"solutions/step02_b/more.go":               "package p\n",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	}
	return root
}

func TestChoose(t *testing.T) {
	root := kit(t)
	solutions, err := choose(root, "solutions")
	require.NoError(t, err)
	require.Equal(t, []choice{{"step01_a", false}, {"step02_b", false}}, solutions)
	require.Equal(t, "The cells run on the solutions.", describe(solutions))

	own, err := choose(root, "own")
	require.NoError(t, err)
	require.Equal(t, []choice{{"step01_a", true}, {"step02_b", false}}, own)
	require.Equal(t, "The cells run on your own step01 and on the solutions of the other steps.", describe(own))

	missing, err := unfinished(root, own)
	require.NoError(t, err)
	require.Equal(t, []string{"step: G"}, missing)

	data, err := overlay(root, own)
	require.NoError(t, err)
	var written struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(data, &written))
	step, solution := filepath.Join(root, "steps", "step02_b"), filepath.Join(root, "solutions", "step02_b")
	require.Equal(t, map[string]string{
		filepath.Join(step, "b.go"):    filepath.Join(solution, "b.go"),
		filepath.Join(step, "more.go"): filepath.Join(solution, "more.go"),
	}, written.Replace)
}

func TestAKitWithoutSolutions(t *testing.T) {
	root := kit(t)
	require.NoError(t, os.RemoveAll(filepath.Join(root, "solutions")))
	_, err := choose(root, "solutions")
	require.ErrorContains(t, err, "this kit holds no solution of step01_a; write own in place of solutions")
	own, err := choose(root, "own")
	require.NoError(t, err)
	require.Equal(t, "The cells run on your own steps.", describe(own))
}
