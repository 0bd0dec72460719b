package mistake

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// head begins every file of mistakes in these tests.
const header = "//go:build mistake\n\npackage one\n\n"

const about = "// a: a sign is wrong\n//\n// Why: because\n//\n// Hint: look\n"

func parse(text string) ([]Mistake, error) {
	return Parse(fstest.MapFS{"step01_one/mistakes/a.go": {Data: []byte(text)}}, "step01_one")
}

func TestParse(t *testing.T) {
	mistakes, err := parse(header + `// a: a title that is
// longer than its line
//
// Why: a reason
// in two lines.
//
// Hint: y = x.
//
// Invisible: the proof.
//
// Curve: yes
func F() {
	if right {
		y = x
	} else {
		y = -x
	}
}

// a/too
//
// With: a
//
// In: step00_zero/zero.go
func (*T) G() {
	if right {
		x--
	} else {
	}
}

func helper(x int) int { return -x }

// b: a constant is wrong
//
// Why: because
//
// Hint: look
const limit = 3
`)
	require.NoError(t, err)
	require.Len(t, mistakes, 2)
	a, b := mistakes[0], mistakes[1]
	require.Equal(t, []string{"a", "a title that is longer than its line", "a reason in two lines.", "y = x.", "the proof."},
		[]string{a.ID, a.Title, a.Why, a.Hint, a.Invisible})
	require.True(t, a.Curve)
	require.False(t, b.Curve)
	require.Len(t, a.Versions, 2)
	require.Equal(t, "step00_zero/zero.go", a.Versions[1].In)
	var names []string
	for _, c := range a.Versions[1].changes {
		names = append(names, c.keyword+" "+c.name)
	}
	require.Equal(t, []string{"func F", "func T.G", "func helper"}, names)
	require.Equal(t, "limit = 3", b.Versions[0].changes[0].code)
}

// What is wrong with a file of mistakes is said with its place.
// A checkout with CRLF holds the same mistakes and the same solutions.
func TestLineEnds(t *testing.T) {
	const text = header + "// a: a title\n//\n// Why: a reason\n// in two lines.\n//\n// Hint: y = x.\nfunc F() {\n\tif right {\n\t\ty = x\n\t} else {\n\t\ty = -x\n\t}\n}\n"
	unix, err := parse(text)
	require.NoError(t, err)
	windows, err := parse(strings.ReplaceAll(text, "\n", "\r\n"))
	require.NoError(t, err)
	require.Equal(t, unix, windows)
	files, err := Sources(fstest.MapFS{"step01_one/a.go": {Data: []byte("package one\r\n")}})
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{"step01_one/a.go": []byte("package one\n")}, files)
}

