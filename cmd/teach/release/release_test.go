package release

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/notices"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/cmd/studio/update"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

func here(t *testing.T) *workspace.Kit {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	return kit
}

// written writes an edition without building it and returns its files.
func written(t *testing.T, o Options) map[string][]byte {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, newEdition(here(t), root, o).write())
	return filesIn(t, root)
}

func filesIn(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[name], err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		return err
	}))
	return files
}

// lines adds the lines of code that are long enough to be nobody's but their
// author's, without indentation and comments.
func lines(into map[string]string, text, from string) {
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, " //")
		code = strings.Join(strings.Fields(code), " ")
		if len(code) >= 24 && !strings.HasPrefix(code, "//") && !strings.HasPrefix(code, `"`) && strings.ContainsAny(code, "=({") {
			into[code] = from
		}
	}
}

// answers are the lines of the solutions, the oracle and the mistakes' sources
// that do not stand in a stub as well.
func answers(t *testing.T, kit *workspace.Kit) map[string]string {
	t.Helper()
	secret, public := map[string]string{}, map[string]string{}
	for _, pattern := range []string{"solutions/*/*.go", "reference/oracle/*.go", "reference/autodiff/*.go", "grader/course/*/mistakes/*.go"} {
		names, err := filepath.Glob(filepath.Join(kit.Root, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			if !strings.HasSuffix(name, "_test.go") {
				lines(secret, string(data), name)
			}
		}
	}
	for _, s := range registry.Steps() {
		stub, err := kit.Stub(s.Folder)
		require.NoError(t, err)
		for name, data := range stub {
			lines(public, string(data), name)
			lines(public, strings.ReplaceAll(string(data), "// ", ""), name) // contracts give some lines away on purpose
		}
	}
	for line := range public {
		delete(secret, line)
	}
	return secret
}

// byChance is how many lines of a file of answers must be in a file of the
// edition to be no coincidence: "for i, name := range names {" is nobody's own.
const byChance = 3

// A student edition holds no code of a solution, of the oracle or of a mistake.
func TestNoAnswersInAStudentEdition(t *testing.T) {
	kit := here(t)
	secret := answers(t, kit)
	require.Greater(t, len(secret), 1000)
	leaks := func(files map[string][]byte) []string {
		var found []string
		for name, data := range files {
			if strings.HasPrefix(name, "fixtures/") && path.Ext(name) != ".go" {
				continue // arrays, and numbers in JSON
			}
			from := map[string]map[string]bool{} // by where the answer stands: its lines that are here too
			for line := range strings.Lines(string(data)) {
				code := strings.Join(strings.Fields(line), " ")
				if source := secret[code]; source != "" {
					if from[source] == nil {
						from[source] = map[string]bool{}
					}
					from[source][code] = true
				}
			}
			for source, lines := range from {
				if len(lines) >= byChance {
					found = append(found, fmt.Sprintf("%s has %d lines of %s: %q", name, len(lines), source, slices.Sorted(maps.Keys(lines))))
				}
			}
		}
		return found
	}
	require.NotEmpty(t, leaks(written(t, Options{Steps: registry.Steps()})), "the search finds the solutions where they are")
	require.Empty(t, leaks(written(t, Options{Steps: registry.Steps(), WithoutSolutions: true})))
}

// knowing answers every call with the truth, and remembers what a student
// edition must not hold: the answers to inputs that are in no fixture.
type knowing struct {
	fixtures *fixtures.Set
	hidden   [][]byte
}

func (k *knowing) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	out, err := oracle.Eval(function, in)
	if err != nil {
		return nil, err
	}
	for _, c := range k.fixtures.Cases(function) {
		if sameValues(c.In, in) {
			return out, nil
		}
	}
	for _, v := range out {
		if n := min(len(v.F64), 8); n >= 4 && v.F64[0] != v.F64[1] {
			var single, double []byte
			for _, x := range v.F64[:n] {
				single = binary.LittleEndian.AppendUint32(single, math.Float32bits(float32(x)))
				double = binary.LittleEndian.AppendUint64(double, math.Float64bits(x))
			}
			k.hidden = append(k.hidden, single, double)
		}
	}
	return out, nil
}

func sameValues(a, b wire.Values) bool {
	for name, v := range a {
		if w, ok := b[name]; !ok || v.String() != w.String() || len(v.F32) != len(w.F32) || len(v.F32) > 0 && v.F32[0] != w.F32[0] {
			return false
		}
	}
	return len(a) == len(b)
}

// The expected values of fresh and chosen cases are nowhere in a student edition.
func TestNoHiddenValuesInAStudentEdition(t *testing.T) {
	sweep.Only(t)
	set, err := fixtures.Load()
	require.NoError(t, err)
	subject := &knowing{fixtures: set}
	for _, s := range registry.Steps()[1:7] { // what the oracle alone can answer
		exam := &course.Exam{Step: s, Subject: subject, Fixtures: set, Seed: 1}
		for _, c := range s.Checks {
			_ = exam.Run(t.Context(), c) // refusals of bad input fail; they have no values
		}
	}
	require.Greater(t, len(subject.hidden), 50)
	stored := set.Cases("linear.forward")[0].Out["y"].F32
	var known []byte
	for _, x := range stored[:4] {
		known = binary.LittleEndian.AppendUint32(known, math.Float32bits(x))
	}
	sees := false
	for name, data := range written(t, Options{Steps: registry.Steps(), WithoutSolutions: true}) {
		sees = sees || bytes.Contains(data, known)
		for _, hidden := range subject.hidden {
			require.False(t, bytes.Contains(data, hidden), "%s holds an expected value of a hidden case", name)
		}
	}
	require.True(t, sees, "the search finds the values of a fixture where they are")
}

