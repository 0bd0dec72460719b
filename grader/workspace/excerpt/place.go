package excerpt

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
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
// the check is about, such as "swiglu.forward.fresh", or else where the first one is that
// is not written. With none of them it is the first line of the first file. In place of a
// check there may be the name of what is not written, as tensor.TODO says it.
func Place(folder string, files []string, check, message string) (file string, line int) {
	for _, m := range named.FindAllStringSubmatch(message, -1) {
		if slices.Contains(files, m[1]) {
			line, _ = strconv.Atoi(m[2]) // digits, as the pattern has it
			return filepath.Join(folder, m[1]), line
		}
	}
	var todo string
	for _, name := range files {
		path := filepath.Join(folder, name)
		source, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if line := declared(source, check); line > 0 {
			return path, line
		}
		if before, _, found := bytes.Cut(source, []byte("tensor.TODO("+strconv.Quote(check)+")")); found {
			return path, 1 + bytes.Count(before, []byte("\n"))
		}
		if before, _, found := bytes.Cut(source, []byte("tensor.TODO(")); found && todo == "" {
			todo, line = path, 1+bytes.Count(before, []byte("\n"))
		}
	}
	switch {
	case todo != "":
		return todo, line
	case len(files) == 0:
		return folder, 1
	}
	return filepath.Join(folder, files[0]), 1
}

// declared returns the line in which a source file declares the function that a check
// is about, "type.method" or "function" in lower case with more behind it, or 0.
func declared(source []byte, check string) int {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil || check == "" {
		return 0
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := strings.ToLower(f.Name.Name)
		if f.Recv != nil {
			name = strings.ToLower(receiver(f.Recv.List[0].Type)) + "." + name
		}
		if check == name || strings.HasPrefix(check, name+".") {
			return fset.Position(f.Pos()).Line
		}
	}
	return 0
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
