package course

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// otherSizes are those of the fresh cases that a sentence about one case is held
// against, as indexes of sizes.
var otherSizes = []int{1, 6}

// given is what is known about a call when one of its results is explained. want, if
// it is not nil, is what is expected of all results.
func (e *Exam) given(function string, in, want wire.Values, name string) verdict.Given {
	g := verdict.Given{Named: e.Dimensions(function, in)}
	g.Steps = e.stepwise(function, name)
	before, accumulates := in[name+"_before"]
	if accumulates {
		flag := in["accumulate"].I64
		g.Before = &verdict.Before{Value: before, Gradient: strings.HasPrefix(name, "d"), Replaced: len(flag) == 1 && flag[0] == 0}
	}
	for _, input := range e.names(function, in) {
		if !strings.HasSuffix(input, "_before") {
			g.Inputs = append(g.Inputs, verdict.Array{Name: input, Value: in[input]})
		}
	}
	for _, other := range SortedNames(want) {
		held, alike := in[other+"_before"]
		if other == name || alike != accumulates || !slices.Equal(want[other].Shape, want[name].Shape) {
			continue
		}
		value := want[other]
		if accumulates {
			value = moved(value, held, before)
		}
		g.Others = append(g.Others, verdict.Array{Name: other, Value: value})
	}
	return g
}

// stepwise reports whether the rows of a result are what one step after another leaves
// behind: the letter of their number is S.
func (e *Exam) stepwise(function, result string) bool {
	f := e.Step.Function(function)
	return f != nil && slices.ContainsFunc(f.Out, func(out fixtures.Arg) bool {
		return out.Name == result && strings.HasPrefix(out.Shape, "S ")
	})
}

// names are those of a function's arguments, in the order of its contract, and then
// those that it does not list.
func (e *Exam) names(function string, in wire.Values) []string {
	var listed []string
	if f := e.Step.Function(function); f != nil {
		for _, arg := range f.In {
			listed = append(listed, arg.Name)
		}
	}
	all := SortedNames(in)
	known := func(name string) bool { return slices.Contains(listed, name) }
	return append(slices.DeleteFunc(listed, func(name string) bool { return !slices.Contains(all, name) }),
		slices.DeleteFunc(slices.Clone(all), known)...)
}

// moved is a gradient that was added to one array, as if it had been added to
// another of its shape: what was added, on top of to.
func moved(sum, from, to wire.Value) wire.Value {
	s, f, t := verdict.Numbers(sum), verdict.Numbers(from), verdict.Numbers(to)
	if len(f) != len(s) || len(t) != len(s) {
		return sum
	}
	for i := range s {
		s[i] += t[i] - f[i]
	}
	return wire.Floats(s, sum.Shape...)
}

// others asks the subject for other cases of a function: those that are stored, and
// fresh ones of other sizes, with numbers like those of in. It ends where the
// subject does not answer, or the answer is not known.
func (e *Exam) others(function, output string, in wire.Values) iter.Seq[verdict.Case] {
	return func(yield func(verdict.Case) bool) {
		for _, c := range e.Fixtures.Cases(function) {
			got, err := e.recall(c)
			asked := lang.T("fixture %q, %s", c.Name, e.arguments(function, c.In))
			if err != nil || !yield(e.asCase(asked, function, output, c.In, got, c.Out)) {
				return
			}
		}
		rng := rand.New(rand.NewPCG(e.Seed, 0x6f7468657273)) // not the check's own, whose cases stay what they are
		for _, size := range otherSizes {
			fresh := e.freshLike(rng, function, in, size)
			if fresh == nil {
				return
			}
			want, err := e.Solve(function)(fresh)
			if err != nil { // it is kept back, or there is none of such sizes
				return
			}
			got, err := e.Subject.Call(e.ctx, function, fresh)
			if err != nil || !yield(e.asCase(e.arguments(function, fresh), function, output, fresh, got, want)) {
				return
			}
		}
	}
}

func (e *Exam) asCase(asked lang.Text, function, output string, in, got, want wire.Values) verdict.Case {
	return verdict.Case{Asked: asked, Got: got[output], Want: want[output],
		Tolerance: e.Tolerance(function, output), Given: e.given(function, in, want, output)}
}

// freshLike draws a call of other sizes with numbers like those of in. It is nil for
// a function that no contract describes, and for what has no other sizes: an empty
// batch, an axis that belongs to the shape.
func (e *Exam) freshLike(rng *rand.Rand, function string, in wire.Values, size int) wire.Values {
	f := e.Step.Function(function)
	if _, axis := in["axis"]; f == nil || axis {
		return nil
	}
	for _, v := range in {
		if len(v.Shape) > 0 && v.Len() == 0 {
			return nil
		}
	}
	fresh := e.resized(rng, function, in, size, 0)
	if _, err := f.Sizes(fresh); err != nil {
		return nil
	}
	return fresh
}