// Every edition holds what it should, and every relative link in it leads
// somewhere.
func TestContents(t *testing.T) {
	all := registry.Steps()
	tests := []struct {
		name       string
		o          Options
		has, lacks []string
	}{
		{"whole", Options{Steps: all}, []string{".gitattributes", "solutions/step05_swiglu/swiglu.go", "grader/grader_test.go", "reference/oracle/eval.go", "README.md"}, []string{"AGENTS.md", ".git/HEAD", ".stubformer/history.jsonl"}},
		{"for graders, seven steps", Options{Steps: all[:7], ForwardOnly: true}, []string{"solutions/step07_softmax/softmax.go", "reference/oracle/eval.go", "grader/course/step07_softmax/mistakes/softmax.go", "cmd/teach/quiz/banks/step05_swiglu.md"},
			[]string{"steps/step08_attention/README.md", "solutions/step08_attention/attention.go", "fixtures/step08_attention/manifest.json", "grader/course/step08_attention/mistakes/mask.go", "grader/programs/train/main.go", "grader/grader_test.go"}},
		{"the core", Options{Steps: all[:11]}, []string{"grader/programs/bench/main.go", "grader/programs/train/main.go"},
			[]string{"grader/programs/bench/tokens.go", "grader/programs/bench/attention.go", "grader/programs/bench/pages.go", "grader/programs/paged/main.go"}},
		{"for students, without a word to agents", Options{Steps: all[:1], WithoutSolutions: true, WithoutAgents: true}, nil, []string{"AGENTS.md"}},
		{"for students", Options{Steps: all, WithoutSolutions: true}, []string{"AGENTS.md", ".gitattributes", "steps/step11_training/README.md", "fixtures/step05_swiglu/mistakes.json", "grader/programs/train/main.go"},
			[]string{"solutions/step05_swiglu/swiglu.go", "reference/oracle/eval.go", "fixtures/subject.py", "grader/course/step05_swiglu/mistakes/silu.go", "grader/mistake/parse.go", "cmd/teach/release/release.go", "cmd/teach/quiz/banks/step05_swiglu.md", "cmd/teach/quiz.go", "cmd/author/dev.go", "docs/instructors.md"}},
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := written(t, tt.o)
			for _, name := range append(tt.has, "LICENSE", notices.File) {
				require.Contains(t, files, name)
			}
			for _, name := range tt.lacks {
				require.NotContains(t, files, name)
			}
			for name, data := range files {
				if path.Ext(name) != ".md" || tt.o.Steps == nil || tt.name == "whole" {
					continue
				}
				for _, m := range link.FindAllStringSubmatch(string(data), -1) {
					if strings.Contains(m[1], "://") {
						continue
					}
					target := path.Join(path.Dir(name), m[1])
					_, isFile := files[target]
					isFolder := false
					for other := range files {
						isFolder = isFolder || strings.HasPrefix(other, target+"/")
					}
					_, err := os.Stat(filepath.Join(here(t).Root, filepath.FromSlash(target)))
					require.True(t, isFile || isFolder || err != nil, "%s links to %s, which the edition leaves out", name, m[1])
				}
			}
		})
	}
}

// What is handed out has lines that end in LF, as the scripts that a platform runs must, and
// is byte for byte the same from a checkout in which they end in CRLF.
func TestLineEnds(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module github.com/stubformer/stubformer\r\n", "fixtures/a.npz": "PK\x00\r\n",
		".ci/run": "#!/usr/bin/env bash\r\n"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	kit, err := workspace.Find(root)
	require.NoError(t, err)
	to := t.TempDir()
	require.NoError(t, newEdition(kit, to, Options{Steps: registry.Steps()}).copy())
	require.Equal(t, map[string][]byte{"go.mod": []byte("module github.com/stubformer/stubformer\n"),
		"fixtures/a.npz": []byte("PK\x00\r\n"), ".ci/run": []byte("#!/usr/bin/env bash\n")}, filesIn(t, to))
}

// The smallest student edition compiles and grades: what README.md promises.
func TestAStudentEditionWorks(t *testing.T) {
	sweep.Only(t)
	dir := filepath.Join(t.TempDir(), "students")
	require.NoError(t, Write(t.Context(), here(t), dir, Options{Steps: registry.Steps()[:1], ForwardOnly: true, WithoutSolutions: true}))
	manifest, err := os.ReadFile(filepath.Join(dir, update.ManifestFile))
	require.NoError(t, err)
	for _, name := range []string{"README.md", "steps/step01_init/init.go", "grader/grader.go", notices.File} {
		require.Contains(t, string(manifest), "  "+name+"\n", "by which an update knows the kit's files")
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "LC_ALL=C")
		out, _ := cmd.CombinedOutput() // a stub has no full marks
		return string(out)
	}
	require.Contains(t, run("run", "./cmd/grade", "step01", "--seed", "1"), "not implemented yet")
	help := run("run", "./cmd/grade", "--help")
	require.Contains(t, help, "go run ./cmd/grade step01")
	require.NotContains(t, help, "solutions")

	// the solution, as if a student had written it, has full marks of what can be checked
	solution, err := os.ReadFile(filepath.Join(here(t).Root, "solutions", "step01_init", "init.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "steps", "step01_init", "init.go"), solution, 0o644))
	graded := run("run", "./cmd/grade", "step01", "--seed", "1")
	require.Contains(t, graded, "100/100   passed")

	// what passes there has been looked at, the gains too
	wrong := bytes.Replace(solution, []byte("g.Fill(1)"), []byte("g.Fill(2)"), 1)
	require.NotEqual(t, string(solution), string(wrong))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "steps", "step01_init", "init.go"), wrong, 0o644))
	require.Contains(t, run("run", "./cmd/grade", "step01", "--seed", "1"), "80/100")
}
