package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// boothVariable tells a program which of its booths is to answer.
const boothVariable = "STUBFORMER_BOOTH"

// Probe is a program that answers for the code of one step.
type Probe struct {
	Path   string
	Env    []string // for whose code, where the program holds that of several
	Shared bool     // it holds that of several
}

// part is what one build has in a program. Its step sits in a booth of its own: at an
// import path that no other's code knows, where others share the program.
type part struct {
	Build
	booth  string           // folder below steps/; "" for a Package
	test   string           // of the binding, which is its probe
	steps  map[string]*code // by folder, as they were read
	seated map[string]*code // by folder, with guests in the places of others
	laid   map[string]*code // by path below steps/, as they are built
	binary string           // when it is built
	shared bool             // it holds other parts too
	found  error            // by the inspection
	err    error
}

// sound returns the parts in which nothing is wrong so far.
func sound(parts []*part) []*part {
	return slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return p.err != nil })
}

// fail says of parts in which nothing else is wrong that they cannot be built.
func fail(parts []*part, err error) {
	for _, p := range sound(parts) {
		p.err = err
	}
}

// gathered is a build whose code has been read, as it stands.
func (k *Kit) gathered(b Build) *part {
	p := &part{Build: b}
	if p.steps, p.err = k.gather(b); p.err == nil {
		p.seated, p.err = seat(p.steps, b.With)
		p.laid = p.seated
	}
	return p
}

// Probes builds the probes of several steps, or of several versions of one, with as few
// calls of the go command and in as few programs as can be: those come of one call that
// are built with the same settings on the same code of the steps before them, and of these
// those share a program that may (see joins). They lie in outDir. The errors are those of
// Build, one for each build; nil where there is a probe. Where a call for several met a
// limit, whose code is at fault is not known, and the error of each is no BuildLimitError.
func (k *Kit) Probes(ctx context.Context, builds []Build, outDir string) ([]Probe, []error) {
	probes, errs := make([]Probe, len(builds)), make([]error, len(builds))
	parts := make([]*part, len(builds))
	for i, b := range builds {
		parts[i] = k.gathered(b)
		parts[i].booth = fmt.Sprintf("booth%d", i)
	}
	var limited []*part
	for _, site := range grouped(parts, beside) {
		for _, p := range sound(site) {
			if p.err = p.known(limited); p.err == nil {
				p.err = p.furnish(len(site) > 1)
			}
		}
		k.construct(ctx, site, outDir)
		for _, p := range site {
			if errors.As(p.err, new(*BuildLimitError)) {
				limited = append(limited, p)
			}
		}
	}
	for i, p := range parts {
		errs[i] = p.err
		probes[i] = Probe{Path: p.binary, Env: []string{boothVariable + "=" + p.booth}, Shared: p.shared}
	}
	return probes, errs
}

// known returns the error of a part that met a limit alone, if its step is in p too: it
// would cost as much once more, and end the same.
func (p *part) known(limited []*part) error {
	for _, o := range limited {
		if mine := p.steps[o.Step]; mine != nil && maps.EqualFunc(nonTests(mine.files), nonTests(o.steps[o.Step].files), bytes.Equal) {
			return o.err
		}
	}
	return nil
}

// grouped puts each part with the first group that it fits into, all of it, and where
// there is none into one of its own.
func grouped(parts []*part, fit func(p, o *part) bool) (groups [][]*part) {
	for _, p := range parts {
		at := slices.IndexFunc(groups, func(group []*part) bool {
			return !slices.ContainsFunc(group, func(o *part) bool { return !fit(p, o) })
		})
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], p)
	}
	return groups
}

// beside reports whether two parts can come of one call of the go command.
func beside(p, o *part) bool {
	return p.err == nil && o.err == nil && len(p.With) == 0 && len(o.With) == 0 &&
		slices.Equal(p.Env, o.Env) && p.Fence == o.Fence && alikeBelow(p, o) && alikeBelow(o, p)
}

