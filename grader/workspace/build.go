package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/tree"
	"github.com/stubformer/stubformer/grader/lang"
)

const (
	probeTag     = "stubformer_probe" // makes a step's test binary a probe
	buildTimeout = 5 * time.Minute    // a first build downloads and compiles a lot
)

// Build says what stands behind the steps' import paths, and whose probe is
// built.
type Build struct {
	Course  []*course.Step    // says what each step may use
	Step    string            // folder whose probe is built
	Package string            // built instead of the probe: a main package of the kit that imports steps, by its path from Root
	Sources map[string]Source // by folder; a folder without an entry uses Own
	Overlay map[string][]byte // files over those of the Sources, by path: "step08_attention/mask.go"
	With    []StandIn         // steps that take the place of others
	Env     []string          // added to the go command's environment: "GOEXPERIMENT=simd"
	Fence   *Fence            // around the build of code that nobody trusts; nil for none

	// Portable builds with the kernels in plain Go, and a product and a sum are rounded
	// each: the numbers are the same on every processor.
	Portable bool
}

// Build builds the Package and returns the path of the program, which lies in
// outDir. It leaves nothing else behind, there or elsewhere. An error is a
// *CompileError, a *RefusedError or, within a fence, a *BuildLimitError if it is
// in the student's code, and anything else if it is not.
func (k *Kit) Build(ctx context.Context, b Build, outDir string) (binary string, err error) {
	p := k.gathered(b)
	k.construct(ctx, []*part{p}, outDir)
	return p.binary, p.err
}

