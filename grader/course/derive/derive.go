// Package derive leaves the derivatives of the course to those who want to find
// them: it takes them out of the comments of stubs, and folds them in lessons.
package derive

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Derivative is what the comment of a stub says a backward pass computes.
type Derivative struct {
	Of      string // what it is the derivative of: "swiglu", "crossentropy"
	Package string
	Func    string // "SwiGLU.Backward"
	Text    string // the formula, a line for each gradient
}

// Stub returns a stub without its derivatives, and those. What is computed, with its
// shape, stays; how, is left out. A file that is no Go is returned as it is.
func Stub(source []byte) (left []byte, taken []Derivative) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "stub.go", source, parser.ParseComments)
	if err != nil {
		return source, nil
	}
	last := 0
	var out bytes.Buffer
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Doc == nil || !strings.HasSuffix(f.Name.Name, "Backward") {
			continue
		}
		from, to := fset.Position(f.Doc.Pos()).Offset, fset.Position(f.Doc.End()).Offset
		comment, formula := without(string(source[from:to]))
		if formula == "" {
			continue
		}
		out.Write(source[last:from])
		out.WriteString(comment)
		last = to
		name, of := nameOf(f, file.Name.Name)
		taken = append(taken, Derivative{Of: of, Package: file.Name.Name, Func: name, Text: formula})
	}
	out.Write(source[last:])
	return out.Bytes(), taken
}

// nameOf returns what a function is called, and what it is the derivative of: its
// receiver, the beginning of its own name, or its package.
func nameOf(f *ast.FuncDecl, pkg string) (name, of string) {
	if f.Recv != nil {
		if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
			if receiver, ok := star.X.(*ast.Ident); ok {
				return receiver.Name + "." + f.Name.Name, strings.ToLower(receiver.Name)
			}
		}
	}
	if begin := strings.TrimSuffix(f.Name.Name, "Backward"); begin != "" {
		return f.Name.Name, strings.ToLower(begin)
	}
	return pkg + "." + f.Name.Name, pkg
}

// equation matches a line of a formula: what is computed, how, and after a gap what
// becomes of it.
var equation = regexp.MustCompile(`^(//\t[^=]*?\+?=)\s*(.*?)(\s{3,}\S.*)?$`)

// yours stands below a formula that was taken out.
const yours = "// How, is yours to derive; the lesson folds it away, and the last hint has it."

// without takes the formulas out of a comment.
func without(comment string) (left, formula string) {
	var lines, taken []string
	all := strings.Split(comment, "\n")
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && strings.HasPrefix(all[end], "//\t") {
			end++
		}
		block := all[i:end]
		if len(block) == 0 || !isFormula(block) {
			lines = append(lines, all[i:max(end, i+1)]...)
			i = max(end, i+1)
			continue
		}
		for _, line := range block {
			taken = append(taken, strings.TrimPrefix(line, "//\t"))
			if m := equation.FindStringSubmatch(line); m != nil {
				lines = append(lines, m[1]+" …"+m[3])
			}
		}
		lines = append(lines, "//", yours)
		i = end
	}
	return strings.Join(lines, "\n"), strings.Join(taken, "\n")
}

// isFormula reports whether a block of code in a comment is a formula, and not code.
func isFormula(block []string) bool {
	for _, line := range block {
		code := strings.TrimPrefix(line, "//\t")
		if strings.HasPrefix(code, "panic(") || strings.HasPrefix(code, "tensor.") || strings.Contains(code, "= …") {
			return false
		}
	}
	return equation.MatchString(block[0])
}

// Checks returns those of a step's checks that are about a derivative:
// "cross_entropy.backward" is about that of "crossentropy". Where none is, they are
// those about its package.
func (d Derivative) Checks(all []string) []string {
	for _, what := range []string{d.Of, d.Package} {
		own := slices.DeleteFunc(slices.Clone(all), func(check string) bool { return !isBackward(check, what) })
		if len(own) > 0 {
			return own
		}
	}
	return nil
}

// isBackward reports whether a check is about the derivative of something.
func isBackward(check, what string) bool {
	name, rest, _ := strings.Cut(check, ".")
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, name)
	return letters == what && (rest == "backward" || strings.HasPrefix(rest, "backward."))
}
