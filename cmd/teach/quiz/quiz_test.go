package quiz

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

const bank = `# Step 05: SwiGLU

## 1. First
Kind: explain
Points: 3

Why?

Rubric:

- 1: a reason,
  and where it holds
- 2: another
- Wrong: none

Answer:

Because.

And so.

## 2. Second
Kind: numbers
Points: 1
Numbers: dff

How wide is {{D}}?

Rubric:

- 1: {{F}}

Answer:

{{F}}
`

func TestParse(t *testing.T) {
	questions, err := parse("step05_swiglu.md", bank)
	require.NoError(t, err)
	windows, err := parse("step05_swiglu.md", strings.ReplaceAll(bank, "\n", "\r\n"))
	require.NoError(t, err)
	require.Equal(t, questions, windows)
	require.Equal(t, []Question{
		{Step: "step05", Number: 1, Title: "First", Kind: Explain, Points: 3, Text: "Why?", Answer: "Because.\n\nAnd so.", place: "step05_swiglu.md:3",
			Rubric: []Criterion{{1, "a reason, and where it holds"}, {2, "another"}, {0, "none"}}},
		{Step: "step05", Number: 2, Title: "Second", Kind: Numbers, Points: 1, Numbers: "dff", Text: "How wide is {{D}}?", Answer: "{{F}}",
			place: "step05_swiglu.md:22", Rubric: []Criterion{{1, "{{F}}"}}},
	}, questions)
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{"## 1. First", "## First", `b.md:3: "## First"; want a heading such as ## 1. Title`},
		{"## 2. Second", "## 3. Second", "b.md:22: question 3 stands where question 2 is wanted"},
		{"Kind: explain", "Kind: hard", `b.md:4: Kind is "hard"; want one of [derivation numbers break oral explain]`},
		{"Points: 3", "Points: three", `b.md:5: Points is "three"; want a whole number of at least 1`},
		{"Points: 3", "Marks: 3", `b.md:5: "Marks: 3"; want Kind, Points or Numbers, and an empty line before the text`},
		{"Kind: explain\n", "", "b.md:3: question 1 has no Kind or no Points"},
		{"Numbers: dff", "Numbers: duff", `b.md:25: nothing draws the numbers "duff"; see draws`},
		{"Numbers: dff\n", "", "b.md:22: question 2 is by numbers and does not say who draws them"},
		{"- 2: another", "- 3: another", "b.md:3: the rubric of question 1 gives 4 points; the question has 3"},
		{"- 2: another", "* 2: another", `b.md:13: "* 2: another"; want an item such as - 2: what earns two points, or - Wrong: a common wrong answer`},
		{"- 2: another", "- two: another", `b.md:13: "- two: another"; want an item`},
		{"Rubric:", "Marks:", `b.md:3: question 1 has no line "Rubric:"`},
		{"Answer:", "Solution:", `b.md:3: question 1 has no line "Answer:"`},
		{"Why?", "", "b.md:3: question 1 has no text or no answer"},
		{bank, "# nothing", "b.md:1: no question; one begins with a line such as ## 1. Title"},
	}
	for _, tt := range tests {
		text := strings.Replace(bank, tt.old, tt.new, 1)
		require.NotEqual(t, bank, text)
		_, err := parse("b.md", text)
		require.ErrorContains(t, err, tt.want)
	}
}

func TestFill(t *testing.T) {
	d := &draw{values: map[string]string{}}
	d.set("W", [][]float64{{1, -2}, {10, 0.5}})
	d.set("x", []float64{-1, 2. / 3})
	d.set("n", 7008768)
	require.NoError(t, d.err)
	tests := []struct{ text, want string }{
		{"x = {{x}} of {{n}}", "x = (−1, 0.6667) of 7,008,768"},
		{"{{(x0)}}·{{(x1)}} {{+x0}} {{+x1}}", "(−1)·0.6667 − 1 + 0.6667"},
		{"row {{W1}}, number {{W01}}", "row (10, 0.5), number −2"},
		{"a = {{W}} and {{W}}\nb", "a = (  1   −2 ) and (  1   −2 )\n    ( 10  0.5 )     ( 10  0.5 )\nb"},
	}
	for _, tt := range tests {
		got, err := fill(tt.text, d.values)
		require.NoError(t, err)
		require.Equal(t, tt.want, got)
	}
	_, err := fill("{{y}}", d.values)
	require.ErrorContains(t, err, "nothing is drawn for the placeholder {{y}}")
}