// construct builds the programs of parts in which nothing is wrong so far, and
// inspects what their steps use. It does both at once, but inspects code that
// nobody trusts only when the compiler has come through it within its limits.
func (k *Kit) construct(ctx context.Context, parts []*part, outDir string) {
	if parts = sound(parts); len(parts) == 0 {
		return
	}
	tmp, err := os.MkdirTemp(outDir, "build-")
	if err != nil {
		fail(parts, err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var inspection sync.WaitGroup
	if parts[0].Fence == nil {
		inspection.Go(func() {
			k.inspectAll(ctx, parts, tmp)
			if len(parts) == 1 && errors.As(parts[0].found, new(*RefusedError)) {
				cancel() // no need to build it
			}
		})
	}
	if parts[0].Fence != nil {
		k.compileFenced(ctx, parts, tmp, outDir)
		k.inspectAll(ctx, sound(parts), tmp)
	} else if k.compile(ctx, parts, tmp, outDir); len(sound(parts)) == 0 {
		cancel()
	}
	inspection.Wait()
	for _, p := range parts {
		if p.found != nil && (p.err == nil || errors.As(p.found, new(*RefusedError))) {
			p.err = p.found
		}
	}
	if err := tree.RemoveAll(tmp); err != nil {
		fail(parts, err)
	}
	discard(parts)
}

// inspectAll says of each part what its steps use that they must not.
func (k *Kit) inspectAll(ctx context.Context, parts []*part, tmp string) {
	for _, p := range parts {
		p.found = k.inspect(ctx, p.Build, p.steps, tmp)
	}
}

// compile builds the programs of parts. What does not compile is left out of them; where
// the go command does not tell whose fault it is, each part is built alone. What ends
// the build is an error of all: for each that is built again, it may come again.
func (k *Kit) compile(ctx context.Context, parts []*part, tmp, outDir string) {
	for len(parts) > 0 {
		programs := grouped(parts, joins)
		overlay, err := k.overlay(programs, filepath.Join(tmp, "overlay.json"), tmp)
		if err != nil {
			fail(parts, err)
			return
		}
		output, err := k.goBuild(ctx, programs, place{tmp, overlay, outDir})
		if err == nil {
			for _, program := range programs {
				for _, p := range program {
					p.binary, p.shared = binaryOf(program, outDir), len(program) > 1
				}
			}
			return
		}
		failed := errors.As(err, new(*exec.ExitError)) // and was not ended by a limit, say
		if failed {
			for _, p := range parts {
				p.err = k.readFailure(output, p, tmp)
			}
			err = lang.Errorf("the go command failed:\n%s", strings.TrimSpace(output))
		}
		if len(parts) > 1 && errors.As(err, new(*BuildLimitError)) {
			err = errors.New("the build of several steps: " + err.Error()) // of which nobody knows
		}
		rest := sound(parts)
		switch {
		case len(rest) < len(parts):
			parts = rest
		case len(parts) == 1 || !failed:
			fail(parts, err)
			return
		default:
			for _, p := range parts {
				k.compile(ctx, []*part{p}, tmp, outDir)
			}
			return
		}
	}
}

// binaryOf returns where the go command puts a program.
func binaryOf(parts []*part, outDir string) string {
	name := path.Base(cmp.Or(mainFolder(parts), parts[0].Package))
	if system, _ := target(parts[0].Env); system == "windows" {
		name += ".exe"
	}
	return filepath.Join(outDir, name)
}

// place is where a build works: the scratch folder, the overlay in it, and the
// folder of the programs that it makes.
type place struct{ tmp, overlay, outDir string }

// discard removes the programs of which nobody has any use.
func discard(parts []*part) {
	used := map[string]bool{}
	for _, p := range parts {
		used[p.binary] = used[p.binary] || p.err == nil
	}
	for _, p := range parts {
		if p.binary != "" && !used[p.binary] {
			if err := os.Remove(p.binary); err != nil && !errors.Is(err, fs.ErrNotExist) {
				p.err = errors.Join(p.err, err)
			}
		}
		if p.err != nil {
			p.binary = ""
		}
	}
}

// gather reads and checks the code of the step to be built and of every step
// that it imports, directly or through another.
func (k *Kit) gather(b Build) (map[string]*code, error) {
	folders, err := k.Folders()
	if err != nil {
		return nil, err
	}
	if _, err := k.stub(b.Step); err != nil && !slices.Contains(folders, b.Step) {
		return nil, lang.Errorf("the kit in %s has no folder steps/%s", k.Root, b.Step)
	}
	queue, err := k.roots(b)
	if err != nil {
		return nil, err
	}
	for _, s := range b.With {
		queue = append(queue, s.Folder, s.For)
	}
	steps := map[string]*code{}
	for ; len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if steps[folder] != nil {
			continue
		}
		c, err := k.load(b, folder)
		if err != nil {
			return nil, b.attribute(folder, err)
		}
		steps[folder] = c
		queue = append(queue, c.steps...)
	}
	for name := range b.Overlay {
		if steps[path.Dir(name)] == nil {
			return nil, b.misplaced(name)
		}
	}
	return steps, nil
}

// misplaced says of a file of the Overlay that it lies over nothing.
func (b Build) misplaced(name string) error {
	return lang.Errorf("%s is no Go file of a step that %s is built from", name, b.Step)
}

// programs is the folder of the packages that import steps.
const programs = "grader/programs/"

// roots returns the steps that a build imports by itself: the one to be built
// and those of its Package, directly or through the packages of the kit that are
// built on steps, which lie below programs.
func (k *Kit) roots(b Build) ([]string, error) {
	c := code{steps: []string{b.Step}}
	if b.Package == "" {
		return c.steps, nil
	}
	queue := []string{b.Package}
	for i := 0; i < len(queue); i++ {
		pkg, err := build.ImportDir(filepath.Join(k.Root, filepath.FromSlash(queue[i])), 0)
		if err != nil {
			return nil, err
		}
		for _, imported := range pkg.Imports {
			c.addStep(imported)
			inside, ours := strings.CutPrefix(imported, module+"/")
			if ours && strings.HasPrefix(inside, programs) && !slices.Contains(queue, inside) {
				queue = append(queue, inside)
			}
		}
	}
	return c.steps, nil
}

// load reads and checks the code of one step. The step to be built gets the
// original binding.
func (k *Kit) load(b Build, folder string) (*code, error) {
	original, err := k.stub(folder)
	if err != nil {
		return nil, err
	}
	pkg, err := packageName(original)
	if err != nil {
		return nil, err
	}
	c := &code{folder: folder, source: b.Sources[folder]}
	if c.rules, err = b.rules(folder); err != nil {
		return nil, err
	}
	if c.files, c.shown, err = k.read(c.source, folder); err != nil {
		return nil, err
	}
	for name, text := range b.Overlay {
		switch {
		case path.Dir(name) != folder:
		case !isSource(path.Base(name)):
			return nil, b.misplaced(name)
		default:
			c.files[path.Base(name)] = text
		}
	}
	if err := c.check(pkg, b.Env); err != nil || folder != b.Step {
		return c, err
	}
	for name, data := range original {
		if !isTest(name) {
			continue
		}
		c.files[name] = data
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				c.addStep(imported)
				c.bound = append(c.bound, imported)
			}
		}
	}
	return c, nil
}

// attribute turns what is wrong with code that the student neither wrote nor
// asked for, a prerequisite's solution, into an error of the kit.
func (b Build) attribute(folder string, err error) error {
	if folder == b.Step || b.Sources[folder].students() {
		return err
	}
	return lang.Errorf("%s, which %s is built on, is damaged: %v", folder, b.Step, err)
}

// overlay writes the snapshot below tmp, and the file for -overlay that lays it
// over the steps' folders, and returns that file's path. What lies in a folder
// and not in its snapshot is hidden.
func (k *Kit) overlay(programs [][]*part, path, tmp string) (string, error) {
	replace := map[string]string{}
	for _, c := range laid(programs) {
		dir := filepath.Join(k.Root, "steps", c.folder)
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err // no folder is needed where one is laid over it
		}
		for _, e := range entries {
			if !e.IsDir() {
				replace[filepath.Join(dir, e.Name())] = ""
			}
		}
		snapshot := filepath.Join(tmp, c.folder)
		if err := os.MkdirAll(snapshot, 0o755); err != nil {
			return "", err
		}
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			path := filepath.Join(snapshot, name)
			if err := os.WriteFile(path, c.files[name], 0o644); err != nil {
				return "", err
			}
			replace[filepath.Join(dir, name)] = path
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, data, 0o644)
}
