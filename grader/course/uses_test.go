package course_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
)

// Every symbol of the kit's two packages stands in exactly one set: a new one is
// allowed nowhere until somebody has thought of it.
func TestEverySymbolStandsInOneSet(t *testing.T) {
	sets := map[string]course.Uses{"vectors": course.Vectors(), "products": course.Products(), "files": course.Files(), "integers": course.Integers(), "beneath": course.Beneath()}
	for _, name := range []string{"tensor", "kernel"} {
		path := "github.com/stubformer/stubformer/reference/" + name
		symbols := exported(t, path)
		for _, symbol := range symbols {
			var in []string
			for set, uses := range sets {
				if uses.Allows(path, symbol) {
					in = append(in, set)
				}
			}
			require.Len(t, in, 1, "%s.%s stands in %v; want one set of grader/course/uses.go", name, symbol, in)
		}
		for set, uses := range sets {
			require.Subset(t, symbols, uses[path], "package %s has none of that name, and it stands in %s", name, set)
		}
	}
}

// exported returns what a package exports: "Mul", "Tensor.Shape".
func exported(t *testing.T, path string) (symbols []string) {
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import(path)
	require.NoError(t, err)
	add := func(prefix string, o types.Object) {
		if o.Exported() {
			symbols = append(symbols, prefix+o.Name())
		}
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		add("", o)
		named, ok := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !ok || !isType || !o.Exported() {
			continue
		}
		for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			add(name+".", m.Obj())
		}
		if s, ok := named.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				add(name+".", f)
			}
		}
	}
	return symbols
}

func TestUsesAllow(t *testing.T) {
	u := course.Join(course.Uses{"fmt": {"*"}, "os": {"Stdout", "File", "LinkError.*"}}, course.Uses{"os": {"Open"}})
	for symbol, want := range map[string]bool{
		"Stdout": true, "Open": true, "Exit": false, "File": true, "File.Fd": false, "LinkError.Op": true, "LinkError": false, "*": false,
	} {
		require.Equal(t, want, u.Allows("os", symbol), symbol)
	}
	require.True(t, u.Allows("fmt", "Print"))
	require.False(t, u.Allows("net", "Dial"))
	require.Equal(t, []string{"os"}, u.InPart())
}
