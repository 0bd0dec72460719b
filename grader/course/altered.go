package course

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// alterations is how many are drawn at most to find one that changes every
	// output: a number in a masked key changes none.
	alterations = 24
	// alteredNumbers is how many numbers of an input change, at most.
	alteredNumbers = 3
	// plainly is how many tolerances apart the answers with and without an
	// alteration lie at least.
	plainly = 10
)

// Altered asks a function once more for one of the stored inputs, with a few
// numbers of it changed, and holds the named outputs (all if none is named)
// against the truth, or one of several that are as good where some are given. The inputs are
// public, and so are their answers: the seed decides which numbers change, so
// that nobody can store these answers too.
//
// Nothing is asked in a student edition, which does not hold the truth, and
// where no number can change: of an empty batch, and of a function that takes
// whole numbers only, which is asked for fresh ones instead.
func (e *Exam) Altered(function string, inputs []wire.Values, outputs []string, truths ...Solver) error {
	d := Drawing{Function: function}
	if len(truths) > 0 {
		d.Truth, truths = truths[0], truths[1:]
	}
	d = e.settled(d)
	in, changed, err := e.alteration(d, inputs, outputs)
	if errors.Is(err, ErrKeptBack) || err == nil && changed == "" {
		return nil // in the first case the check passes in part
	}
	if err != nil {
		return err
	}
	got, err := e.Ask(function, in)
	if err != nil {
		return onlyAltered(err, changed)
	}
	var wrong error
	for _, answer := range append([]Solver{d.Truth}, truths...) {
		want, err := answer(in)
		if err != nil {
			return err
		}
		err = e.Compare(function, in, got, want, outputs, e.tolerances(function))
		if err == nil {
			return nil
		}
		if wrong == nil {
			wrong = err
		}
	}
	return onlyAltered(wrong, changed)
}

// alteration draws one of the inputs and alters it, until all of the outputs are
// plainly others and the altered case is well-conditioned: scores near −30,000
// can come so close to each other that their rounding decides the softmax. It returns
// the altered input and the name of the array that changed, "" if there is no such
// alteration.
func (e *Exam) alteration(d Drawing, inputs []wire.Values, outputs []string) (in wire.Values, changed string, err error) {
	for range alterations {
		stored := inputs[e.Rng.IntN(len(inputs))]
		in, changed := alter(e.Rng, stored)
		if changed == "" {
			continue
		}
		before, err := d.Truth(stored)
		if err != nil {
			return nil, "", err
		}
		after, err := d.Truth(in)
		if err != nil {
			return nil, "", err
		}
		names := outputs
		if len(names) == 0 {
			names = SortedNames(after)
		}
		same := func(name string) bool {
			if counts := after[name].DType == wire.I64; counts && slices.ContainsFunc(names, func(n string) bool { return after[n].DType != wire.I64 }) {
				return false // lengths beside numbers need not change
			}
			return verdict.Compare(name, before[name], after[name], plainly*d.Tolerance(name)) == nil
		}
		if slices.ContainsFunc(names, same) {
			continue
		}
		well, err := d.wellConditioned(in, after, names)
		if well || err != nil {
			return in, changed, err
		}
	}
	return nil, "", nil
}

// alter returns a copy of an input in which a few numbers of one float32 array
// are by a quarter to three quarters larger or smaller, and the name of the
// array. Zeros, infinities and NaN stay, and so do ids, masks and positions. If
// there is no such array it is a float64 one: RoPE's Θ, a rate.
func alter(rng *rand.Rand, in wire.Values) (altered wire.Values, changed string) {
	var names []string
	for _, t := range []wire.DType{wire.F32, wire.F64} {
		for _, name := range SortedNames(in) {
			if in[name].DType == t && len(alterable(in[name])) > 0 {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			break
		}
	}
	if len(names) == 0 {
		return in, ""
	}
	changed = names[rng.IntN(len(names))]
	v := in[changed]
	v.F32, v.F64 = slices.Clone(v.F32), slices.Clone(v.F64)
	places := alterable(v)
	for range alteredNumbers {
		i, factor := places[rng.IntN(len(places))], 1+(0.25+rng.Float64()/2)*float64(1-2*rng.IntN(2))
		if v.DType == wire.F32 {
			v.F32[i] *= float32(factor)
		} else {
			v.F64[i] *= factor
		}
	}
	return With(in, changed, v), changed
}

// alterable returns the indexes of the numbers that are finite and not 0.
func alterable(v wire.Value) []int {
	var places []int
	for i, x := range verdict.Numbers(v) {
		if x != 0 && !math.IsNaN(x) && !math.IsInf(x, 0) {
			places = append(places, i)
		}
	}
	return places
}

// onlyAltered says of a wrong answer to an altered input that the answers to the
// stored ones are right.
func onlyAltered(err error, changed string) error {
	var f *verdict.Failure
	if !errors.As(err, &f) || !f.Kind.OfCall() {
		return err
	}
	told := *f
	told.Message = lang.T("The stored fixtures are right. This is one of them once more, with a few numbers of %s changed, and its answer is not.", changed)
	if !f.Message.Empty() {
		told.Message = lang.Lines(told.Message, f.Message)
	}
	return &told
}

// InputsOf returns what the fixtures give to a function.
func InputsOf(cases []fixtures.Case) []wire.Values {
	var all []wire.Values
	for _, c := range cases {
		all = append(all, c.In)
	}
	return all
}
