package lint_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

var update = flag.Bool("update", false, "write what docs/architecture.md says of the packages")

const module = "github.com/stubformer/stubformer"

// layer is a row of the table in docs/architecture.md.
type layer struct {
	name                string
	packages            []string // paths; those below them belong to it, too
	layers, paths, nots []string // that it may import, and may not
}

// architecture is what the kit's source says: every package with its imports and
// the first sentence of its doc comment.
type architecture struct {
	layers  []layer
	imports map[string][]string
	purpose map[string]string
}

// Every package has a purpose, docs/architecture.md says it, and imports point
// downwards.
func TestArchitecture(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	file := filepath.Join(kit.Root, "docs", "architecture.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	page = newline.Unix(page)
	a := architecture{layers: layersOf(string(page)), imports: map[string][]string{}, purpose: map[string]string{}}
	require.NoError(t, a.read(kit.Root))
	require.Empty(t, a.faults())

	by := regexp.MustCompile(`(?m)^<!-- made of .*-->\n`).FindIndex(page)
	require.NotNil(t, by, "docs/architecture.md has no line where what is made begins")
	want := string(page[:by[1]]) + a.text()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(page), "run: go test ./cmd/author/lint -run TestArchitecture -update")
}

// layersOf reads the table of the layers.
func layersOf(page string) []layer {
	code := regexp.MustCompile("`([^`]+)`")
	paths := func(cell string) (all []string) {
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			all = append(all, m[1])
		}
		return all
	}
	var layers []layer
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		if len(cells) != 4 || len(paths(cells[1])) == 0 {
			continue
		}
		l := layer{name: strings.TrimSpace(cells[0]), packages: paths(cells[1]), paths: paths(cells[2]), nots: paths(cells[3])}
		for name := range strings.SplitSeq(code.ReplaceAllString(cells[2], ""), ",") {
			if name = strings.TrimSpace(name); name != "" {
				l.layers = append(l.layers, name)
			}
		}
		layers = append(layers, l)
	}
	return layers
}

// read collects the packages below root, whatever their build tags; other modules
// are left out.
func (a *architecture) read(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, mod := os.Stat(filepath.Join(name, "go.mod"))
			data := d.Name() == "testdata" || d.Name() == "mistakes" // the latter are changes of solutions, and no packages
			if name != root && (mod == nil || data || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		a.add(filepath.ToSlash(rel), f, strings.HasSuffix(name, "_test.go"))
		return err
	})
}

// add takes in a file of a package. A test counts for its doc comment only, and
// only in a package of tests.
func (a *architecture) add(pkg string, f *ast.File, test bool) {
	a.purpose[pkg] += "" // it is there
	if f.Doc != nil && (!test || a.purpose[pkg] == "") {
		a.purpose[pkg] = new(doc.Package).Synopsis(f.Doc.Text())
	}
	if test {
		return
	}
	for _, spec := range f.Imports {
		if to, err := strconv.Unquote(spec.Path.Value); err == nil && !slices.Contains(a.imports[pkg], to) {
			a.imports[pkg] = append(a.imports[pkg], to)
		}
	}
}

// layerOf returns the layer whose path is the longest that matches.
func (a *architecture) layerOf(pkg string) (found *layer) {
	longest := -1
	for i, l := range a.layers {
		for _, p := range l.packages {
			if under(pkg, p) && len(p) > longest {
				found, longest = &a.layers[i], len(p)
			}
		}
	}
	return found
}

