package workspace

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// apartFrom returns the exported types and functions that have nothing to do with
// names: they mention none of them, directly or through others, and nobody who does
// reaches into what they do not export.
func (d *inventory) apartFrom(names []string) (apart []string) {
	concerned := map[string]bool{}
	for _, n := range names {
		concerned[n] = true
	}
	mentions := func(one item) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(one.mentions)), func(n string) bool { return concerned[n] })
	}
	for again := true; again; {
		again = false
		for _, one := range d.all {
			for _, n := range one.names {
				if !concerned[n] && mentions(one) {
					concerned[n], again = true, true
				}
			}
		}
	}
	used := map[string]bool{} // by what is concerned and stays
	for _, one := range d.all {
		if slices.ContainsFunc(one.names, func(n string) bool { return concerned[n] && !slices.Contains(names, n) }) {
			maps.Copy(used, one.mentions)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.kind)) {
		if token.IsExported(name) && !concerned[name] && !d.generic(name) && !slices.ContainsFunc(d.inside(name), func(n string) bool { return used[n] }) {
			apart = append(apart, name)
		}
	}
	return d.closed(apart, used)
}

// closed leaves out of names those that are made of types that stay here.
func (d *inventory) closed(names []string, used map[string]bool) []string {
	stays := func(n string) bool {
		return d.kind[n] != 0 && !slices.Contains(names, n) && (token.IsExported(n) || used[n])
	}
	for before := -1; before != len(names); {
		before = len(names)
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.ContainsFunc(d.all, func(one item) bool {
				return slices.Contains(one.names, name) && slices.ContainsFunc(slices.Collect(maps.Keys(one.mentions)), stays)
			})
		})
	}
	return names
}

// generic reports whether a type or function has type parameters: it has no value that
// another name could be given.
func (d *inventory) generic(name string) bool {
	return slices.ContainsFunc(d.all, func(one item) bool {
		is := false
		ast.Inspect(one.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				is = is || n.Recv == nil && n.Name.Name == name && n.Type.TypeParams != nil
			case *ast.TypeSpec:
				is = is || n.Name.Name == name && n.TypeParams != nil
			}
			return true
		})
		return is
	})
}

// inside returns the names of a type's methods and fields that are not exported.
func (d *inventory) inside(name string) (hidden []string) {
	add := func(id *ast.Ident) {
		if !id.IsExported() {
			hidden = append(hidden, id.Name)
		}
	}
	for _, one := range d.all {
		if !slices.Contains(one.names, name) {
			continue
		}
		ast.Inspect(one.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					add(n.Name)
				}
				return false
			case *ast.Field:
				for _, id := range n.Names {
					add(id)
				}
			}
			return true
		})
	}
	return hidden
}
