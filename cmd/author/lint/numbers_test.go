package lint_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// derivation is what the comments of a file derive.
type derivation struct {
	wrong    []string
	terms    terms   // of all functions
	followed []terms // the lists of the lesson that they follow
}

// inCode reads the terms in the comments of a file. It finds those that are not the
// lesson's, and the lines of code with a number that is not that of what they compute.
func inCode(t *testing.T, source []byte, lists []terms) (d derivation) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	require.NoError(t, err)
	lines := strings.Split(string(source), "\n")
	d.terms = terms{}
	var marked []int // lines of code
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		own := terms{}
		for _, group := range file.Comments {
			if group.Pos() < f.Body.Pos() || group.End() > f.Body.End() {
				continue
			}
			if p := fset.Position(group.Pos()); strings.TrimSpace(lines[p.Line-1][:p.Column-1]) == "" {
				own.read(group)
			} else {
				marked = append(marked, p.Line)
			}
		}
		if len(own) > 0 {
			list, wrong := nearest(lists, func(list terms) []string { return disagree(own, list) })
			d.followed = append(d.followed, list)
			for _, w := range wrong {
				d.wrong = append(d.wrong, fmt.Sprintf("%s: %s", f.Name.Name, w))
			}
		}
		for n, text := range own {
			d.terms[n] += text
		}
	}
	for _, line := range marked {
		d.wrong = append(d.wrong, misplaced(lines[line-1], d.terms, line)...)
	}
	return d
}

// read adds the terms of a comment: each from its number to the next.
func (list terms) read(group *ast.CommentGroup) {
	n := 0
	for _, c := range group.List {
		text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		if m := mark.FindString(text); m != "" {
			n, _ = strconv.Atoi(digits.FindString(m))
			text = strings.TrimPrefix(text, m)
		}
		if n > 0 {
			list[n] += " " + text
		}
	}
}

var (
	// assigns matches a line that assigns to a variable, a field or an element, or to three.
	assigns = regexp.MustCompile(`^\s*(?:\w+\.)*?(\w+)(?:\.Data)?(?:\[[^\]]*\])?(?:, (\w+), (\w+))? [:+]?= `)
	// fills matches a call of a function of tensor or kernel, or of the package's own, which
	// writes to its first argument.
	fills = regexp.MustCompile(`^\s*(?:tensor\.|kernel\.)?\w+\((?:\w+\.)*?(\w+)(?:\.Data|\.Matrix\(\))?,`)
)

// misplaced says what is wrong with the numbers at a line of code: none of the terms has
// them, or those of the terms define other things than the line.
func misplaced(code string, all terms, line int) []string {
	code, comment, _ := strings.Cut(code, "//")
	var at []int
	for _, d := range digits.FindAllString(mark.FindString(strings.TrimSpace(comment)), -1) {
		n, _ := strconv.Atoi(d)
		if all[n] == "" {
			return []string{fmt.Sprintf("line %d: (%d) is explained nowhere in the file", line, n)}
		}
		at = append(at, n)
	}
	if len(at) == 0 {
		return nil
	}
	written := append(assigns.FindStringSubmatch(code), fills.FindStringSubmatch(code)...)
	for _, name := range written {
		where := definedIn(name, all)
		if len(where) > 0 && !slices.ContainsFunc(where, func(n int) bool { return slices.Contains(at, n) }) {
			return []string{fmt.Sprintf("line %d: %s is computed in %v and not in %v", line, name, where, at)}
		}
	}
	return nil
}
