package workspace

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// harmless are the packages of the standard library that a step may import.
// They compute, and reach neither files nor other programs nor the network.
var harmless = strings.Fields(`bufio bytes cmp container/heap container/list container/ring context
	crypto/sha256 encoding encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json
	errors fmt hash hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash io io/fs iter log maps
	math math/big math/bits math/cmplx math/rand math/rand/v2 os path path/filepath runtime
	simd/archsimd slices sort strconv strings sync sync/atomic text/tabwriter time
	unicode unicode/utf16 unicode/utf8 unique`)

// filesFrom is the first step whose task includes files.
const filesFrom = "step11"

// restricted returns what may be used of a package that is not harmless as a
// whole; nil if all of it may be used.
func restricted(imported, folder string) []string {
	files := folder >= filesFrom
	switch {
	case imported == "os" && files:
		return strings.Fields(`Stdout Stderr File FileInfo FileMode DirEntry PathError LinkError PathSeparator
			Open OpenFile Create CreateTemp MkdirTemp Mkdir MkdirAll ReadFile WriteFile ReadDir Rename Remove RemoveAll
			Stat Lstat Truncate TempDir SameFile IsExist IsNotExist IsPermission ModePerm ModeDir
			ErrExist ErrNotExist ErrPermission ErrInvalid ErrClosed Getpagesize
			O_RDONLY O_WRONLY O_RDWR O_APPEND O_CREATE O_EXCL O_SYNC O_TRUNC`)
	case imported == "os":
		return []string{"Stdout", "Stderr"}
	case imported == "path/filepath" && !files:
		return strings.Fields("Abs Base Clean Dir Ext IsAbs Join Match Rel Separator Split ToSlash FromSlash")
	case imported == "runtime":
		return strings.Fields("GC GOARCH GOMAXPROCS GOOS Gosched KeepAlive MemStats NumCPU NumGoroutine ReadMemStats Error Version")
	}
	return nil
}

// productFrom is the first step whose task is the matrix product.
const productFrom = "step11"

// finished returns the matrix products of the kit and the way to put one under the
// layers, by the package that has them, where the step is to write its own; nil
// elsewhere.
func finished(imported, folder string) []string {
	switch {
	case folder < productFrom:
		return nil
	case imported == module+"/reference/kernel":
		return strings.Fields("Gemm GemmSerial")
	case imported == module+"/reference/tensor":
		return strings.Fields("Mul MulAdd UseProduct")
	}
	return nil
}

// leaky returns the names of a package that lead to types of packages that a
// step may not import: whoever has a reflect.Value can do what reflect can. That
// there are no others is for a test to find out.
func leaky(imported string) []string {
	switch imported {
	case "encoding/json":
		return strings.Fields(`InvalidUnmarshalError MarshalerError UnmarshalFieldError UnmarshalTypeError
			UnsupportedTypeError UnsupportedValueError`)
	case "sync/atomic":
		return strings.Fields("CompareAndSwapPointer LoadPointer StorePointer SwapPointer")
	}
	return nil
}

// leakyMethod is the one method that leads to such a type, of os.File. Its name
// may not occur at all: an interface can have the method too.
const leakyMethod = "SyscallConn"

// standard says why a step must not import a package of the standard library;
// if so.
func standard(imported string) lang.Text {
	switch first, _, _ := strings.Cut(imported, "/"); {
	case slices.Contains(harmless, imported):
		return lang.Text{}
	case imported == "unsafe" || imported == "reflect":
		return aroundTypes()
	case first == "net" || first == "syscall" || first == "plugin" || imported == "os/exec" || imported == "os/signal":
		return lang.T("a step computes; it has no business with the network, the system or other programs")
	}
	return lang.T("of the standard library a step may use what only computes, such as fmt, math, slices, sort, strings and sync; is the name right?")
}

func aroundTypes() lang.Text { return lang.T("it goes around Go's types; a step is plain Go code") }

// directive returns the compiler's directive that a comment is, if a step may
// not hold it; "" otherwise.
func directive(comment string) string {
	word, _, _ := strings.Cut(strings.TrimSuffix(comment, "*/"), " ")
	word = strings.TrimSpace(word)
	switch {
	case word == "//line" || word == "/*line" || word == "//export" || strings.HasPrefix(word, "//extern"):
		return word
	case !strings.HasPrefix(word, "//go:") || slices.Contains([]string{"//go:build", "//go:generate", "//go:noinline", "//go:fix"}, word):
		return ""
	}
	return word
}

// checkNames refuses what a step may not use of a package that it may import in
// part, wherever the name stands: in a call, as a value, under another name of the
// package. It goes by the name alone: a variable that is called os is taken for
// the package.
func (c *code) checkNames(file *ast.File, shown string, line func(ast.Node) int) error {
	allowed, products, leaks := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, "\"`")
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		allowed[local], products[local], leaks[local] = restricted(imported, c.folder), finished(imported, c.folder), leaky(imported)
	}
	var refused *RefusedError
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == leakyMethod {
			refused = &RefusedError{File: shown, Line: line(id), Reason: lang.T("%s is not allowed: %s", id.Name, aroundTypes())}
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok || refused != nil {
			return refused == nil
		}
		x, ok := s.X.(*ast.Ident)
		switch {
		case !ok:
		case slices.Contains(products[x.Name], s.Sel.Name):
			refused = &RefusedError{File: shown, Line: line(s), Reason: lang.T("%s.%s is not allowed: it is a finished matrix product, and this step is to write one; "+
				"use your own MatMul, and kernel.Best() for its innermost loops", x.Name, s.Sel.Name)}
		case slices.Contains(leaks[x.Name], s.Sel.Name):
			refused = &RefusedError{File: shown, Line: line(s), Reason: lang.T("%s is not allowed: %s", x.Name+"."+s.Sel.Name, aroundTypes())}
		case allowed[x.Name] != nil && token.IsExported(s.Sel.Name) && !slices.Contains(allowed[x.Name], s.Sel.Name):
			refused = &RefusedError{File: shown, Line: line(s), Reason: lang.T("%s.%s is not allowed; of package %s a step may use %s",
				x.Name, s.Sel.Name, x.Name, strings.Join(allowed[x.Name], ", "))}
		}
		return true
	})
	if refused != nil {
		return refused
	}
	return nil
}
