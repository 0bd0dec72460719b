package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// Structure is one simple relation between what was returned and what was
// expected that explains every wrong element.
type Structure struct {
	ID   string    // "factor", "transposed", …
	Text lang.Text // a sentence or two about the output, not about the student

	readings []reading // what it may mean, which other cases tell apart; see Confirm
}

// Given is what a check knows about its case beyond the two arrays.
type Given struct {
	// Named holds sizes of the case by the name the student knows them by:
	// {"d_model": 48, "√d_k": 2.45}. A factor that is one of them, its inverse
	// or its root is recognised, where other cases confirm it.
	Named map[string]float64
	// Before is what the memory of the result held before the call, nil if there
	// is no such thing.
	Before *Before
	Steps  bool    // the rows of the result are what one step after another leaves behind
	Inputs []Array // what the call was given
	Others []Array // what is expected of the other results, as this one would hold it

	terms []float64 // of sums, see CompareSums
}

// Array is an array and what it is called.
type Array struct {
	Name  string
	Value wire.Value
}

// An explanation must hold for every element within loose times the tolerance
// of the check, and the worst error must be at least plain times that large:
// otherwise anything would do as an explanation.
const (
	loose = 2
	plain = 5
)

// Explain looks for one structure that explains how got differs from want:
//
//	zero, constant                what the output is where it is wrong
//	copied, exchanged             it is an input, or what another result should be
//	factor, sign, offset          of all elements, or of all wrong ones
//	transposed, reversed, halves, neighbours, split, shifted, rolled, reshaped
//	rounded                       to half precision or to bfloat16
//	overwritten, unchanged, before-twice, added-factor    given what was there before
//	column-factor, axis-factor, row-factor    of each index of an axis
//	permuted, reordered           along an axis; anyhow
//	added-input, multiple-of-input    an input in the sum, or a multiple of it alone
//	added-by-column, added-by-row, added-along-axis    a number for each of these
//	inverted                      of booleans
//	close                         wrong by little everywhere
//
// The structure is undone and the result held to the same measure as in
// Compare. Explain returns nil for arrays of fewer than four wrong elements,
// if nothing fits, and if two unrelated structures fit.
func Explain(got, want wire.Value, tolerance float64, given Given) *Structure {
	if !malformed(got, want).Empty() || want.DType == wire.Text {
		return nil
	}
	if !slices.Equal(got.Shape, want.Shape) {
		if s := copiedShape(got, given.Inputs); s != nil {
			return s
		}
		return explainShape(got, want, tolerance)
	}
	c := newEvidence(got, want, tolerance, given)
	if c.telling() {
		if s := only(c.explanations()); s != nil {
			return s
		}
	}
	return c.close()
}

// explanations returns the structures that explain the evidence equally well.
func (c *evidence) explanations() []Structure {
	if c.raw.DType == wire.Bool {
		return append(c.inversion(), c.orders()...)
	}
	for _, say := range []func() *Structure{c.constants, c.copied, c.exchanged} { // nothing can contradict these
		if s := say(); s != nil {
			return []Structure{*s}
		}
	}
	// From the particular to the general: each group contains structures of
	// those before it, and none of the same group.
	groups := []func() []Structure{
		func() []Structure {
			return slices.Concat(c.scales(), c.orders(), c.rounding(), c.accumulation())
		},
		c.additions,
		func() []Structure { return slices.Concat(c.axisFactors(), c.permutations(), c.likeAdditions()) },
		func() []Structure { return append(c.rowFactors(), c.reordering()...) },
		c.rowMultiples,
	}
	for _, find := range groups {
		if found := find(); len(found) > 0 {
			return found
		}
	}
	return nil
}

