package diagnose

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// array is the sketch of nine numbers that follow from one.
func array(x float64) Sketch {
	numbers := make([]float64, 9)
	for i := range numbers {
		numbers[i] = x + float64(i*i)*x*x
	}
	return SketchOf(wire.Floats(numbers, 9))
}

// ruled are marks whose right answers are array(1), and whose answers are these.
func ruled(answers map[string]float64) map[string]Mark {
	marks := map[string]Mark{}
	for name, x := range answers {
		marks[name] = Mark{Got: array(x), Want: array(1), Tolerance: 1e-6}
	}
	return marks
}

// rule changes the factor of y and answers these.
func rule(factor string, answers map[string]map[string]float64) Rule {
	r := Rule{ID: "rule-" + factor, Sentence: Sentence{Form: Factor, Args: []string{"y", factor}}}
	for f, byName := range answers {
		marks := ruled(byName)
		r.Put(f, sortedNames(marks), marks, nil)
	}
	return r
}

func sortedNames(m map[string]Mark) []string { return slices.Sorted(maps.Keys(m)) }

type answers = map[string]map[string]float64

// A rule stands where it alone explains every answer of a function and no written
// mistake does.
func TestByRule(t *testing.T) {
	const f, b = "f.forward", "f.backward"
	right := func(x, y float64) map[string]float64 { return map[string]float64{f + "/one/y": x, f + "/two/y": y} }
	back := func(x, y float64) map[string]float64 { return map[string]float64{b + "/one/dx": x, b + "/one/dw": y} }
	rules := []Rule{
		rule("g", answers{f: right(2, 3), b: back(5, 6)}),
		rule("h", answers{b: back(7, 1)}),
		rule("i", answers{b: back(1, 8)}),
		rule("j", answers{f: right(4, 4)}),
		rule("k", answers{f: right(4, 4)}),
		rule("l", answers{f: right(9, 9.5)}),
	}
	for name, tt := range map[string]struct {
		answers map[string]float64
		known   Known
		want    []string
	}{
		"nothing is wrong":                    {right(1, 1), nil, nil},
		"it explains the forward pass":        {right(2, 3), nil, []string{"y lacks the factor g"}},
		"and not all of it":                   {right(2, 4), nil, nil},
		"with the derivative":                 {merged(right(2, 3), back(5, 6)), nil, []string{"y lacks the factor g, in the derivative as well"}},
		"with a derivative that is right":     {merged(right(2, 3), back(1, 1)), nil, []string{"y lacks the factor g"}},
		"a derivative without its forward":    {merged(right(1, 1), back(5, 6)), nil, nil},
		"one for each result":                 {back(7, 8), nil, []string{"y lacks the factor i", "y lacks the factor h"}},
		"of which one is unknown":             {back(7, 9), nil, nil},
		"two that say different things":       {right(4, 4), nil, nil},
		"where a size is 1":                   {right(9, 1), nil, []string{"y lacks the factor l, but only where T is 1"}},
		"a written mistake that explains it":  {right(2, 3), written(right(2, 3)), nil},
		"a written mistake of the same start": {merged(right(2, 3), back(5, 6)), written(right(2, 3)), nil},
		"a written mistake that does not":     {right(2, 3), written(right(2, 2)), []string{"y lacks the factor g"}},
		"an answer that nobody was asked for": {merged(right(2, 3), map[string]float64{f + "/three/y": 2}), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			store := Rules{Rules: rules, Marks: map[string][]string{f: sortedNames(ruled(right(1, 1))), b: sortedNames(ruled(back(1, 1)))},
				Sizes: map[string]map[string]int{f + "/one": {"T": 1, "D": 9}, f + "/two": {"T": 3, "D": 9}}}
			var said []string
			for _, found := range newInquiry(tt.known, ruled(tt.answers), []string{f, b}).byRule(store) {
				said = append(said, Store{}.title(found).String())
			}
			require.Equal(t, tt.want, said)
		})
	}
}

