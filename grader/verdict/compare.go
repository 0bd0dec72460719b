package verdict

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Difference is what Compare found: one result that is not what was expected.
// It keeps got and want for Explain and copies neither; its text does not
// depend on them.
type Difference struct {
	Name      string // of the result: "y", "dw"
	Kind      Kind   // WrongValues, WrongShape or NotFinite
	GotShape  []int
	WantShape []int

	First     []int // the first wrong index in row-major order; nil if the shape is wrong
	Got, Want float64
	Error     float64   // |Got − Want|
	Bound     float64   // what Error may be there
	Wrong     int       // how many elements are wrong,
	Total     int       // of how many
	NaN, Inf  int       // how many of the wrong ones are NaN, and ±Inf,
	BeganAt   []int     // and the index of the first of these; nil if there is none
	Worst     float64   // the largest error over its bound, among finite numbers
	WorstAt   []int     // its index; nil if there is none, or values must be equal
	Where     lang.Text // "only in column 3", "everywhere", … or nothing
	Structure *Structure

	mask              []bool
	got, want         wire.Value
	tolerance         float64
	terms             []float64 // of sums: how large |got − want| may be, in tolerances
	gotText, wantText string    // the first wrong pair as it is printed
	inputs            []Fact    // what helps to understand it
	given             string    // what was asked about there, of codes; see ReadAs
	bit               lang.Text // the first wrong bit, of codes
	problem           lang.Text // the element type is wrong, or the value is damaged
}

// Compare returns nil if got agrees with want, and what differs otherwise.
//
// Floating point (f32 and f64 mix freely): every element must satisfy
//
//	|got − want| ≤ tolerance · (|want| + rms(want))
//
// with rms over the finite wanted values, 1 if that is 0. NaN must meet NaN,
// and an infinity the same infinity. Integers, booleans and texts must be
// equal. The element types and the shapes must agree.
func Compare(name string, got, want wire.Value, tolerance float64) *Difference {
	return CompareSums(name, got, want, tolerance, nil)
}

// CompareSums is Compare for an array of which every element is a sum, as in a
// matrix product. Its terms may cancel, so each error is held to the sum of
// their sizes, which terms holds for every element:
//
//	|got − want| ≤ tolerance · Σ|terms|
func CompareSums(name string, got, want wire.Value, tolerance float64, terms []float64) *Difference {
	d := &Difference{
		Name: name, GotShape: slices.Clone(got.Shape), WantShape: slices.Clone(want.Shape),
		got: got, want: want, tolerance: tolerance, terms: terms,
	}
	if !floating(want) {
		d.tolerance = 0
	}
	d.problem = malformed(got, want)
	switch {
	case !d.problem.Empty():
		d.Kind = WrongShape
		return d
	case want.DType == wire.Text:
		return d.compareTexts()
	case !slices.Equal(got.Shape, want.Shape):
		d.Kind = WrongShape
		return d
	}
	d.compareElements()
	if d.Wrong == 0 {
		return nil
	}
	return d
}

// Mask tells for every element, row-major, whether it is wrong. It is nil if
// the shape is.
func (d *Difference) Mask() []bool { return d.mask }

// At says where the first wrong element is: "[0, 2]". It is empty if the shape is
// wrong, and for a single number.
func (d *Difference) At() string {
	if len(d.First) == 0 {
		return ""
	}
	return indexString(d.First)
}

// Numbers returns got and want at the first wrong element, as they are printed.
func (d *Difference) Numbers() (got, want string) {
	return strings.TrimSpace(d.gotText), strings.TrimSpace(d.wantText)
}

// Ratios returns the error of every element over what it may be, row-major: at
// most 1 where the result is right, +Inf where got and want are not both
// finite and differ, or must be equal and are not. It is nil if the shape is
// wrong.
func (d *Difference) Ratios() []float64 {
	if d.mask == nil {
		return nil
	}
	got, want := Numbers(d.got), Numbers(d.want)
	m := newMeasure(want, d.tolerance, d.terms)
	ratios := make([]float64, len(want))
	for i, wrong := range d.mask {
		ratio := m.at(i, want[i]).excess(got[i], want[i])
		switch {
		case wrong && !(ratio > 1): // NaN, or integers that float64 cannot tell apart
			ratio = math.Inf(1)
		case !wrong && !(ratio <= 1): // NaN that meets NaN
			ratio = 0
		}
		ratios[i] = ratio
	}
	return ratios
}

