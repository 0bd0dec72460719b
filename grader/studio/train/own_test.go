package train_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

const module = "github.com/stubformer/stubformer/"

// linked reports whether a binary holds anything of a package: the names of its
// functions and files stand in every Go program, for stack traces, even of
// those that are inlined.
func linked(t *testing.T, binary, pkg string) bool {
	t.Helper()
	data, err := os.ReadFile(binary)
	require.NoError(t, err)
	return bytes.Contains(data, []byte(module+pkg+".")) || bytes.Contains(data, []byte(module+pkg+"/"))
}

// TestOwnCodeOnly builds the training program from a student's own code, in a
// kit whose solutions do not even compile, and looks into it.
func TestOwnCodeOnly(t *testing.T) {
	sweep.Only(t)
	kit := ownKit(t)
	binary, err := train.Build(t.Context(), kit, workspace.Own(), run.Model{}, t.TempDir())
	require.NoError(t, err)
	for _, s := range course.OfTrack(registry.Steps(), course.Core) {
		require.True(t, linked(t, binary, "steps/"+s.Folder), s.Folder)
	}
	for _, pkg := range []string{"solutions", "reference/oracle", "reference/autodiff"} {
		require.False(t, linked(t, binary, pkg), pkg)
	}
	require.True(t, linked(t, binary, "reference/kernel"))

	dir := newRun(t, settings())
	steps, _ := trained(t, binary, dir)
	require.Equal(t, 60, steps[len(steps)-1].Step)

	_, err = train.Build(t.Context(), kit, workspace.Solutions(), run.Model{}, t.TempDir())
	require.Error(t, err, "the solutions of this kit cannot be built")
	spoilt, err := kit.Build(t.Context(), workspace.Build{Course: registry.Steps(), Step: "step10_lm", Package: "grader/studio/train/testdata/oracle"}, t.TempDir())
	require.NoError(t, err)
	require.True(t, linked(t, spoilt, "reference/oracle"), "this test would see it")
}

// ownKit returns a kit whose steps hold the code of the solutions, as a student
// who is done would have it, and whose solutions are damaged.
func ownKit(t *testing.T) *workspace.Kit {
	t.Helper()
	here, err := workspace.Find(".")
	require.NoError(t, err)
	root := t.TempDir()
	for _, name := range []string{"steps", "reference", "grader/lang", "grader/host", "grader/probe", "grader/verdict", "grader/studio/train", "grader/programs", "fixtures"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(here.Root, name))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(here.Root, name), filepath.Join(root, name))
	}
	files, err := filepath.Glob(filepath.Join(here.Root, "solutions", "step*", "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		folder, name := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		copyFile(t, file, filepath.Join(root, "steps", folder, name))
		damaged := filepath.Join(root, "solutions", folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(damaged), 0o755))
		require.NoError(t, os.WriteFile(damaged, []byte("package damaged\n\nthis does not compile\n"), 0o644))
	}
	kit, err := workspace.Find(root)
	require.NoError(t, err)
	return kit
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o644))
}

// TestWhatTheStudentDid runs programs whose code is not finished, or wrong.
func TestWhatTheStudentDid(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	build := func(overlay map[string][]byte) string {
		binary, err := kit.Build(t.Context(), workspace.Build{Course: registry.Steps(), Step: "step05_swiglu", Package: "grader/programs/train",
			Sources: sources(t, kit), Overlay: overlay}, t.TempDir())
		require.NoError(t, err)
		return binary
	}
	const path = "step05_swiglu/swiglu.go"
	solution, err := os.ReadFile(filepath.Join(kit.Root, "solutions", filepath.FromSlash(path)))
	require.NoError(t, err)
	const forward = "func (s *SwiGLU) Forward(x *tensor.Tensor) *tensor.Tensor {\n"
	for name, c := range map[string]struct {
		line, want, prints string
		as                 any
	}{
		"not implemented": {"panic(tensor.TODO(\"step05: SwiGLU.Forward\"))", "step05: SwiGLU.Forward is not implemented yet", "", new(*train.NotImplementedError)},
		"index":           {"x.Data[1<<40] = 0", "index out of range", "", new(*train.CrashError)},
		"where":           {"x.Data[1<<40] = 0", "\nsteps/step05_swiglu/swiglu.go:", "", new(*train.CrashError)},
		"not a number":    {"x.Data[0] /= x.Data[0] - x.Data[0]", "the loss of step 0 is NaN: the training has diverged", "", new(*train.ProgramError)},
		"prints":          {"println(\"I am here\"); panic(1)", "panic: 1", "I am here\n", new(*train.CrashError)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			binary := build(map[string][]byte{path: bytes.Replace(solution, []byte(forward), []byte(forward+"\t"+c.line+"\n"), 1)})
			var prints bytes.Buffer
			err := train.Run(t.Context(), binary, []string{"train", newRun(t, settings())}, &prints, func(run.Event) {})
			require.ErrorContains(t, err, c.want)
			require.ErrorAs(t, err, c.as)
			require.Contains(t, prints.String(), c.prints)
			require.NotContains(t, prints.String(), "goroutine", "a trace is not passed on")
		})
	}
}

// A function that is declared in another way than in the stub is no failure of
// the grader.
func TestMismatch(t *testing.T) {
	sweep.Only(t)
	kit := ownKit(t)
	for _, name := range []string{"train.go", "run.go"} {
		file := filepath.Join(kit.Root, "steps", "step11_training", name)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(data, []byte("NewTrainer"), []byte("MakeTrainer")), 0o644))
	}
	_, err := train.Build(t.Context(), kit, workspace.Own(), run.Model{}, t.TempDir())
	var mismatch *train.MismatchError
	require.ErrorAs(t, err, &mismatch)
	require.ErrorContains(t, err, "undefined: training.NewTrainer")
}

func sources(t *testing.T, kit *workspace.Kit) map[string]workspace.Source {
	t.Helper()
	folders, err := kit.Folders()
	require.NoError(t, err)
	all := map[string]workspace.Source{}
	for _, folder := range folders {
		all[folder] = workspace.Solutions()
	}
	return all
}
