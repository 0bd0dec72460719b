package workspace

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

// TestCompileError looks at where errors are said to sit, which is in the
// student's own file, and at the notes. Of the compiler's own words it expects
// only a few: they change with the version of Go.
func TestCompileError(t *testing.T) {
	const one, two = "step01_one", "step02_two"
	edit := func(old, new string) files {
		return files{"steps/step02_two/two.go": strings.Replace(ownTwo, old, new, 1)}
	}
	const connects = "This file connects the grader to your functions; the original is used, whatever yours says.\n\nThe stub declares\n\n\t"
	for name, c := range map[string]struct {
		edits files
		build Build
		from  string   // where the person stands
		lines []string // file:line: words of the message
		note  string
	}{
		"own code": {
			edits: edit(`"own two on "`, "x + 1"), build: Build{Step: two},
			lines: []string{"steps/step02_two/two.go:9: undefined: x"},
		},
		"seen from another folder": {
			edits: edit(`"own two on "`, "x + 1"), build: Build{Step: two}, from: "steps/step01_one",
			lines: []string{"../step02_two/two.go:9: undefined: x"},
		},
		"two files and a line that belongs to another": {
			edits: files{"steps/step01_one/one.go": ownOne, "steps/step01_one/more.go": "package one\n\nfunc Name() string { return 1 }\n"},
			build: Build{Step: one},
			lines: []string{"steps/step01_one/one.go:3: \tsteps/step01_one/more.go:3:", "steps/step01_one/more.go:3: cannot use 1"},
		},
		"syntax": {
			edits: files{"steps/step01_one/one.go": "package one\n\nfunc Name( string {}\n", "steps/step01_one/two.go": "package one\n\nvar x = = 2\n"},
			build: Build{Step: one},
			lines: []string{"steps/step01_one/one.go:3: syntax error: missing", "steps/step01_one/two.go:3: syntax error: expected operand"},
		},
		"the markers of a merge": {
			edits: files{"steps/step01_one/one.go": "package one\n\nfunc Name() string {\n<<<<<<< yours\n\treturn \"a\"\n=======\n\treturn \"b\"\n>>>>>>> theirs\n}\n"},
			build: Build{Step: one},
			lines: []string{"steps/step01_one/one.go:4: syntax error", "steps/step01_one/one.go:6: syntax error",
				"steps/step01_one/one.go:8: syntax error", "steps/step01_one/one.go:9: syntax error"},
			note: "From line 4 of steps/step01_one/one.go on there are two versions, which a merge could not join: yours and the other's. " +
				"Keep one of them, or what you need of both, and remove the lines that begin with <<<<<<<, |||||||, ======= and >>>>>>>.",
		},
		"an earlier step": {
			edits: files{"steps/step01_one/one.go": strings.Replace(ownOne, `"own one"`, "x", 1)}, build: Build{Step: two},
			lines: []string{"steps/step01_one/one.go:3: undefined: x"},
			note:  "step01_one, which step02_two is built on, does not compile. Repair it first.",
		},
		"handed in": {
			build: Build{Step: one, Sources: map[string]Source{one: HandedIn(nil)}},
			lines: []string{"DIR/step01_one/one.go:3: undefined: x"},
		},
		"a signature": {
			edits: edit("New(p string) *Two", "New(p string, n, m int) *Two"), build: Build{Step: two},
			lines: []string{"steps/step02_two/two_test.go:12: \n\twant (string, int, int)"},
			note:  connects + "func New(prefix string) *Two\n\nand your code\n\n\tfunc New(p string, n, m int) *Two",
		},
		"a missing method": {
			edits: edit("Name()", "name()"), build: Build{Step: two},
			lines: []string{"steps/step02_two/two_test.go:13: two.Name undefined"},
			note:  connects + "func (t *Two) Name() string\n\nand your code has no Two.Name.",
		},
		"a field's type": {
			edits: files{"steps/step02_two/two.go": strings.NewReplacer("{ Prefix string }", "{ Prefix int }", "&Two{p}", "&Two{}").Replace(ownTwo)},
			build: Build{Step: two},
			lines: []string{"steps/step02_two/two_test.go:13: mismatched types"},
			note:  connects + "Two.Prefix, a field of type string\n\nand your code\n\n\tTwo.Prefix, a field of type int",
		},
		"a function hidden by its build line": {
			edits: files{"steps/step01_one/name.go": "//go:build ignore\n\n" + ownOne, "steps/step01_one/one.go": "package one\n"},
			build: Build{Step: one},
			lines: []string{"steps/step01_one/one_test.go:10: undefined: one.Name"},
			note: connects + "func Name() string\n\nand your code has no Name.\n\n" +
				"The one in name.go is not compiled here: a line of name.go that begins with //go:build keeps it out; remove that line.",
		},
		"what only the student's earlier step has": {
			edits: files{"steps/step01_one/more.go": "package one\n\nconst Mine = \"mine\"\n", "steps/step02_two/two.go": strings.Replace(ownTwo, "one.Name()", "one.Mine", 1)},
			build: Build{Step: two, Sources: map[string]Source{one: Solutions()}},
			lines: []string{"steps/step02_two/two.go:9: undefined: one.Mine"},
			note:  "step02_two is built on the solution of step01_one, which has no Mine. Use only what the stub of that step declares, or grade with --own-stack.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, dir := newKit(t, c.edits), t.TempDir()
			files{"step01_one/one.go": strings.Replace(ownOne, `"own one"`, "x", 1)}.write(t, dir)
			for folder, s := range c.build.Sources {
				if s.kind == handedIn {
					c.build.Sources[folder] = readHandedIn(t, filepath.Join(dir, folder))
				}
			}
			_, err := tryBuild(t, findKit(t, filepath.Join(k.Root, c.from)), c.build)
			var e *CompileError
			require.ErrorAs(t, err, &e)
			require.Len(t, e.Lines, len(c.lines), "%v", e)
			for i, want := range c.lines {
				place, words, _ := strings.Cut(want, ": ")
				l := e.Lines[i]
				require.Equal(t, place, filepath.ToSlash(strings.Replace(l.File, dir, "DIR", 1))+":"+strconv.Itoa(l.Line))
				require.Contains(t, filepath.ToSlash(l.Message), words)
			}
			require.Equal(t, c.note, filepath.ToSlash(e.Note.String()))
			require.Contains(t, e.Excerpt, "> "+strconv.Itoa(e.Lines[0].Line)+" | ")
			require.Contains(t, e.Lines[0].File, e.Folder)
		})
	}
}

