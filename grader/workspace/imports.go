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
	copied string // of what has a copy at that folder: its own folder
	source Source
	shown  string            // how messages call its folder
	files  map[string][]byte // by name
	steps  []string          // folders of the steps that it imports
	bound  []string          // what the binding imports, in the step that is built
	left   map[string][]byte // files that build constraints keep out, by name
	env    []string          // of the build, which decides what is kept out

	rules  rules
	fset   *token.FileSet
	syntax []*ast.File // of the files, tests aside
}

// check reads the files of a step without building them. It drops those that
// their build constraints hide, and refuses a package of another name, imports
// of what the step may not use, and directives that reach outside the package.
func (c *code) check(pkg string, env []string) error {
	broken := &CompileError{Folder: c.folder}
	c.fset, c.left, c.env = token.NewFileSet(), map[string][]byte{}, env
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if hidden(name, c.files[name], env) {
			c.left[name] = c.files[name]
			delete(c.files, name)
			continue
		}
		shown := filepath.Join(c.shown, name)
		file, err := parser.ParseFile(c.fset, shown, c.files[name], parser.ParseComments|parser.SkipObjectResolution)
		if list, ok := err.(scanner.ErrorList); ok {
			broken.addSyntax(list, shown, c.files[name])
			continue
		}
		if err != nil {
			return err
		}
		if file.Name.Name != pkg {
			return c.refuse(file.Name, lang.T("it says package %s; the files of %s say package %s", file.Name.Name, c.folder, pkg))
		}
		if err := c.checkFile(file); err != nil {
			return err
		}
		c.syntax = append(c.syntax, file)
	}
	switch {
	case len(broken.Lines) > 0:
		return broken
	case len(c.files) == 0 && len(c.left) > 0:
		first := slices.Sorted(maps.Keys(c.left))[0]
		return &RefusedError{File: filepath.Join(c.shown, first), Reason: lang.T("no Go file of the step is compiled here: %s", c.constraint(first))}
	}
	return nil
}

// constraint says what keeps a file out of the build: its name, or a line of it.
func (c *code) constraint(name string) lang.Text {
	if hidden(name, nil, c.env) {
		system, processor := target(c.env)
		return lang.T("the name %s says on which systems the file is meant to be, and this is %s/%s; call it otherwise", name, system, processor)
	}
	return lang.T("a line of %s that begins with //go:build keeps it out; remove that line", name)
}

// refuse refuses the code for what stands at a place in it.
func (c *code) refuse(at ast.Node, reason lang.Text) *RefusedError {
	place := c.fset.PositionFor(at.Pos(), false)
	return &RefusedError{File: place.Filename, Line: place.Line, Reason: reason}
}

// checkFile checks the imports and directives of a file and notes which steps
// it imports.
func (c *code) checkFile(file *ast.File) error {
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err // the parser has unquoted it already
		}
		if reason := c.rules.refusal(imported); !reason.Empty() {
			refused := c.refuse(spec, reason)
			refused.Import = imported
			return refused
		}
		c.addStep(imported)
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if d := directive(comment.Text); d != "" {
				return c.refuse(comment, lang.T("the directive %s is not allowed; a step is plain Go code", d))
			}
		}
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body == nil {
			return c.refuse(f, lang.T("the function %s has no body; a step is written in Go alone, without assembly", f.Name.Name))
		}
	}
	return nil
}

// addStep notes the step that an import path names, if it names one.
func (c *code) addStep(imported string) {
	if folder, ok := strings.CutPrefix(imported, stepsPath); ok {
		c.steps = append(c.steps, folder)
	}
}

// hidden reports whether build constraints keep a file out of the probe on this
// machine: its name (x_windows.go) or a //go:build line. No data has no such line.
func hidden(name string, data []byte, env []string) bool {
	ctx := build.Default
	ctx.CgoEnabled, ctx.BuildTags = false, []string{probeTag}
	ctx.GOOS, ctx.GOARCH = target(env)
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

// packageName returns the package that files declare, which their tests stand beside.
func packageName(files map[string][]byte) (string, error) {
	names := slices.Sorted(maps.Keys(files))
	if len(names) == 0 {
		return "", errors.New("the stored stub is empty")
	}
	file, err := parser.ParseFile(token.NewFileSet(), names[0], files[names[0]], parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(file.Name.Name, "_test"), nil
}
