package workspace

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// note says what the compile errors mean for the student where the compiler's
// words do not: they sit in another step, or in the binding, or ask a
// prerequisite's solution for something that only the student's own has.
func (k *Kit) note(b Build, steps map[string]*code, found []diagnostic) lang.Text {
	if len(b.With) > 0 && strings.Contains(found[0].Message, "undefined") {
		g := b.With[len(b.With)-1]
		return lang.T("%s of %s stands in for that of %s here. It must have every exported method and field that the stub of %s declares.",
			strings.Join(g.Names, ", "), g.Folder, g.For, g.For)
	}
	if note := found[0].leftNote(); !note.Empty() {
		return note
	}
	if first := found[0].code.step(); first != b.Step {
		return lang.T("%s, which %s is built on, does not compile. Repair it first.", first, b.Step)
	}
	var lines []int // of the binding
	for _, d := range found {
		if isTest(d.name) {
			lines = append(lines, d.Line)
		}
	}
	if len(lines) > 0 {
		return k.bindingNote(steps[b.Step], lines)
	}
	for _, d := range found {
		if note := b.missingNote(d.Message, steps); !note.Empty() {
			return note
		}
	}
	return lang.Text{}
}

// undefined matches the compiler's words for what a package, or a type of it,
// does not have.
var undefined = regexp.MustCompile(`undefined(?:: | \(type \*?)(\w+)\.(?:\w+ has no field or method )?(\w+)`)

// missingNote explains a name that a prerequisite's solution does not have.
func (b Build) missingNote(message string, steps map[string]*code) lang.Text {
	m := undefined.FindStringSubmatch(message)
	if m == nil {
		return lang.Text{}
	}
	for folder, c := range steps {
		if pkg, err := packageName(c.files); err == nil && pkg == m[1] && folder != b.Step && !c.source.students() {
			return lang.T("%s is built on the solution of %s, which has no %s. "+
				"Use only what the stub of that step declares, or grade with --own-stack.", b.Step, folder, m[2])
		}
	}
	return lang.Text{}
}

// bindingNote shows how the student's declarations differ from the stub's where
// the binding uses them, in the given lines.
func (k *Kit) bindingNote(c *code, lines []int) lang.Text {
	parts := []lang.Text{lang.T("This file connects the grader to your functions; the original is used, whatever yours says.")}
	original, err := k.stub(c.folder)
	if err != nil {
		return lang.Lines(parts...)
	}
	want, have := declarations(nonTests(original)), declarations(nonTests(c.files))
	used := identifiers(original, lines)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		last := name[strings.LastIndex(name, ".")+1:]
		if !used[last] || want[name].shape == have[name].shape {
			continue
		}
		if mine, ok := have[name]; ok {
			parts = append(parts, lang.T("\nThe stub declares\n\n\t%s\n\nand your code\n\n\t%s", want[name].text, mine.text))
		} else {
			parts = append(parts, lang.T("\nThe stub declares\n\n\t%s\n\nand your code has no %s.", want[name].text, name))
			for _, file := range slices.Sorted(maps.Keys(c.left)) {
				if _, ok := declarations(map[string][]byte{file: c.left[file]})[name]; ok {
					parts = append(parts, lang.T("\nThe one in %s is not compiled here: %s.", file, c.constraint(file)))
				}
			}
		}
	}
	return lang.Lines(parts...)
}

// leftNote says of a name that the compiler misses in which file it stands that is left out.
func (d diagnostic) leftNote() lang.Text {
	name, missing := strings.CutPrefix(d.Message, "undefined: ")
	if !missing {
		return lang.Text{}
	}
	for _, file := range slices.Sorted(maps.Keys(d.code.left)) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, d.code.left[file], parser.SkipObjectResolution)
		if err == nil && slices.ContainsFunc(parsed.Decls, func(decl ast.Decl) bool { return declares(decl, name) }) {
			return lang.T("The one in %s is not compiled here: %s.", file, d.code.constraint(file))
		}
	}
	return lang.Text{}
}

// declares reports whether a declaration is that of a name of the package.
func declares(d ast.Decl, name string) bool {
	if f, ok := d.(*ast.FuncDecl); ok {
		return f.Recv == nil && f.Name.Name == name
	}
	return slices.ContainsFunc(d.(*ast.GenDecl).Specs, func(spec ast.Spec) bool {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			return s.Name.Name == name
		case *ast.ValueSpec:
			return slices.ContainsFunc(s.Names, func(id *ast.Ident) bool { return id.Name == name })
		}
		return false
	})
}

// identifiers returns the words in the given lines of the tests among files.
func identifiers(files map[string][]byte, lines []int) map[string]bool {
	word, words := regexp.MustCompile(`\w+`), map[string]bool{}
	for name, data := range files {
		rows := bytes.Split(data, []byte("\n"))
		for _, n := range lines {
			if isTest(name) && n <= len(rows) {
				for _, w := range word.FindAllString(string(rows[n-1]), -1) {
					words[w] = true
				}
			}
		}
	}
	return words
}

// declaration is a function, a method or a field of a struct.
type declaration struct {
	text  string // as the source has it, in one line, without body and comments
	shape string // without the names of parameters: what a caller depends on
}

// declarations returns the exported functions, methods and fields that files
// declare, by name: "New", "Linear.Forward", "Linear.Weight".
func declarations(files map[string][]byte) map[string]declaration {
	all := map[string]declaration{}
	for name, data := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			continue // a file that does not parse declares nothing
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				addFunc(all, d)
			case *ast.GenDecl:
				addFields(all, d)
			}
		}
	}
	return all
}

func addFunc(all map[string]declaration, d *ast.FuncDecl) {
	name, receiver, text := d.Name.Name, "", "func "
	if d.Recv != nil {
		receiver = types.ExprString(d.Recv.List[0].Type)
		text += listed("(", d.Recv.List, ") ")
		name = strings.TrimPrefix(receiver, "*") + "." + name
	}
	text += d.Name.Name + signature(d.Type)
	unname(d.Type.Params)
	unname(d.Type.Results)
	all[name] = declaration{text, receiver + signature(d.Type)}
}

// signature writes what a function is called with, and what it returns.
func signature(t *ast.FuncType) string {
	text := strings.TrimPrefix(types.ExprString(t), "func")
	if t.TypeParams == nil {
		return text
	}
	return listed("[", t.TypeParams.List, "]") + text
}

// listed writes fields as a list of parameters, between other brackets.
func listed(open string, fields []*ast.Field, end string) string {
	list := &ast.FuncType{Params: &ast.FieldList{List: fields}}
	inside := strings.TrimPrefix(types.ExprString(list), "func(")
	return open + strings.TrimSuffix(inside, ")") + end
}

func addFields(all map[string]declaration, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range s.Fields.List {
			for _, n := range field.Names {
				shape := types.ExprString(field.Type)
				all[t.Name.Name+"."+n.Name] = declaration{fmt.Sprintf("%s.%s, a field of type %s", t.Name.Name, n.Name, shape), shape}
			}
		}
	}
}

// unname turns (a, b int) into (int, int).
func unname(list *ast.FieldList) {
	if list == nil {
		return
	}
	var fields []*ast.Field
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			fields = append(fields, &ast.Field{Type: f.Type})
		}
	}
	list.List = fields
}