func merged(a, b map[string]float64) map[string]float64 {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func written(of map[string]float64) Known {
	return Known{"w": Of(ruled(of), nil)}
}

// Where roundings carry an answer far it need not be as close, but it gives no rule
// away by itself.
func TestLooseAnswers(t *testing.T) {
	marks := ruled(map[string]float64{"f/one/y": 2, "f/two/y": 3})
	names := sortedNames(marks)
	for name, tt := range map[string]struct {
		loose map[string]float64
		off   float64
		want  bool
	}{
		"exact":                   {nil, 0, true},
		"off":                     {nil, 1e-4, false},
		"off where it may be":     {map[string]float64{"f/two/y": 1e-3}, 1e-4, true},
		"further off":             {map[string]float64{"f/two/y": 1e-3}, 1e-1, false},
		"nothing else is sure":    {map[string]float64{"f/one/y": 1e-3, "f/two/y": 1e-3}, 0, false},
		"off where it may not be": {map[string]float64{"f/one/y": 1e-3}, 1e-4, false},
	} {
		t.Run(name, func(t *testing.T) {
			var r Rule
			r.Put("f", names, marks, tt.loose)
			got := ruled(map[string]float64{"f/one/y": 2, "f/two/y": 3 * (1 + tt.off)})
			_, ok := r.Agrees("f", names, got)
			require.Equal(t, tt.want, ok)
		})
	}
}

// Every form of sentence has words, for as many arguments as it says.
func TestSentences(t *testing.T) {
	for _, f := range []Form{Factor, Term, Sign, Instead, Place, Extra, Over, Times, Added, Zero, Way, Unchanged, Is, Operand,
		Whole, LessOne, First, Last, Memory, MaskZero, MaskInverse, LastOfRow, LastPair, LastRow, FirstRowOut,
		Counted, FirstRow, FirstOfRow, FirstOfAll, Backwards, OneOn, OneBack, OneMore, OneLess, Columns, Constant} {
		t.Run(string(f), func(t *testing.T) {
			args := []string{"dq", "k", "v"}[:f.arguments()]
			require.NotEmpty(t, args)
			said := Sentence{Form: f, Args: args}.Text().String()
			for _, a := range args {
				require.Contains(t, said, a)
			}
			require.NotContains(t, said, "%!")
		})
	}
	both := Sentence{Form: Both, Parts: []Sentence{{Form: Sign, Args: []string{"dq"}, Through: "S"}, {Form: Zero, Args: []string{"dk"}}}}
	require.True(t, both.whole())
	require.Equal(t, "what reaches dq through S has the wrong sign, and dk is 0", both.Text().String())
	require.Equal(t, lang.Text{}, Sentence{Form: "another"}.Text())
}

func TestFormatAndParseRules(t *testing.T) {
	r := rule("g", answers{"f": {"f/one/y": 2, "f/two/y": 3}})
	r.NotFinite, r.Loose = map[string]uint32{"f/one/y": 7}, map[string]float64{"f/two/y": 0.001}
	rules := Rules{Marks: map[string][]string{"f": {"f/one/y", "f/two/y"}}, Sizes: map[string]map[string]int{"f/one": {"T": 1}}, Rules: []Rule{r}}
	again, err := ParseRules(rules.Format())
	require.NoError(t, err)
	require.Equal(t, rules, again)

	for name, text := range map[string]string{
		"cut off":             `{"marks": {`,
		"an unknown form":     `{"marks": {"f": ["a"]}, "rules": [{"id": "r", "form": "x", "args": [], "answers": {"f": [1, 2]}}]}`,
		"an argument missing": `{"marks": {"f": ["a"]}, "rules": [{"id": "r", "form": "factor", "args": ["y"], "answers": {"f": [1, 2]}}]}`,
		"a sum missing":       `{"marks": {"f": ["a"]}, "rules": [{"id": "r", "form": "sign", "args": ["y"], "answers": {"f": [1]}}]}`,
		"no answers":          `{"rules": [{"id": "r", "form": "sign", "args": ["y"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadRules(func(string) ([]byte, error) { return []byte(text), nil }, "step05_swiglu")
			require.ErrorContains(t, err, "fixtures/step05_swiglu/rules.json is damaged")
		})
	}
	none, err := LoadRules(func(string) ([]byte, error) { return nil, nil }, "step01_init")
	require.NoError(t, err)
	require.Empty(t, none.Rules)
}

// A rule speaks at checks that compare arrays, and not at others of its function.
func TestCompares(t *testing.T) {
	names := []string{"f.backward/odd/dx", "f.backward/odd/dw"}
	for check, want := range map[string]bool{"f.backward": true, "f.backward.dx": true, "f.backward.fresh": true,
		"f.backward.bad_input": false, "f.backward.again": false, "f.forward": false, "f.backwards": false} {
		require.Equal(t, want, compares(check, "f.backward", names), check)
	}
}
