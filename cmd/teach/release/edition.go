package release

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// edition is one that is being written.
type edition struct {
	Options
	kit     *workspace.Kit
	root    string         // of what is written
	leftOut []*course.Step // steps of the course that it does not hold, in order
}

func newEdition(kit *workspace.Kit, root string, o Options) *edition {
	e := &edition{Options: o, kit: kit, root: root}
	for _, s := range registry.Steps() {
		if !slices.ContainsFunc(o.Steps, func(t *course.Step) bool { return t.ID == s.ID }) {
			e.leftOut = append(e.leftOut, s)
		}
	}
	return e
}

// The files that take the place of others in a student edition.
//
//go:embed student/truth.go.txt
var studentTruth []byte

//go:embed student/cache.go.txt
var noCache []byte

// forAgents asks the students' coding agents to be tutors.
//
//go:embed student/AGENTS.md
var forAgents []byte

// write writes all files below root.
func (e *edition) write() error {
	if err := e.copy(); err != nil {
		return err
	}
	for _, s := range e.Steps {
		stub, err := e.kit.Stub(s.Folder)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(stub)) {
			if err := e.put("steps/"+s.Folder+"/"+name, stub[name]); err != nil {
				return err
			}
		}
	}
	if err := e.exchange(); err != nil {
		return err
	}
	if err := e.leaveDerivatives(); err != nil {
		return err
	}
	if e.whole() {
		return nil
	}
	if len(e.leftOut) > 0 {
		if err := e.dropDependents(); err != nil {
			return err
		}
	}
	if err := e.introduce(); err != nil {
		return err
	}
	return e.pruneMarkdown()
}

// leaveDerivatives leaves the derivatives to the student, if they are to find them.
func (e *edition) leaveDerivatives() error {
	if !e.Derive {
		return nil
	}
	kit, err := workspace.Find(e.root)
	if err != nil {
		return err
	}
	kept, err := kit.Derive(true)
	if err == nil && len(kept) > 0 {
		err = fmt.Errorf("%s: not the stubs that are handed out", strings.Join(kept, ", "))
	}
	return err
}

// copy copies what the edition holds, the stubs aside: those come from where
// they are stored, since the ones in steps/ may have been filled in. No symbolic
// link is followed.
func (e *edition) copy() error {
	return fs.WalkDir(os.DirFS(e.kit.Root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case !e.holds(name) && entry.IsDir():
			return fs.SkipDir
		case !e.holds(name) || isStub(name) || !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(filepath.Join(e.kit.Root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		return e.put(name, data)
	})
}

// isStub reports whether a file is Go code in a step's folder: a stub, a binding,
// or what somebody has put beside them.
func isStub(name string) bool { return strings.HasPrefix(name, "steps/") && path.Ext(name) == ".go" }

// exchange writes the files that differ between the editions.
func (e *edition) exchange() error {
	if !e.whole() {
		code, err := e.registry()
		if err != nil {
			return err
		}
		if err := e.putGo("grader/course/registry/registry.go", code); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(e.leftOut, func(s *course.Step) bool { return s.ID == "step12" }) {
		if err := e.put("grader/programs/generate/cache.go", noCache); err != nil {
			return err
		}
	}
	if !e.WithoutSolutions {
		return nil
	}
	if !e.WithoutAgents {
		if err := e.put("AGENTS.md", forAgents); err != nil {
			return err
		}
	}
	return e.put("grader/course/truth.go", studentTruth)
}

// registry is grader/course/registry with the steps of the edition, without the checks
// that it cannot make.
func (e *edition) registry() ([]byte, error) {
	var imports, steps strings.Builder
	for _, s := range e.Steps {
		fmt.Fprintf(&imports, "\t\"github.com/stubformer/stubformer/grader/course/%s\"\n", s.Folder)
		fmt.Fprintf(&steps, "\t\t%s.Step(),\n", s.Name)
	}
	list := "course.Sorted([]*course.Step{\n" + steps.String() + "\t})"
	if e.ForwardOnly {
		list = "course.ForwardOnly(" + list + ")"
	}
	if e.WithoutSolutions {
		set, err := fixtures.Load()
		if err != nil {
			return nil, err
		}
		list = "course.LeavingOut(" + list + ",\n"
		for _, id := range course.KeptBack(context.Background(), e.Steps, set) {
			list += fmt.Sprintf("\t\t%q,\n", id)
		}
		list += "\t)"
	}
	return fmt.Appendf(nil, `// Package registry lists the steps of this edition.
package registry

import (
	"slices"
	"sync"

	"github.com/stubformer/stubformer/grader/course"
%s)

// Steps returns the steps of this edition, every step after those that it needs. All
// callers share the steps.
func Steps() []*course.Step { return slices.Clone(made()) }

var made = sync.OnceValue(all)

func all() []*course.Step {
	return %s
}
`, imports.String(), list), nil
}

// put writes a file of the edition.
func (e *edition) put(name string, data []byte) error {
	file := filepath.Join(e.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if bytes.HasPrefix(data, []byte("#!")) {
		mode = 0o755
	}
	return os.WriteFile(file, newline.Unix(data), mode)
}

// putGo writes generated code.
func (e *edition) putGo(name string, code []byte) error {
	code, err := format.Source(code)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return e.put(name, code)
}
