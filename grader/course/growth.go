package course

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Growth says what the calls of a function may cost, absolutely or while one size of
// theirs grows and the others stay. The bindings of the function measure it: those of all
// layers do (Args.Twice), others say which of their calls count (Args.Cost).
type Growth struct {
	Function string
	Draw     func(rng *rand.Rand, size int) wire.Values // well-conditioned enough for loosely
	Size     string                                     // what grows, for people: "T_max"
	Sizes    []int                                      // a small one and a large one, or one alone
	From     int                                        // the first call that counts, from 0: before it, buffers may grow
	Look     [2]int                                     // after how many calls the memory in use is looked at; a layer is asked as often as the second says
	Output   string                                     // that is compared; all others if empty
	Bounds   []Bound
}

// Bound is what one kind of cost may come to.
type Bound struct {
	Cost Cost
	Most float64 // times what Of says, or else what the same call costs at the small size
	Free float64 // on top, bytes
	// Of says what a call needs, if that is known. Without it, what is said to cost more at the large size is
	// excused where the multiplications have grown as much.
	Of     func(in wire.Values, call int) float64
	Advice lang.Text
}

// Cost is something that can be counted, or timed within one process.
type Cost string

// The costs of a call.
const (
	Multiplications Cost = "multiplications" // of matrix products
	Allocated       Cost = "allocated"       // bytes
	Kept            Cost = "kept"            // bytes in use, more after the later call of Look than after the earlier, beyond what one call allocates
	Seconds         Cost = "seconds"         // of a processor
)

// loosely is the tolerance where something else is measured: whether results are right to
// the last bit, other checks ask.
func loosely(string) float64 { return 1e-3 }

// Grows checks what calls cost, and compares their results, so that whoever computes
// nothing has not saved anything.
func Grows(g Growth) func(*Exam) error {
	return func(e *Exam) error {
		timed := func(b Bound) bool { return b.Cost == Seconds }
		counted := slices.DeleteFunc(slices.Clone(g.Bounds), timed)
		if len(counted) > 0 {
			large, small, err := g.runs(e)
			if err != nil {
				return err
			}
			if err := InTurn(len(counted), func(i int) error { return g.holds(e, counted[i], large, small) }); err != nil {
				return err
			}
		}
		if i := slices.IndexFunc(g.Bounds, timed); i >= 0 {
			return g.timed(e, g.Bounds[i])
		}
		return nil
	}
}

// ran is a call of the function that was measured.
type ran struct{ in, out wire.Values }

// runs measures at the large size, and at the small one if there is one.
func (g Growth) runs(e *Exam) (large, small ran, err error) {
	if large, err = g.run(e, g.Sizes[len(g.Sizes)-1]); err == nil && len(g.Sizes) > 1 {
		small, err = g.run(e, g.Sizes[0])
	}
	return large, small, err
}

func (g Growth) run(e *Exam, size int) (ran, error) {
	in := g.Draw(e.Rng, size)
	want, err := e.Solve(g.Function)(in)
	if err != nil {
		return ran{}, err
	}
	asked := With(in, measured, wire.Ints([]int64{int64(g.Look[0]), int64(max(g.Look[1], g.From+2))}, 2))
	out, err := e.Ask(g.Function, asked)
	if err != nil {
		return ran{}, err
	}
	var outputs []string
	if g.Output != "" {
		outputs = []string{g.Output}
	}
	if err := e.Compare(g.Function, asked, out, want, outputs, loosely); err != nil {
		return ran{}, err
	}
	for _, c := range []Cost{Multiplications, Allocated, Seconds} {
		if v := out[wire.Cost+string(c)]; v.Len() <= g.From {
			return ran{}, fmt.Errorf("%s: %d calls were measured, of which those from %d on count", g.Function, v.Len(), g.From)
		}
	}
	return ran{asked, out}, nil
}

// measured is the argument that asks for costs, and for the memory in use after two of
// the calls.
const measured = "measured"