// The first error is shown with its line of code; the others are counted, because
// they may be there because of it.
func TestCompileErrorText(t *testing.T) {
	e := &CompileError{}
	e.add(CompileLine{"a.go", 3, 4, "undefined: x\n\thave (int)"}, []byte("package a\n\nx, y = x, z\n"))
	const first = "a.go:3:4: undefined: x\n\thave (int)\n\n  1 | package a\n  2 |\n> 3 | x, y = x, z\n    |    ^"
	require.EqualError(t, e, first)
	e.add(CompileLine{"b.go", 5, 0, "no"}, []byte("package b\n"))
	require.EqualError(t, e, first+"\n\n1 more error, at b.go:5.")
	e.add(CompileLine{"c.go", 6, 1, "no"}, nil)
	e.Note = lang.Raw("What it means.")
	require.EqualError(t, e, first+"\n\n2 more errors, the next at b.go:5.\n\nWhat it means.")
	require.EqualError(t, &CompileError{Lines: e.Lines[1:2]}, "b.go:5: no", "a line that is not in the file")
}

// TestMissingNote covers the compiler's words for a missing method or field.
func TestMissingNote(t *testing.T) {
	b := Build{Step: "step02_two"}
	steps := map[string]*code{
		"step01_one": {source: Solutions(), files: map[string][]byte{"one.go": []byte("package one")}},
		"step02_two": {source: Own(), files: map[string][]byte{"two.go": []byte("package two")}},
		"step00_own": {source: Own(), files: map[string][]byte{"own.go": []byte("package own")}},
	}
	for message, want := range map[string]string{
		"undefined: one.Mine": "has no Mine.",
		"o.Mine undefined (type *one.One has no field or method Mine)": "has no Mine.",
		"o.Mine undefined (type one.One has no field or method Mine)":  "has no Mine.",
		"undefined: two.Mine":  "",
		"undefined: own.Mine":  "",
		"undefined: math.Mine": "",
		"undefined: mine":      "",
	} {
		note := b.missingNote(message, steps)
		require.Contains(t, note.String(), want, message)
		require.Equal(t, want == "", note.Empty(), message)
	}
}

