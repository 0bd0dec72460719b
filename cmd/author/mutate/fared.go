package mutate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
)

// RightMarks returns the marks of a step's solution.
func RightMarks(ctx context.Context, kit *workspace.Kit, step *course.Step, seed uint64) (map[string]diagnose.Mark, error) {
	var right map[string]diagnose.Mark
	_, err := grader.Grade(ctx, grader.Request{Kit: kit, Steps: []*course.Step{step}, Impl: grader.Solutions, Seed: seed,
		Limits: probe.DefaultLimits(), Marks: func(_ *course.Step, marks map[string]diagnose.Mark) { right = marks }}, nil)
	return right, err
}

// Fared is how the programs of the scenarios fared.
type Fared struct {
	steps []*course.Step
	cells map[*course.Step]map[Scenario]*Count
	Wrong []string // what was named wrongly, a line each
}

// Count is how many programs were given the name of a mistake in them and of
// no other, were given no name, and were given a wrong one.
type Count struct{ Named, Silent, Wrong int }

// Scenarios names the mistakes in the programs of some steps in every scenario.
func Scenarios(ctx context.Context, kit *workspace.Kit, steps []*course.Step, seed uint64) (*Fared, error) {
	f := &Fared{cells: map[*course.Step]map[Scenario]*Count{}}
	for _, step := range steps {
		stored, err := diagnose.Load(fixtures.Mistakes, step.Folder)
		if err != nil {
			return nil, err
		}
		right, err := RightMarks(ctx, kit, step, seed)
		if err != nil {
			return nil, err
		}
		for _, p := range Synthesise(step, stored.Answers, right, seed) {
			f.Add(p, stored.Answers.Explain(p.Marks, step.FunctionNames()))
		}
	}
	return f, nil
}

// Add counts what was found in a program.
func (f *Fared) Add(p Synthetic, found []diagnose.Found) {
	if f.cells[p.Step] == nil {
		f.steps = append(f.steps, p.Step)
		f.cells[p.Step] = map[Scenario]*Count{}
	}
	n := f.cells[p.Step][p.Scenario]
	if n == nil {
		n = &Count{}
		f.cells[p.Step][p.Scenario] = n
	}
	var others []string
	for _, m := range found {
		if !slices.Contains(p.Mistakes, m.ID) {
			others = append(others, m.ID)
		}
	}
	switch {
	case len(others) > 0:
		n.Wrong++
		f.Wrong = append(f.Wrong, fmt.Sprintf("%s, %s: %s named as %s", p.Step.ID, p.Scenario, strings.Join(p.Mistakes, " and "), strings.Join(others, " and ")))
	case len(found) > 0:
		n.Named++
	default:
		n.Silent++
	}
}

// Of returns the counts of a scenario over all steps.
func (f *Fared) Of(s Scenario) Count {
	var all Count
	for _, cells := range f.cells {
		if n := cells[s]; n != nil {
			all = Count{all.Named + n.Named, all.Silent + n.Silent, all.Wrong + n.Wrong}
		}
	}
	return all
}

func (n Count) of() int { return n.Named + n.Silent + n.Wrong }

// Share is the share of the programs that were named rightly.
func (n Count) Share() float64 { return float64(n.Named) / float64(max(1, n.of())) }

func (n Count) String() string {
	if n.of() == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", n.Named, n.of())
}

// Table writes how many programs were named rightly as a table in Markdown, a row
// for every step. The last column counts those that were named wrongly.
func (f *Fared) Table() string {
	var b strings.Builder
	fmt.Fprint(&b, "| step |")
	for _, s := range AllScenarios() {
		fmt.Fprintf(&b, " %s |", s)
	}
	fmt.Fprintf(&b, " named wrongly |\n|:--|%s--:|\n", strings.Repeat("--:|", len(AllScenarios())))
	row := func(name string, count func(Scenario) Count) {
		fmt.Fprintf(&b, "| %s |", name)
		wrong := 0
		for _, s := range AllScenarios() {
			n := count(s)
			fmt.Fprintf(&b, " %s |", n)
			wrong += n.Wrong
		}
		fmt.Fprintf(&b, " %d |\n", wrong)
	}
	for _, step := range f.steps {
		row(step.ID[len("step"):]+" "+step.Name, func(s Scenario) Count {
			if n := f.cells[step][s]; n != nil {
				return *n
			}
			return Count{}
		})
	}
	if len(f.steps) > 1 {
		row("all", f.Of)
	}
	return b.String()
}
