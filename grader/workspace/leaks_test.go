package workspace

import (
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingLeaks walks all that a step can reach from the packages that it may
// import, by exported names, fields and methods, and finds no type of a package
// that it may not: whoever has a reflect.Value has everything, import or not.
func TestNothingLeaks(t *testing.T) {
	std := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, path := range harmless {
		if path == "simd/archsimd" {
			continue // vectors and slices alone; it needs an experiment to be loaded
		}
		pkg, err := std.Import(path)
		require.NoError(t, err, path)
		for _, name := range pkg.Scope().Names() {
			if !token.IsExported(name) || slices.Contains(leaky(path), name) {
				continue
			}
			if some := restricted(path, "step99"); some != nil && !slices.Contains(some, name) {
				continue
			}
			w := walk{seen: map[types.Type]bool{}}
			w.typ(pkg.Scope().Lookup(name).Type())
			require.Empty(t, w.leak, "%s.%s leads to it", path, name)
		}
	}
}

// walk follows types as far as a step could.
type walk struct {
	seen map[types.Type]bool
	leak string
}

func (w *walk) typ(t types.Type) {
	if w.seen[t] || w.leak != "" {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			w.leak = "unsafe.Pointer"
		}
	case *types.Alias:
		w.typ(types.Unalias(t))
	case *types.Named:
		w.named(t)
	case *types.Map:
		w.typ(t.Key())
		w.typ(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.typ(t.Elem())
	case *types.Signature:
		w.tuple(t.Params())
		w.tuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.typ(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.method(m)
		}
	}
}

func (w *walk) tuple(t *types.Tuple) {
	for v := range t.Variables() {
		w.typ(v.Type())
	}
}

func (w *walk) named(t *types.Named) {
	if p := t.Obj().Pkg(); p != nil && !slices.Contains(harmless, p.Path()) && !strings.HasPrefix(p.Path(), "internal/") {
		w.leak = t.String()
		return
	}
	w.typ(t.Underlying())
	for m := range t.Methods() {
		w.method(m)
	}
}

func (w *walk) method(m *types.Func) {
	if m.Exported() && m.Name() != leakyMethod {
		w.typ(m.Type())
	}
}
