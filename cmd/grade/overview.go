package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// overview prints the course at a glance: every step, its best score, and what
// to do next.
func overview(cmd *cobra.Command, o gradeOptions) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	attempts, err := progress.Open(historyPath(kit)).Attempts()
	if err != nil {
		return failed(err)
	}
	w := cmd.OutOrStdout()
	p := speaker(cmd)
	style := styleFor(w, o.plain, p)
	best := progress.Best(attempts)
	fmt.Fprintf(w, "%s\n\n", style.Bold(p.Say("Stubformer: build a language model, one step at a time")))
	glance(w, style, registry.Steps(), best)
	fmt.Fprintf(w, "\n%s\n", nextStep(best).In(p))
	return nil
}

// glance prints the steps, the core with its total and then the electives by
// their tracks, which are counted beside it.
func glance(w io.Writer, style report.Style, steps []*course.Step, best map[string]progress.Attempt) {
	sum := func(label lang.Text, steps []*course.Step) {
		score, top := 0, 0
		for _, s := range steps {
			score, top = score+best[s.ID].Score, top+s.Max()
		}
		fmt.Fprintf(w, "\n  %s %8s\n", lang.Pad(label.In(style.Lang), 21), fmt.Sprintf("%d/%d", score, top))
	}
	rows(w, style, course.OfTrack(steps, course.Core), best)
	sum(lang.T("total"), course.OfTrack(steps, course.Core))
	var electives []*course.Step
	for _, t := range course.Tracks(steps) {
		if t == course.Core {
			continue
		}
		fmt.Fprintf(w, "\n  %s\n", style.Bold(t.Text().In(style.Lang)))
		rows(w, style, course.OfTrack(steps, t), best)
		electives = append(electives, course.OfTrack(steps, t)...)
	}
	if electives != nil {
		sum(lang.T("electives"), electives)
	}
}

// rows prints a line for each step.
func rows(w io.Writer, style report.Style, steps []*course.Step, best map[string]progress.Attempt) {
	p := style.Lang
	for _, s := range steps {
		a, tried := best[s.ID]
		points, state := fmt.Sprintf("–/%d", s.Max()), style.Faint(p.Say("not tried yet"))
		if tried {
			points, state = fmt.Sprintf("%d/%d", a.Score, a.Max), style.Bad(p.Say("in work"))
			if a.Score == a.Max {
				state = style.Good(verdict.Passed.Text().In(p))
			}
		}
		fmt.Fprintf(w, "  %s  %-13s %8s  %s  %s\n", s.ID, s.Name, points, lang.Pad(lang.Of(s.Title).In(p), 44), state)
	}
}

// nextStep says what to do next, given the best attempts so far: the core comes first.
func nextStep(best map[string]progress.Attempt) lang.Text {
	var elective *course.Step
	for _, s := range registry.Steps() {
		if a, ok := best[s.ID]; ok && a.Score == a.Max {
			continue
		}
		if !s.Elective() {
			return lang.T("Next: read steps/%s/README.md, fill in the stub, then run\n\n  go run ./cmd/grade %s", s.Folder, s.ID)
		}
		if elective == nil {
			elective = s
		}
	}
	if elective != nil {
		return lang.T("The core has full marks: your model is ready to learn, and to write.\n\n  go run ./cmd/grade train --config small\n\nThe electives follow, in any order. The next one is steps/%s/README.md:\n\n  go run ./cmd/grade %s", elective.Folder, elective.ID)
	}
	return lang.T("Every step has full marks. Let your model learn longer, and write:\n\n  go run ./cmd/grade train --config base\n\nThe notebooks look inside it: notebooks/README.md.")
}

// suggest ends a report with the one command that helps most now.
func suggest(w io.Writer, p lang.Printer, kit *workspace.Kit, r *report.Report) {
	for _, s := range r.Steps {
		step, err := course.Find(registry.Steps(), s.ID)
		if err != nil || s.Verdict == verdict.Passed || r.Impl != "mine" {
			continue
		}
		switch {
		case s.Verdict == verdict.NotImplemented && kit.Untouched(step.Folder):
			p.Tell(w, "\nStart here: steps/%s/README.md is the lesson; write your code in %s.\n", step.Folder, goFiles(kit, step))
		case s.Verdict != verdict.GraderError && s.Verdict != verdict.CompileError:
			p.Tell(w, "\nStuck? go run ./cmd/grade hint %s\n", s.ID)
		}
		return
	}
	if r.Impl == "mine" && r.Passed() {
		attempts, err := progress.Open(historyPath(kit)).Attempts()
		if err == nil {
			fmt.Fprintf(w, "\n%s\n", nextStep(progress.Best(attempts)).In(p))
		}
	}
}

// goFiles names the files of a step that a student fills in.
func goFiles(kit *workspace.Kit, step *course.Step) string {
	files, err := kit.StubFiles(step.Folder)
	if err != nil || len(files) == 0 {
		return "steps/" + step.Folder
	}
	for i := range files {
		files[i] = "steps/" + step.Folder + "/" + files[i]
	}
	return strings.Join(files, ", ")
}
