package diagnose

import (
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"

	"github.com/stubformer/stubformer/grader/lang"
)

const (
	// byAccident is how likely it is at most that cases which are wrong at random would be
	// set apart by any of their traits.
	byAccident = 0.01
	// atLeast is how many cases of either kind it takes.
	atLeast = 3
	// mostTried is how many cases are looked at.
	mostTried = 64
)

// Tried is a case of a function: what describes it, and whether the answer is wrong.
type Tried struct {
	Traits []Trait
	Wrong  bool
	Source int // the stored case that it is made from; each one that is drawn anew has its own
}

// Trait is a number that describes a case: a size, or an argument.
type Trait struct {
	Name   string // of the size or argument: "T", "axis"; "" if only a phrase says what it is
	Phrase Phrase // what it is, instead of the name
	Value  float64
}

// Phrase is a trait that has no name in the formulas.
type Phrase string

// The phrases.
const (
	FirstPosition      Phrase = "first position"
	NumberOfDimensions Phrase = "number of dimensions"
	AxisFromEnd        Phrase = "axis from the end"
	LengthAlong        Phrase = "length along the axis"
	PositionsCounted   Phrase = "positions are counted" // 1 if so, otherwise 0
	PositionsRise      Phrase = "positions rise by one" // likewise
)

func (t Trait) text() lang.Text {
	switch t.Phrase {
	case FirstPosition:
		return lang.T("the first position")
	case NumberOfDimensions:
		return lang.T("the number of dimensions")
	case AxisFromEnd:
		return lang.T("the axis, counted from the end,")
	case LengthAlong:
		return lang.T("the length along the axis")
	}
	return lang.Raw(t.Name)
}

// holds is the sentence of a trait that a case has or has not; empty for a number.
func (p Phrase) holds() lang.Text {
	switch p {
	case PositionsCounted:
		return lang.T("the positions of every row are 0, 1, 2, …")
	case PositionsRise:
		return lang.T("the positions of every row rise by one")
	}
	return lang.Text{}
}

// Apart says what sets the wrong cases apart from the right ones: the one trait of which
// a value, a bound or a divisor has all wrong ones on one side and all right ones on the
// other. It says nothing where several traits do, where there are too few cases of one
// kind, and where as many wrong cases, chosen at random, would too often be set apart
// by one trait or another.
//
// Cases that are made from one stored case have more in common than their traits: those
// of which all traits are the same count as one, and either kind must come from several
// stored cases.
func Apart(tried []Tried) lang.Text {
	cases := distinct(tried)
	var wrong uint64
	n, sources := 0, map[bool]map[int]bool{false: {}, true: {}}
	for i, c := range cases {
		sources[c.Wrong][c.Source] = true
		if c.Wrong {
			wrong |= 1 << i
			n++
		}
	}
	if len(sources[true]) < atLeast || len(sources[false]) < atLeast {
		return lang.Text{}
	}
	all := uint64(math.MaxUint64) >> (64 - len(cases))
	possible := map[uint64]bool{} // the sets of as many cases that a trait could set apart
	var text lang.Text
	var separating []Trait // each of another argument
	for k := range cases[0].Traits {
		column := column(cases, k)
		if column == nil {
			continue
		}
		trait := cases[0].Traits[k]
		same := func(t Trait) bool { return t.Name == trait.Name && (t.Name != "" || t.Phrase == trait.Phrase) }
		for _, cut := range cuts(column) {
			for _, set := range []uint64{cut.of, all &^ cut.of} {
				if bits.OnesCount64(set) == n {
					possible[set] = true
				}
				if set != wrong || slices.ContainsFunc(separating, same) {
					continue
				}
				separating = append(separating, trait)
				text = cut.say(trait, cut.of == wrong, values(column, wrong), values(column, all&^wrong))
			}
		}
	}
	if len(separating) != 1 || float64(len(possible)) > byAccident*choose(len(cases), n) {
		return lang.Text{}
	}
	return lang.T("%s So it is in %d calls, of which %d are wrong.", text, len(cases), n)
}

