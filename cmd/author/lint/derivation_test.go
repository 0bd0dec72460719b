package lint_test

import (
	"fmt"
	"os"
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

// terms are the numbered steps of a derivation: what each says.
type terms map[int]string

// TestDerivations holds the numbers of a derivation in the code to those in the lesson,
// in both languages: what the lesson prints bold as the result of step 4 stands at (4)
// in the solution, and at no other number.
func TestDerivations(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	folders, err := filepath.Glob(filepath.Join(kit.Root, "solutions", "step*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	found := 0
	for _, folder := range folders {
		for _, lesson := range []string{"README.md", "README.zh-CN.md"} {
			path := filepath.Join(kit.Root, "steps", filepath.Base(folder), lesson)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			wrong, n := stray(t, newline.Unix(string(text)), folder)
			found += n
			for _, w := range wrong {
				t.Errorf("%s: %s", path, w)
			}
		}
	}
	require.Greater(t, found, 100, "terms in the solutions")
}

// TestWrongNumbersAreSeen changes one number of a derivation at a time.
func TestWrongNumbersAreSeen(t *testing.T) {
	const lesson = `## Derived

1. First **dh = dy·g**.
2. Then **dx = r·dh**, where r stays.

Then the sum.

3. It collects: **dg = Σ dh·x**.

    dh = (1, 2) = 3    (1)
`
	const source = `package p

func backward() {
	// (1) What arrives: dh = dy·g
	// (2) r is a constant,
	//     so dx = r·dh
	// (3) dg = Σ dh·x
	kernel.Mul(dh, dy, g) // (1)
	l.dx.Data[i] = r * dh // (2)
	tensor.MulAdd(l.dg.Matrix(), dh, x) // (3), and more
}
`
	for _, c := range []struct{ name, old, new, want string }{
		{"right", "", "", ""},
		{"another step's result", "// (1) What arrives: dh = dy·g", "// (1) What arrives: dg = Σ dh·x", "(1) says what is step 3"},
		{"no result", "so dx = r·dh", "so much for dx", "(2) says"},
		{"a result that is nowhere", "	// (3) dg = Σ dh·x\n", "", "step 3 of the lesson, dg=Σdhx, is at no number"},
		{"a number that the lesson does not have", "// (3) dg", "// (4) dg", "(4) is no step"},
		{"another number at a product", "g) // (1)", "g) // (2)", "line 8: dh is computed in [1] and not in [2]"},
		{"another number at an element", "dh // (2)", "dh // (1) and (3)", "line 9: dx is computed in [2] and not in [1 3]"},
		{"another number at a field", "// (3), and more", "// (2), and more", "line 10: dg is computed in [3] and not in [2]"},
		{"a number that is not explained", "// (3), and more", "// (5)", "line 10: (5) is explained nowhere"},
		{"the lesson's order", "1. First **dh = dy·g**.\n2. Then **dx = r·dh**", "1. Then **dx = r·dh**\n2. First **dh = dy·g**", "(1) says what is step 2"},
		{"the example's", "3    (1)", "3    (2)", "step 2 does not define dh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			solution := t.TempDir()
			changed := strings.NewReplacer(c.old, c.new)
			code, text := source, lesson
			if c.old != "" {
				code, text = changed.Replace(source), changed.Replace(lesson)
				require.NotEqual(t, source+lesson, code+text)
			}
			require.NoError(t, os.WriteFile(filepath.Join(solution, "p.go"), []byte(code), 0o644))
			wrong, _ := stray(t, text, solution)
			if c.want == "" {
				require.Empty(t, wrong)
				return
			}
			require.Contains(t, strings.Join(wrong, "\n"), c.want)
		})
	}
}

// stray says where a lesson and the solution beside it number differently, and counts the
// solution's terms.
func stray(t *testing.T, lesson, solution string) (wrong []string, found int) {
	lists := numbered(lesson)
	wrong = strayInExample(lesson, lists)
	files, err := filepath.Glob(filepath.Join(solution, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var followed []terms
	said := ""
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		d := inCode(t, newline.Unix(source), lists)
		for _, w := range d.wrong {
			wrong = append(wrong, filepath.Base(file)+": "+w)
		}
		for _, text := range d.terms {
			said += text
		}
		found += len(d.terms)
		followed = append(followed, d.followed...)
	}
	return append(wrong, missing(followed, said)...), found
}

// numbered returns the numbered lists of a lesson that derive something: they print an
// equation bold. A list that is interrupted by sentences goes on where its numbers do.
func numbered(lesson string) (lists []terms) {
	last := 0
	for line := range strings.Lines(lesson) {
		if m := item.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			if n != last+1 || n == 1 {
				lists = append(lists, terms{})
			}
			lists[len(lists)-1][n], last = m[2], n
		} else if strings.HasPrefix(line, "## ") {
			last = 0
		}
	}
	return slices.DeleteFunc(lists, func(list terms) bool {
		for _, text := range list {
			if len(results(text)) > 0 {
				return false
			}
		}
		return true
	})
}

var (
	item = regexp.MustCompile(`^(\d+)\. (.*)`)
	bold = regexp.MustCompile(`\*\*(.+?)\*\*`)
	// mark is the number, or the numbers, at a line of code.
	mark = regexp.MustCompile(`^\(\d+\)((, | and | to )\(\d+\))*`)
	// exampleMark is the number at the end of a line of a worked example.
	exampleMark = regexp.MustCompile(`^\s*(?:(\pL+) )?.*=.*\s\((\d+)\)$`)
	digits      = regexp.MustCompile(`\d+`)
	// defined are the names on the left of an equation.
	defined = regexp.MustCompile(`([\pL\pM\pN_'\[+\]]+(?:, [\pL\pM\pN_'\[+\]]+)*)\s*\+?[=←]`)
)

// bare is a formula without what may be written in two ways: spaces, the point of a
// product, an arrow for "becomes", the punctuation of another language.
func bare(formula string) string {
	return strings.NewReplacer(" ", "", "·", "", "*", "", "`", "", "←", "=", "，", ",", "。", ".").Replace(formula)
}

// results returns the equations that an item prints bold.
func results(text string) []string {
	var all []string
	for _, m := range bold.FindAllStringSubmatch(text, -1) {
		if formula := strings.TrimRight(bare(m[1]), ".,"); strings.Contains(formula, "=") {
			all = append(all, formula)
		}
	}
	return all
}

// disagree says where the terms of a function are not those of a list.
func disagree(code, list terms) []string {
	var wrong []string
	for n, term := range code {
		if _, ok := list[n]; !ok {
			wrong = append(wrong, fmt.Sprintf("(%d) is no step of the lesson: %s", n, term))
			continue
		}
		own := results(list[n])
		says := func(formula string) bool { return strings.Contains(bare(term), formula) }
		if len(own) > 0 && !slices.ContainsFunc(own, says) {
			wrong = append(wrong, fmt.Sprintf("(%d) says %q, and step %d of the lesson %q", n, term, n, list[n]))
		}
		for other, text := range list {
			for _, formula := range results(text) {
				if other != n && says(formula) && !strings.Contains(bare(list[n]), formula) {
					wrong = append(wrong, fmt.Sprintf("(%d) says what is step %d of the lesson: %s", n, other, term))
				}
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// nearest returns the list by which least is wrong, and what that is.
func nearest(lists []terms, wrong func(terms) []string) (best terms, least []string) {
	least = wrong(nil)
	for _, list := range lists {
		if w := wrong(list); best == nil || len(w) < len(least) {
			best, least = list, w
		}
	}
	return best, least
}

// missing returns the results of the lists that the code follows which it does not say.
func missing(followed []terms, code string) (wrong []string) {
	for _, list := range followed {
		for n, text := range list {
			for _, formula := range results(text) {
				if w := fmt.Sprintf("step %d of the lesson, %s, is at no number", n, formula); !strings.Contains(bare(code), formula) &&
					!slices.Contains(wrong, w) {
					wrong = append(wrong, w)
				}
			}
		}
	}
	return wrong
}

// strayInExample names the lines of a worked example whose number is not that of the
// step which defines what the line computes.
func strayInExample(lesson string, lists []terms) []string {
	_, wrong := nearest(lists, func(list terms) (wrong []string) {
		for line := range strings.Lines(lesson) {
			if m := exampleMark.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
				n, _ := strconv.Atoi(m[2])
				if where := definedIn(m[1], list); list[n] == "" || len(where) > 0 && !slices.Contains(where, n) {
					wrong = append(wrong, fmt.Sprintf("step %d does not define %s: %s", n, m[1], line))
				}
			}
		}
		return wrong
	})
	return wrong
}

// definedIn returns the numbers of the terms with an equation for a name.
func definedIn(name string, list terms) (where []int) {
	for n, text := range list {
		for _, m := range defined.FindAllStringSubmatch(text, -1) {
			for _, left := range strings.Split(m[1], ", ") {
				left, _, _ = strings.Cut(left, "_")
				left, _, _ = strings.Cut(left, "[")
				left = strings.TrimRight(left, "'")
				if strings.EqualFold(left, name) && !slices.Contains(where, n) {
					where = append(where, n)
				}
			}
		}
	}
	return where
}