// malformed says why got cannot be compared with want at all, if so.
func malformed(got, want wire.Value) lang.Text {
	if got.DType == "" {
		return lang.T("nothing was returned under this name")
	}
	if got.DType != want.DType && !(floating(got) && floating(want)) {
		return lang.T("its elements are %s, want %s", got.DType, want.DType)
	}
	if n := held(got); n != got.Len() {
		return lang.T("its shape is %s, but it holds %d elements", tensor.ShapeString(got.Shape), n)
	}
	return lang.Text{}
}

func (d *Difference) compareTexts() *Difference {
	if d.got.Text == d.want.Text {
		return nil
	}
	d.Kind, d.Wrong, d.Total = WrongValues, 1, 1
	d.gotText, d.wantText = strconv.Quote(shorten(d.got.Text)), strconv.Quote(shorten(d.want.Text))
	return d
}

func (d *Difference) compareElements() {
	got, want := Numbers(d.got), Numbers(d.want)
	m := newMeasure(want, d.tolerance, d.terms)
	d.Total = len(want)
	d.mask = make([]bool, len(want))
	for i := range want {
		m := m.at(i, want[i])
		if m.agrees(got[i], want[i]) && d.equalInts(i) {
			continue
		}
		d.mask[i] = true
		d.Wrong++
		d.countWrong(i, got[i], want[i], m)
	}
	if d.Wrong == 0 {
		return
	}
	first := slices.Index(d.mask, true)
	d.Kind = WrongValues
	if !finite(got[first]) && finite(want[first]) {
		d.Kind = NotFinite
	}
	d.First, d.Got, d.Want = index(d.WantShape, first), got[first], want[first]
	d.Error, d.Bound = math.Abs(d.Got-d.Want), m.at(first, d.Want).bound(d.Want)
	d.gotText, d.wantText = pair(d.got, d.want, first)
	d.Where = where(d.WantShape, d.mask, want, false)
}

// countWrong takes note of the wrong element i.
func (d *Difference) countWrong(i int, got, want float64, m measure) {
	if !finite(got) {
		if d.BeganAt == nil {
			d.BeganAt = index(d.WantShape, i)
		}
		if math.IsNaN(got) {
			d.NaN++
		} else {
			d.Inf++
		}
		return
	}
	if !finite(want) || m.bound(want) == 0 {
		return
	}
	if ratio := m.excess(got, want); d.WorstAt == nil || ratio > d.Worst {
		d.Worst, d.WorstAt = ratio, index(d.WantShape, i)
	}
}

// equalInts holds integers to equality where float64 would round them.
func (d *Difference) equalInts(i int) bool {
	return d.want.DType != wire.I64 || d.got.I64[i] == d.want.I64[i]
}

// measure is the error measure of the course: an error counts relative to the
// wanted value and to the size of the whole array.
type measure struct {
	tolerance, rms float64
	terms          []float64 // of sums; nil for other numbers
}

func newMeasure(want []float64, tolerance float64, terms []float64) measure {
	return measure{tolerance, rms(want), terms}
}

// at returns the measure of element i. That of a sum is the size of its terms,
// of which |want| is what did not cancel.
func (m measure) at(i int, want float64) measure {
	if m.terms != nil {
		m.rms = m.terms[i] - math.Abs(want)
	}
	return m
}

// bound is how large |got − want| may be.
func (m measure) bound(want float64) float64 { return m.tolerance * (math.Abs(want) + m.rms) }

func (m measure) agrees(got, want float64) bool {
	if !finite(want) || !finite(got) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= m.bound(want)
}

// excess is the error over its bound: 0 for equal values, above 1 for a wrong
// one, +Inf or NaN where one of the two is not finite.
func (m measure) excess(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / m.bound(want)
}
