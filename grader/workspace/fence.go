package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// Fence is how code that nobody trusts is built: in a box, from the caches as
// they are. The go command may read the build cache and not write it, so that
// no build leaves anything behind for the next. What the steps are built on is put
// there before. The zero Time and Memory are no limits of their own.
type Fence struct {
	Box    *sandbox.Box
	Time   time.Duration // of computing, for each process of a build; a build may take overtime times that
	Memory int64         // bytes of data of each process

	goroot, cache, modules string
}

// overtime is how many times as long as each of its processes may compute a build may
// take, without what it waits for a processor that others have.
const overtime = 5

// maxWritten is how many bytes a build may write, where there is room for them.
const maxWritten = 1 << 30

// Fence returns a fence around the builds of the kit.
func (k *Kit) Fence(ctx context.Context, box *sandbox.Box) (*Fence, error) {
	env, err := k.Caches(ctx)
	if err != nil {
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

// clock is how long a build may take, where it need not wait for others.
func (b Build) clock() time.Duration {
	if b.Fence != nil && b.Fence.Time > 0 {
		return overtime * b.Fence.Time
	}
	return buildTimeout
}

// wrap puts the command into the box. It returns how much the command may write to the
// folder in which it works.
func (f *Fence) wrap(cmd *exec.Cmd, k *Kit, tmp, outDir string) sandbox.Policy {
	f.Box.Wrap(cmd, sandbox.Policy{
		Read:  []string{f.goroot, f.cache, f.modules, k.Root},
		Write: []string{tmp, outDir},
		// Every tool opens many files.
		Memory: f.Memory, CPU: f.Time, Files: 4096, FileSize: 1 << 30,
	})
	return sandbox.Policy{Write: []string{tmp}, Disk: room.Share(tmp, maxWritten)}
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
		return &scratch.MachineError{Err: &cacheError{folder, strings.TrimSpace(output)}}
	case f.Time > 0 && computed >= f.Time && killed:
		return &BuildLimitError{Folder: folder, Limit: f.Time.String()}
	case f.Memory > 0 && (strings.Contains(output, "out of memory") || strings.Contains(output, "cannot allocate memory")):
		return &BuildLimitError{Folder: folder, Kind: OfMemory, Limit: fmt.Sprintf("%d MiB", f.Memory>>20)}
	case killed:
		return &BuildLimitError{Folder: folder, Kind: OfSystem}
	}
	return nil
}

// cacheLacks reports whether the go command would have had to write to the cache.
// It says so in a line of its own, or at the import of what it lacks.
func (f *Fence) cacheLacks(output string) bool {
	const refused = `(permission denied|read-only file system)`
	own, in := ownWords(output), regexp.QuoteMeta(f.cache+string(filepath.Separator))
	return regexp.MustCompile(`(?m)^failed to initialize build cache at `).MatchString(own) ||
		regexp.MustCompile(in+`.*`+refused).MatchString(own) ||
		regexp.MustCompile(`(?m)^[^:]+\.go:\d+:\d+: open `+in+`\S+: `+refused+`$`).MatchString(output)
}

// compileFenced builds the programs of parts within a fence. What they import must be in
// the build cache before. Where it is not there all the same, because somebody has removed
// it, that is seen to once more.
func (k *Kit) compileFenced(ctx context.Context, parts []*part, tmp, outDir string) {
	for again := range 2 {
		if err := k.warm(ctx, parts, tmp, again > 0); err != nil {
			fail(parts, err)
			return
		}
		k.compile(ctx, parts, tmp, outDir)
		parts = slices.DeleteFunc(slices.Clone(parts), func(p *part) bool {
			return !errors.As(p.err, new(*cacheError))
		})
		if len(parts) == 0 {
			return
		}
		if again == 0 {
			for _, p := range parts {
				p.err = nil
			}
		}
	}
}

// warm has the go command compile, in the user's environment, what the code of parts
// imports: packages of the standard library and of the kit, which no student writes. The
// cache holds them then, to which builds within the fence may not write.
func (k *Kit) warm(ctx context.Context, parts []*part, tmp string, anew bool) error {
	packages := map[string]bool{}
	for _, p := range parts {
		for _, path := range slices.Concat(foreign(p.steps), p.steps[p.Step].bound) {
			packages[path] = packages[path] || !strings.HasPrefix(path, stepsPath)
		}
	}
	maps.DeleteFunc(packages, func(_ string, ours bool) bool { return !ours })
	_, err := k.exported(ctx, parts[0].Build, tmp, slices.Sorted(maps.Keys(packages)), anew)
	return err
}
