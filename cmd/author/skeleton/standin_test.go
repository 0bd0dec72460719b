package skeleton

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/workspace"
)

// louder is an elective that stands in for the feed-forward network of step 5:
// the same network, whose output is doubled.
const louder = `package louder

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	swiglu "github.com/stubformer/stubformer/steps/step05_swiglu"
)

// SwiGLU computes 2·W2(SiLU(W1 x) ⊙ W3 x).
type SwiGLU struct{ *swiglu.SwiGLU }

func New(w1, w2, w3 *tensor.Param) *SwiGLU { return &SwiGLU{swiglu.New(w1, w2, w3)} }

func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := s.SwiGLU.Forward(x)
	kernel.Scale(2, y.Data)
	return y
}

func (s *SwiGLU) Backward(dy *tensor.Tensor) *tensor.Tensor {
	twice := tensor.New(dy.Shape...)
	kernel.ScaleTo(twice.Data, 2, dy.Data)
	return s.SwiGLU.Backward(twice)
}
`

// wholeKit is a copy of all that grade is made of and works with.
func wholeKit(t *testing.T) *workspace.Kit {
	t.Helper()
	real, err := workspace.Find(".")
	require.NoError(t, err)
	root := t.TempDir()
	for _, name := range []string{"cmd", "grader", "reference", "fixtures", "steps", "solutions"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(real.Root, name))))
	}
	for _, name := range []string{"go.mod", "go.sum", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(real.Root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, name), data, 0o644))
	}
	require.NoError(t, workspace.WritePristine(root)) // whatever stands in steps/ now
	kit, err := workspace.Find(root)
	require.NoError(t, err)
	return kit
}

// elective adds to a kit a step whose code takes the place of SwiGLU in a model.
func elective(t *testing.T, kit *workspace.Kit, number int, name string) {
	t.Helper()
	_, err := New(kit, number, name)
	require.NoError(t, err)
	folder := filepath.Base(glob(t, filepath.Join(kit.Root, "solutions", "step*_"+name)))
	code := strings.Replace(louder, "package louder", "package "+name, 1)
	require.NoError(t, os.WriteFile(filepath.Join(kit.Root, "solutions", folder, name+".go"), []byte(code), 0o644))
	course := filepath.Join(kit.Root, "grader", "course", folder, name+".go")
	data, err := os.ReadFile(course)
	require.NoError(t, err)
	before := string(data)
	before = regexp.MustCompile(`Needs: +nil,`).ReplaceAllString(before, `Needs: []string{"step05"},`)
	after := strings.Replace(before, "Functions:", "Place: course.Place{In: \"step05\", Names: []string{\"SwiGLU\", \"New\"}},\n\t\tFunctions:", 1)
	require.NotEqual(t, before, after)
	require.NoError(t, os.WriteFile(course, []byte(after), 0o644))
}

func glob(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// A model is trained with an elective in it, and whoever reads what was saved
// builds it again with the same one.
func TestElectiveInAModel(t *testing.T) {
	sweep.Only(t)
	kit := wholeKit(t)
	elective(t, kit, 47, "louder")
	elective(t, kit, 48, "echo")
	binary := filepath.Join(t.TempDir(), "grade")
	command := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = kit.Root
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	run := func(name string, args ...string) string {
		out, err := command(name, args...)
		require.NoError(t, err, out)
		return out
	}
	run("go", "build", "-o", binary, "./cmd/grade")
	train := func(args ...string) string {
		return run(binary, append([]string{"train", "--impl", "solutions", "--steps", "3", "--plain"}, args...)...)
	}
	config := func(dir string) (with []string) {
		var c struct {
			Model struct{ With []string } `json:"model"`
		}
		data, err := os.ReadFile(filepath.Join(kit.Root, dir, "config.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &c))
		return c.Model.With
	}
	loss := func(dir string) float64 {
		data, err := os.ReadFile(filepath.Join(kit.Root, dir, "log.jsonl"))
		require.NoError(t, err)
		var step struct{ Loss float64 }
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &step))
		require.Positive(t, step.Loss)
		return step.Loss
	}

	train("--out", "runs/plain")
	require.Contains(t, train("--with", "step47", "--out", "runs/louder"), "In it stand louder")
	train("--with", "echo", "--out", "runs/echo")
	require.Empty(t, config("runs/plain"))
	require.Equal(t, []string{"louder"}, config("runs/louder"))
	require.NotEqual(t, loss("runs/plain"), loss("runs/louder"), "the elective is in the model")
	require.Equal(t, loss("runs/echo"), loss("runs/louder"), "both electives compute the same")

	write := func(dir string) string { return run(binary, "generate", dir, "--impl", "solutions", "--tokens", "60") }
	run(binary, "export", "runs/louder", "louder.safetensors", "--impl", "solutions")
	run(binary, "import", "state", "louder.safetensors", "--like", "runs/louder", "--out", "runs/again")
	run(binary, "import", "state", "louder.safetensors", "--like", "runs/plain", "--out", "runs/without")
	require.Equal(t, []string{"louder"}, config("runs/again"))
	require.Equal(t, write("runs/louder"), write("runs/again"))
	require.NotEqual(t, write("runs/louder"), write("runs/without"), "the elective is in what writes")
	require.Contains(t, run(binary, "train", "--impl", "solutions", "--plain", "--resume", "runs/louder"), "In it stand louder")

	for says, args := range map[string][]string{
		"louder and echo both stand in for SwiGLU of step05":         {"train", "--with", "echo,louder"},
		`there is no step "loud"`:                                    {"train", "--with", "loud"},
		"step01 (initializers) is no part that a model can be built": {"train", "--with", "initializers,louder"},
		"cannot be combined with --with":                             {"train", "--resume", "runs/louder", "--with", "echo"},
	} {
		out, err := command(binary, args...)
		require.Error(t, err)
		require.Contains(t, strings.Join(strings.Fields(out), " "), says)
	}
}
