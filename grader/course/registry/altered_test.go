package registry_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// memory is a subject that knows answers by heart. One that learns looks up what
// it does not know.
type memory struct {
	step   *course.Step
	known  map[string]wire.Values
	learns bool
}

func (m memory) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	key := question(function, in)
	if _, ok := m.known[key]; !ok && m.learns {
		if out, err := (&course.Exam{Step: m.step}).Solve(function)(in); err == nil {
			m.known[key] = out
		}
	}
	if out, ok := m.known[key]; ok {
		return singles(out), nil
	}
	return nil, &verdict.Failure{Kind: verdict.NotImplemented}
}

// question writes a call as one text.
func question(function string, in wire.Values) string {
	text := function
	for _, name := range course.SortedNames(in) {
		text += fmt.Sprintln(name, in[name].Shape, in[name].Text, verdict.Numbers(in[name]))
	}
	return text
}

// singles returns the arrays of an answer as float32, as a subject does.
func singles(out wire.Values) wire.Values {
	rounded := wire.Values{}
	for name, v := range out {
		if v.DType == wire.F64 && len(v.Shape) > 0 {
			v = wire.Float32s([]float32{}, v.Shape...)
			for _, x := range out[name].F64 {
				v.F32 = append(v.F32, float32(x))
			}
		}
		rounded[name] = v
	}
	return rounded
}

// few is how many steps the tests that compute for minutes look at without SWEEP=1.
const few = 4

// Whoever stores the fixtures and every answer of an earlier run earns nothing in
// the next one.
func TestStoredAnswersEarnNothing(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	subject := memory{known: map[string]wire.Values{}, learns: true}
	for _, function := range set.Functions() {
		for _, c := range set.Cases(function) {
			subject.known[question(function, c.In)] = c.Out
		}
	}
	steps := sweep.Some(registry.Steps(), few)
	passed := func(seed uint64) (ids []string) {
		for _, s := range steps {
			subject.step = s
			exam := &course.Exam{Step: s, Subject: subject, Fixtures: set, Seed: seed}
			for _, c := range s.Checks {
				if exam.Run(t.Context(), c) == nil {
					ids = append(ids, c.ID)
				}
			}
		}
		return ids
	}
	learnt := passed(1)
	require.Greater(t, len(learnt), 3*len(steps))
	subject.learns = false
	require.Equal(t, learnt, passed(1), "the same seed asks the same")
	for seed := range uint64(2) {
		require.Empty(t, passed(seed+2))
	}
}
