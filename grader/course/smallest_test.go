package course_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// changed answers as the oracle does, but for one function.
type changed struct {
	function string
	change   func(in, out wire.Values) error
}

func (w changed) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	out, err := oracle.Eval(function, in)
	if err == nil && function == w.function {
		err = w.change(in, out)
	}
	return out, err
}

// smallest grades a subject, and returns the small call of the first check that failed.
func smallest(t *testing.T, step string, subject course.Subject) *verdict.Small {
	s, err := course.Find(registry.Steps(), step)
	require.NoError(t, err)
	set, err := fixtures.Load()
	require.NoError(t, err)
	exam := &course.Exam{Step: s, Subject: subject, Fixtures: set, Seed: 1}
	for _, c := range s.Checks {
		var f *verdict.Failure
		if !errors.As(exam.Run(t.Context(), c), &f) || f.Function == "" || f.Input == nil {
			continue
		}
		marks := len(exam.Marks)
		small := exam.Smallest(t.Context(), f)
		require.Len(t, exam.Marks, marks, "what a mistake is known by")
		return small
	}
	t.Fatal("no check has failed")
	return nil
}

// doubled doubles the numbers of a result.
func doubled(out wire.Values, name string) {
	v := verdict.Numbers(out[name])
	for i := range v {
		v[i] *= 2
	}
	out[name] = wire.Floats(v, out[name].Shape...)
}

func TestSmallest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step  string
		wrong changed
		want  string
	}{
		"a factor": {"step02", changed{"linear.forward", func(_, out wire.Values) error { doubled(out, "y"); return nil }},
			"x = [1], w = [[1]]: you gave y = [2], want [1]"},
		"only from two rows on": {"step02", changed{"linear.forward", func(in, out wire.Values) error {
			if in["x"].Len() > in["w"].Shape[1] {
				doubled(out, "y")
			}
			return nil
		}}, "x = [[0] [1]], w = [[1]]: you gave y = [[0] [2]], want [[0] [1]]"},
		"a gradient that was there": {"step02", changed{"linear.backward", func(in, out wire.Values) error {
			sum, before := verdict.Numbers(out["dw"]), verdict.Numbers(in["dw_before"])
			for i := range sum {
				sum[i] -= before[i]
			}
			out["dw"] = wire.Floats(sum, out["dw"].Shape...)
			return nil
		}}, "x = [0], w = [[0]], dy = [0], dw_before = [[1]]: you gave dw = [[0]], want [[1]]"},
		"a panic for more than three": {"step02", changed{"linear.forward", func(in, _ wire.Values) error {
			if in["w"].Shape[1] > 3 {
				return &verdict.Failure{Kind: verdict.Panic, Detail: "linear.go:40"}
			}
			return nil
		}}, "x = [0 0 0 0], w = [[0 0 0 0]]: the same panic; want y = [0]"},
		"NaN": {"step04", changed{"rmsnorm.forward", func(_, out wire.Values) error {
			v := verdict.Numbers(out["y"])
			v[len(v)-1] = math.NaN()
			out["y"] = wire.Floats(v, out["y"].Shape...)
			return nil
		}}, "x = [0], g = [0]: you gave y = [NaN], want [0]"},
		"integers": {"step03", changed{"embedding.forward", func(in, out wire.Values) error {
			if len(in["ids"].I64) > 1 {
				doubled(out, "y")
			}
			return nil
		}}, "ids = [[0] [0]], w = [[1]]: you gave y = [[[2]] [[2]]], want [[[1]] [[1]]]"},
		"heads": {"step08", changed{"multihead.forward", func(in, out wire.Values) error {
			if in["num_heads"].I64[0] > 1 {
				doubled(out, "y")
			}
			return nil
		}}, "x = [[[0 0 0 0 0 1]]], wq = zeros(6, 6), wk = zeros(6, 6), wv = ones(6, 6), wo = ones(6, 6), num_heads = 3, " +
			"theta = 500, max_seq_len = 1, positions = [[0]]: you gave y = [[[12 12 12 12 12 12]]], want [[[6 6 6 6 6 6]]]"},
		"a text": {"step14", changed{"pretokens", func(in, out wire.Values) error {
			if text := in["text"].I64; len(text) > 2 && text[len(text)-1] == ' ' {
				out["lengths"] = wire.Ints([]int64{int64(len(text))}, 1)
			}
			return nil
		}}, `text = "a  ": you gave lengths = [3], want [1 2]`},
	} {
		t.Run(name, func(t *testing.T) {
			small := smallest(t, c.step, c.wrong)
			require.NotNil(t, small)
			require.Equal(t, c.want, small.Text().String())
		})
	}
}

func TestNoSmallCallIsTold(t *testing.T) {
	t.Parallel()
	large := changed{"linear.forward", func(in, out wire.Values) error { // wrong for large inputs alone, and not for those of one number
		if x := in["x"].F32; len(x) > 40 && x[0] != x[40] {
			doubled(out, "y")
		}
		return nil
	}}
	require.Nil(t, smallest(t, "step02", large), "too large to be followed")
	rounding := changed{"linear.forward", func(_, out wire.Values) error {
		v := verdict.Numbers(out["y"])
		for i := range v {
			v[i] *= 1 + 1e-5
		}
		out["y"] = wire.Floats(v, out["y"].Shape...)
		return nil
	}}
	require.Nil(t, smallest(t, "step02", rounding), "too near to what rounding does")
}
