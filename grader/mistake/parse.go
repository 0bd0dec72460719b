package mistake

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/reference/newline"
)

// Folder is the name of the folders that hold mistakes, and Tag the build
// constraint of their files.
const (
	Folder = "mistakes"
	Tag    = "mistake"
)

// Load returns the mistakes of a step, by its folder, of the kit in root.
func Load(root, step string) ([]Mistake, error) {
	return Parse(os.DirFS(filepath.Join(root, "grader", "course")), step)
}

// Unlisted returns the wrong programs in dir, by step and name, that are in no
// catalogue: STEP/*.go, of the same form, with the tag "unlisted" and without hints.
// Their Why says how a caller notices.
func Unlisted(dir, step string) ([]Mistake, error) {
	return read(os.DirFS(dir), path.Join(step, "*.go"), step, reader{tag: "unlisted"})
}

// Parse returns the mistakes of a step: those in the files of
// STEP/mistakes, by name. Its error names the file and the line.
func Parse(steps fs.FS, step string) ([]Mistake, error) {
	return read(steps, path.Join(step, Folder, "*.go"), step, reader{tag: Tag, hints: true})
}

func read(steps fs.FS, pattern, step string, like reader) ([]Mistake, error) {
	names, err := fs.Glob(steps, pattern)
	if err != nil {
		return nil, err
	}
	var all []Mistake
	seen := map[string]bool{}
	for _, name := range names {
		text, err := fs.ReadFile(newline.FS{FS: steps}, name)
		if err != nil {
			return nil, err
		}
		mistakes, err := like.file(name, step, text)
		if err != nil {
			return nil, err
		}
		for _, m := range mistakes {
			for _, v := range m.Versions {
				if seen[v.ID] {
					return nil, fmt.Errorf("%s: %s exists twice; choose another id", v.at, v.ID)
				}
				seen[v.ID] = true
			}
		}
		all = append(all, mistakes...)
	}
	return all, nil
}

// reader reads one file of mistakes.
type reader struct {
	tag        string // that keeps the file out of every build
	hints      bool   // every mistake must have one
	name, step string
	text       []byte
	fset       *token.FileSet
	imports    []imported
	mistakes   []Mistake
}

// file reads a file as a reader with the settings of like does.
func (like reader) file(name, step string, text []byte) ([]Mistake, error) {
	r := &like
	r.name, r.step, r.text, r.fset = name, step, text, token.NewFileSet()
	file, err := parser.ParseFile(r.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if !constrained(file, r.tag) {
		return nil, fmt.Errorf("%s: the line //go:build %s before the package is missing; it keeps the file out of every build", name, r.tag)
	}
	r.imports = importsOf(file)
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			continue
		}
		if err := r.declaration(decl); err != nil {
			return nil, err
		}
	}
	return r.mistakes, nil
}

// constrained reports whether a file is built with the tag only.
func constrained(file *ast.File, with string) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && c.Pos() < file.Package {
				return !expr.Eval(func(tag string) bool { return tag != with })
			}
		}
	}
	return false
}

func importsOf(file *ast.File) []imported {
	var all []imported
	for _, spec := range file.Imports {
		i := imported{}
		i.path, _ = strconv.Unquote(spec.Path.Value) // the parser has done so already
		if spec.Name != nil {
			i.name = spec.Name.Name
		}
		all = append(all, i)
	}
	return all
}

// declaration reads a declaration and the head of a mistake before it.
func (r *reader) declaration(decl ast.Decl) error {
	doc := docOf(decl)
	if doc == nil && len(r.mistakes) == 0 {
		return fmt.Errorf("%s: the first declaration has no comment; want one that begins with “id: title”", r.at(decl))
	}
	if doc != nil {
		if err := r.head(doc); err != nil {
			return fmt.Errorf("%s: %w", r.at(doc), err)
		}
	}
	changes, err := r.changes(decl)
	if err != nil {
		return err
	}
	m := &r.mistakes[len(r.mistakes)-1]
	v := &m.Versions[len(m.Versions)-1]
	v.changes = append(v.changes, changes...)
	return nil
}

// head begins a mistake, or another version of one.
func (r *reader) head(doc *ast.CommentGroup) error {
	h, err := parseHead(doc.Text(), r.hints)
	if err != nil {
		return err
	}
	version := Version{ID: h.id, Title: h.mistake.Title, In: h.in, at: r.at(doc), folder: r.step, imports: r.imports}
	if h.with != "" {
		other := r.version(h.with)
		if other == nil {
			return fmt.Errorf("%s: no version above is called %s, which it is to be made with", h.id, h.with)
		}
		version.changes = slices.Clone(other.changes)
	}
	id, _, variant := strings.Cut(h.id, "/")
	if !variant {
		m := h.mistake
		m.Versions = []Version{version}
		r.mistakes = append(r.mistakes, m)
		return nil
	}
	last := len(r.mistakes) - 1
	if last < 0 || r.mistakes[last].ID != id {
		return fmt.Errorf("%s does not follow %s, of which it is a version", h.id, id)
	}
	if version.In == "" {
		version.In = r.mistakes[last].Versions[0].In
	}
	r.mistakes[last].Versions = append(r.mistakes[last].Versions, version)
	return nil
}

// version returns the version with an id among those read so far, or nil.
func (r *reader) version(id string) *Version {
	for _, m := range r.mistakes {
		for i, v := range m.Versions {
			if v.ID == id {
				return &m.Versions[i]
			}
		}
	}
	return nil
}

// at says where a node is written down.
func (r *reader) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", r.name, r.fset.Position(n.Pos()).Line)
}

// source is the text from the first of some nodes to the last.
func source[N ast.Node](fset *token.FileSet, text []byte, nodes []N) string {
	if len(nodes) == 0 {
		return ""
	}
	return string(text[fset.Position(nodes[0].Pos()).Offset:fset.Position(nodes[len(nodes)-1].End()).Offset])
}

func docOf(decl ast.Decl) *ast.CommentGroup {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}
