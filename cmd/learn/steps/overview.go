package steps

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/standing"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// overview prints the course at a glance: every step, its best score, and what
// to do next.
func overview(c *call, o gradeOptions) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
	if err != nil {
		return command.Failed(err)
	}
	w := command.Out(c)
	p := command.Speaker(c)
	style := command.StyleFor(w, o.plain, p)
	s := scoresOf(attempts)
	fmt.Fprintf(w, "%s\n\n", style.Bold(p.Say("Stubformer: build a language model, one step at a time")))
	glance(w, style, withParts(registry.Steps(), s), s, stateOf(kit, attempts))
	p.Tell(w, "\n%s\n", nextStep(s))
	return nil
}

// stateOf says how far a student is with a step: the words and the sign are the dashboard's.
func stateOf(kit *workspace.Kit, attempts []progress.Attempt) func(step string) standing.Step {
	touched := map[string]bool{}
	for _, s := range registry.Steps() {
		touched[s.Folder] = !kit.Untouched(s.Folder)
	}
	c := standing.New(registry.Steps(), attempts, touched, nil)
	return func(step string) standing.Step {
		if s := c.Find(step); s != nil {
			return *s
		}
		return standing.Step{} // a part of a step that waits for others
	}
}

// scores are the best and the last attempt at every step, and at every part of one.
type scores struct{ best, last map[string]progress.Attempt }

func scoresOf(attempts []progress.Attempt) scores {
	s := scores{progress.Best(attempts), progress.Last(attempts)}
	for _, step := range registry.Steps() {
		for _, p := range step.AsSteps() {
			own := progress.At(p, attempts)
			maps.Copy(s.best, progress.Best(own))
			maps.Copy(s.last, progress.Last(own))
		}
	}
	return s
}

// firstOpen returns the first of some parts that has not passed, or nil.
func (s scores) firstOpen(parts []*course.Step) *course.Step {
	for _, p := range parts {
		if a, ok := s.last[p.ID]; !ok || a.Score < a.Max {
			return p
		}
	}
	return nil
}

// withParts puts the parts of a step that is in work behind it.
func withParts(steps []*course.Step, s scores) []*course.Step {
	var all []*course.Step
	for _, step := range steps {
		all = append(all, step)
		tried := slices.ContainsFunc(step.AsSteps(), func(p *course.Step) bool { _, ok := s.best[p.ID]; return ok })
		if last := s.last[step.ID]; tried && (last.Max == 0 || last.Score < last.Max) {
			all = append(all, step.AsSteps()...)
		}
	}
	return all
}

// glance prints the steps, the core with its total and then the electives by
// their tracks, which are counted beside it.
func glance(w io.Writer, style report.Style, steps []*course.Step, s scores, state func(step string) standing.Step) {
	sum := func(label lang.Text, steps []*course.Step) {
		score, top := 0, 0
		for _, step := range steps {
			if step.Of != nil {
				continue
			}
			best, tried := s.best[step.ID]
			if !tried { // of a step that was graded, some checks may be left out of the points
				best.Max = step.Max()
			}
			score, top = score+best.Score, top+best.Max
		}
		fmt.Fprintf(w, "\n  %s %8s\n", lang.Pad(label.In(style.Lang), 20), fmt.Sprintf("%d/%d", score, top))
	}
	rows(w, style, course.OfTrack(steps, course.Core), s, state)
	sum(lang.T("total"), course.OfTrack(steps, course.Core))
	var electives []*course.Step
	for _, t := range course.Tracks(steps) {
		if t == course.Core {
			continue
		}
		fmt.Fprintf(w, "\n  %s\n", style.Bold(t.Text().In(style.Lang)))
		rows(w, style, course.OfTrack(steps, t), s, state)
		electives = append(electives, course.OfTrack(steps, t)...)
	}
	if electives != nil {
		sum(lang.T("electives"), electives)
	}
}

