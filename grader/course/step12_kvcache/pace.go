package kvcache

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// part is how much of the time that the model takes for the whole text a call with a few
// tokens may take behind it. Right programs take a hundredth, and a twelfth if they turn
// all keys for every token; who reads the whole text again takes more than a half, by
// whatever product.
const part = 1.0 / 5

// paceKept times calls with few tokens behind a long text. It sees what multiplications
// that are counted do not: work that is done by other means than a matrix product.
func paceKept(e *course.Exam) error {
	limit := course.Limit{Ratio: part, Sure: course.Steady, Says: func(p course.Pace) lang.Text {
		return lang.T("a call with a few new tokens takes %.3g ms of a processor's time where the model takes %.3g ms for the whole text, %.2f of that; want less than %.2f. "+
			"What was read is not to be read again", 1e3*p.Own, 1e3*p.Other, p.Ratio(), part)
	}}
	return limit.Decide(func() (course.Pace, error) {
		in := drawLarge(e.Rng, 64, 400)
		want, err := e.Solve("kvcache.last")(in)
		if err != nil {
			return course.Pace{}, err
		}
		out, err := e.Ask("kvcache.time", in)
		if err != nil {
			return course.Pace{}, err
		}
		if err := e.Compare("kvcache.time", in, out, want, []string{"logits"}, coarse); err != nil {
			return course.Pace{}, err
		}
		own, whole := out["own"], out["whole"]
		if own.DType != wire.F64 || whole.DType != wire.F64 || own.Len() != 1 || whole.Len() != 1 {
			return course.Pace{}, e.Fails("kvcache.time", in, "own is %s and whole is %s; want two times in seconds", own, whole)
		}
		calls := float64(in["calls"].Len() - 1)
		return course.Pace{Asked: e.Asked("kvcache.time", in), Own: own.F64[0] / calls, Other: whole.F64[0]}, nil
	})
}

// coarse is the tolerance where something else is measured: whether logits are right to
// the last bit, other checks ask.
func coarse(string) float64 { return 1e-3 }