func TestParseErrors(t *testing.T) {
	const body = "func F() {\n\tif right {\n\t\ty = x\n\t} else {\n\t\ty = -x\n\t}\n}\n"
	for name, c := range map[string]struct{ text, want string }{
		"no constraint":      {"package one\n", "step01_one/mistakes/a.go: the line //go:build mistake before the package is missing"},
		"another constraint": {"//go:build linux\n\npackage one\n", "//go:build mistake before the package is missing"},
		"no Go":              {header + "func {", "step01_one/mistakes/a.go:5"},
		"no comment":         {header + body, "a.go:5: the first declaration has no comment"},
		"no head":            {header + "// Wrong sign\n" + body, "a.go:5: a comment begins with \"Wrong sign\"; want “id: title”"},
		"no title":           {header + "// a\n" + body, "a has no title"},
		"a title that is a sentence": {header + strings.Replace(about, "a sign is wrong", "The sign is wrong.", 1) + body,
			"a: the title is \"The sign is wrong.\"; it goes on after"},
		"no reason":             {header + "// a: b is wrong\n//\n// Hint: look\n" + body, "a: want a paragraph “Why: …”"},
		"a paragraph too many":  {header + about + "//\n// Note: this\n" + body, "a: a paragraph is \"Note: this\"; want one that begins with Why"},
		"said twice":            {header + about + "//\n// Hint: again\n" + body, "a: Hint is said twice"},
		"an id twice":           {header + about + body + about + body, "a exists twice"},
		"a version before":      {header + "// a/too\n" + body, "a/too does not follow a"},
		"a version with a hint": {header + about + body + "// a/too\n//\n// Hint: look\n" + body, "a/too: Why, Hint"},
		"with something else":   {header + about + "//\n// With: b\n" + body, "no version above is called b"},
		"nothing right":         {header + about + "func F() {\n\tif right {\n\t} else {\n\t\ty = 1\n\t}\n}\n", "a.go:11: F: there is nothing under “if right”"},
		"no else":               {header + about + "func F() {\n\tif right {\n\t\ty = 1\n\t}\n}\n", "“else { … }” after “if right { … }” is missing"},
		"no difference": {header + about + "func F() {\n\tif right {\n\t\tf(1, 2)\n\t} else {\n\t\tf(1,\n\t\t\t2, // same\n\t\t)\n\t}\n}\n",
			"both branches hold the same code"},
		"mixed": {header + about + "func F() {\n\tif right {\n\t\ty = 1\n\t} else {\n\t}\n\ty = 2\n}\n", "F has another statement beside"},
		"empty": {header + about + "func F() {}\n", "F is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(c.text)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// solutionOne is what the mistakes of these tests are made in.
const solutionOne = `package one

import "math"

// Limits.
const (
	low  = 1 // the first
	high = 2
)

// F computes.
func F(x, y int) int {
	total := sum(x, // the first
		y)
	for i := range 3 {
		switch {
		case i > 1:
			total += i // at the end
		}
		total--
	}
	total--
	return total
}

func sum(x, y int) int { return x + y }

type T struct{ x float64 }

func (t *T) Root() float64 {
	return math.Sqrt(t.x)
}
`

func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		change   string
		from, to string // in the solution
	}{
		"another layout": {"func F() {\n\tif right {\n\t\ttotal := sum(x, y)\n\t} else {\n\t\ttotal := sum(\n\t\t\ty,\n\t\t\tx,\n\t\t)\n\t}\n}\n",
			"total := sum(x, // the first\n\t\ty)", "total := sum(\n\t\ty,\n\t\tx,\n\t)"},
		"deep inside": {"func F() {\n\tif right {\n\t\ttotal += i\n\t} else {\n\t\ttotal -= i\n\t}\n}\n", "total += i //", "total -= i //"},
		"dropped":     {"func F() {\n\tif right {\n\t\ttotal--\n\t\treturn total\n\t} else {\n\t\treturn total\n\t}\n}\n", "\ttotal--\n\treturn", "\treturn"},
		"two places": {"func F() {\n\tif right {\n\t\treturn total\n\t} else {\n\t\treturn 0\n\t}\n\tif right {\n\t\ttotal += i\n\t} else {\n\t\t_ = total\n\t}\n}\n",
			"total += i // at the end\n\t\t}\n\t\ttotal--\n\t}\n\ttotal--\n\treturn total", "_ = total // at the end\n\t\t}\n\t\ttotal--\n\t}\n\ttotal--\n\treturn 0"},
		"a whole function": {"func sum(x, _ int) int { return x }\n", "func sum(x, y int) int { return x + y }", "func sum(x, _ int) int { return x }"},
		"a constant":       {"const low = 0\n", "low  = 1 //", "low  = 0 //"},
		"a type":           {"type T struct{ x, y float64 }\n", "type T struct{ x float64 }", "type T struct{ x, y float64 }"},
		"a method, without its import": {"func (*T) Root() {\n\tif right {\n\t\treturn math.Sqrt(t.x)\n\t} else {\n\t\treturn t.x\n\t}\n}\n",
			"math.Sqrt(t.x)", "t.x"},
		"with another import and a function": {"func F() {\n\tif right {\n\t\treturn total\n\t} else {\n\t\treturn first(total)\n\t}\n}\n\nfunc first(x int) int { return slices.Max([]int{x}) }\n",
			"return total", "return first(total)"},
	} {
		t.Run(name, func(t *testing.T) {
			mistakes, err := parse(strings.Replace(header, "one\n", "one\n\nimport (\n\t\"os\"\n\t\"slices\"\n)\n", 1) + about + c.change)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(solutionOne, c.from))
			want := strings.Replace(solutionOne, c.from, c.to, 1)
			switch {
			case !strings.Contains(want, "math."):
				want = strings.Replace(want, "import \"math\"\n\n", "", 1)
			case strings.Contains(want, "first(total)"):
				want = strings.Replace(want, "import \"math\"", "import (\n\t\"math\"\n\t\"slices\"\n)", 1) + "\nfunc first(x int) int { return slices.Max([]int{x}) }\n"
			}
			changed, err := mistakes[0].Versions[0].Apply(map[string][]byte{"step01_one/one.go": []byte(solutionOne), "step02_two/two.go": nil})
			require.NoError(t, err)
			require.Len(t, changed, 1)
			require.Equal(t, want, string(changed["step01_one/one.go"]))
		})
	}
}

