package course

import (
	"maps"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

// NoForward is the check, of two points for every function, that a layer's
// Backward is refused as long as no Forward came before. It looks inside a Go
// program: one whose functions keep nothing between two calls has no such
// Backward.
func NoForward(id string, parts ...func(*Exam) error) Check {
	return Check{id, "Backward is refused as long as no Forward came before", 2 * len(parts), All(parts...)}
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
	return Hint{id, "What Forward keeps for Backward is nil at first. Begin Backward with tensor.CheckShape of it: a nil tensor is refused like a wrong shape."}
}