func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{"0": -1e-9, "−0.5": -0.5, "1.2346": 1.23456, "100": 100, "9999.5": 9999.5, "10,000.25": 10000.25, "−1,234,567": -1234567} {
		require.Equal(t, want, number(x))
	}
}

// What is by hand is held to the oracle: a difference is an error, and so is a refusal.
func TestAnswer(t *testing.T) {
	fresh := func() *draw { return &draw{values: map[string]string{}} }
	d := fresh()
	d.answer("y", []float64{1, 2}, []float64{1, 2 + 1e-12})
	require.NoError(t, d.err)
	require.Equal(t, "(1, 2)", d.values["y"])
	d.answer("y", []float64{1, 2}, []float64{1, 2.001})
	require.ErrorContains(t, d.err, "y: number 1 is 2 by hand, 2.001 by the oracle")
	d = fresh()
	d.answer("y", 1.0, []float64{1, 2})
	require.ErrorContains(t, d.err, "by hand 1 numbers, the oracle has 2")
	d = fresh()
	d.ask("silu.forward", wire.Values{})
	require.ErrorContains(t, d.err, "silu.forward: argument x: got nothing")
	first := d.err
	d.fail(errors.New("a second failure"))
	require.Equal(t, first, d.err)
}

// The same seed makes the same paper, another seed another one, and what is chosen beside a
// question changes none of its numbers.
func TestMake(t *testing.T) {
	all := loaded(t)["step05_swiglu"]
	made := func(o Options) *Paper {
		p, err := Make(all, o)
		require.NoError(t, err)
		return p
	}
	require.Equal(t, made(Options{Seed: 1}), made(Options{Seed: 1}))
	require.NotEqual(t, made(Options{Seed: 1}).Items, made(Options{Seed: 2}).Items)
	whole := made(Options{Seed: 3})
	require.Len(t, whole.Items, 8)
	four := made(Options{Seed: 3, Questions: 4})
	require.Len(t, four.Items, 4)
	seen := map[Kind]bool{}
	for i, q := range four.Items {
		require.Contains(t, whole.Items, q)
		require.False(t, seen[q.Kind], "two of a kind, and others are left")
		seen[q.Kind] = true
		require.True(t, i == 0 || q.Number > four.Items[i-1].Number, "in order")
	}
	for _, q := range made(Options{Seed: 3, Oral: true}).Items {
		require.Equal(t, Oral, q.Kind)
	}
	_, err := Make(all, Options{Questions: 9})
	require.ErrorContains(t, err, "--questions is 9, and these steps have 8 of that kind")
}

// The sheet gives nothing away; the key has everything.
func TestSheetAndKey(t *testing.T) {
	questions, err := parse("step05_swiglu.md", bank)
	require.NoError(t, err)
	p, err := Make(questions, Options{Seed: 1})
	require.NoError(t, err)
	sheet, key := string(p.Sheet(lang.Printer{})), string(p.Key(lang.Printer{}))
	for _, want := range []string{"# Quiz: steps 05 (seed 1)\n", "Name: ____", "2 questions, 4 points.", "## 1. First\n\n*explain · 3 points*\n\nWhy?\n", "Points: _____ of 3\n", "Total: _____ of 4\n"} {
		require.Contains(t, sheet, want)
	}
	require.Equal(t, linesForAPoint*4, strings.Count(sheet, "\n&nbsp;\n"))
	for _, secret := range []string{"Because", "a reason", "another", "of its bank"} {
		require.NotContains(t, sheet, secret)
		require.Contains(t, key, secret)
	}
	require.Contains(t, key, "- **1** a reason, and where it holds\n- **2** another\n- **Often wrong:** none\n")
}
