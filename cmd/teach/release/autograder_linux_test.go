package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
)

// looks is what a hostile submission of step 11 does: it goes through all that an
// autograder holds and through the processes of the machine, writes into the
// results, and leaves something running.
const looks = `package training

import (
	"os"
	"path/filepath"
)

func look(root string) (found string) {
	for _, name := range []string{"", "source", "source/kit", "source/kit/solutions", "submission", "results", "gocache", "gomod"} {
		if entries, err := os.ReadDir(filepath.Join(root, name)); err == nil && len(entries) > 0 {
			found += " listed:" + name
		}
	}
	for _, name := range []string{"grade", "source/kit/go.mod", "source/kit/solutions/step11_training/matmul.go", "source/kit/fixtures/fixtures.go", "/proc/1/environ", "/proc/1/cmdline"} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		if _, err := os.ReadFile(name); err == nil {
			found += " read:" + filepath.Base(name)
		}
	}
	for _, name := range []string{"results/results.json", "results/evil", "submission/evil", "source/kit/evil", "../evil"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("{\"score\": 100}"), 0o666); err == nil {
			found += " wrote:" + name
		}
	}
	return found
}
`

// runs is how the submission calls it, and how a program does that is not fenced
// in.
const (
	runs  = "\nfunc init() {\n\tif found := look(%); found != \"\" {\n\t\tpanic(\"escaped:\" + found)\n\t}\n\tgo func() { for {} }()\n}\n"
	alone = "\nfunc main() { os.Stdout.WriteString(look(os.Args[1])) }\n"
)

// room is a folder laid out as an autograder's machine is.
type room struct {
	t    *testing.T
	root string
}

// newRoom writes the kit, the grader and the hostile submission.
func newRoom(t *testing.T) *room {
	sweep.Only(t)
	if os.Getuid() != 0 {
		t.Skip("an autograder runs as root")
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "-m", "-p", "-f", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skip("no namespaces here: ", string(out))
	}
	base, err := os.MkdirTemp("", "autograder-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	require.NoError(t, os.Chmod(base, 0o755))
	r := &room{t, filepath.Join(base, "autograder")}
	kit := here(t)
	for _, dir := range []string{"source/kit", "results", "submission", "gocache", "gomod", "upper", "work"} {
		require.NoError(t, os.MkdirAll(filepath.Join(r.root, dir), 0o755))
	}
	require.NoError(t, newEdition(kit, filepath.Join(r.root, "source/kit"), Options{Steps: registry.Steps()}).write())
	r.command(kit.Root, "go", "build", "-o", r.root+"/", "./cmd/grade", "./cmd/handed")
	mine := filepath.Join(r.root, "submission", "step11_training")
	require.NoError(t, os.CopyFS(mine, os.DirFS(filepath.Join(kit.Root, "solutions", "step11_training"))))
	tests, err := filepath.Glob(filepath.Join(mine, "*_test.go"))
	require.NoError(t, err)
	for _, name := range tests {
		require.NoError(t, os.Remove(name))
	}
	r.write("submission/step11_training/evil.go", looks+strings.Replace(runs, "%", `"`+r.root+`"`, 1))
	r.write("evil.go", strings.Replace(looks, "package training", "package main", 1)+alone)
	return r
}

func (r *room) write(name, text string) {
	require.NoError(r.t, os.WriteFile(filepath.Join(r.root, name), []byte(text), 0o755))
}

func (r *room) command(dir, name string, args ...string) string {
	cmd := exec.CommandContext(r.t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, string(out))
	return string(out)
}

// around is what stands around the script of a platform: folders and processes of
// its own, the caches of this machine under a layer that takes what is written,
// and at the end the list of the processes that are left.
const around = `set -euo pipefail
cd "$ROOT"
for cache in gocache:$GOCACHE gomod:$GOMODCACHE; do
	name=${cache%%:*}
	mkdir -p upper/$name work/$name
	mount -t overlay overlay -o "lowerdir=${cache#*:},upperdir=upper/$name,workdir=work/$name" $name
done
[ -z "$HIDE" ] || mount --bind /dev/null "$HIDE"
export GOCACHE=$ROOT/gocache GOMODCACHE=$ROOT/gomod GOPROXY=off
sleep 1000000 & # is in the list
bash "$SCRIPT" >"$ROOT/said" 2>&1 || { tail -n 20 "$ROOT/said"; exit 1; }
for p in /proc/[0-9]*; do
	[ "${p#/proc/}" = $$ ] || readlink "$p/exe" >>"$ROOT/alive" || true
done
umount gocache gomod
`

// run runs the script of a platform, where bwrap cannot be found: such machines do
// not have it.
func (r *room) run(script, hide string) {
	r.write("around", around)
	cmd := exec.CommandContext(r.t.Context(), "unshare", "-m", "-p", "-f", "--mount-proc", "bash", filepath.Join(r.root, "around"))
	cache := strings.Fields(r.command(r.root, "go", "env", "GOCACHE", "GOMODCACHE"))
	cmd.Env = append(os.Environ(), "ROOT="+r.root, "SCRIPT="+script, "HIDE="+hide, "GOCACHE="+cache[0], "GOMODCACHE="+cache[1])
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "mount:") {
		r.t.Skip("the caches cannot be lent here: ", string(out))
	}
	require.NoError(r.t, err, string(out))
	alive, err := os.ReadFile(filepath.Join(r.root, "alive"))
	require.NoError(r.t, err)
	require.Contains(r.t, string(alive), "sleep")
	require.NotContains(r.t, string(alive), "probe", "a process of the submission is alive when the script ends")
	require.NotContains(r.t, string(alive), "grade")
}

// The script of Gradescope's autograder, on a machine of its own: the submission
// sees nothing of it.
func TestGradescopeHolds(t *testing.T) {
	r := newRoom(t)
	found := r.command(r.root, "go", "run", "evil.go", r.root)
	for _, what := range []string{"listed:source/kit/solutions", "read:matmul.go", "read:cmdline", "read:fixtures.go", "wrote:results/evil", "wrote:source/kit/evil"} {
		require.Contains(t, found, what, "without a fence it can")
	}
	for _, written := range []string{"results", "submission/evil", "source/kit/evil", "../evil"} {
		require.NoError(t, os.RemoveAll(filepath.Join(r.root, written)))
	}
	script := strings.ReplaceAll(string(gradescopeRun), "/autograder", r.root)
	r.write("run_autograder", strings.Replace(script, "grade all ", "grade step11 ", 1)) // nothing else is handed in
	bwrap, _ := exec.LookPath("bwrap")
	r.run(filepath.Join(r.root, "run_autograder"), bwrap)
	data, err := os.ReadFile(filepath.Join(r.root, "results/results.json"))
	require.NoError(t, err)
	require.NotContains(t, string(data), "escaped")
	require.Regexp(t, `"score": [1-9]`, string(data), "it could be graded")
	require.Len(t, filesIn(t, filepath.Join(r.root, "results")), 1)
	for _, written := range []string{"submission/evil", "source/kit/evil", "../evil"} {
		require.NoFileExists(t, filepath.Join(r.root, written))
	}
}
