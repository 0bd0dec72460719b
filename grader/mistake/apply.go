package mistake

import (
	"bytes"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// Apply makes the mistake in some code, such as all solutions, and returns the
// files that change, formatted. Files go by their path: "step05_swiglu/swiglu.go".
// Its error says what of the mistake does not fit the code.
func (v Version) Apply(files map[string][]byte) (map[string][]byte, error) {
	s, err := readSolution(files, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", v.at, v.ID, err)
	}
	var added []change
	for _, c := range v.changes {
		d, err := s.find(c.name)
		switch {
		case err == nil && d == nil && len(c.edits) > 0:
			err = fmt.Errorf("%s declares no %s; it declares %s", s.folder, c.name, s.names())
		case err == nil && d == nil:
			added = append(added, c)
		case err == nil:
			err = c.apply(d)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.at, v.ID, err)
		}
	}
	touched := slices.DeleteFunc(s.files, func(f *sourceFile) bool { return len(f.splices) == 0 })
	if len(touched) == 0 {
		return nil, fmt.Errorf("%s: %s changes nothing: %s declares no %s", v.at, v.ID, s.folder, added[0].name)
	}
	for _, c := range added {
		touched[0].add(c.declaration())
	}
	changed := map[string][]byte{}
	for _, f := range touched {
		if changed[f.path], err = f.change(v.imports); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", v.at, v.ID, err)
		}
	}
	return changed, nil
}

// declaration is the code of a whole declaration.
func (c change) declaration() string {
	if c.keyword == "func" {
		return c.code
	}
	return c.keyword + " " + c.code
}

// apply notes what the change does to a declaration of the solution.
func (c change) apply(d *declared) error {
	if d.keyword != c.keyword {
		return fmt.Errorf("%s is a %s in %s, and a %s here", c.name, d.keyword, d.file.path, c.keyword)
	}
	if len(c.edits) == 0 {
		d.file.replace(d.node, d.node, c.code)
		return nil
	}
	for _, e := range c.edits {
		found := find(d.node, e.want, func(s ast.Stmt) string { return d.file.code(s) })
		if len(found) != 1 {
			return e.misfit(len(found), d)
		}
		statements := found[0]
		d.file.replace(statements[0], statements[len(statements)-1], e.wrong)
	}
	return nil
}

// misfit says that the statements under “if right” do not stand exactly once in
// a declaration.
func (e edit) misfit(times int, d *declared) error {
	shown := d.node
	if fn, ok := shown.(*ast.FuncDecl); ok {
		shown = fn.Body
	}
	what := "does not hold"
	if times > 1 {
		what = fmt.Sprintf("holds %d times (name a statement beside them as well)", times)
	}
	right := strings.ReplaceAll(e.right, "\n\t\t", "\n") // it stands in two blocks
	return fmt.Errorf("%s in %s %s what stands under “if right” in %s:\n%s\nIt is:\n%s",
		d.name, d.file.path, what, e.at, indented(right), indented(d.file.code(shown)))
}

func indented(code string) string { return "\t" + strings.ReplaceAll(code, "\n", "\n\t") }

// change returns the text of the file with all that was noted.
func (f *sourceFile) change(offered []imported) ([]byte, error) {
	slices.SortStableFunc(f.splices, func(a, b splice) int { return a.from - b.from })
	var b bytes.Buffer
	at := 0
	for _, s := range f.splices {
		if s.from < at {
			return nil, fmt.Errorf("two of its changes are about the same statements of %s; make them one", f.path)
		}
		b.Write(f.text[at:s.from])
		b.WriteString(s.text)
		at = s.to
	}
	b.Write(f.text[at:])
	return settleImports(f, b.Bytes(), offered)
}
