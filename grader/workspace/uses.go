package workspace

import (
	"cmp"
	"go/ast"
	"go/types"
	"path"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// usage looks through the code of one step for what its rules refuse.
type usage struct {
	rules
	self     *types.Package
	exported types.Importer
	fields   map[*types.Package]map[types.Object]string // as "Tensor.Shape"
	refused  map[string][]*types.Func                   // methods by name; nil as long as nobody has asked
	leads    map[types.Type]string                      // what a type leads to that is refused; "" for nothing
	err      error                                      // of an import
}

func newUsage(r rules, self *types.Package, exported types.Importer) *usage {
	return &usage{rules: r, self: self, exported: exported,
		fields: map[*types.Package]map[types.Object]string{}, leads: map[types.Type]string{}}
}

// first returns the first place that uses what it may not, and why it may not;
// nil if there is none.
func (u *usage) first(info *types.Info) (place ast.Node, why lang.Text) {
	refuse := func(at ast.Node, reason lang.Text) {
		if !reason.Empty() && (place == nil || before(at, place)) {
			place, why = at, reason
		}
	}
	for id, obj := range info.Uses {
		refuse(id, u.object(obj))
	}
	if place != nil { // says more than the type of what it stands in
		return place, why
	}
	for id, obj := range info.Defs {
		if obj != nil {
			refuse(id, u.value(id, obj.Type()))
		}
	}
	for id, instance := range info.Instances {
		refuse(id, u.value(id, instance.Type))
		for t := range instance.TypeArgs.Types() {
			refuse(id, u.value(id, t))
		}
	}
	for expr, tv := range info.Types {
		refuse(expr, u.value(expr, tv.Type))
	}
	return place, why
}

// before reports whether a begins before b or, where they begin together, ends
// before it.
func before(a, b ast.Node) bool {
	return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(a.End(), b.End())) < 0
}

// object says why a function, a type, a variable, a constant, a method or a
// field must not be used.
func (u *usage) object(obj types.Object) lang.Text {
	if _, isPackage := obj.(*types.PkgName); isPackage || obj.Pkg() == nil {
		return lang.Text{}
	}
	at := obj.Pkg().Path()
	if strings.HasPrefix(at, stepsPath) {
		if method, ok := obj.(*types.Func); ok {
			if hidden := u.behind(method); hidden != "" {
				return lang.T("%s is not allowed: through an interface it reaches %s, which this step may not use",
					obj.Name(), hidden)
			}
		}
		if obj.Pkg() == u.self || u.imports(at) {
			return lang.Text{}
		}
		return lang.T("%s.%s is not allowed: %s", obj.Pkg().Name(), obj.Name(), u.refusal(at))
	}
	symbol := u.symbol(obj)
	if u.step.Uses.Allows(at, symbol) {
		return lang.Text{}
	}
	if !u.imports(at) {
		return lang.T("%s.%s is not allowed: %s", path.Base(at), symbol, u.refusal(at))
	}
	return lang.T("%s.%s is not allowed: %s", path.Base(at), symbol, u.step.Uses.Instead(at, symbol))
}

// symbol returns the name of an object within its package: "Mul", "Tensor.Shape".
func (u *usage) symbol(obj types.Object) string {
	switch o := obj.(type) {
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			return receiver(recv.Type()) + "." + o.Name()
		}
	case *types.Var:
		if o.IsField() {
			return cmp.Or(u.fieldsOf(o.Pkg())[o.Origin()], "?."+o.Name())
		}
	}
	return obj.Name()
}

// receiver returns the name of the type that a method belongs to.
func receiver(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return "?"
}

// fieldsOf returns the fields of a package's types by their names.
func (u *usage) fieldsOf(pkg *types.Package) map[types.Object]string {
	if u.fields[pkg] == nil {
		names := map[types.Object]string{}
		for _, name := range pkg.Scope().Names() {
			if t, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
				nameFields(names, name, t.Type().Underlying())
			}
		}
		u.fields[pkg] = names
	}
	return u.fields[pkg]
}

func nameFields(names map[types.Object]string, of string, t types.Type) {
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			names[f] = of + "." + f.Name()
			nameFields(names, names[f], f.Type())
		}
	case interface{ Elem() types.Type }: // pointers, slices and arrays of a struct without a name
		nameFields(names, of, t.Elem())
	}
}
