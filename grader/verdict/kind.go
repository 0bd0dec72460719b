package verdict

import "github.com/stubformer/stubformer/grader/lang"

// Kind is the outcome of a check. The kinds are distinct and never confused:
// an unfinished function is not a wrong one, and a fault of the grader is never
// the student's. The strings are those of the JSON report.
type Kind string

// The kinds.
const (
	Passed         Kind = "passed"
	WrongValues    Kind = "wrong_values"
	WrongShape     Kind = "wrong_shape"   // the shape, the element type, or a missing result
	NotFinite      Kind = "not_finite"    // NaN or ±Inf where a number is wanted
	InputChanged   Kind = "input_changed" // what the function must leave as it is
	NotImplemented Kind = "not_implemented"
	CompileError   Kind = "compile_error"
	Refused        Kind = "refused" // what was handed in is not built: a forbidden import, a symbolic link
	Panic          Kind = "panic"
	TurnedDown     Kind = "turned_down" // an error was returned for what is valid
	Timeout        Kind = "timeout"
	TooSlow        Kind = "too_slow"      // it answered, in more time than it may take
	TooCostly      Kind = "too_costly"    // it answered, with more memory or more work than it may take
	Shared         Kind = "shared_memory" // alone it is right, and not while others call it
	OutOfMemory    Kind = "out_of_memory"
	Exited         Kind = "exited"  // the program ended before it answered
	Blocked        Kind = "blocked" // a prerequisite is missing, so nothing was checked
	GraderError    Kind = "grader_error"
)

// Words returns the kind as a person reads it, in English: "wrong values".
func (k Kind) Words() string { return k.Text().String() }

// Text returns the kind as a person reads it.
func (k Kind) Text() lang.Text {
	switch k {
	case NotFinite:
		return lang.T("not finite")
	case InputChanged:
		return lang.T("input changed")
	case NotImplemented:
		return lang.T("not implemented yet")
	case CompileError:
		return lang.T("does not compile")
	case Refused:
		return lang.T("not allowed")
	case Panic:
		return lang.T("panicked")
	case TurnedDown:
		return lang.T("turned down")
	case Timeout:
		return lang.T("timed out")
	case TooSlow:
		return lang.T("too slow")
	case TooCostly:
		return lang.T("costs too much")
	case Shared:
		return lang.T("shares memory")
	case OutOfMemory:
		return lang.T("out of memory")
	case Blocked:
		return lang.T("cannot be checked")
	case WrongValues:
		return lang.T("wrong values")
	case WrongShape:
		return lang.T("wrong shape")
	case GraderError:
		return lang.T("grader error")
	case Passed:
		return lang.T("passed")
	case Exited:
		return lang.T("exited")
	}
	return lang.Raw(string(k))
}

// Sign returns the kind as one character, beside which a word stands.
func (k Kind) Sign() string {
	switch k {
	case Passed:
		return "✓"
	case NotImplemented, Blocked:
		return "○"
	case GraderError:
		return "!"
	case "":
		return " "
	}
	return "✗"
}

// OfCall reports whether the kind says how one call ended: with wrong results, a panic, an
// error, or at too high a cost. Others go on after it.
func (k Kind) OfCall() bool { return k.OfAnswer() || k == TooCostly || k == Shared }

// OfAnswer reports whether the kind says what a call answered: wrong results, a panic or an
// error.
func (k Kind) OfAnswer() bool { return k.OfValues() || k == Panic || k == TurnedDown }

// OfValues reports whether the kind says that a call came back and was not what it
// should be.
func (k Kind) OfValues() bool {
	return k == WrongValues || k == WrongShape || k == NotFinite || k == InputChanged
}
