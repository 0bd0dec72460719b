package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// Fence is how code that nobody trusts is built: in a box, from the caches as
// they are. The go command may read the build cache and not write it, so that
// no build leaves anything behind for the next; what the steps are built on
// should therefore be in the cache before (see Kit.Warm). The zero Time and
// Memory are no limits of their own.
type Fence struct {
	Box    *sandbox.Box
	Time   time.Duration // of computing, for each process of a build; on the clock, a build may take overtime times that
	Memory int64         // bytes of data of each process

	goroot, cache, modules string
}

// overtime is how many times as long as it may compute a build may take on the
// clock: that the machine is busy with others is not the fault of who is built.
const overtime = 5

// Fence returns a fence around the builds of the kit.
func (k *Kit) Fence(ctx context.Context, box *sandbox.Box) (*Fence, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOCACHE", "GOMODCACHE")
	cmd.Dir = k.Root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the go command does not say where its caches are: %w", err)
	}
	var env struct{ GOROOT, GOCACHE, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, err
	}
	return &Fence{Box: box, Time: time.Minute, Memory: 3 << 30, goroot: env.GOROOT, cache: env.GOCACHE, modules: env.GOMODCACHE}, nil
}

// Sandbox returns the box, in which what was built should run too; nil for none.
func (f *Fence) Sandbox() *sandbox.Box {
	if f == nil {
		return nil
	}
	return f.Box
}

// LetPass lets what runs in the box pass through folders of the grader's, on
// its way to the program that was built for it, and run that.
func (f *Fence) LetPass(paths ...string) error {
	for _, path := range paths {
		if err := f.Sandbox().LetPass(path); err != nil {
			return err
		}
	}
	return nil
}

// BuildLimitError says that a build took more than it may.
type BuildLimitError struct {
	Folder string
	Memory bool // more memory, and not more time
	Limit  string
}

func (e *BuildLimitError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *BuildLimitError) In(p lang.Printer) string {
	if e.Memory {
		return p.Say("compiling %s takes more memory than %s; is there a table or a type of enormous size?", e.Folder, e.Limit)
	}
	return p.Say("compiling %s takes more than %s of computing; is there a table or a type of enormous size?", e.Folder, e.Limit)
}

// command returns the go command and its environment, which knows no home: Go's
// telemetry, which would start a process of its own, keeps its files there.
func (f *Fence) command(ctx context.Context, k *Kit, tmp string, args []string) *exec.Cmd {
	goCommand := filepath.Join(f.goroot, "bin", "go")
	if runtime.GOOS == "windows" {
		goCommand += ".exe"
	}
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Env = append(environment(nil), "PWD="+k.Root, "TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp, "GOTMPDIR="+tmp,
		"GOROOT="+f.goroot, "GOCACHE="+f.cache, "GOMODCACHE="+f.modules,
		"GOENV=off", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GODEBUG=goindex=0") // an index of packages that is not in the cache yet could not be written to it
	return cmd
}

// wrap puts the command into the box.
func (f *Fence) wrap(cmd *exec.Cmd, k *Kit, tmp, outDir string) {
	f.Box.Wrap(cmd, sandbox.Policy{
		Read:  []string{f.goroot, f.cache, f.modules, k.Root},
		Write: []string{tmp, outDir},
		// Every tool opens many files.
		Memory: f.Memory, CPU: f.Time, Files: 4096, FileSize: 1 << 30,
	})
}

// exceeded says which limit ended a build that has computed for some time, or
// that the fence itself did; nil if it was neither. Both limits of a process end
// in a kill; the time of computing tells them apart.
func (f *Fence) exceeded(folder, output string, computed time.Duration) error {
	lacking := f.cacheLacks(output)
	output = ownWords(output)
	killed := strings.Contains(output, "signal: killed")
	switch {
	case lacking:
		return fmt.Errorf("the build cache lacks what %s is built on:\n%s", folder, output)
	case f.Time > 0 && computed >= f.Time && killed:
		return &BuildLimitError{Folder: folder, Limit: f.Time.String()}
	case f.Memory > 0 && (strings.Contains(output, "out of memory") || strings.Contains(output, "cannot allocate memory") || killed):
		return &BuildLimitError{Folder: folder, Memory: true, Limit: fmt.Sprintf("%d MiB", f.Memory>>20)}
	}
	return nil
}

// cacheLacks reports whether the go command would have had to write to the cache.
// It says so in a line of its own, or at the import of what it lacks.
func (f *Fence) cacheLacks(output string) bool {
	const refused = `(permission denied|read-only file system)`
	in := regexp.QuoteMeta(f.cache + string(filepath.Separator))
	return regexp.MustCompile(in+`.*`+refused).MatchString(ownWords(output)) ||
		regexp.MustCompile(`(?m)^[^:]+\.go:\d+:\d+: open `+in+`\S+: `+refused+`$`).MatchString(output)
}

// Warm builds steps once from code that is trusted, so that the build cache
// holds all that they are built on.
func (k *Kit) Warm(ctx context.Context, builds []Build, outDir string) error {
	builds = slices.Clone(builds)
	for i := range builds {
		builds[i].Fence = nil
	}
	_, errs := k.Probes(ctx, builds, outDir)
	return errors.Join(errs...)
}
