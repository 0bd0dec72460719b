package mutate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
)

// pairs is how many programs with two mistakes are made of a step.
const pairs = 6

// Scenario is what a mistake in a program is accompanied by.
type Scenario string

// The scenarios: the mistake is in a forward pass and the derivative is as they
// say, or there are two mistakes in two functions.
const (
	RightDerivative   Scenario = "derivative right"
	NoDerivative      Scenario = "derivative not written"
	OwnDerivative     Scenario = "derivative of the mistake"
	UnknownDerivative Scenario = "derivative unknown"
	TwoMistakes       Scenario = "two mistakes"
)

// AllScenarios returns the scenarios in the order of their table.
func AllScenarios() []Scenario {
	return []Scenario{RightDerivative, NoDerivative, OwnDerivative, UnknownDerivative, TwoMistakes}
}

// Synthetic is a program that has some known mistakes in a scenario. No code runs
// for it: it is put together from the stored answers.
type Synthetic struct {
	Step     *course.Step
	Scenario Scenario
	Mistakes []string // and those that answer the same
	Marks    map[string]diagnose.Mark
}

// Synthesise returns the programs of a step in every scenario. The marks are those
// of the solution.
func Synthesise(step *course.Step, known diagnose.Known, right map[string]diagnose.Mark, seed uint64) []Synthetic {
	rng := rand.New(rand.NewPCG(seed, 0x7061697273)) // "pairs"
	return append(withOne(step, known, right), withTwo(step, known, right, rng)...)
}

// withOne returns a program for every stored version of a mistake in a forward
// pass and every scenario of one mistake.
func withOne(step *course.Step, known diagnose.Known, right map[string]diagnose.Mark) []Synthetic {
	var all []Synthetic
	for _, version := range slices.Sorted(maps.Keys(known)) {
		marks := answering(right, known[version])
		derivatives := withDerivative(marks)
		if len(derivatives) == 0 {
			continue
		}
		add := func(s Scenario, change func(into map[string]diagnose.Mark, name string)) {
			changed := maps.Clone(marks)
			for _, name := range derivatives {
				change(changed, name)
			}
			all = append(all, Synthetic{Step: step, Scenario: s, Mistakes: alike(known, changed, version), Marks: changed})
		}
		add(RightDerivative, func(m map[string]diagnose.Mark, name string) { m[name] = right[name] })
		add(NoDerivative, func(m map[string]diagnose.Mark, name string) { delete(m, name) })
		add(UnknownDerivative, func(m map[string]diagnose.Mark, name string) { m[name] = unknown(right[name]) })
		if slices.ContainsFunc(derivatives, func(name string) bool { return !marks[name].Right() }) {
			add(OwnDerivative, func(map[string]diagnose.Mark, string) {})
		}
	}
	return all
}

// withTwo draws programs with two mistakes each that begin in different functions.
// What both of them change is unknown.
func withTwo(step *course.Step, known diagnose.Known, right map[string]diagnose.Mark, rng *rand.Rand) []Synthetic {
	versions := slices.Sorted(maps.Keys(known))
	var all []Synthetic
	for tries := 0; len(all) < pairs && tries < 100*pairs; tries++ {
		a, b := versions[rng.IntN(len(versions))], versions[rng.IntN(len(versions))]
		if begins(step, known[a]) == begins(step, known[b]) {
			continue
		}
		marks := answering(answering(right, known[a]), known[b])
		for name := range known[a].Answers {
			if _, both := known[b].Answers[name]; both {
				marks[name] = unknown(right[name])
			}
		}
		all = append(all, Synthetic{Step: step, Scenario: TwoMistakes, Mistakes: alike(known, marks, a, b), Marks: marks})
	}
	return all
}

// alike returns the mistakes of some versions, and those by which alone the whole
// step would answer the same: there is no telling them apart.
func alike(known diagnose.Known, marks map[string]diagnose.Mark, versions ...string) []string {
	var ids []string
	for version, e := range known {
		same := slices.Contains(versions, version) || !slices.ContainsFunc(slices.Collect(maps.Keys(marks)), func(name string) bool {
			s, changed := e.Answers[name]
			return changed && !marks[name].Is(s) || !changed && !marks[name].Right()
		})
		if same {
			ids = append(ids, mistakeOf(version))
		}
	}
	return ids
}

// answering returns marks with the answers of a mistake in them.
func answering(marks map[string]diagnose.Mark, e diagnose.Entry) map[string]diagnose.Mark {
	changed := maps.Clone(marks)
	for name, s := range e.Answers {
		m := changed[name]
		m.Got = s
		changed[name] = m
	}
	return changed
}

// unknown is a mark with an answer that no mistake gives.
func unknown(m diagnose.Mark) diagnose.Mark {
	m.Got.RMS, m.Got.Sums, m.Got.NotFinite = 1.37*m.Want.RMS+0.1, slices.Clone(m.Want.Sums), 0
	for i := range m.Got.Sums {
		m.Got.Sums[i] = 1.37*m.Want.Sums[i] + 0.1/float64(i+1)
	}
	return m
}

// withDerivative returns the names of all answers of derivatives, if a forward
// pass that has one is wrong.
func withDerivative(marks map[string]diagnose.Mark) []string {
	forward := map[string]bool{} // whether its derivative is asked for
	var names []string
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		if pass, ok := strings.CutSuffix(functionOf(name), ".backward"); ok {
			forward[pass+".forward"] = true
			names = append(names, name)
		}
	}
	for name, m := range marks {
		if forward[functionOf(name)] && !m.Right() {
			return names
		}
	}
	return nil
}

// functionOf is the first two parts of an answer's name: "silu.forward".
func functionOf(name string) string {
	head, _, _ := strings.Cut(name, "/")
	if parts := strings.SplitN(head, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return head
}

// begins is the first function of the step that a mistake changes.
func begins(step *course.Step, e diagnose.Entry) string {
	var functions []string
	for name := range e.Answers {
		functions = append(functions, functionOf(name))
	}
	slices.Sort(functions)
	for _, f := range step.Functions {
		if slices.Contains(functions, f.Name) {
			return f.Name
		}
	}
	return functions[0]
}

func mistakeOf(version string) string {
	id, _, _ := strings.Cut(version, "/")
	return id
}
