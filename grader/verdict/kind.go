package verdict

// Kind is the outcome of a check. The kinds are distinct and never confused:
// an unfinished function is not a wrong one, and a fault of the grader is never
// the student's. The strings are those of the JSON report.
type Kind string

// The kinds.
const (
	Passed         Kind = "passed"
	WrongValues    Kind = "wrong_values"
	WrongShape     Kind = "wrong_shape" // the shape, the element type, or a missing result
	NotFinite      Kind = "not_finite"  // NaN or ±Inf where a number is wanted
	NotImplemented Kind = "not_implemented"
	CompileError   Kind = "compile_error"
	Panic          Kind = "panic"
	Timeout        Kind = "timeout"
	OutOfMemory    Kind = "out_of_memory"
	Exited         Kind = "exited"  // the program ended before it answered
	Blocked        Kind = "blocked" // a prerequisite is missing, so nothing was checked
	GraderError    Kind = "grader_error"
)

// Words returns the kind as a person reads it: "wrong values".
func (k Kind) Words() string {
	switch k {
	case NotFinite:
		return "not finite"
	case NotImplemented:
		return "not implemented yet"
	case CompileError:
		return "does not compile"
	case Panic:
		return "panicked"
	case Timeout:
		return "timed out"
	case OutOfMemory:
		return "out of memory"
	case Blocked:
		return "cannot be checked"
	case WrongValues:
		return "wrong values"
	case WrongShape:
		return "wrong shape"
	case GraderError:
		return "grader error"
	}
	return string(k)
}

// OfValues tells whether the kind says that an answer came back and was not the
// right one.
func (k Kind) OfValues() bool { return k == WrongValues || k == WrongShape || k == NotFinite }