// A mistake that does not fit its solution says what it looked for, where, and
// what is there.
func TestApplyErrors(t *testing.T) {
	for name, c := range map[string]struct{ head, change, want string }{
		"not there": {"", "func sum() {\n\tif right {\n\t\treturn x - y\n\t} else {\n\t\treturn x\n\t}\n}\n",
			"step01_one/mistakes/a.go:10: a: sum in step01_one/one.go does not hold what stands under “if right” in step01_one/mistakes/a.go:11:\n\treturn x - y\nIt is:\n\t{ return x + y }"},
		"not in this order": {"", "func F() {\n\tif right {\n\t\ttotal--\n\t\ttotal := 0\n\t} else {\n\t}\n}\n",
			"does not hold what stands under “if right” in step01_one/mistakes/a.go:11:\n\ttotal--\n\ttotal := 0\nIt is:\n\t{\n"},
		"twice":         {"", "func F() {\n\tif right {\n\t\ttotal--\n\t} else {\n\t}\n}\n", "holds 2 times (name a statement beside them as well) what stands"},
		"no such name":  {"", "func G() {\n\tif right {\n\t\treturn\n\t} else {\n\t}\n}\n", "step01_one declares no G; it declares low, high, F, sum, T, T.Root"},
		"adds only":     {"", "func helper() int { return 1 }\n", "a changes nothing: step01_one declares no helper"},
		"another kind":  {"", "var low = 0\n", "low is a const in step01_one/one.go, and a var here"},
		"no such file":  {"//\n// In: two.go\n", "const low = 0\n", "there is no file step01_one/two.go"},
		"no such step":  {"//\n// In: step02_two\n", "const low = 0\n", "there is no file step02_two/*.go"},
		"the same line": {"", "func F() {\n\tif right {\n\t\treturn total\n\t} else {\n\t\treturn 1\n\t}\n\tif right {\n\t\ttotal--\n\t\treturn total\n\t} else {\n\t}\n}\n", "two of its changes are about the same statements"},
		"in two files":  {"", "const twin = 1\n", "twin is declared in step01_one/other.go and in step01_one/twin.go; say which with “In: other.go”"},
	} {
		t.Run(name, func(t *testing.T) {
			mistakes, err := parse(header + about + c.head + c.change)
			require.NoError(t, err)
			files := map[string][]byte{"step01_one/one.go": []byte(solutionOne)}
			if name == "in two files" {
				for _, file := range []string{"other", "twin"} {
					files["step01_one/"+file+".go"] = []byte("package one\n\nconst twin = 0\n")
				}
			}
			_, err = mistakes[0].Versions[0].Apply(files)
			require.ErrorContains(t, err, c.want)
		})
	}
}
