package class_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// fakeGrader gives everyone full marks, or fails for those it is told.
type fakeGrader struct {
	seed   uint64
	fails  map[string]error
	points int // more than the first check gives
}

func (f fakeGrader) Terms() class.Terms {
	return class.Terms{Kit: "kit", Steps: []string{"step02"}, Seed: f.seed, Sandbox: "limits"}
}

func (f fakeGrader) Grade(_ context.Context, s *class.Submission) (*report.Report, error) {
	if err := f.fails[s.Name]; err != nil {
		return nil, err
	}
	step := report.Step{ID: "step02"}
	for _, c := range linear()[0].Checks {
		step.Checks = append(step.Checks, report.Check{ID: c.ID, Points: c.Points, Max: c.Points, Verdict: verdict.Passed})
	}
	step.Checks[0].Points += f.points
	step.Close()
	return &report.Report{Schema: report.Schema, Kit: course.Version, Seed: f.seed, Sandbox: "limits", Steps: []report.Step{step}}, nil
}

// sources are submissions of the given students; that of eve cannot be read.
func sources(names ...string) (list []class.Source) {
	for _, name := range names {
		list = append(list, class.Source{Name: name, Read: func(name string) (*class.Submission, error) {
			if name == "eve" {
				return nil, errors.New("input/output error")
			}
			return &class.Submission{Name: name, Content: handin.Content{Folders: map[string]*workspace.Folder{folder: {Files: map[string][]byte{"a.go": []byte(name)}}}}}, nil
		}})
	}
	return list
}

// What the grader cannot do for one submission is that one's result; the others
// are graded, and marks from before are kept.
func TestOneNeverEndsTheRun(t *testing.T) {
	out := t.TempDir()
	store := class.Dir(out + "/results")
	grade := func(g class.Grader, names ...string) map[string]class.Event {
		events := map[string]class.Event{}
		err := class.Run(t.Context(), g, store, sources(names...), 2, false, func(e class.Event) { events[e.Name] = e })
		require.NoError(t, err)
		_, err = class.Book{}.Write(out, store)
		require.NoError(t, err)
		return events
	}
	full := errors.New("no space left on device\x1b[2J")
	events := grade(fakeGrader{seed: 1, fails: map[string]error{"bob": full}}, "ann", "bob", "eve")
	require.Len(t, events, 3)
	require.Equal(t, "student,step02,total,max,notes\nann,100,100,100,\n"+
		"bob,,,100,\"step02: grader error: the grader could not grade this, which is not the student's fault: no space left on device\"\n"+
		"eve,,,100,\"step02: grader error: the grader could not grade this, which is not the student's fault: input/output error\"\n", read(t, out, class.GradebookCSV))
	require.Contains(t, read(t, out, "students/bob.md"), "no space left on device")
	require.NotContains(t, read(t, out, "students/bob.md"), "\x1b")

	events = grade(fakeGrader{seed: 2, fails: map[string]error{"ann": full}}, "ann", "bob")
	require.True(t, events["ann"].Kept)
	require.Equal(t, "student,step02,total,max,notes\nann,100,100,100,\nbob,100,100,100,\neve,,,100,\"step02: grader error: the grader could not grade this, which is not the student's fault: input/output error\"\n", read(t, out, class.GradebookCSV))
}

// A report from elsewhere counts only if grading can give it.
func TestCheckedReports(t *testing.T) {
	g := fakeGrader{seed: 1}
	right := func() *report.Report {
		r, err := g.Grade(t.Context(), &class.Submission{})
		require.NoError(t, err)
		return r
	}
	require.NoError(t, g.Terms().Check(right()))
	require.NoError(t, g.Terms().Check(class.Failed(g.Terms(), "the machine is gone")))
	for name, spoil := range map[string]func(*report.Report){
		"another form":         func(r *report.Report) { r.Schema = "x" },
		"another kit":          func(r *report.Report) { r.Kit = "9.9.9" },
		"another seed":         func(r *report.Report) { r.Seed = 2 },
		"another sandbox":      func(r *report.Report) { r.Sandbox = "" },
		"no steps":             func(r *report.Report) { r.Steps = nil },
		"another step":         func(r *report.Report) { r.Steps[0].ID = "step03" },
		"too many points":      func(r *report.Report) { r.Steps[0].Checks[0].Points++ },
		"a larger maximum":     func(r *report.Report) { r.Steps[0].Checks[0].Max *= 10 },
		"points for a failure": func(r *report.Report) { r.Steps[0].Checks[0].Verdict = verdict.Panic },
		"another score":        func(r *report.Report) { *r.Steps[0].Score = 1_000_000 },
		"a check twice":        func(r *report.Report) { r.Steps[0].Checks = append(r.Steps[0].Checks, r.Steps[0].Checks[0]) },
		"an unknown check":     func(r *report.Report) { r.Steps[0].Checks[0].ID = "bonus" },
		"no score":             func(r *report.Report) { r.Steps[0].Score = nil },
	} {
		r := right()
		spoil(r)
		require.Error(t, g.Terms().Check(r), name)
	}
	require.Error(t, g.Terms().Check(nil))
}

// Who hands in again is told of as that, and of a result that is not steady only
// what was handed in once.
func TestWhyAScoreChanged(t *testing.T) {
	store := class.Dir(t.TempDir())
	handIn := func(text string, g class.Grader, again bool) (changes []string) {
		source := class.Source{Name: "ann", Read: func(name string) (*class.Submission, error) {
			return &class.Submission{Name: name, Content: handin.Content{Folders: map[string]*workspace.Folder{folder: {Files: map[string][]byte{"a.go": []byte(text)}}}}}, nil
		}}
		err := class.Run(t.Context(), g, store, []class.Source{source}, 1, again, func(e class.Event) {
			changes = append(changes, class.Change(e, g.Terms()))
		})
		require.NoError(t, err)
		return changes
	}
	poor := fakeGrader{seed: 1, points: -1}
	require.Equal(t, []string{""}, handIn("one", poor, false))
	require.Contains(t, handIn("two", fakeGrader{seed: 1}, false)[0], "ann: the submission changed\n  step02: 100/100, before ")
	require.Contains(t, handIn("two", poor, true)[0], "the result is not steady")
}
