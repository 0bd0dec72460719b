package likeness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func function1(body string) Code {
	return Code{"a.go": []byte("package a\nimport \"math\"\nfunc F(x, y []float64, n int) float64 {\n" + body + "\n}")}
}

func hashesOf(t *testing.T, code Code) []uint64 {
	p := read(code, Vocabulary{"F": true, "Data": true})
	require.Empty(t, p.notes)
	return p.hashes()
}

// What makes no difference to the pieces of a function.
func TestSame(t *testing.T) {
	const plain = "sum := 0.0\nfor i, v := range x { sum += v * math.Exp(y[i]-1) }\nreturn math.Sqrt(sum) / 2"
	for name, body := range map[string]string{
		"comments and layout": "// a comment\nsum := 0.0 // another\n\nfor i, v := range x {\n\tsum += v *\n\t\tmath.Exp(y[i]-1)\n}\nreturn math.Sqrt(sum)/2",
		"names":               "s := 0.0\nfor j, element := range x { s += element * math.Exp(y[j]-1) }\nreturn math.Sqrt(s) / 2",
		"numbers":             "sum := 0e0\nfor i, v := range x { sum += v * math.Exp(y[i]-0x1) }\nreturn math.Sqrt(sum) / 2.0",
		"operators":           "sum := 0.0\nfor i, v := range x { sum = math.Exp(y[i]-1)*v + sum }\nreturn math.Sqrt(sum) / 2",
		"counted":             "sum := 0.0\nfor i := 0; i < len(x); i++ { sum += x[i] * math.Exp(y[i]-1) }\nreturn math.Sqrt(sum) / 2",
		"counted, with names": "sum := 0.0\nfor i := 0; i < len(x); i++ {\nv := x[i]\nsum += v * math.Exp(y[i]-1) }\nreturn math.Sqrt(sum) / 2",
		"split":               "sum := 0.0\nfor i, v := range x {\nd := y[i]-1\ne := math.Exp(d)\nsum += v * e }\nroot := math.Sqrt(sum)\nreturn root / 2",
		"shadowed":            "sum := 0.0\nfor i, v := range x { x := math.Exp(y[i]-1)\nsum += v * x }\nreturn math.Sqrt(sum) / 2",
		"parentheses":         "sum := (0.0)\nfor i, v := range (x) { sum += (v * (math.Exp((y[i])-1))) }\nreturn (math.Sqrt(sum)) / 2",
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, hashesOf(t, function1(plain)), hashesOf(t, function1(body)))
		})
	}
}

// What makes a difference.
func TestDifferent(t *testing.T) {
	const plain = "sum := 0.0\nfor i, v := range x { sum += v * math.Exp(y[i]-1) }\nreturn math.Sqrt(sum) / 2"
	for name, body := range map[string]string{
		"another function": "sum := 0.0\nfor i, v := range x { sum += v * math.Log(y[i]-1) }\nreturn math.Sqrt(sum) / 2",
		"another number":   "sum := 0.0\nfor i, v := range x { sum += v * math.Exp(y[i]-3) }\nreturn math.Sqrt(sum) / 2",
		"another variable": "sum := 0.0\nfor i, v := range x { sum += v * math.Exp(sum-1) }\nreturn math.Sqrt(sum) / 2",
		"other operands":   "sum := 0.0\nfor i, v := range x { sum += v * math.Exp(1-y[i]) }\nreturn math.Sqrt(sum) / 2",
		"changed later":    "sum := 0.0\nfor i, v := range x { v *= 2\nsum += v * math.Exp(y[i]-1) }\nreturn math.Sqrt(sum) / 2",
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, hashesOf(t, function1(plain)), hashesOf(t, function1(body)))
		})
	}
}