// joins reports whether two parts that come of one call can share a program. Of the code
// in a program only that of one booth ever runs, but for what Go runs at the start of
// every program: code that computes anything then has a program to itself. And code that
// breaks Go's rules for memory, with two goroutines that write to one variable, reaches
// all that is in its program.
func joins(p, o *part) bool {
	return p.canShare() && o.canShare() && !p.betrayed(o) && !o.betrayed(p)
}

// betrayed reports whether a student wrote the step of p and another's code of that step
// would be in a program with o: the solution that o is built on, or another version.
func (p *part) betrayed(o *part) bool {
	mine, other := p.steps[p.Step], o.steps[p.Step]
	return mine.source.students() && other != nil && !maps.EqualFunc(nonTests(mine.files), nonTests(other.files), bytes.Equal)
}

// canShare reports whether a part has nothing in it that others would notice.
func (p *part) canShare() bool {
	for folder, c := range p.steps {
		if (folder == p.Step || c.source.students()) && !quiet(c.syntax) {
			return false
		}
	}
	return true
}

// alikeBelow reports whether two parts build the steps before the one's own on the same
// code, as far as both need them.
func alikeBelow(p, o *part) bool {
	for folder, c := range p.steps {
		other := o.steps[folder]
		if folder != p.Step && folder != o.Step && other != nil && !maps.EqualFunc(c.files, other.files, bytes.Equal) {
			return false
		}
	}
	return true
}

// furnish puts the binding of the step into the booth and, if others share the
// program, the step itself.
func (p *part) furnish(shared bool) error {
	step := *p.seated[p.Step]
	binding := step
	binding.folder = path.Join(p.booth, "binding")
	step.files, binding.files = nonTests(step.files), map[string][]byte{}
	p.laid = maps.Clone(p.seated)
	p.laid[p.Step] = &step
	for name, data := range p.seated[p.Step].files {
		if isTest(name) {
			binding.files[bound(name)] = data
		}
	}
	if shared {
		delete(p.laid, p.Step)
		step.folder = path.Join(p.booth, p.Step)
		p.laid[step.folder] = &step
		if err := binding.importing(map[string]string{p.Step: step.folder}); err != nil {
			return err
		}
	}
	test := testOf(binding.files)
	if test == "" {
		return lang.Errorf("the binding of %s has no test, which is to be its probe", p.Step)
	}
	p.laid[binding.folder] = &binding
	p.test = test
	return nil
}

// bound is how a file of the binding is called in the booth, where it is no test.
func bound(name string) string { return strings.TrimSuffix(name, "_test.go") + ".go" }

// unbound is how it is called in the step.
func unbound(name string) string { return strings.TrimSuffix(name, ".go") + "_test.go" }

// testOf returns the name of the test in the files of a binding; "" if there is none.
func testOf(files map[string][]byte) string {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				return f.Name.Name
			}
		}
	}
	return ""
}

// laid returns all that programs are built from, by its path below steps/.
func laid(programs [][]*part) map[string]*code {
	all := map[string]*code{}
	for _, parts := range programs {
		for _, p := range parts {
			maps.Copy(all, p.laid)
		}
		if folder := mainFolder(parts); folder != "" {
			all[folder] = &code{folder: folder, files: map[string][]byte{"main.go": mainFile(parts)}}
		}
	}
	return all
}

// mainFolder is the folder below steps/ of a program's main package, which it has its
// name from; "" if that is a Package of the kit.
func mainFolder(parts []*part) string {
	if parts[0].Package != "" {
		return ""
	}
	return path.Join("booths", parts[0].booth)
}

// mainFile writes the main package: it runs the test of the booth that is asked for.
func mainFile(parts []*part) []byte {
	var imports, cases strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&imports, "\t%s %q\n", p.booth, stepsPath+p.booth+"/binding")
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.%s(nil)\n", p.booth, p.booth, p.test)
	}
	return fmt.Appendf(nil, "package main\n\nimport (\n\t\"os\"\n\n%s)\n\nfunc main() {\n\tswitch os.Getenv(%q) {\n%s\t}\n\tos.Exit(3)\n}\n",
		&imports, boothVariable, &cases)
}
