package course

import (
	"errors"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Refuses checks that a function turns bad input down with the course's own
// error: tensor.ShapeError for a shape, tensor.IndexError for an id or a
// position. The message must hold the given words.
func Refuses(function, what string, in wire.Values, words ...string) func(*Exam) error {
	return func(e *Exam) error { return e.refuses(function, lang.Of(what), in, words...) }
}

// Misfits checks that an array is refused that has as many elements as it should
// have in another shape, one row or column more, or twice the columns. The first input
// of a layer, if it may have any leading dimensions, is refused for its last dimension
// alone.
func Misfits(function, name string, draw func(*rand.Rand) wire.Values) func(*Exam) error {
	return func(e *Exam) error {
		in := draw(e.Rng)
		first := e.Step.Function(function).In[0]
		anyLead := first.Name == name && strings.HasPrefix(first.Shape, "…")
		return InTurn(len(reshapings), func(i int) error {
			right := in[name].Shape
			wrong := reshapings[i](slices.Clone(right))
			if wrong == nil || slices.Equal(wrong, right) || anyLead && wrong[len(wrong)-1] == right[len(right)-1] {
				return nil
			}
			what := lang.T("%s of shape %s, where %s fits,", name, tensor.ShapeString(wrong), tensor.ShapeString(right))
			return e.refuses(function, what, With(in, name, drawnFrom(e.Rng, in[name], wrong)))
		})
	}
}

// reshapings make another shape of one; nil if they cannot.
var reshapings = []func(shape []int) []int{
	func(s []int) []int { s[len(s)-1]++; return s },
	func(s []int) []int { s[0]++; return s },
	func(s []int) []int { s[len(s)-1] *= 2; return s },
	func(s []int) []int { // the last two dimensions as one
		if len(s) < 2 {
			return nil
		}
		return append(s[:len(s)-2], s[len(s)-2]*s[len(s)-1])
	},
	func(s []int) []int { slices.Reverse(s); return s },
	func(s []int) []int { // all leading dimensions as one
		rows := 1
		for _, n := range s[:len(s)-1] {
			rows *= n
		}
		return []int{rows, s[len(s)-1]}
	},
	func(s []int) []int { return append([]int{1}, s...) },
	func(s []int) []int {
		if len(s) > 2 {
			s[0], s[1] = s[1], s[0]
		}
		return s
	},
}

func (e *Exam) refuses(function string, what lang.Text, in wire.Values, words ...string) error {
	if err := e.accepts(function); err != nil {
		return err
	}
	_, err := e.Call(function, in)
	if err == nil {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(function, in),
			Message: lang.T("%s must be refused with an error; the call returned as if nothing were wrong", what)}
	}
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	if !f.Refused {
		if f.Kind == verdict.Panic {
			f.Message = lang.T("%s must be refused with the course's own error (see the doc comment); instead: %s", what, f.Message)
		}
		return f
	}
	for _, w := range words {
		if !says(f.Message.String(), w) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: f.Asked,
				Message: lang.T("%s is refused, but the message does not name %s. It reads: %s", what, w, f.Message)}
		}
	}
	return nil
}

// says reports whether a message holds a word. A number is there only as a whole: 2 is not
// in 260, in -2 or in 2.5. "500|501" is either of two numbers.
func says(message, word string) bool {
	return slices.ContainsFunc(strings.Split(word, "|"), func(part string) bool {
		number, err := strconv.Atoi(part)
		if err != nil {
			return strings.Contains(message, word)
		}
		return slices.Contains(numbersIn(message), number)
	})
}

// numbersIn returns the whole numbers of a text. A hyphen behind a word or a number is no
// sign: "ids-2", "3-2".
func numbersIn(text string) []int {
	var all []int
	for _, at := range regexp.MustCompile(`[0-9]+(\.[0-9]+)?`).FindAllStringIndex(text, -1) {
		n, err := strconv.Atoi(text[at[0]:at[1]])
		if err != nil {
			continue // a fraction
		}
		before, signed := strings.CutSuffix(text[:at[0]], "-")
		if last, _ := utf8.DecodeLastRuneInString(before); signed && !unicode.IsLetter(last) && !unicode.IsNumber(last) {
			n = -n
		}
		all = append(all, n)
	}
	return all
}

// accepts checks that a function does not turn down its first fixture: what
// refuses everything has not looked at what is wrong.
func (e *Exam) accepts(function string) error {
	cases := e.Fixtures.Cases(function)
	if len(cases) == 0 {
		return nil
	}
	_, err := e.Answer(cases[0])
	var f *verdict.Failure
	if errors.As(err, &f) && f.Refused {
		return InCase(err, cases[0].Name)
	}
	return nil
}

// NoForward is the check, of two points for every function, that a layer's
// Backward is refused as long as no Forward came before. It looks inside a Go
// program: one whose functions keep nothing between two calls has no such
// Backward.
func NoForward(id string, parts ...func(*Exam) error) Check {
	return Check{ID: id, Title: "Backward is refused as long as no Forward came before", Points: 2 * len(parts), Run: All(parts...)}
}

// Without calls a backward function without the named input. The bindings then
// call no Forward.
func Without(input, function string, draw func(*rand.Rand) wire.Values) func(*Exam) error {
	return func(e *Exam) error {
		in := maps.Clone(draw(e.Rng))
		delete(in, input)
		return Refuses(function, "a Backward without a Forward before it", in)(e)
	}
}

// NoForwardHint is the hint to that check.
func NoForwardHint(id string) Hint {
	return Hint{For: id, Text: "What Forward keeps for Backward is nil at first. Begin Backward with tensor.CheckShape of it: a nil tensor is refused like a wrong shape."}
}

// Ragged gives an integer argument rows of zeros of different lengths, which no
// array has: the binding makes them, and what takes arrays only refuses their shape.
func Ragged(in wire.Values, name string, lengths ...int64) wire.Values {
	sum := 0
	for _, n := range lengths {
		sum += int(n)
	}
	in = With(in, name, wire.Ints(make([]int64, sum), 1, sum))
	return With(in, name+"_lengths", wire.Ints(lengths, len(lengths)))
}