// under reports whether a path is a folder or lies in it.
func under(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// faults lists what is wrong: with the table, with a doc comment, with an import.
func (a *architecture) faults() []string {
	var faults []string
	for i, l := range a.layers {
		for _, name := range l.layers {
			if !slices.ContainsFunc(a.layers[i+1:], func(below layer) bool { return below.name == name }) {
				faults = append(faults, fmt.Sprintf("%s may import %s, which is no layer below it", l.name, name))
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(a.purpose)) {
		l := a.layerOf(pkg)
		if l == nil {
			faults = append(faults, pkg+" belongs to no layer")
			continue
		}
		if s := a.purpose[pkg]; !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") {
			faults = append(faults, fmt.Sprintf("%s has no doc comment that begins with a sentence: %q", pkg, s))
		}
		for _, to := range a.imports[pkg] {
			if !a.allowed(l, to) {
				faults = append(faults, fmt.Sprintf("%s (%s) may not import %s", pkg, l.name, to))
			}
		}
	}
	return faults
}

// allowed reports whether a package of a layer may import a path.
func (a *architecture) allowed(l *layer, to string) bool {
	inside, own := strings.CutPrefix(to, module+"/")
	if to == module {
		return false
	}
	if !own {
		first, _, _ := strings.Cut(to, "/")
		return !slices.ContainsFunc(l.nots, func(not string) bool {
			return under(to, not) || not == "*" && strings.Contains(first, ".")
		})
	}
	target := a.layerOf(inside)
	if target == nil {
		return false
	}
	return target == l && len(l.paths) == 0 || slices.Contains(l.layers, target.name) ||
		slices.ContainsFunc(l.paths, func(p string) bool { return under(inside, p) })
}

// text is the part of the page that is made: the drawing and the packages.
func (a *architecture) text() string {
	var out bytes.Buffer
	fmt.Fprint(&out, "\n```mermaid\nflowchart TD\n")
	for _, l := range a.layers {
		fmt.Fprintf(&out, "    %s\n", l.name)
		below := slices.Clone(l.layers)
		for _, p := range l.paths {
			if target := a.layerOf(p); target.name != l.name && !slices.Contains(below, target.name) {
				below = append(below, target.name)
			}
		}
		for _, name := range below {
			fmt.Fprintf(&out, "    %s --> %s\n", l.name, name)
		}
	}
	fmt.Fprint(&out, "```\n\n## Packages\n")
	for i := range a.layers {
		l := &a.layers[i]
		fmt.Fprintf(&out, "\n### %s%s\n\n| package | purpose |\n|---|---|\n", strings.ToUpper(l.name[:1]), l.name[1:])
		for _, pkg := range slices.Sorted(maps.Keys(a.purpose)) {
			if a.layerOf(pkg) == l && !ofStep(pkg) {
				fmt.Fprintf(&out, "| [%s](../%s) | %s |\n", pkg, pkg, strings.ReplaceAll(purpose(a.purpose[pkg]), "|", `\|`))
			}
		}
		for _, p := range l.packages {
			if what := purposeOfSteps(p); what != "" {
				fmt.Fprintf(&out, "| [%s/stepNN_x](../%s) | %s |\n", p, p, what)
			}
		}
	}
	return out.String()
}

// ofStep reports whether a package is one that every step has: the page is not made
// anew with a new step.
func ofStep(pkg string) bool { return regexp.MustCompile(`/step\d\d_\w+$`).MatchString(pkg) }

// purposeOfSteps says what the steps' packages in a folder are for, "" if it has none.
func purposeOfSteps(folder string) string {
	switch folder {
	case "grader/course":
		return "says how step NN is checked; what its functions look like says fixtures/stepNN_x/functions.txt."
	case "steps":
		return "is what a student writes in step NN, and the lesson beside it."
	case "solutions":
		return "is the same package, filled in."
	}
	return ""
}

// purpose is the first sentence of a doc comment without "Package x" in front.
func purpose(sentence string) string {
	words := strings.SplitN(sentence, " ", 3)
	if len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
		return words[2]
	}
	return sentence
}

// What the table forbids is found, and only that.
func TestForbiddenImports(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "architecture.md"))
	require.NoError(t, err)
	page = newline.Unix(page)
	own := func(p string) string { return path.Join(module, p) }
	for name, tt := range map[string]struct {
		pkg, to string
		allowed bool
	}{
		"the reference knows nothing of the grader":   {"reference/kernel", own("grader/lang"), false},
		"nor of the course":                           {"reference/oracle", own("grader/course"), false},
		"the course starts no process":                {"grader/course", "os/exec", false},
		"nor do its steps, when they are packages":    {"grader/course/step05_swiglu", "os/exec", false},
		"the course draws on no terminal":             {"grader/course", "github.com/charmbracelet/lipgloss", false},
		"the course knows nothing of processes":       {"grader/course", own("grader/probe"), false},
		"the course stands on the reference":          {"grader/course", own("reference/oracle"), true},
		"a step is not built on the oracle":           {"steps/step05_swiglu", own("reference/oracle"), false},
		"nor on a solution":                           {"solutions/step05_swiglu", own("solutions/step02_linear"), false},
		"nor on a library":                            {"solutions/step05_swiglu", "gonum.org/v1/gonum/mat", false},
		"a step is built on steps":                    {"solutions/step05_swiglu", own("steps/step02_linear"), true},
		"and on tensors":                              {"steps/step05_swiglu", own("reference/tensor"), true},
		"and on the standard library":                 {"steps/step05_swiglu", "math", true},
		"the grader imports no step":                  {"grader", own("steps/step05_swiglu"), false},
		"the program around a step does":              {"grader/programs/train", own("steps/step10_lm"), true},
		"nothing imports a command":                   {"cmd/teach/class", own("cmd/grade"), false},
		"the theme is a command's, as the badge is":   {"cmd/tui/component/badge", own("cmd/tui/theme"), true},
		"the door does not know the class":            {"grader", own("cmd/teach/class"), false},
		"a folder whose name begins alike is another": {"grader/course", own("grader/coursework"), false},
	} {
		t.Run(name, func(t *testing.T) {
			a := architecture{layers: layersOf(string(page)), imports: map[string][]string{tt.pkg: {tt.to}}, purpose: map[string]string{tt.pkg: "Package x is."}}
			require.Equal(t, tt.allowed, len(a.faults()) == 0, "%v", a.faults())
		})
	}
}

// A package needs a sentence and a layer; a layer imports what lies below it.
func TestArchitectureFaults(t *testing.T) {
	low := layer{name: "low", packages: []string{"low"}}
	for name, tt := range map[string]struct {
		a    architecture
		want string
	}{
		"no doc comment": {architecture{layers: []layer{low}, purpose: map[string]string{"low": ""}}, "low has no doc comment"},
		"no layer":       {architecture{layers: []layer{low}, purpose: map[string]string{"lower": "A."}}, "lower belongs to no layer"},
		"upwards":        {architecture{layers: []layer{{name: "high"}, {name: "low", layers: []string{"high"}}}}, "low may import high, which is no layer below it"},
	} {
		require.Contains(t, strings.Join(tt.a.faults(), "\n"), tt.want, name)
	}
}
