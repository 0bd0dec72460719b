package diagnose

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Form is how the sentence of a rule goes.
type Form string

// The forms of sentences; text has their words, and what each takes.
const (
	Factor    Form = "factor"
	Term      Form = "term"
	Sign      Form = "sign"
	Instead   Form = "instead"
	Place     Form = "place"
	Extra     Form = "extra"
	Over      Form = "over"
	Times     Form = "times"
	Added     Form = "added"
	Zero      Form = "zero"
	Way       Form = "way"
	Unchanged Form = "unchanged"
	Is        Form = "is"
	Operand   Form = "operand"

	Whole       Form = "whole"
	LessOne     Form = "less one"
	First       Form = "first"
	Last        Form = "last"
	Memory      Form = "memory"
	MaskZero    Form = "mask zero"
	MaskInverse Form = "mask inverse"

	LastOfRow   Form = "last of row"
	LastPair    Form = "last pair"
	LastRow     Form = "last row"
	FirstRowOut Form = "first row"

	Counted    Form = "counted"
	FirstRow   Form = "first row for all"
	FirstOfRow Form = "first of row"
	FirstOfAll Form = "first of all"
	Backwards  Form = "backwards"
	OneOn      Form = "one on"
	OneBack    Form = "one back"
	OneMore    Form = "one more"
	OneLess    Form = "one less"
	Columns    Form = "columns"
	Constant   Form = "constant"

	Both Form = "both"
)

// OfOperation reports whether the form speaks of an operation, whatever its result
// is called.
func (f Form) OfOperation() bool {
	return slices.Contains([]Form{Whole, LessOne, First, Last, Memory, MaskZero, MaskInverse, LastOfRow, LastPair, LastRow, FirstRowOut}, f)
}

// Sentence says what a rule does. It completes "what you get when …".
type Sentence struct {
	Form Form     `json:"form"`
	Args []string `json:"args"`
	// Through restricts what is said of the first argument, a gradient, to what
	// reaches it through this; "" for all of it.
	Through string `json:"through,omitempty"`
	// Derivative says that the formula is right and only its derivative is not.
	Derivative bool `json:"derivative,omitempty"`
	// Parts are the two sentences of Both, which has no arguments.
	Parts []Sentence `json:"parts,omitempty"`
}

// whole reports whether the sentence has all that its form wants.
func (s Sentence) whole() bool {
	if s.Form == Both {
		return len(s.Parts) == 2 && len(s.Args) == 0 && s.Parts[0].whole() && s.Parts[1].whole()
	}
	n := s.Form.arguments()
	return n > 0 && n == len(s.Args) && len(s.Parts) == 0
}

// arguments is how many arguments the sentences of a form have; 0 if there is none.
func (f Form) arguments() int {
	switch f {
	case Sign, Zero, Whole, LessOne, First, Last, Memory, MaskZero, MaskInverse,
		Counted, FirstRow, FirstOfRow, FirstOfAll, Backwards, OneOn, OneBack, OneMore, OneLess, Columns:
		return 1
	case Factor, Term, Extra, Over, Times, Added, Way, Is, LastOfRow, LastPair, LastRow, FirstRowOut, Constant:
		return 2
	case Instead, Place, Unchanged, Operand:
		return 3
	}
	return 0
}

// Text puts the sentence into words.
func (s Sentence) Text() lang.Text {
	if s.Form == Both {
		return lang.T("%s, and %s", s.Parts[0].Text(), s.Parts[1].Text())
	}
	args := make([]any, len(s.Args))
	for i, a := range s.Args {
		args[i] = lang.Raw(a)
	}
	if s.Through != "" {
		args[0] = lang.T("what reaches %s through %s", s.Args[0], s.Through)
	}
	return s.Form.text(args)
}

func (f Form) text(a []any) lang.Text {
	switch f {
	case Factor:
		return lang.T("%s lacks the factor %s", a[0], a[1])
	case Term:
		return lang.T("%s lacks the term %s", a[0], a[1])
	case Sign:
		return lang.T("%s has the wrong sign", a[0])
	case Instead:
		return lang.T("%s is %s instead of %s", a[0], a[1], a[2])
	case Place:
		return lang.T("%s stands in the place of %s, in %s", a[0], a[1], a[2])
	case Extra:
		return lang.T("%s has the factor %s too much", a[0], a[1])
	case Over:
		return lang.T("%s is divided by %s at the end", a[0], a[1])
	case Times:
		return lang.T("%s is multiplied by %s at the end", a[0], a[1])
	case Added:
		return lang.T("%s contains %s in addition", a[0], a[1])
	case Zero:
		return lang.T("%s is 0", a[0])
	case Way:
		return lang.T("%s lacks what reaches it through %s", a[0], a[1])
	case Unchanged:
		return lang.T("%s is %s as it stands: the derivative of %s is left out", a[0], a[1], a[2])
	case Is:
		return lang.T("%s is %s", a[0], a[1])
	case Operand:
		return lang.T("%s is made with %s instead of %s", a[0], a[1], a[2])
	}
	return f.operation(a)
}

func (f Form) operation(a []any) lang.Text {
	switch f {
	case Whole:
		return lang.T("%s goes over the whole array instead of along one axis", a[0])
	case LessOne:
		return lang.T("%s is divided by one less than the number of its elements", a[0])
	case First:
		return lang.T("%s leaves the first element out", a[0])
	case Last:
		return lang.T("%s leaves the last element out", a[0])
	case Memory:
		return lang.T("the memory of %s is read as if it were that of its transpose", a[0])
	case MaskZero:
		return lang.T("what is masked in %s becomes 0", a[0])
	case MaskInverse:
		return lang.T("the mask of %s is the wrong way round", a[0])
	case LastOfRow:
		return lang.T("%s stands in the last place of every row of %s", a[1], a[0])
	case LastPair:
		return lang.T("%s stands in the last two places of every row of %s", a[1], a[0])
	case LastRow:
		return lang.T("%s stands in the last row of %s", a[1], a[0])
	case FirstRowOut:
		return lang.T("%s stands in the first row of %s", a[1], a[0])
	}
	return f.argument(a)
}

func (f Form) argument(a []any) lang.Text {
	switch f {
	case Counted:
		return lang.T("%s are taken to be 0, 1, 2, … in every row", a[0])
	case FirstRow:
		return lang.T("the first row of %s is used for all rows", a[0])
	case FirstOfRow:
		return lang.T("the first of %s in a row is used for all of the row", a[0])
	case FirstOfAll:
		return lang.T("the very first of %s is used for all", a[0])
	case Backwards:
		return lang.T("every row of %s is read backwards", a[0])
	case OneOn:
		return lang.T("%s are read one place further on, and the first in the last place", a[0])
	case OneBack:
		return lang.T("%s are read one place further back, and the last in the first place", a[0])
	case OneMore:
		return lang.T("%s are one too large", a[0])
	case OneLess:
		return lang.T("%s are one too small", a[0])
	case Columns:
		return lang.T("%s are read column by column", a[0])
	case Constant:
		return lang.T("%s is always %s", a[0], a[1])
	}
	return lang.Text{}
}
