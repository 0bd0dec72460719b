// Package own asks students about their own code: what a line of it is for, and what
// would be wrong without it or with another operator. What is right is found out by
// grading the code with that line changed.
package own

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/teach/quiz"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/mutant"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Asker makes questions. The same code and seed give the same ones.
type Asker struct {
	Kit   *workspace.Kit
	Fence *workspace.Fence
	Seed  uint64
}

// NotPassedError says that nothing is asked about code that is wrong as it is.
type NotPassedError struct {
	Step       string
	Score, Max int
}

func (e *NotPassedError) Error() string { return e.Text().String() }

// Text is the error in any language.
func (e *NotPassedError) Text() lang.Text {
	return lang.T("nothing is asked about %s: it has %d of %d points, and only what passes can be made wrong", e.Step, e.Score, e.Max)
}

// tried is how many changes are graded for one question that is wanted: some do not
// compile, some change no result.
const tried = 4

// Questions returns up to n questions about the code of a step, each about another line.
// They are fewer where not as many changes of the code are noticed. The error is a
// *NotPassedError where the code does not have all points.
func (a Asker) Questions(ctx context.Context, step *course.Step, code *workspace.Folder, n int) ([]quiz.Question, error) {
	whole, err := a.grade(ctx, step, []*workspace.Folder{code})
	if err != nil {
		return nil, err
	}
	if s := whole[0]; s.Verdict != verdict.Passed {
		return nil, &NotPassedError{Step: step.ID, Score: *s.Score, Max: s.Max}
	}
	changes, err := a.changes(step, code)
	if err != nil {
		return nil, err
	}
	changes = changes[:min(len(changes), tried*n)]
	var changed []*workspace.Folder
	for _, m := range changes {
		files := maps.Clone(code.Files)
		files[m.File] = m.Text
		changed = append(changed, &workspace.Folder{Shown: code.Shown, Files: files})
	}
	results, err := a.grade(ctx, step, changed)
	if err != nil {
		return nil, err
	}
	var questions []quiz.Question
	for i, m := range changes {
		wrong := failed(results[i])
		if len(wrong) == 0 || len(questions) == n {
			continue
		}
		questions = append(questions, ask(step, code, m, wrong))
	}
	return questions, nil
}

// changes returns changes of the code, each of another line, in an order that is drawn:
// what keeps something, what is left out and what is exchanged come in turn, and of
// these one of a function that has come least.
func (a Asker) changes(step *course.Step, code *workspace.Folder) ([]mutant.Mutant, error) {
	stub, err := a.Kit.Stub(step.Folder)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	var left []mutant.Mutant
	for _, name := range slices.Sorted(maps.Keys(code.Files)) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		h.Write(code.Files[name])
		found, err := mutant.Of(name, code.Files[name], stub[name])
		if err != nil {
			return nil, err
		}
		left = append(left, found...)
	}
	rng := rand.New(rand.NewPCG(a.Seed, h.Sum64()))
	rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	kinds, functions := map[kind]int{}, map[string]int{}
	var taken []mutant.Mutant
	for len(left) > 0 {
		next := slices.MinFunc(left, func(a, b mutant.Mutant) int { // the first of equals
			return cmp.Or(cmp.Compare(kinds[of(a)], kinds[of(b)]), cmp.Compare(functions[a.Function], functions[b.Function]))
		})
		taken = append(taken, next)
		kinds[of(next)]++
		functions[next.Function]++
		left = slices.DeleteFunc(left, func(m mutant.Mutant) bool { return m.File == next.File && m.Line == next.Line })
	}
	return taken, nil
}

// grade grades several versions of a step's code.
func (a Asker) grade(ctx context.Context, step *course.Step, code []*workspace.Folder) ([]report.Step, error) {
	var reqs []grader.Request
	for _, f := range code {
		reqs = append(reqs, grader.Request{Kit: a.Kit, Steps: []*course.Step{step}, Fence: a.Fence, Seed: a.Seed,
			HandedIn: map[string]*workspace.Folder{step.Folder: f}, Limits: probe.DefaultLimits(), Smallest: true})
	}
	graded := make([]report.Step, len(reqs))
	err := grader.GradeAll(ctx, reqs, nil, func(i int, r *report.Report) {
		if len(r.Steps) > 0 { // not interrupted
			graded[i] = r.Steps[0]
		}
	})
	return graded, err
}

