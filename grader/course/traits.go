package course

import (
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/wire"
)

// traits are the numbers that describe a call: its sizes, its single numbers, how many
// dimensions lead, and the first of the positions.
func (e *Exam) traits(function string, in wire.Values) []diagnose.Trait {
	var all []diagnose.Trait
	for _, name := range e.names(function, in) {
		switch v := in[name]; {
		case len(v.Shape) == 0 && v.DType == wire.I64:
			all = append(all, diagnose.Trait{Name: name, Value: float64(v.I64[0])})
		case len(v.Shape) == 0 && v.DType == wire.F64:
			all = append(all, diagnose.Trait{Name: name, Value: v.F64[0]})
		}
	}
	sizes := e.Dimensions(function, in)
	for _, letter := range slices.Sorted(maps.Keys(sizes)) {
		all = append(all, diagnose.Trait{Name: letter, Value: sizes[letter]})
	}
	all = append(all, ofAxis(in)...)
	all = append(all, ofPositions(in)...)
	if x := e.leading(function, in); x != nil {
		all = append(all, diagnose.Trait{Phrase: diagnose.NumberOfDimensions, Value: float64(len(x.Shape))})
	}
	return all
}

// ofAxis are the traits of the axis that a call goes along.
func ofAxis(in wire.Values) []diagnose.Trait {
	axis, ok := in["axis"]
	if !ok || len(axis.I64) != 1 {
		return nil
	}
	for _, name := range SortedNames(in) {
		shape, a := in[name].Shape, int(axis.I64[0])
		if a < 0 {
			a += len(shape)
		}
		if len(shape) > 0 && a >= 0 && a < len(shape) {
			return []diagnose.Trait{{Name: "axis", Phrase: diagnose.AxisFromEnd, Value: float64(a - len(shape))},
				{Phrase: diagnose.LengthAlong, Value: float64(shape[a])}}
		}
	}
	return nil
}

// leading is the first array whose declaration leaves the number of its dimensions open,
// nil if there is none.
func (e *Exam) leading(function string, in wire.Values) *wire.Value {
	f := e.Step.Function(function)
	if f == nil {
		return nil
	}
	for _, a := range f.In {
		if v, ok := in[a.Name]; ok && strings.Contains(a.Shape, "…") {
			return &v
		}
	}
	return nil
}

// ofPositions are the traits of the positions of a call: where the rows begin, and
// whether they are counted on from there.
func ofPositions(in wire.Values) []diagnose.Trait {
	p := in["positions"]
	if p.DType != wire.I64 || len(p.Shape) != 2 || len(p.I64) == 0 {
		return nil
	}
	first, counted, rising := int64(0), 1.0, 1.0
	for row := range slices.Chunk(p.I64, p.Shape[1]) {
		first = max(first, row[0])
		for t, at := range row {
			if at != int64(t) {
				counted = 0
			}
			if at != row[0]+int64(t) {
				rising = 0
			}
		}
	}
	return []diagnose.Trait{{Phrase: diagnose.FirstPosition, Value: float64(first)},
		{Phrase: diagnose.PositionsCounted, Value: counted},
		{Phrase: diagnose.PositionsRise, Value: rising}}
}