// only returns the one structure that was found, nil if there are none or more.
func only(found []Structure) *Structure {
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

// evidence is a pair of arrays of the same shape under examination.
type evidence struct {
	shape     []int
	got, want []float64
	before    []float64 // nil if there is none
	wrong     []int     // the indexes of the wrong elements; none if the shape is wrong
	fit       measure   // what an explanation is held to
	given     Given

	raw, wanted wire.Value // as they came
	tolerance   float64    // of the check
}

func newEvidence(got, want wire.Value, tolerance float64, given Given) *evidence {
	c := &evidence{shape: want.Shape, got: Numbers(got), want: Numbers(want), given: given, raw: got, wanted: want, tolerance: tolerance}
	strict := newMeasure(c.want, tolerance, given.terms)
	for i := range c.want {
		if !strict.at(i, c.want[i]).agrees(c.got[i], c.want[i]) {
			c.wrong = append(c.wrong, i)
		}
	}
	c.fit = fitting(strict, floating(want))
	if b := given.Before; b != nil && slices.Equal(b.Value.Shape, want.Shape) && held(b.Value) == len(c.want) {
		c.before = Numbers(b.Value)
	}
	return c
}

// fitting returns the measure of an explanation: a little looser than that of
// the check, never so loose that a coincidence would pass.
func fitting(strict measure, floating bool) measure {
	if !floating {
		return measure{1e-12, strict.rms, nil}
	}
	return measure{min(max(loose*strict.tolerance, 0x1p-21), 1e-3), strict.rms, nil}
}

// telling reports whether there are enough wrong elements, and errors large enough,
// to speak of a structure.
func (c *evidence) telling() bool { return len(c.wrong) >= 4 && c.plainlyWrong() }

// plainlyWrong reports whether the worst error is far outside the fit.
func (c *evidence) plainlyWrong() bool {
	return slices.ContainsFunc(c.wrong, func(i int) bool {
		e := c.fit.excess(c.got[i], c.want[i])
		return math.IsNaN(e) || e >= plain
	})
}

// undone reports whether undoing a relation gives the expected values: at every
// wrong element, and everywhere. undo returns got[i] without the relation.
func (c *evidence) undone(undo func(i int) float64) (whereWrong, everywhere bool) {
	for _, i := range c.wrong {
		if !c.fit.agrees(undo(i), c.want[i]) {
			return false, false
		}
	}
	for i := range c.want {
		if !c.fit.agrees(undo(i), c.want[i]) {
			return true, false
		}
	}
	return true, true
}

// large returns how many of the wrong elements have a wanted value large
// enough to say something about a factor, and whether these values differ.
func (c *evidence) large() (n int, differ bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, i := range c.wrong {
		if w := c.want[i]; finite(w) && math.Abs(w) >= 0.01*c.fit.rms {
			low, high = min(low, w), max(high, w)
			n++
		}
	}
	return n, high-low > plain*c.fit.bound(max(-low, high))
}

// constants finds an output that is the same number wherever it is wrong. It
// says what the output is, which nothing can contradict, so it goes first.
func (c *evidence) constants() *Structure {
	value := c.got[c.wrong[0]]
	same := func(i int) bool { return c.got[i] == value }
	if slices.ContainsFunc(c.wrong, func(i int) bool { return !same(i) }) {
		return nil
	}
	everywhere := true
	for i := range c.got {
		everywhere = everywhere && same(i)
	}
	if value == 0 {
		return claim("zero", sentence(lang.T("is 0"), everywhere), is(0))
	}
	if _, differ := c.large(); !differ {
		return nil
	}
	return claim("constant", sentence(lang.T("is %s", significant(value, 6)), everywhere), is(value))
}

// is fits an output that is one number wherever it is wrong, be it infinite.
func is(value float64) func(c *evidence) bool {
	bound := 1e-6 * math.Abs(value)
	if math.IsInf(value, 0) {
		bound = 0 // otherwise any number would be within it
	}
	return func(c *evidence) bool {
		return !slices.ContainsFunc(c.wrong, func(i int) bool { return c.got[i] != value && !(math.Abs(c.got[i]-value) <= bound) })
	}
}

// sentence completes "Your output …", limited to the wrong elements unless it
// holds everywhere.
func sentence(predicate lang.Text, everywhere bool) lang.Text {
	if everywhere {
		return lang.T("Your output %s everywhere.", predicate)
	}
	return lang.T("Where it is wrong, your output %s.", predicate)
}

// inversion finds booleans that are all the opposite of what they should be.
func (c *evidence) inversion() []Structure {
	everywhere := func(c *evidence) bool { return len(c.wrong) == len(c.want) }
	if !everywhere(c) {
		return nil
	}
	return []Structure{*claim("inverted", lang.T("Your output is the opposite of what is expected everywhere: true and false are exchanged."), everywhere)}
}