// rows prints a line for each step, and as much of its title as there is room for.
func rows(w io.Writer, style report.Style, steps []*course.Step, all scores, state func(step string) standing.Step) {
	wide := 0
	for _, s := range registry.Steps() {
		wide = max(wide, lang.Width(words(style, state(s.ID))))
	}
	for _, s := range steps {
		best, tried := all.best[s.ID]
		points := fmt.Sprintf("–/%d", s.Max())
		if tried {
			points = fmt.Sprintf("%d/%d", best.Score, best.Max)
		}
		at := state(s.ID)
		line := fmt.Sprintf("  %-7s %-13s %8s  %s", s.ID, s.Name, points, mark(style, at.State)(lang.Pad(words(style, at), wide)))
		if room := style.Lang.Room(lang.Width(line) + 2); room >= 8 {
			line += "  " + lang.Cut(lang.Of(s.Title).In(style.Lang), room)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// words are the sign of a step's state, where there are signs, and its words.
func words(style report.Style, s standing.Step) string {
	sign := ""
	if style.Signs {
		sign = s.State.Sign() + " "
	}
	return sign + s.Words().In(style.Lang)
}

// mark is how a state is marked.
func mark(style report.Style, s standing.State) func(string) string {
	switch s {
	case standing.Passed:
		return style.Good
	case standing.Wrong, standing.Broken:
		return style.Bad
	case standing.InWork:
		return style.Warn
	}
	return style.Faint
}

// onlyElectives reports whether something was tried, and nothing of the core.
func (s scores) onlyElectives() bool {
	electives := 0
	for _, step := range registry.Steps() {
		if _, tried := s.last[step.ID]; tried && step.Elective() {
			electives++
		}
	}
	return electives > 0 && electives == len(s.last)
}

// nextStep says what to do next: a step that has not passed or is broken, of the core
// first, unless all that was tried are electives.
func nextStep(all scores) lang.Text {
	var elective *course.Step
	steps, elsewhere := registry.Steps(), all.onlyElectives()
	if elsewhere {
		steps = slices.DeleteFunc(slices.Clone(steps), func(s *course.Step) bool { return !s.Elective() })
	}
	for _, s := range steps {
		if a, ok := all.last[s.ID]; ok && a.Score == a.Max {
			continue
		}
		if p := all.firstOpen(s.AsSteps()); p != nil {
			return lang.T("Next: read %q in steps/%s/README.md, write steps/%s/%s, then run\n\n  go run ./cmd/grade %s", lang.T("Part %s", p.Part.Letter), p.Folder, p.Folder, p.Part.Files[0], p.ID)
		} else if len(s.Parts) > 0 {
			return lang.T("Every part of %s has passed. Now all of it:\n\n  go run ./cmd/grade %s", s.ID, s.ID)
		}
		if best := all.best[s.ID]; !s.Elective() && best.Max > 0 && best.Score == best.Max {
			return lang.T("Next: %s had passed, and does not any more. See what is wrong:\n\n  go run ./cmd/grade %s", s.ID, s.ID)
		}
		if !s.Elective() {
			return lang.T("Next: read steps/%s/README.md, fill in the stub, then run\n\n  go run ./cmd/grade %s", s.Folder, s.ID)
		}
		if elective == nil {
			elective = s
		}
	}
	if elective != nil && elsewhere {
		return lang.T("Next: read steps/%s/README.md, fill in the stub, then run\n\n  go run ./cmd/grade %s", elective.Folder, elective.ID)
	}
	if elective != nil {
		return lang.T("The core has full marks: your model is ready to learn, and to write. Then make a picture of what you have built.\n\n  go run ./cmd/grade train --config small\n  go run ./cmd/grade card\n\nThe electives follow, in any order. The next one is steps/%s/README.md:\n\n  go run ./cmd/grade %s", elective.Folder, elective.ID)
	}
	return lang.T("Every step has full marks. Let your model learn longer, and write:\n\n  go run ./cmd/grade train --config base\n  go run ./cmd/grade card\n\nThe notebooks look inside it: notebooks/README.md.")
}

// suggest ends a report with the one command that helps most now.
func suggest(w io.Writer, p lang.Printer, kit *workspace.Kit, r *report.Report) {
	for _, s := range r.Steps {
		step, err := course.FindPart(registry.Steps(), s.ID)
		if err != nil || s.Verdict == verdict.Passed || r.Impl != "mine" {
			continue
		}
		switch {
		case s.Verdict == verdict.NotImplemented && kit.Untouched(step.Folder):
			p.Tell(w, "\nStart here: steps/%s/README.md is the lesson; write your code in %s.\n", step.Folder, goFiles(kit, step))
		case s.Verdict != verdict.GraderError && s.Verdict != verdict.CompileError:
			p.Tell(w, "\nStuck? go run ./cmd/grade hint %s\n", s.ID)
			if s.Smallest() != nil {
				p.Tell(w, "The small case alone, for a debugger: go test ./steps/%s -run /smallest\n", step.Folder)
			}
		}
		return
	}
	if r.Impl == "mine" && r.Passed() {
		attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
		if err == nil {
			tellOpened(w, p, kit, r)
			p.Tell(w, "\n%s\n", nextStep(scoresOf(attempts)))
		}
	}
}

// goFiles names the files of a step that a student fills in.
func goFiles(kit *workspace.Kit, step *course.Step) string {
	files, err := slices.Clone(step.Part.Files), error(nil)
	if step.Of == nil {
		files, err = kit.StubFiles(step.Folder)
	}
	if err != nil || len(files) == 0 {
		return "steps/" + step.Folder
	}
	for i := range files {
		files[i] = "steps/" + step.Folder + "/" + files[i]
	}
	return strings.Join(files, ", ")
}

// tellOpened says which milestone the steps of a report have opened that was not run
// yet: the first.
func tellOpened(w io.Writer, p lang.Printer, kit *workspace.Kit, r *report.Report) {
	passed, err := progress.Open(progress.Path(kit.Root)).Passed()
	if err != nil {
		return
	}
	for _, m := range milestone.All() {
		_, kept := os.Stat(m.Path(kit.Root))
		needs := slices.ContainsFunc(r.Steps, func(s report.Step) bool { return m.NeedsStep(s.ID) })
		if errors.Is(kept, fs.ErrNotExist) && needs && len(m.Waits(passed)) == 0 {
			p.Tell(w, "\nYour steps can do something new, %s:\n\n  go run ./cmd/grade milestone %d\n", m.Title, m.Number)
			return // one at a time
		}
	}
}