// failed returns the checks that did not pass, or none where the code does not compile or
// cannot be graded.
func failed(s report.Step) (all []report.Check) {
	if s.Verdict == verdict.CompileError || s.Verdict == verdict.GraderError {
		return nil
	}
	for _, c := range s.Checks {
		if c.Verdict != verdict.Passed {
			all = append(all, c)
		}
	}
	return all
}

// kind is what is asked.
type kind int

const (
	keeps     kind = iota // what a line that keeps something keeps it for
	leavesOut             // what would be wrong without a line
	exchanges             // what would be wrong with another operator or number
)

func of(m mutant.Mutant) kind {
	switch {
	case m.New != "":
		return exchanges
	case m.Keeps:
		return keeps
	}
	return leavesOut
}

// points of a question.
const points = 6

// ask makes the question about a change, and the answer out of the checks that fail.
func ask(step *course.Step, code *workspace.Folder, m mutant.Mutant, wrong []report.Check) quiz.Question {
	q := quiz.Question{Step: step.ID, Kind: quiz.Own, Points: points}
	q.Title = fmt.Sprintf("%s, line %d, in %s", path.Join(step.Folder, m.File), m.Line, m.Function)
	change := "Without the line"
	switch of(m) {
	case keeps:
		q.Text = "What does this line keep, who reads it, and until when must it not change? Suppose that the line is left out:\n" +
			"which result is wrong then, in which call, and how?"
		q.Rubric = []quiz.Criterion{
			{Points: 2, Text: "who reads what is kept, and in which call"},
			{Points: 1, Text: "until when it has to stay as it is, and who could change it"},
			{Points: 3, Text: "which result is wrong without it, and how; see the answer"}}
	case leavesOut:
		q.Text = "What is this line for, as a formula or in a sentence? Suppose that it is left out: which result is wrong then,\n" +
			"and how? Give an input for which nobody would notice, or say why there is none."
		q.Rubric = []quiz.Criterion{
			{Points: 2, Text: "what the line computes, with its shape"},
			{Points: 3, Text: "which result is wrong without it, and how; see the answer"},
			{Points: 1, Text: "an input for which it makes no difference, or why there is none"}}
	case exchanges:
		change = "With it changed"
		suppose := fmt.Sprintf("`%s` were `%s` in", m.Old, m.New)
		if m.New == " " {
			suppose = fmt.Sprintf("`%s` were left out of", m.Old)
		}
		q.Text = fmt.Sprintf("Suppose that %s this line (column %d). Which result is wrong then, and how?\n"+
			"Why is it as it is? Give an input for which nobody would notice, or say why there is none.", suppose, m.Column)
		q.Rubric = []quiz.Criterion{
			{Points: 2, Text: fmt.Sprintf("why `%s`", m.Old)},
			{Points: 3, Text: "which result is wrong with the other, and how; see the answer"},
			{Points: 1, Text: "an input for which it makes no difference, or why there is none"}}
	}
	q.Text = "```go\n" + around(string(code.Files[m.File]), m.Line) + "```\n\n" + q.Text
	q.Answer = answer(change, wrong)
	return q
}

// around returns the lines about one, which is marked.
func around(text string, line int) string {
	const before, after = 4, 3
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	from, to := max(0, line-1-before), min(len(lines), line+after)
	var b strings.Builder
	for i, l := range lines[from:to] {
		mark := " "
		if from+i+1 == line {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %3d  %s\n", mark, from+i+1, strings.ReplaceAll(l, "\t", "    "))
	}
	return b.String()
}

// answer tells what the grader finds: what the first check says, and which others fail.
func answer(change string, wrong []report.Check) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s the grader finds:\n\n```\n%s\n```\n\nThese fail:\n\n", change, strings.TrimSpace(wrong[0].Message))
	for _, c := range wrong {
		fmt.Fprintf(&b, "- %s (`%s`)\n", c.Title, c.ID)
	}
	return b.String()
}
