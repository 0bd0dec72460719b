package softmax

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// shiftInvariant adds another constant to every row, along every axis: softmax must not
// notice, though rows side by side lie thousands apart.
func shiftInvariant(e *course.Exam) error {
	return course.All(shifted(1, 5, 9), shifted(0, 9, 5), shifted(1, 2, 9, 5))(e)
}

// shifted is shiftInvariant along one axis. The wanted values are those of the rows
// without the constants, which are multiples of 1/64 so that adding them is exact.
func shifted(axis int, shape ...int) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := wire.Values{"x": course.Normal(e.Rng, 2, shape...), "axis": wire.Int(axis - len(shape))}
		x := in["x"].F32
		for i := range x {
			x[i] = float32(math.Round(float64(x[i])*64) / 64)
		}
		want, err := e.Truth("softmax.forward", in)
		if err != nil {
			return err
		}
		inner := 1
		for _, d := range shape[axis+1:] {
			inner *= d
		}
		for i := range x {
			row := i/(inner*shape[axis])*inner + i%inner
			x[i] += float32(row-2) * 1024
		}
		got, err := e.Ask("softmax.forward", in)
		if err != nil {
			return err
		}
		return e.Compare("softmax.forward", in, got, want, nil, func(name string) float64 { return e.Tolerance("softmax.forward", name) })
	}
}

// hardColumns asks for the hard rows along the first axis, and for more of them along
// both: rows hundreds apart, and a NaN or an infinity among masked entries.
func hardColumns(function string) func(*course.Exam) error {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	var inputs []wire.Values
	for _, in := range hardSoftmax() {
		inputs = append(inputs, turned(in["x"]))
	}
	for _, row := range [][]float32{
		{300, 301, 299.5, 300}, {-300, -301, -299.5, -300}, {nan, -inf, -inf, -inf}, {-inf, -inf, -inf, nan}, {-inf, nan, 3, -inf},
		{nan, nan, nan, nan}, {inf, -inf, -inf, -inf}, {-inf, inf, -inf, inf},
	} {
		rows := wire.Float32s(slices.Concat([]float32{0.5, -0.25, 1, 2}, row, []float32{-400, -401, -399, -402}), 3, 4)
		inputs = append(inputs, wire.Values{"axis": wire.Int(1), "x": rows}, turned(rows))
	}
	return func(e *course.Exam) error {
		return course.InTurn(len(inputs), func(i int) error { return e.Against(function, inputs[i], nil) })
	}
}

// turned is a call with rows of a matrix as columns.
func turned(rows wire.Value) wire.Values {
	n, m := rows.Shape[0], rows.Shape[1]
	columns := make([]float32, n*m)
	for i, v := range rows.F32 {
		columns[i%m*n+i/m] = v
	}
	return wire.Values{"axis": wire.Int(0), "x": wire.Float32s(columns, m, n)}
}

// sizes are calls with rows of one number, of many, and so many rows that they are
// divided among workers, with a remainder.
func sizes(function string, arrays ...string) []course.Drawing {
	var all []course.Drawing
	for _, c := range []struct {
		axis  int
		shape []int
	}{
		{0, []int{1}}, {0, []int{5}}, {1, []int{4, 1}}, {0, []int{1, 3}}, {0, []int{5, 2}}, {-2, []int{2, 1, 3}}, {1, []int{3, 4, 2, 5}},
		{1, []int{2, 1031}}, {0, []int{1031, 3}}, {-1, []int{347, 6}}, {1, []int{3, 7, 331}},
	} {
		all = append(all, course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
			in := wire.Values{"axis": wire.Int(c.axis)}
			for _, name := range arrays {
				in[name] = course.Normal(rng, 1, c.shape...)
			}
			return in
		}})
	}
	return all
}

// atOnce are calls that goroutines make at the same time, of rows that lie together and
// of others.
func atOnce() []course.Drawing {
	var all []course.Drawing
	for _, function := range []struct {
		name   string
		arrays []string
	}{{"softmax.forward", []string{"x"}}, {"softmax.backward", []string{"x", "dy"}}, {"logsumexp", []string{"x"}}} {
		drawings := sizes(function.name, function.arrays...)
		all = append(all, drawings[len(drawings)-2:]...)
	}
	draw := func(rng *rand.Rand) wire.Values {
		return wire.Values{"logits": course.Normal(rng, 1, 3, 7, 31), "targets": course.IDs(rng, 31, 3, 7)}
	}
	return append(all, course.Drawing{Function: "cross_entropy.forward", Draw: draw}, course.Drawing{Function: "cross_entropy.backward", Draw: draw})
}

// hugeLogits are so large that a number between them is lost if it is added to one.
func hugeLogits(targets ...int64) wire.Values {
	rows := []float32{1e30, 1e30, -1e30, -1e30, -1e30, -1e30, 3e37, -3e37, 3e37, 2, 1, 2}
	return wire.Values{"logits": wire.Float32s(rows, 2, 2, 3), "targets": wire.Ints(targets, 2, 2)}
}

// hugeLoss asks for the loss of huge logits: of two that are equal, each has a half.
func hugeLoss(e *course.Exam) error {
	const function = "cross_entropy.forward"
	less := math.Log(2 + 1/math.E) // of a 2 beside another and a 1
	for _, c := range []struct {
		targets []int64
		loss    float64 // of all four tokens
	}{{[]int64{0, 1, 2, 0}, 2*math.Ln2 + math.Log(3) + less}, {[]int64{1, 0, 0, 1}, 2*math.Ln2 + math.Log(3) + less + 1}} {
		in := hugeLogits(c.targets...)
		got, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		want := wire.Values{"loss": wire.Float(c.loss / 4)}
		if err := e.Compare(function, in, got, want, nil, func(name string) float64 { return e.Tolerance(function, name) }); err != nil {
			return err
		}
	}
	return nil
}

// manyTokens asks for the loss of one token that is as far off as can be and of many at
// ln 2, which are lost if they are added to the first in float32.
func manyTokens(e *course.Exam) error {
	const function, tokens, far = "cross_entropy.forward", 40_000, 3e7
	logits := make([]float32, 2*(tokens+1))
	logits[1] = far
	in := wire.Values{"logits": wire.Float32s(logits, 1, tokens+1, 2), "targets": wire.Ints(make([]int64, tokens+1), 1, tokens+1)}
	got, err := e.Ask(function, in)
	if err != nil {
		return err
	}
	want := wire.Values{"loss": wire.Float((far + tokens*math.Ln2) / (tokens + 1))}
	return e.Compare(function, in, got, want, nil, func(name string) float64 { return e.Tolerance(function, name) })
}

// hugeGradient asks for the gradient of that loss.
func hugeGradient(e *course.Exam) error {
	return e.Against("cross_entropy.backward", hugeLogits(0, 1, 2, 0), nil)
}
