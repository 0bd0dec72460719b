package likeness

import (
	"go/ast"
	"path"
	"strconv"
)

// names say which names in the code of a step its author chose, apart from locals.
type names struct {
	given   Vocabulary
	own     map[string]bool   // declared at the top of a file, and not by the kit
	imports map[string]string // of one file: its name for a package, and the package's own
}

// Vocabulary is the set of exported names that the kit hands out, which nobody has
// chosen.
type Vocabulary map[string]bool

// add adds what a file exports: at the top, as a field or as a method.
func (v Vocabulary) add(file *ast.File) {
	for _, d := range file.Decls {
		v.names(declaredBy(d))
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				v.fields(n.Fields)
			case *ast.InterfaceType:
				v.fields(n.Methods)
			case *ast.BlockStmt:
				return false
			}
			return true
		})
	}
}

func (v Vocabulary) fields(list *ast.FieldList) {
	for _, f := range list.List {
		v.names(f.Names)
	}
}

func (v Vocabulary) names(ids []*ast.Ident) {
	for _, id := range ids {
		if id.IsExported() {
			v[id.Name] = true
		}
	}
}

// declaredBy returns the names that a declaration at the top of a file declares.
func declaredBy(d ast.Decl) (ids []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		ids = append(ids, d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				ids = append(ids, spec.Names...)
			case *ast.TypeSpec:
				ids = append(ids, spec.Name)
			}
		}
	}
	return ids
}

// importsOf returns what a file calls packages, and what they are called.
func importsOf(file *ast.File) map[string]string {
	all := map[string]string{}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		base := path.Base(p)
		name := base
		if len(name) > 7 && name[:4] == "step" && name[6] == '_' { // step02_linear holds package linear
			name = name[7:]
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all[name] = base
	}
	return all
}
