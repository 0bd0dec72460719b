package excerpt

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// named matches a place in a file, as messages write it.
var named = regexp.MustCompile(`([\w-]+\.go):(\d+)`)

// Place returns the file of a step's folder, and the line of it, to look at after a
// check: the one that its message names, or else where the function is declared that
// the check is about, such as "swiglu.forward.fresh". In place of a check there may be the
// name of what is not written, as tensor.TODO says it, or nothing, for the first function
// that is not written. Where none is known it is the first line of the first file.
func Place(folder string, files []string, check, message string) (file string, line int) {
	if file, line, ok := Named(files, message); ok {
		return filepath.Join(folder, file), line
	}
	for _, found := range []func(source []byte) int{
		func(source []byte) int { return declared(source, check) },
		func(source []byte) int { return unwritten(source, check) },
	} {
		for _, name := range files {
			path := filepath.Join(folder, name)
			if source, err := os.ReadFile(path); err == nil && found(source) > 0 {
				return path, found(source)
			}
		}
	}
	if file, line, ok := alike(folder, files, check); ok {
		return file, line
	}
	if len(files) == 0 {
		return folder, 1
	}
	return filepath.Join(folder, files[0]), 1
}

// Named returns the first place in one of the files that a message names.
func Named(files []string, message string) (file string, line int, ok bool) {
	for _, m := range named.FindAllStringSubmatch(message, -1) {
		if slices.Contains(files, m[1]) {
			line, _ = strconv.Atoi(m[2]) // digits, as the pattern has it
			return m[1], line, true
		}
	}
	return "", 0, false
}

// unwritten returns the line of the stub that has a name, of the first one where there is
// no name, or 0.
func unwritten(source []byte, name string) int {
	stub := "tensor.TODO("
	if name != "" {
		stub += strconv.Quote(name) + ")"
	}
	before, _, found := bytes.Cut(source, []byte(stub))
	if !found {
		return 0
	}
	return 1 + bytes.Count(before, []byte("\n"))
}

// alike returns where the one function of a step is declared that a check can be about
// whose name is put together otherwise: "kvcache.last" is about Cache.Last, "int8.quantize"
// about QuantizeInt8. With several there is none.
func alike(folder string, files []string, check string) (file string, line int, ok bool) {
	parts := strings.Split(strings.ReplaceAll(check, "_", ""), ".")
	if len(parts) < 2 {
		return "", 0, false
	}
	names := []string{parts[1], parts[0] + parts[1], parts[1] + parts[0]}
	for _, name := range files {
		path := filepath.Join(folder, name)
		source, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for at, f := range functions(source) {
			if !f.Name.IsExported() || !slices.Contains(names, strings.ToLower(f.Name.Name)) {
				continue
			}
			if ok {
				return "", 0, false
			}
			file, line, ok = path, at, true
		}
	}
	return file, line, ok
}

// declared returns the line in which a source file declares the function that a check
// is about, "type.method" or "function" in lower case with more behind it, or 0.
func declared(source []byte, check string) int {
	for line, f := range functions(source) {
		name := strings.ToLower(f.Name.Name)
		if f.Recv != nil {
			name = strings.ToLower(receiver(f.Recv.List[0].Type)) + "." + name
		}
		if check == name || strings.HasPrefix(check, name+".") {
			return line
		}
	}
	return 0
}

// functions are those that a source file declares, in its order, and the line of each.
func functions(source []byte) iter.Seq2[int, *ast.FuncDecl] {
	return func(yield func(int, *ast.FuncDecl) bool) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
		if err != nil {
			return
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && !yield(fset.Position(f.Pos()).Line, f) {
				return
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(t ast.Expr) string {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
