//go:build !stubformer_probe

package subject

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe/kept"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Test runs the step's checks in this process, each as a subtest, and before them the
// smallest call that shows what the grader has found wrong, if one is kept. What is not
// implemented yet is skipped. The fresh random cases are the same every time,
// so that a debugger meets the same numbers again.
func Test(t *testing.T, step string, fns Functions) {
	s, err := course.Find(registry.Steps(), step)
	if err != nil {
		t.Fatal(err)
	}
	set, err := fixtures.Load()
	if err != nil {
		t.Fatal(err)
	}
	p, err := lang.For(lang.Locale(os.Getenv))
	if err != nil {
		t.Fatal(err)
	}
	if call, err := kept.Read("../..", s.ID); err != nil {
		t.Error(err)
	} else if call != nil {
		t.Run("smallest", func(t *testing.T) { again(t, call, NewHost(fns), set, p) })
	}
	exam := &course.Exam{Step: s, Subject: NewHost(fns), Fixtures: set, Seed: 1}
	for _, earlier := range course.Prerequisites(registry.Steps(), s) {
		exam.Earlier = append(exam.Earlier, earlier.ID)
	}
	for _, c := range s.Checks {
		t.Run(c.ID, func(t *testing.T) {
			if b := s.BuildFor(c.ID); b != nil && !isSet(b.Env) {
				t.Skip(p.Say("needs a build of its own: go run ./cmd/grade %s, or %s go test", s.ID, strings.Join(b.Env, " ")))
			}
			err := exam.Run(t.Context(), c)
			var f *verdict.Failure
			why, left := course.WhyLeftOut(err)
			switch {
			case err == nil:
			case left:
				t.Skip(p.Say("Left out of the points, because %s: %s.", why, c.ID))
			case errors.As(err, &f) && (f.Kind == verdict.NotImplemented || f.Kind == verdict.Blocked):
				t.Skip(p.Say("%s is not implemented yet: fill in steps/%s, then run go run ./cmd/grade %s", f.What, s.Folder, s.ID))
			case f != nil:
				t.Error("\n" + f.In(p))
			default:
				t.Fatal(err)
			}
		})
	}
}

// again makes the smallest call that has shown what is wrong, and nothing else: a debugger
// that stops in it meets the numbers that the grader has told.
func again(t *testing.T, call *kept.Call, host *Host, set *fixtures.Set, p lang.Printer) {
	got, err := host.Call(t.Context(), call.Function, call.In)
	var f *verdict.Failure
	if errors.As(err, &f) {
		t.Fatal("\n" + call.Told + "\n" + f.In(p))
	}
	for name, want := range call.Want {
		if d := verdict.Compare(name, got[name], want, set.Tolerance(call.Function, name)); d != nil {
			t.Error("\n" + call.Told + "\n" + d.String())
		}
	}
}

// isSet reports whether all variables are set as given: "GOEXPERIMENT=simd".
func isSet(env []string) bool {
	for _, e := range env {
		if name, value, _ := strings.Cut(e, "="); os.Getenv(name) != value {
			return false
		}
	}
	return true
}

// Call makes a Host a subject in this process. It works on copies, as a subject
// in a process of its own does.
func (h *Host) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	reply := h.Answer(function, in.Clone())
	if f := verdict.OfReply(reply); f != nil {
		return nil, f
	}
	return reply.Values, nil
}
