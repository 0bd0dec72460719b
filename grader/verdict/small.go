package verdict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Small is a call with few and round numbers that goes wrong in the way in which that of a
// failure does: one that a person can follow with a pencil.
type Small struct {
	Function string
	Input    wire.Values // all that the function is given
	In       []Array     // what of it is told, in the order of the contract
	Output   string      // the result that is wrong
	Got      wire.Value
	Want     wire.Value // what Output should be, whether the call has returned or not
	Ended    Kind       // how the call ended, if it has not returned
}

// Text says what is given, what comes back and what should:
// "x = [1 0], w = [[2 0] [0 3]]: you gave y = [2 3], want [2 0]".
func (s *Small) Text() lang.Text {
	output, got, want := s.answers()
	switch s.Ended {
	case Panic:
		return lang.T("%s: the same panic; want %s = %s", s.given(), output, want)
	case TurnedDown:
		return lang.T("%s: the same error; want %s = %s", s.given(), output, want)
	}
	return lang.T("%s: you gave %s = %s, want %s", s.given(), output, got, want)
}

// Lines is Text in a width: one line if there is room for it, and else what came back and
// what should have begin lines of their own, to be held against each other.
func (s *Small) Lines(p lang.Printer, columns int) []string {
	whole := s.Text().In(p)
	if lang.Width(whole) <= columns || s.Ended == Panic || s.Ended == TurnedDown {
		return lang.Wrap(whole, columns)
	}
	lines := lang.Wrap(s.given(), columns)
	output, got, want := s.answers()
	wide := max(lang.Width(p.Say("got")), lang.Width(p.Say("want")))
	for _, a := range [2][2]string{{p.Say("got"), got}, {p.Say("want"), want}} {
		lines = append(lines, lang.Wrap(lang.Pad(a[0], wide)+"  "+output+" = "+a[1], columns)...)
	}
	return lines
}

// given is what the function is given.
func (s *Small) given() string {
	var given []string
	for _, a := range s.In {
		given = append(given, a.Name+" = "+written(a.Value))
	}
	return strings.Join(given, ", ")
}

// answers are the result that is wrong, what came back and what should: all of it, or where
// that is written alike the first number that differs.
func (s *Small) answers() (output, got, want string) {
	output, want = s.Output, written(s.Want)
	if s.Ended == Panic || s.Ended == TurnedDown {
		return output, "", want
	}
	got = written(s.Got)
	if got == want { // five digits do not tell them apart
		if d := Compare(s.Output, s.Got, s.Want, 0); d != nil && d.First != nil {
			got, want = d.Numbers()
			output += d.At()
		}
	}
	return output, got, want
}

// Numbers is how many numbers somebody has to read for it.
func (s *Small) Numbers() int {
	n := 0
	for _, v := range append(values(s.In), s.Want) {
		if constant(v) == "" {
			n += held(v)
		} else {
			n++
		}
	}
	return n
}

func values(arrays []Array) (all []wire.Value) {
	for _, a := range arrays {
		all = append(all, a.Value)
	}
	return all
}

// written writes a whole value: "[[1 2] [3 4]]", "0.5", "zeros(4, 4)", "\"a b\"".
func written(v wire.Value) string {
	switch {
	case v.DType == wire.Text:
		return strconv.Quote(v.Text)
	case v.DType == "" || held(v) != v.Len():
		return "?"
	case len(v.Shape) == 0:
		return texts(v)[0]
	case held(v) == 0:
		return "[]"
	case constant(v) != "":
		return constant(v) + tensor.ShapeString(v.Shape)
	}
	return array(v.Shape, texts(v))
}

// constant is how an array of one number is called, if it has a name and is too large to be
// written out.
func constant(v wire.Value) string {
	const large = 4
	if !floating(v) || held(v) <= large {
		return ""
	}
	switch all := Numbers(v); {
	case slices.Min(all) == 0 && slices.Max(all) == 0:
		return "zeros"
	case slices.Min(all) == 1 && slices.Max(all) == 1:
		return "ones"
	}
	return ""
}
