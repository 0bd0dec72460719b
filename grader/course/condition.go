package course

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// nudge is by how much a number of an input is moved, relative to its size, to
	// see what that does to the answer: 8 half-ulps of float32. A right program
	// rounds about as much on its way.
	nudge = 1.0 / (1 << 21)
	// nudges is how often a case is moved.
	nudges = 3
	// redraws is how many cases are drawn at most to find a well-conditioned one.
	redraws = 50
)

// Drawing draws calls of a function.
type Drawing struct {
	Function  string
	Draw      func(*rand.Rand) wire.Values
	Truth     Solver                      // nil for the function's own
	Tolerance func(output string) float64 // nil for the one measured on the function's fixtures

	name string // of its truth, "" for one that is not to be remembered
}

// settled is a drawing with nothing left open.
func (e *Exam) settled(d Drawing) Drawing {
	if d.Tolerance == nil {
		d.Tolerance = e.tolerances(d.Function)
	}
	if d.Truth == nil {
		d.Truth = e.Solve(d.Function)
		if e.Oracle == nil {
			d.name = e.Step.ID + " " + d.Function
		}
	}
	return d
}

// Drawn draws inputs until one is well-conditioned in the named outputs (all if none
// is named), and returns it beside the right answer.
func (e *Exam) Drawn(d Drawing, outputs ...string) (in, want wire.Values, err error) {
	d = e.settled(d)
	for range redraws {
		in = d.Draw(e.Rng)
		if want, err = d.Truth(in); err != nil {
			return nil, nil, err
		}
		well, err := d.wellConditioned(in, want, outputs)
		if well || err != nil {
			return in, want, err
		}
	}
	return nil, nil, fmt.Errorf("%s: none of %d cases that were drawn is well-conditioned", e.Check, redraws)
}

// WellDrawn draws a well-conditioned call of a function, for what is to stay in others.
func (e *Exam) WellDrawn(d Drawing) (wire.Values, error) {
	in, _, err := e.Drawn(d)
	return in, err
}

// wellConditioned reports whether an input that is a few roundings off has an
// answer that is still right, with every operation on the way a few roundings off as
// well. Where it has not, the case amplifies rounding (a
// sum that cancels, two tokens that are as likely), and a right float32 program
// may miss the answer by as much. To find out costs a few answers, and is remembered.
//
// An output that must be met exactly though it is not of whole numbers is copied
// from the input; nothing is rounded on its way.
func (d Drawing) wellConditioned(in, want wire.Values, outputs []string) (bool, error) {
	if len(outputs) == 0 {
		outputs = SortedNames(want)
	}
	if d.name == "" {
		return d.withstands(in, want, outputs)
	}
	name := d.name + " is well-conditioned"
	for _, output := range outputs {
		name += fmt.Sprintf(", %s to %g", output, d.Tolerance(output))
	}
	known, err := Remembered(name, func(in wire.Values) (wire.Values, error) {
		well, err := d.withstands(in, want, outputs)
		return wire.Values{"well": wire.Bools([]bool{well}, 1)}, err
	})(in)
	if err != nil {
		return false, err
	}
	return known["well"].Bool[0], nil
}

// withstands finds out whether the named outputs stay right where an input is a few
// roundings off.
func (d Drawing) withstands(in, want wire.Values, outputs []string) (bool, error) {
	rng := rand.New(rand.NewPCG(0x6e75646765, 1)) // "nudge"
	for range nudges {
		moved, err := d.Truth(With(nudged(rng, in), rough, wire.Int(rng.IntN(1<<40))))
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(outputs, func(name string) bool { return movedAway(name, moved[name], want[name], d.Tolerance(name)) }) {
			return false, nil
		}
	}
	return true, nil
}

// movedAway reports whether a moved answer is no longer the right one.
func movedAway(name string, moved, want wire.Value, tolerance float64) bool {
	floating := want.DType == wire.F32 || want.DType == wire.F64
	if floating && tolerance == 0 {
		return false
	}
	return verdict.Compare(name, moved, want, tolerance) != nil
}

// nudged returns a copy of an input in which every float32 number that is
// finite is a few roundings off.
func nudged(rng *rand.Rand, in wire.Values) wire.Values {
	out := wire.Values{}
	for _, name := range SortedNames(in) {
		v := in[name]
		if v.DType == wire.F32 {
			v.F32 = slices.Clone(v.F32)
			for i, x := range v.F32 {
				if near := float32(float64(x) * (1 + nudge*(2*rng.Float64()-1))); !math.IsInf(float64(near), 0) {
					v.F32[i] = near
				}
			}
		}
		out[name] = v
	}
	return out
}