// The order of declarations and the names of one's own functions and fields make no
// difference; those of the kit do.
func TestDeclarations(t *testing.T) {
	one := Code{"a.go": []byte("package a\ntype T struct { kept []float64 }\nfunc (t *T) half(x float64) float64 { return x/2 + t.kept[0]*x }\nfunc F(t *T, x float64) float64 { return t.half(x*3) + t.kept[1]*x }")}
	two := Code{"b.go": []byte("package a\nfunc F(me *Other, x float64) float64 { return me.part(x*3) + me.old[1]*x }"),
		"c.go": []byte("package a\nfunc (o *Other) part(x float64) float64 { return x/2 + o.old[0]*x }\ntype Other struct { old []float64 }")}
	require.Equal(t, hashesOf(t, one), hashesOf(t, two))
	three := maps.Clone(two)
	three["b.go"] = []byte(strings.ReplaceAll(string(two["b.go"]), "me.old[1]", "me.Data[1]"))
	require.NotEqual(t, hashesOf(t, one), hashesOf(t, three))
}

// What was handed in cannot take for ever, and says what of it was not read.
func TestBounds(t *testing.T) {
	doubling := "a0 := x[0]\n"
	for i := range 200 {
		doubling += fmt.Sprintf("a%d := a%d + a%d\n", i+1, i, i)
	}
	chain := "a0 := x[0]\n"
	for i := range 3000 {
		chain += fmt.Sprintf("a%d := a%d + 1\n", i+1, i)
	}
	for name, c := range map[string]struct {
		code Code
		note string
	}{
		"no Go":        {Code{"a.go": []byte("package a\nfunc F( {")}, "a.go is not compared: it is no Go that can be parsed"},
		"large":        {Code{"a.go": []byte("package a\n" + strings.Repeat("var x = 1\n", 20_000))}, "a.go is not compared: it is larger than 128 KiB"},
		"parentheses":  {function1("return " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500)), "F in a.go is not compared: it is nested too deep"},
		"sum":          {function1("return " + strings.Repeat("1+", 60_000) + "1"), "F in a.go is not compared: it is nested too deep"},
		"blocks":       {function1(strings.Repeat("{", 500) + strings.Repeat("}", 500)), "F in a.go is not compared: it is nested too deep"},
		"types":        {Code{"a.go": []byte("package a\nvar x " + strings.Repeat("[]", 500) + "int")}, "x in a.go is not compared: it is nested too deep"},
		"doubling":     {function1(doubling + "return a200"), ""},
		"chain":        {function1(chain + "return a3000"), ""},
		"many":         {function1(strings.Repeat("x[0] = y[0]\n", 9000)), "F in a.go is compared in part: it is too large"},
		"label":        {function1("loop:\nfor { break loop }\nreturn 0"), ""},
		"empty":        {Code{}, ""},
		"odd":          {Code{"a.go": []byte("package a\nfunc ()F() {}\nfunc G()\nvar ( )\nvar _, _ = 1, 2\nfunc (T[P]) H() { select {}; switch x := y.(type) { case int: _ = x }; go F(); defer F(); c <- 1 }")}, ""},
		"broken parts": {function1("x, := 1\nfor range {\n"), "a.go is not compared: it is no Go that can be parsed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := read(c.code, Vocabulary{})
			if c.note == "" {
				require.Empty(t, p.notes)
			} else {
				require.Len(t, p.notes, 1)
				require.Equal(t, c.note, p.notes[0].String())
			}
			require.Less(t, len(p.pieces), 2*maxNodes)
		})
	}
}

// Each disguise changes most programs, and leaves no variable without a use.
func TestDisguises(t *testing.T) {
	const text = "package a\n// F is a function.\nfunc F(x, y []float64) float64 {\n\ta, b := 1.5, 2\n\tsum := 0.0\n\tfor i, v := range x {\n\t\tsum += v * g(y[i]-1)\n\t}\n\tif sum > a {\n\t\tsum = g(g(sum) + x[b])\n\t}\n\treturn sum\n}\n\nfunc g(x float64) float64 { return x }\n"
	code := Code{"a.go": []byte(text)}
	seen := []string{}
	for _, d := range disguises() {
		p := parse(t, code)
		require.Zero(t, p.wrong)
		d.do(p)
		changed := p.code()
		require.Zero(t, parse(t, changed).wrong, "%s", changed["a.go"])
		require.NotContains(t, seen, string(changed["a.go"]), d.name)
		seen = append(seen, string(changed["a.go"]))
	}
	require.Contains(t, seen[len(seen)-1], "func F(")
	require.NotContains(t, seen[len(seen)-1], "range")
	slices.Sort(seen)
	require.Len(t, slices.Compact(seen), len(disguises()))
}
