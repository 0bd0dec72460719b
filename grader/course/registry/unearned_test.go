package registry_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// shaped is a subject that computes nothing. It knows the names, the types and
// the shapes of every right answer, and fills them with one number, or with what
// it finds in its input.
type shaped struct {
	step    *course.Step
	refuses bool                                      // whatever it is asked, in words that name everything
	fill    func(shape []int, in wire.Values) float64 // for every number
	echo    bool                                      // the first input of the same type and shape, instead
}

func (s shaped) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	if s.refuses {
		return nil, &verdict.Failure{Kind: verdict.Panic, Refused: true, Message: lang.Raw("0 1 2 3 4 5 6 7 8 9 10 12 99 [0][1] [1][2] -1 ln_final.weight lm_head.weight extra.weight")}
	}
	out := wire.Values{}
	for name, v := range s.form(function, in) {
		out[name] = s.filled(v, in)
	}
	return out, nil
}

// filled returns an array of the form of v.
func (s shaped) filled(v wire.Value, in wire.Values) wire.Value {
	if s.echo {
		for _, name := range course.SortedNames(in) {
			if in[name].DType == v.DType && slices.Equal(in[name].Shape, v.Shape) {
				return in[name]
			}
		}
	}
	x := s.fill(v.Shape, in)
	out := wire.Value{DType: v.DType, Shape: v.Shape}
	for range v.Len() {
		switch v.DType {
		case wire.F32:
			out.F32 = append(out.F32, float32(x))
		case wire.F64:
			out.F64 = append(out.F64, x)
		case wire.I64:
			out.I64 = append(out.I64, int64(x))
		case wire.Bool:
			out.Bool = append(out.Bool, x != 0)
		}
	}
	return out
}

// form returns an answer of the right names, types and shapes: the right answer
// where the course has one, and what the function's description says otherwise.
func (s shaped) form(function string, in wire.Values) wire.Values {
	exam := &course.Exam{Step: s.step}
	if out, err := exam.Solve(function)(in); err == nil {
		return singles(out)
	}
	if s.step.Function(function) == nil {
		return wire.Values{}
	}
	return described(exam, s.step.Function(function), in)
}

// described returns the form of an answer as a function's description has it.
func described(e *course.Exam, f *fixtures.Function, in wire.Values) wire.Values {
	sizes := map[string]string{"S": "steps", "B": "batch", "T": "context", "rows": "rows", "P": "max_seq_len"}
	out := wire.Values{}
	dims := e.Dimensions(f.Name, in)
	for _, a := range f.Out {
		if strings.HasPrefix(a.Name, "<") {
			for name, v := range in {
				if v.DType == wire.F32 {
					out[name] = wire.Value{DType: v.DType, Shape: v.Shape}
				}
			}
			continue
		}
		shape := []int{}
		for _, letter := range strings.Fields(a.Shape) {
			size := in[letter]
			if size.DType != wire.I64 {
				size = in[sizes[letter]]
			}
			if draws, ok := in["draws"]; ok && letter == "S" {
				size = draws
			}
			n, bound := dims[letter]
			switch {
			case size.DType == wire.I64 && size.Len() == 1:
				shape = append(shape, int(size.I64[0]))
			case bound:
				shape = append(shape, int(n))
			default:
				shape = append(shape, 6)
			}
		}
		out[a.Name] = wire.Value{DType: a.DType, Shape: shape}
		if before, ok := in[a.Name+"_before"]; ok {
			out[a.Name] = wire.Value{DType: a.DType, Shape: before.Shape}
		}
	}
	return out
}

// A constant, an echo of the input and NaN earn nothing, in any check of any step.
func TestNothingComputedNothingEarned(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	number := func(x float64) shaped {
		return shaped{fill: func([]int, wire.Values) float64 { return x }}
	}
	subjects := map[string]shaped{
		"zeros": number(0), "ones": number(1), "halves": number(0.5), "threes": number(3), "minus ones": number(-1),
		"NaN": number(math.NaN()), "Inf": number(math.Inf(1)), "minus Inf": number(math.Inf(-1)),
		"no to everything": {refuses: true},
		"echo":             {echo: true, fill: func([]int, wire.Values) float64 { return 0 }},
		"one each":         {fill: func(shape []int, _ wire.Values) float64 { return 1 / float64(wire.Value{Shape: shape}.Len()) }},
		"echo or the first number": {echo: true, fill: func(_ []int, in wire.Values) float64 {
			for _, name := range course.SortedNames(in) {
				if x := verdict.Numbers(in[name]); len(x) > 0 {
					return x[0]
				}
			}
			return 1
		}},
	}
	for _, s := range sweep.Some(registry.Steps(), few) { // all subjects are asked the same, so that the truth is computed once
		t.Run(s.ID, func(t *testing.T) {
			for name, subject := range subjects {
				subject.step = s
				exam := &course.Exam{Step: s, Subject: subject, Fixtures: set, Seed: 0}
				for _, c := range s.Checks {
					var f *verdict.Failure
					if err := exam.Run(t.Context(), c); !errors.As(err, &f) {
						t.Errorf("%s: %d points in %s: %v", name, c.Points, c.ID, err)
					}
				}
			}
		})
	}
}