func TestDeclarations(t *testing.T) {
	stub := "func New(a, b int, c string) (t *T, err error) { return nil, nil }\nfunc (t *T) Sum(x ...float32) float32\ntype T struct { A, B int; c int }\nfunc private() {}"
	for name, c := range map[string]struct {
		mine string
		same []string
	}{
		"other names of parameters": {"func New(p int, q int, _ string) (*T, error)\nfunc (self *T) Sum(y ...float32) (sum float32)\ntype T struct { A int; B int }", []string{"New", "T.A", "T.B", "T.Sum"}},
		"a parameter less":          {"func New(a int, c string) (*T, error)", nil},
		"a receiver by value":       {"func (t T) Sum(x ...float32) float32", nil},
		"a slice":                   {"func (t *T) Sum(x []float32) float32", nil},
		"another type of field":     {"type T struct { A int; B float64 }", []string{"T.A"}},
	} {
		parse := func(src string) map[string]declaration {
			return declarations(map[string][]byte{"x.go": []byte("package x\n" + src)})
		}
		want, have := parse(stub), parse(c.mine)
		require.Len(t, want, 4, "New, Sum, A and B")
		var same []string
		for declared := range want {
			if have[declared].shape == want[declared].shape {
				same = append(same, declared)
			}
		}
		require.ElementsMatch(t, c.same, same, name)
	}
}

// A declaration is shown in one line, as gofmt writes it.
func TestDeclarationsAreShown(t *testing.T) {
	for name, source := range map[string]string{
		"New":            "func New(a, b int, c ...string) (t *T, err error)",
		"None":           "func None()",
		"Of":             "func Of[K comparable, V ~int | ~string](m map[K][]V, f func(x V) bool) chan<- *K",
		"T.Sum":          "func (t *T) Sum(x [3]float32, y struct{ A, B int }) (sum float32)",
		"T.Unnamed":      "func (T) Unnamed(int, tensor.Matrix) interface{ M(x int) error }",
		"List[E].Append": "func (l *List[E]) Append(e E)",
	} {
		spread := strings.NewReplacer("(", "(\n\t", ", ", ", // a comment\n\t", " {", "  {").Replace(source)
		for _, written := range []string{source, strings.ReplaceAll(spread, "(\n\t)", "()")} {
			all := declarations(map[string][]byte{"x.go": []byte("package x\n" + written + " { return }")})
			want := strings.NewReplacer("{ A", "{A", "int }", "int}", "{ M", "{M", "error }", "error}").Replace(source)
			require.Equal(t, want, all[name].text)
		}
	}
}

func TestOnlyTheFirstErrors(t *testing.T) {
	src := "package one\n"
	for range 20 {
		src += "var x = =\n"
	}
	many := files{"steps/step01_one/one.go": src, "steps/step01_one/two.go": src}
	_, err := tryBuild(t, newKit(t, many), Build{Step: "step01_one"})
	var e *CompileError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Lines, 10)
}

// TestNotTheStudentsFault damages the kit: no verdict on the student may follow.
func TestNotTheStudentsFault(t *testing.T) {
	const one, two = "step01_one", "step02_two"
	onSolution := Build{Step: two, Sources: map[string]Source{one: Solutions()}}
	for name, c := range map[string]struct {
		edits files
		build Build
		want  string
	}{
		"a solution that does not compile": {files{"solutions/step01_one/one.go": "package one\n\nvar x int = \"\"\n"}, onSolution,
			"step01_one, which step02_two is built on, is damaged: solutions/step01_one/one.go:3:13: cannot use"},
		"a solution that does not parse":    {files{"solutions/step01_one/one.go": "package"}, onSolution, "is damaged: solutions/step01_one/one.go:1:"},
		"a solution that imports too much":  {files{"solutions/step01_one/one.go": "package one\n\nimport \"C\"\n"}, onSolution, `is damaged: solutions/step01_one/one.go:3: import "C"`},
		"a package below that is damaged":   {files{"grader/probe/subject/subject.go": "package subject\n\nvar x int = \"\"\n"}, Build{Step: one}, "the go command failed:\n# github.com/stubformer/stubformer/grader/probe/subject"},
		"a module file that does not parse": {files{"go.mod": "module github.com/stubformer/stubformer\n\ngo nonsense\n"}, Build{Step: one}, "the go command failed:\ngo: errors parsing go.mod"},
		"no stored stub":                    {files{"steps/step04_four/four.go": "package four\n"}, Build{Step: "step04_four"}, "step04_four has no stored stub; run: go run ./cmd/grade dev pristine"},
		"no solution":                       {nil, Build{Step: "step03_three", Sources: map[string]Source{"step03_three": Solutions()}}, "step03_three: "},
	} {
		_, err := tryBuild(t, newKit(t, c.edits), c.build)
		require.Error(t, err, name)
		require.Contains(t, filepath.ToSlash(err.Error()), c.want, name)
		require.NotErrorAs(t, err, new(*CompileError), name)
		require.NotErrorAs(t, err, new(*RefusedError), name)
	}
}
