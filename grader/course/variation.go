package course

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

// variation returns a function that draws calls like the stored ones: of other sizes,
// along every axis there is, with numbers of another stored case, so that what comes
// of the numbers is not taken for a matter of the sizes. It draws nil where there is no
// such call.
func (e *Exam) variation(function string) func(*rand.Rand) wire.Values {
	stored, i := InputsOf(e.Fixtures.Cases(function)), -1
	return func(rng *rand.Rand) wire.Values {
		i++
		in, other := stored[i%len(stored)], stored[rng.IntN(len(stored))]
		fresh := anotherAxis(rng, in)
		if fresh == nil {
			fresh = e.freshLike(rng, function, in, rng.IntN(len(sizes)))
		}
		fresh = e.anotherLength(rng, function, fresh)
		for _, name := range SortedNames(fresh) {
			v, ok := other[name]
			switch {
			case !ok:
			case v.DType == wire.F32 && len(v.Shape) > 0 && v.Len() > 0:
				fresh[name] = drawnFrom(rng, v, fresh[name].Shape)
			case v.DType == wire.F64 && len(v.Shape) == 0 && rng.IntN(2) == 0:
				fresh[name] = v
			}
		}
		if p, ok := fresh["positions"]; ok {
			fresh["positions"] = anotherCount(rng, p)
		}
		return fresh
	}
}

// anotherAxis is a call along any of the axes of its arrays; nil if it goes along none.
func anotherAxis(rng *rand.Rand, in wire.Values) wire.Values {
	axis, ok := in["axis"]
	if !ok || len(axis.Shape) > 0 {
		return nil
	}
	for _, name := range SortedNames(in) {
		if rank := len(in[name].Shape); rank > 0 {
			return With(in, "axis", wire.Int(rng.IntN(2*rank)-rank))
		}
	}
	return nil
}

// longest is the largest length of a vector that is drawn.
const longest = 70

// anotherLength gives another length to the arrays that are declared as vectors of n
// numbers, which no other size belongs to.
func (e *Exam) anotherLength(rng *rand.Rand, function string, in wire.Values) wire.Values {
	f, n := e.Step.Function(function), 1+rng.IntN(longest)
	if f == nil {
		return in
	}
	for _, a := range f.In {
		if v, ok := in[a.Name]; ok && a.Shape == "n" && v.DType == wire.F32 && v.Len() > 0 {
			in = With(in, a.Name, drawnFrom(rng, v, []int{n}))
		}
	}
	return in
}

// anotherCount are positions that are none larger: some are counted, from 0 or from
// another place, and some begin at 0 and have gaps.
func anotherCount(rng *rand.Rand, p wire.Value) wire.Value {
	if p.DType != wire.I64 || len(p.Shape) != 2 || len(p.I64) == 0 {
		return p
	}
	how := rng.IntN(5)
	if how == 0 {
		return p
	}
	rows, length := p.Shape[0], p.Shape[1]
	last := int(slices.Max(p.I64)) - length + 1 // where a row may begin
	if last < 0 {
		return p
	}
	one := wire.Value{DType: wire.I64, Shape: p.Shape}
	for row := range rows {
		begin := how % 2 * rng.IntN(last+1)
		for t := range length {
			at := int64(begin + t)
			if how == 4 && t > 0 {
				at = p.I64[row*length+t]
			}
			one.I64 = append(one.I64, at)
		}
	}
	return one
}