// of returns what the calls that count have cost.
func (r ran) of(c Cost, from int) []float64 {
	v := r.out[wire.Cost+string(c)]
	if c == Kept {
		return verdict.Numbers(v)
	}
	return verdict.Numbers(v)[from:]
}

// holds compares what was counted with a bound.
func (g Growth) holds(e *Exam, b Bound, large, small ran) error {
	flag := g.Size + "/" + string(b.Cost) + " of " + g.Function
	for i, cost := range large.of(b.Cost, g.From) {
		call, limit := g.From+i, 0.0
		switch {
		case b.Cost == Kept && b.Of == nil:
			limit = max(b.Most, 1)*usual(large.of(Allocated, 0)[g.Look[0]:]) + b.Free // one call's memory may be that of another
		case b.Of != nil:
			limit = b.Most*b.Of(large.in, call) + b.Free
		default:
			limit = b.Most*small.of(b.Cost, g.From)[i]*excuse(large, small, g.From) + b.Free
		}
		if e.MarkFlag(flag, cost <= limit); cost > limit {
			return &verdict.Failure{Kind: verdict.TooCostly, What: string(b.Cost), Function: g.Function, Asked: e.Asked(g.Function, large.in),
				Message: lang.Lines(g.says(b, call, cost, limit), b.Advice), Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained}}
		}
	}
	return nil
}

// usual is what the last calls allocate, a few that allocate more aside: it is seldom that
// what never stops growing gets new room. The first calls may need less than the last.
func usual(allocated []float64) float64 {
	last := slices.Sorted(slices.Values(allocated[len(allocated)-min(len(allocated), 9):]))
	return last[len(last)/2]
}

// excuse is how many times as many multiplications the large size takes: whoever looks
// at all the room that there is does so with everything.
func excuse(large, small ran, from int) float64 {
	const c = Multiplications
	return max(1, slices.Max(large.of(c, from))/max(1, slices.Min(small.of(c, from))))
}

// says what a call has cost and what it may.
func (g Growth) says(b Bound, call int, cost, limit float64) lang.Text {
	switch {
	case b.Cost == Kept && b.Of != nil:
		return lang.T("after call %d, %.0f bytes more are in use than before the first; want at most %.0f.", g.Look[1], cost, limit)
	case b.Cost == Kept:
		return lang.T("after call %d, %.0f bytes more are in use than after call %d; want at most %.0f more, however many calls there are.", g.Look[1], cost, g.Look[0], limit)
	case b.Cost == Multiplications:
		return lang.T("call %d took %.0f multiplications in the matrix products; want at most %.0f.", call+1, cost, limit)
	case len(g.Sizes) > 1:
		return lang.T("with %s = %d, call %d allocated %.0f bytes; want at most %.0f, as it takes with %s = %d.", g.Size, g.Sizes[1], call+1, cost, limit, g.Size, g.Sizes[0])
	}
	return lang.T("call %d allocated %.0f bytes; want at most %.0f.", call+1, cost, limit)
}

// timed compares the fastest of the calls at both sizes.
func (g Growth) timed(e *Exam, b Bound) error {
	limit := Limit{Ratio: b.Most, Sure: Steady, Says: func(p Pace) lang.Text {
		return lang.Lines(lang.T("with %s = %d, a call takes %.3g ms of a processor's time, %.1f times what it takes with %s = %d; want at most %.3g times.",
			g.Size, g.Sizes[1], 1e3*p.Own, p.Ratio(), g.Size, g.Sizes[0], b.Most), b.Advice)
	}}
	return limit.Decide(func() (Pace, error) {
		large, small, err := g.runs(e)
		if err != nil {
			return Pace{}, err
		}
		return Pace{Function: g.Function, Asked: e.Asked(g.Function, large.in), Own: slices.Min(large.of(Seconds, g.From)),
			Other: slices.Min(small.of(Seconds, g.From)) * excuse(large, small, g.From)}, nil
	})
}
