package verdict

import (
	"iter"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// reading is one of the ways to understand what a structure shows: a factor of
// 0.7071 is that number in every case, or it is 1/√B.
type reading struct {
	text lang.Text              // the sentence about the case in which it was found
	fits func(c *evidence) bool // reports whether it is so in another case too, or can be
	name bool                   // it is a size, and so another number in another case
}

// claim is a structure that can be understood in one way only.
func claim(id string, text lang.Text, fits func(c *evidence) bool) *Structure {
	return &Structure{id, text, []reading{{text: text, fits: fits}}}
}

// undoing fits where a relation can be undone: undo returns the element i of an output
// without it.
func undoing(undo func(c *evidence, i int) float64) func(c *evidence) bool {
	return func(c *evidence) bool {
		ok, _ := c.undone(func(i int) float64 { return undo(c, i) })
		return ok
	}
}

// Case is another call of the same function.
type Case struct {
	Asked     lang.Text // what it was given, for people
	Got, Want wire.Value
	Tolerance float64
	Given     Given
}

// Confirm holds the structure that Wrong found against other cases of the function.
// What is true of the one case alone is said as such. A factor has the name of a
// size only if it changes with it: 0.7071 is not 1/√B because B was 2.
func (f *Failure) Confirm(others iter.Seq[Case]) {
	if f.Diff == nil || f.Diff.Structure == nil || f.Diagnosis.Kind != ByStructure {
		return
	}
	s := *f.Diff.Structure
	for other := range others {
		c, tells := other.evidence()
		if !tells || (c.shape == nil) != (f.Diff.Kind == WrongShape) {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(s.readings), func(r reading) bool { return !r.fits(c) })
		if len(kept) == 0 {
			f.say(s.alone(other))
			return
		}
		s.readings = kept
	}
	f.say(s.settled())
}

func (f *Failure) say(s *Structure) { f.Diff.Structure, f.Diagnosis.Text = s, s.Text }

// evidence returns the arrays of the case under examination, and whether they tell
// anything: those that are right do not.
func (o Case) evidence() (c *evidence, tells bool) {
	if !malformed(o.Got, o.Want).Empty() || o.Want.DType == wire.Text {
		return nil, false
	}
	if !slices.Equal(o.Got.Shape, o.Want.Shape) {
		return &evidence{raw: o.Got, wanted: o.Want, given: o.Given, tolerance: o.Tolerance}, true
	}
	c = newEvidence(o.Got, o.Want, o.Tolerance, o.Given)
	return c, c.telling()
}

// settled is the structure with what the cases have left of its readings. As long as
// the number is the same it is the number; of several names it is none.
func (s *Structure) settled() *Structure {
	if first := s.readings[0]; len(s.readings) == 1 || !first.name {
		return &Structure{s.ID, first.text, s.readings[:1]}
	}
	return &Structure{s.ID, lang.T("%s With other sizes it is another factor.", s.Text), s.readings}
}

// alone is the structure as it is said if another case contradicts it.
func (s *Structure) alone(other Case) *Structure {
	text := lang.T("%s That is so in this case alone; it is not with %s.", s.Text, other.Asked)
	if there := Explain(other.Got, other.Want, other.Tolerance, other.Given); there != nil && there.Text.String() != s.Text.String() {
		text = lang.T("%s In another case it is otherwise. With %s: %s", s.Text, other.Asked, there.Text)
	}
	return &Structure{s.ID, text, s.readings}
}
