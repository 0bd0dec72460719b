package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// tail checks SiLU where it is small: what is less than the tolerance there can be all of it.
func tail(e *course.Exam) error {
	in := wire.Values{"x": farOut(e)}
	y, err := e.Array("silu.forward", in, "y", in["x"].Len())
	if err != nil {
		return err
	}
	for i, x := range in["x"].F32 {
		want := float64(x) / (1 + math.Exp(-float64(x)))
		if !nearly(y[i], want) {
			return e.Fails("silu.forward", in,
				"SiLU(%.4g) is %.4g; want %.4g: that is small, and not nothing", x, y[i], want)
		}
	}
	return nil
}

// slopeOfTail does so with the derivative.
func slopeOfTail(e *course.Exam) error {
	x := farOut(e)
	in := wire.Values{"x": x, "dy": course.Ones(x.Len())}
	dx, err := e.Array("silu.backward", in, "dx", x.Len())
	if err != nil {
		return err
	}
	for i, x := range x.F32 {
		s := 1 / (1 + math.Exp(-float64(x)))
		want := s * (1 + float64(x)*(1-s))
		if !nearly(dx[i], want) {
			return e.Fails("silu.backward", in,
				"the derivative of SiLU at %.4g is %.4g; want %.4g: that is small, and not nothing", x, dx[i], want)
		}
	}
	return nil
}

// farOut draws numbers for which SiLU is small, and which every form that is right at −14, where
// a fixture asks, still has digits for.
func farOut(e *course.Exam) wire.Value {
	const n, from, to = 16, -25, -15
	x := make([]float32, n)
	for i := range x {
		x[i] = from + (to-from)*e.Rng.Float32()
	}
	return wire.Float32s(x, n)
}

// nearly reports whether a number is another to a tenth of it.
func nearly(got float32, want float64) bool {
	return math.Abs(float64(got)-want) <= 0.1*math.Abs(want)
}
