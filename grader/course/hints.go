package course

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/verdict"
)

// Hint is one of a step's hints, in the order in which they are shown: each a
// step closer to the code.
type Hint struct {
	For  string // id of the check, or its beginning, that the hint helps with; or a kind of failure
	Text string
	Last bool // it comes after all others, whatever they are for
}

// beside lists how the ids of checks end that ask for what no formula says: that
// bad input is refused, that a call leaves nothing behind. What helps with the
// formula does not help with these.
var beside = []string{".bad_input", ".ragged", ".lengths", ".no_forward", ".again"}

// HintsFor returns the hints that belong to a check: first those that are for it
// alone, and then the more general ones. A check that asks for what no formula
// says has only the hints that name it.
func (s *Step) HintsFor(check string) []Hint {
	alone := slices.ContainsFunc(beside, func(end string) bool { return strings.HasSuffix(check, end) })
	var hints []Hint
	for _, h := range s.Hints {
		if h.For == check || !alone && strings.HasPrefix(check, h.For) {
			hints = append(hints, h)
		}
	}
	slices.SortStableFunc(hints, func(a, b Hint) int {
		switch {
		case a.Last == b.Last:
			return len(b.For) - len(a.For)
		case a.Last:
			return 1
		}
		return -1
	})
	return hints
}

// HintsOn returns the hints that belong to a kind of failure, in whatever check it
// happens.
func HintsOn(kind verdict.Kind) []Hint {
	var hints []Hint
	for _, h := range []Hint{
		{For: string(verdict.NotFinite), Text: "NaN and Inf come from few operations: e^x for x above 88, a division by 0, 0·Inf, Inf − Inf, the root or the logarithm of a negative number. The message shows where the first one is and what is special about the input there. Compute that one row by hand, line by line, and look for the first result that is not finite."},
		{For: string(verdict.InputChanged), Text: "What a function is given belongs to its caller, shapes included. Write to a tensor of your own, from tensor.Reuse or tensor.New, and look for three ways of writing to another's: a slice that is shared (y.Data = x.Data), an in-place operation (+=, kernel.Add) on an argument, and append(x.Shape[:n], …), which writes into x.Shape."},
		{For: string(verdict.Panic), Text: "The message shows the line of your code. Print the lengths or shapes that meet there for the case that is named (fmt.Println(x.Shape)), or run the step's test in a debugger: go test of the step's folder stops at the same line."},
	} {
		if h.For == string(kind) {
			hints = append(hints, h)
		}
	}
	return hints
}
