package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// RefusedError says that code is not built because of what it is or imports.
type RefusedError struct {
	File   string // where, as the student calls it
	Line   int    // 0: the whole file
	Import string // the import that is refused; "" if it is something else
	Reason lang.Text
}

func (e *RefusedError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *RefusedError) In(p lang.Printer) string {
	place := e.File
	if e.Line > 0 {
		place += fmt.Sprintf(":%d", e.Line)
	}
	if e.Import != "" {
		return p.Say("%s: import %q is not allowed: %s", place, e.Import, e.Reason)
	}
	return p.Say("%s: %s", place, e.Reason)
}

// code is the snapshot of one step's Go files, read and found fit to build.
type code struct {
	folder string
	source Source
	shown  string            // how messages call its folder
	files  map[string][]byte // by name
	steps  []string          // folders of the steps that it imports

	virtual bool // there is no such folder; see standIn
}

// check reads the files of a step without building them. It drops those that
// their build constraints hide, and refuses a package of another name, imports
// of anything but the harmless part of the standard library, tensor, kernel and
// earlier steps, and directives that reach outside the package.
func (c *code) check(pkg string, folders []string, env []string) error {
	broken := &CompileError{Folder: c.folder}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if hidden(name, c.files[name], env) {
			delete(c.files, name)
			continue
		}
		fset, shown := token.NewFileSet(), filepath.Join(c.shown, name)
		file, err := parser.ParseFile(fset, shown, c.files[name], parser.ParseComments|parser.SkipObjectResolution)
		if list, ok := err.(scanner.ErrorList); ok {
			broken.addSyntax(list, shown)
			continue
		}
		if err != nil {
			return err
		}
		if file.Name.Name != pkg {
			return &RefusedError{File: shown, Line: fset.PositionFor(file.Name.Pos(), false).Line,
				Reason: lang.T("it says package %s; the files of %s say package %s", file.Name.Name, c.folder, pkg)}
		}
		if err := c.checkFile(fset, file, shown, folders); err != nil {
			return err
		}
	}
	if len(broken.Lines) > 0 {
		return broken
	}
	return nil
}

// checkFile checks the imports and directives of a file and notes which steps
// it imports.
func (c *code) checkFile(fset *token.FileSet, file *ast.File, shown string, folders []string) error {
	line := func(n ast.Node) int { return fset.PositionFor(n.Pos(), false).Line }
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err // the parser has unquoted it already
		}
		reason := refusal(imported, c.folder, folders)
		inPart := restricted(imported, c.folder) != nil || finished(imported, c.folder) != nil || leaky(imported) != nil
		if reason.Empty() && inPart && spec.Name != nil && spec.Name.Name == "." {
			reason = lang.T("it must keep its name: write %s in front of what you use of it", path.Base(imported))
		}
		if !reason.Empty() {
			return &RefusedError{File: shown, Line: line(spec), Import: imported, Reason: reason}
		}
		c.addStep(imported)
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if d := directive(comment.Text); d != "" {
				return &RefusedError{File: shown, Line: line(comment), Reason: lang.T("the directive %s is not allowed; a step is plain Go code", d)}
			}
		}
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body == nil {
			return &RefusedError{File: shown, Line: line(f), Reason: lang.T("the function %s has no body; a step is written in Go alone, without assembly", f.Name.Name)}
		}
	}
	return c.checkNames(file, shown, line)
}

// addStep notes the step that an import path names, if it names one.
func (c *code) addStep(imported string) {
	if folder, ok := strings.CutPrefix(imported, module+"/steps/"); ok {
		c.steps = append(c.steps, folder)
	}
}

// refusal says why the code of a step must not import a package, if so.
func refusal(imported, folder string, folders []string) lang.Text {
	inside, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(imported, "/")
	step, isStep := strings.CutPrefix(inside, "steps/")
	switch {
	case imported == "C":
		return lang.T("a step is written in Go alone")
	case !ours && !strings.Contains(first, "."):
		return standard(imported)
	case !ours:
		return lang.T("a step uses the standard library, reference/tensor, reference/kernel and earlier steps, and no other module")
	case inside == "reference/tensor" || inside == "reference/kernel":
		return lang.Text{}
	case strings.HasPrefix(inside, "solutions/"):
		return lang.T("the solutions are there to be read; write the step yourself, importing steps/...")
	case inside == "reference/oracle" || inside == "reference/autodiff":
		return lang.T("it computes the expected values; derive the formula and write it yourself")
	case !isStep:
		return lang.T("a step uses reference/tensor, reference/kernel and earlier steps, and nothing else of this module")
	case step == folder || strings.HasPrefix(step, folder+"/"):
		return lang.T("a step is one package: it cannot import itself or a folder inside it")
	case !slices.Contains(folders, step):
		return lang.T("there is no such step")
	case step > folder:
		return lang.T("it is a later step; a step uses earlier ones only")
	}
	return lang.Text{}
}

// hidden says whether build constraints keep a file out of the probe on this
// machine: its name (x_windows.go) or a //go:build line.
func hidden(name string, data []byte, env []string) bool {
	ctx := build.Default
	ctx.CgoEnabled, ctx.BuildTags = false, []string{probeTag}
	for _, e := range env {
		if list, ok := strings.CutPrefix(e, "GOEXPERIMENT="); ok {
			for experiment := range strings.SplitSeq(list, ",") {
				ctx.ToolTags = append(slices.Clone(ctx.ToolTags), "goexperiment."+experiment)
			}
		}
	}
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	match, err := ctx.MatchFile("", name)
	return err == nil && !match
}

// packageName returns the package that files declare: that of the first one.
func packageName(files map[string][]byte) (string, error) {
	names := slices.Sorted(maps.Keys(files))
	if len(names) == 0 {
		return "", errors.New("the stored stub is empty")
	}
	file, err := parser.ParseFile(token.NewFileSet(), names[0], files[names[0]], parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	return file.Name.Name, nil
}