// distinct are the cases without those that have the traits and the source of another, and
// are right or wrong like it.
func distinct(tried []Tried) []Tried {
	var cases []Tried
	for _, c := range tried {
		if !slices.ContainsFunc(cases, func(other Tried) bool { return reflect.DeepEqual(other, c) }) {
			cases = append(cases, c)
		}
	}
	return cases[:min(len(cases), mostTried)]
}

// column are the values of a trait; nil if not all cases have it.
func column(cases []Tried, k int) []float64 {
	t := cases[0].Traits[k]
	var column []float64
	for _, c := range cases {
		i := slices.IndexFunc(c.Traits, func(other Trait) bool { return other.Name == t.Name && other.Phrase == t.Phrase })
		if i < 0 {
			return nil
		}
		column = append(column, c.Traits[i].Value)
	}
	return column
}

// cut is a way to divide cases by a trait, as a set of those that are on its one side.
type cut struct {
	of  uint64
	say func(trait Trait, inside bool, wrong, right []float64) lang.Text // inside: the set is wrong, and not the others
}

// cuts are the ways to divide cases by the values of a trait, the plainest first.
func cuts(column []float64) []cut {
	different := slices.Compact(slices.Sorted(slices.Values(column)))
	var all []cut
	add := func(in func(x float64) bool, say func(trait Trait, inside bool, wrong, right []float64) lang.Text) {
		c := cut{say: say}
		for i, x := range column {
			if in(x) {
				c.of |= 1 << i
			}
		}
		all = append(all, c)
	}
	if len(different) < 2 {
		return nil
	}
	for _, v := range different {
		add(func(x float64) bool { return x == v }, oneValue)
	}
	for _, v := range different[1:] {
		add(func(x float64) bool { return x >= v }, bound)
	}
	for d := 2.0; d <= 64; d *= 2 {
		add(func(x float64) bool { return math.Mod(x, d) == 0 }, func(trait Trait, inside bool, _, _ []float64) lang.Text {
			if inside {
				return lang.T("It is wrong only where %s is a multiple of %d.", trait.text(), int(d))
			}
			return lang.T("It is wrong only where %s is no multiple of %d.", trait.text(), int(d))
		})
	}
	return all
}

func oneValue(trait Trait, inside bool, wrong, right []float64) lang.Text {
	if holds := trait.Phrase.holds(); !holds.Empty() {
		if wrong[0] == 1 {
			return lang.T("It is wrong only where %s.", holds)
		}
		return lang.T("It is right only where %s.", holds)
	}
	if inside {
		return lang.T("It is wrong only where %s is %s, and right where it is %s.", trait.text(), listed(wrong), listed(right))
	}
	return lang.T("It is right only where %s is %s, and wrong where it is %s.", trait.text(), listed(right), listed(wrong))
}

func bound(trait Trait, inside bool, wrong, right []float64) lang.Text {
	if inside {
		return lang.T("It is wrong where %s is %s or more, and right where it is %s or less.", trait.text(), number(slices.Min(wrong)), number(slices.Max(right)))
	}
	return lang.T("It is wrong where %s is %s or less, and right where it is %s or more.", trait.text(), number(slices.Max(wrong)), number(slices.Min(right)))
}

// values are those of a trait in a set of cases, each once.
func values(column []float64, of uint64) []float64 {
	var some []float64
	for i, x := range column {
		if of>>i&1 == 1 {
			some = append(some, x)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(some)))
}

// listed writes a few values one by one, and of more the first and the last.
func listed(values []float64) lang.Text {
	const most = 5
	if len(values) > most {
		return lang.T("%s to %s", number(values[0]), number(values[len(values)-1]))
	}
	text := lang.Raw(number(values[0]))
	for i, v := range values[1:] {
		if i == len(values)-2 {
			return lang.T("%s or %s", text, number(v))
		}
		text = lang.T("%s, %s", text, number(v))
	}
	return text
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// choose is the number of ways to choose k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways *= float64(n-i) / float64(i+1)
	}
	return ways
}
