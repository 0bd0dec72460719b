package workspace

import (
	"go/ast"
	"go/types"

	"github.com/stubformer/stubformer/grader/lang"
)

// refusedMethods returns, by name, the methods that the step may not use of the
// packages that it may use in part.
func (u *usage) refusedMethods() map[string][]*types.Func {
	if u.refused != nil {
		return u.refused
	}
	u.refused = map[string][]*types.Func{}
	for _, path := range u.step.Uses.InPart() {
		pkg, err := u.exported.Import(path)
		if err != nil {
			u.err = err
			continue
		}
		u.refuseMethods(pkg)
	}
	return u.refused
}

func (u *usage) refuseMethods(pkg *types.Package) {
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		for m := range types.NewMethodSet(types.NewPointer(t.Type())).Methods() {
			f, ok := m.Obj().(*types.Func)
			if ok && f.Exported() && f.Pkg() == pkg && !u.step.Uses.Allows(pkg.Path(), u.symbol(f)) {
				u.refused[f.Name()] = append(u.refused[f.Name()], f)
			}
		}
	}
}

// behind returns the refused method that a method of an interface may stand for:
// one of the same name and signature, where a type parameter is like any type.
func (u *usage) behind(method *types.Func) string {
	if recv := method.Signature().Recv(); recv == nil || !types.IsInterface(recv.Type()) {
		return ""
	}
	have := method.Signature()
	for _, f := range u.refusedMethods()[method.Name()] {
		want := f.Signature()
		if alike(have.Params(), want.Params()) && alike(have.Results(), want.Results()) {
			return f.Pkg().Name() + "." + u.symbol(f)
		}
	}
	return ""
}

func alike(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !generic(a.At(i).Type()) && !types.Identical(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}

// generic reports whether a type parameter occurs in a type.
func generic(t types.Type) bool {
	return parts(t, func(t types.Type) bool {
		_, ok := t.(*types.TypeParam)
		return ok
	}, map[types.Type]bool{})
}

// value says why an expression must not have its type: it leads to a type that
// the step may not use.
func (u *usage) value(at ast.Expr, t types.Type) lang.Text {
	if t == nil {
		return lang.Text{}
	}
	leads, known := u.leads[t]
	if !known {
		parts(t, func(t types.Type) bool {
			leads = u.forbidden(t)
			return leads != ""
		}, map[types.Type]bool{})
		u.leads[t] = leads
	}
	if leads == "" {
		return lang.Text{}
	}
	return lang.T("%s is not allowed: it leads to %s, which a step may not use", types.ExprString(at), leads)
}

// forbidden returns the name of a type if the step may not use it.
func (u *usage) forbidden(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "unsafe.Pointer"
		}
	case *types.Named:
		obj := t.Obj()
		if obj.Pkg() == nil || obj.Pkg() == u.self || u.object(obj).Empty() {
			return ""
		}
		return obj.Pkg().Path() + "." + obj.Name()
	}
	return ""
}

// parts reports whether stop holds for a type or for one of those that it is
// written with.
func parts(t types.Type, stop func(types.Type) bool, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if stop(t) {
		return true
	}
	for _, part := range written(t) {
		if parts(part, stop, seen) {
			return true
		}
	}
	return false
}

// written returns the types that a type is written with.
func written(t types.Type) (with []types.Type) {
	switch t := t.(type) {
	case *types.Map:
		with = []types.Type{t.Key(), t.Elem()}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		with = []types.Type{t.Elem()}
	case *types.Signature:
		with = []types.Type{t.Params(), t.Results()}
	case *types.Tuple:
		for v := range t.Variables() {
			with = append(with, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			with = append(with, f.Type())
		}
	case *types.Interface:
		for m := range t.Methods() {
			with = append(with, m.Type())
		}
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			with = append(with, arg)
		}
	}
	return with
}
