package class

import (
	"context"
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
)

// Trial puts a step's checks to right programs; it is grader.Try.
type Trial func(ctx context.Context, step *course.Step, programs []grader.Program, seeds []uint64, lost func(grader.Loss)) error

// SeedError says that a seed draws cases in which right code loses points. That
// is a fault of the grader.
type SeedError struct {
	Seed uint64
	Lost []string // the steps and checks, with their points and what was said of them
}

func (e *SeedError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *SeedError) In(p lang.Printer) string {
	return p.Say("with seed %d the solutions themselves lose points: %s. That is a fault of the grader, so nobody was graded. "+
		"Take another seed, for example --seed %d, and please report this one",
		e.Seed, strings.Join(e.Lost, "; "), e.Seed+1)
}

// TrySeed grades the solutions with the seed of a class before anybody is
// graded with it. The error is a *SeedError if they lose a point, and lose one again
// when they are asked once more: a bad seed does so, and a machine that stumbled does not.
func TrySeed(ctx context.Context, s Settings, try Trial) error {
	bad := &SeedError{Seed: s.Seed}
	for _, step := range s.Steps {
		lost, err := s.lost(ctx, step, try)
		if err == nil && len(lost) > 0 {
			lost, err = s.lost(ctx, step, try)
		}
		if err != nil {
			return lang.Errorf("the solutions could not be tried, so nobody was graded: %w", err)
		}
		bad.Lost = append(bad.Lost, lost...)
	}
	if len(bad.Lost) > 0 {
		return bad
	}
	return nil
}

// lost says in which checks of a step the solutions lose points, and why.
func (s Settings) lost(ctx context.Context, step *course.Step, try Trial) (lost []string, err error) {
	solutions := grader.Program{Name: "solution", Request: grader.Request{Kit: s.Kit, Impl: grader.Solutions, Limits: s.Limits, Lang: s.Lang}}
	err = try(ctx, step, []grader.Program{solutions}, []uint64{s.Seed}, func(l grader.Loss) {
		c := l.Check
		why := strings.TrimSuffix(strings.Join(strings.Fields(c.Message), " "), ".")
		lost = append(lost, fmt.Sprintf("%s %s (%d/%d): %s", l.Step.ID, c.ID, c.Points, c.Max, why))
	})
	return lost, err
}
