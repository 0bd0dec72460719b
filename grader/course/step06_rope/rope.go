// Package rope says how step 06 is checked; what its functions look like says
// fixtures/step06_rope/functions.txt.
package rope

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step06", Name: "rope", Folder: "step06_rope", Track: course.Core,
		Title:     "RoPE, positions as rotations",
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step06_rope"),
		Checks: []course.Check{
			{ID: "rope.tables", Title: "the tables of cosines and sines agree with PyTorch", Points: 15, Run: course.Agrees("rope.tables")},
			{ID: "rope.forward", Title: "the rotation agrees with PyTorch", Points: 20, Run: course.Agrees("rope.forward", "y")},
			{ID: "rope.forward.fresh", Title: "the rotation on fresh random cases; an empty batch is fine", Points: 10,
				Run: course.All(course.AgreesFresh("rope.forward", drawRoPE, "y"), emptyBatch("rope.forward", "x", "y"), course.AgreesForEach(oddRoPE("rope.forward", "x")...))},
			{ID: "rope.forward.distance", Title: "a query's score with a key depends on their distance only", Points: 10, Run: distanceOnly},
			{ID: "rope.forward.pure", Title: "the input is left untouched, and lengths are kept", Points: 5, Run: keepsLength},
			{ID: "rope.forward.bad_input", Title: "positions outside the table and odd widths are refused", Points: 10, Run: course.All(append(refusedTables(), refused("rope.forward", "x")...)...)},
			{ID: "rope.backward", Title: "the gradient agrees with PyTorch, and bad positions are refused", Points: 15,
				Run: course.All(course.Agrees("rope.backward"), course.All(refused("rope.backward", "dy")...))},
			{ID: "rope.backward.fresh", Title: "the gradient on fresh random cases; an empty batch is fine", Points: 10,
				Run: course.All(course.AgreesFresh("rope.backward", drawRoPEBackward), emptyBatch("rope.backward", "dy", "dx"), course.AgreesForEach(oddRoPE("rope.backward", "dy")...))},
			course.Again("rope.forward.again",
				course.AskedAgain(course.Layer{Forward: "rope.forward", Input: "x", Draw: drawRoPE}), otherPositions, otherWidth,
				course.SharedAtOnce(manyRows("rope.forward", "x"), manyRows("rope.backward", "dy"))),
		},
		Inside: []string{"rope.forward.again"},
		Hints: []course.Hint{
			course.AgainHint("rope.forward.again"),
			{For: "rope.forward.bad_input", Text: "Look at everything before you write anything: the width of x is twice that of the tables, positions has one row or a row for each batch entry, each row T long, and every position p has 0 ≤ p < L, the length of the tables."},
			{For: "rope.tables", Text: "Pair k turns by Θ^(−2k/K) a position: k = 0 turns by one radian, the last pair hardly at all."},
			{For: "rope.tables", Text: "Compute the angles in float64: at a position of some thousands a float32 angle is off by more than the whole rounding error of a cosine."},
			{For: "rope.tables", Text: "freq := math.Pow(theta, −2·float64(k)/float64(dK)); cos[p][k] = float32(math.Cos(float64(p)·freq)). k counts pairs from 0."},
			{For: "rope.forward", Text: "Pairs are neighbours here: (0,1), (2,3), … Many published codes pair i with i + K/2 instead; that is another, equally good convention, but not this one."},
			{For: "rope.forward", Text: "A rotation by φ takes (a, b) to (a·cos φ − b·sin φ, a·sin φ + b·cos φ). Read both a and b before you write either."},
			{For: "rope.forward", Text: "Row r of x belongs to token r mod T of batch entry r / (rows per entry). Look its position up in positions; do not use r."},
			{For: "rope.backward", Text: "The derivative of a rotation is the rotation itself, and the gradient goes through its transpose: the rotation by −φ."},
			{For: "rope.backward", Text: "The same loop as the forward pass with the sign of sin changed."},
		},
	}
}

func drawRoPE(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 2, 9)
	b, h, t, pairs := n[0], n[1], n[2], course.Between(rng, 2, 7)
	const limit = 64
	rows := b
	if rng.IntN(2) == 0 {
		rows = 1
	}
	return wire.Values{
		"x":           course.Normal(rng, 1, b, h, t, 2*pairs),
		"positions":   course.IDs(rng, limit, rows, t),
		"theta":       wire.Float(math.Exp(3 + 7*rng.Float64())),
		"max_seq_len": wire.Int(limit),
	}
}

func drawRoPEBackward(rng *rand.Rand) wire.Values {
	in := drawRoPE(rng)
	in["dy"] = in["x"]
	delete(in, "x")
	return in
}

// oddRoPE are cases for which a shortcut seems possible: all positions 0, which turns
// nothing, a single token, and so many rows that they are divided among workers.
func oddRoPE(function, input string) []course.Drawing {
	var all []course.Drawing
	for _, shape := range [][]int{{1, 1, 1, 4}, {1, 2, 1, 2}, {2, 3, 1, 4}, {2, 3, 4, 6}} {
		all = append(all, course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
			in := ropeOf(rng, input, shape...)
			clear(in["positions"].I64)
			return in
		}})
	}
	return append(all, course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values { return ropeOf(rng, input, 1, 1, 1, 2) }},
		manyRows(function, input))
}

// manyRows has rows of which a number is left over, whoever takes them in groups.
func manyRows(function, input string) course.Drawing {
	return course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values { return ropeOf(rng, input, 1, 3, 347, 6) }}
}

// ropeOf draws a call with an array of the given shape, and positions for each of its
// sequences.
func ropeOf(rng *rand.Rand, input string, shape ...int) wire.Values {
	const limit = 64
	return wire.Values{input: course.Normal(rng, 1, shape...), "positions": course.IDs(rng, limit, shape[0], shape[len(shape)-2]),
		"theta": wire.Float(500), "max_seq_len": wire.Int(limit)}
}

// emptyBatch gives a function a batch without rows. The output must have the
// same shape; there is nothing else to be wrong.
func emptyBatch(function, input, output string) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := wire.Values{input: wire.Float32s([]float32{}, 0, 2, 3, 4), "positions": wire.Ints([]int64{0, 1, 2}, 1, 3),
			"theta": wire.Float(100), "max_seq_len": wire.Int(8)}
		_, err := e.Array(function, in, output, 0, 2, 3, 4)
		return err
	}
}

// distanceOnly rotates one query and one key at pairs of positions with equal
// distance and compares their dot products (Su et al. 2021, equation 11).
func distanceOnly(e *course.Exam) error {
	const k, limit = 8, 256
	vectors := course.Normal(e.Rng, 1, 2, k) // the query and the key
	score := func(m, n int64) (float64, error) {
		in := wire.Values{"x": wire.Float32s(vectors.F32, 1, 2, k), "positions": wire.Ints([]int64{m, n}, 1, 2),
			"theta": wire.Float(1000), "max_seq_len": wire.Int(limit)}
		out, err := e.Ask("rope.forward", in)
		if err != nil {
			return 0, err
		}
		y := out["y"]
		if y.DType != wire.F32 || y.Len() != 2*k {
			return 0, &verdict.Failure{Kind: verdict.WrongShape, Asked: e.Asked("rope.forward", in),
				Message: lang.T("y is %s; want f32 (1, 2, %d)", y, k)}
		}
		dot := 0.0
		for i := range k {
			dot += float64(y.F32[i]) * float64(y.F32[k+i])
		}
		return dot, nil
	}
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, distance := range course.Distinct(e.Rng, course.FreshCases, 0, 39) {
		distance, shift := int64(distance), int64(1+e.Rng.IntN(150))
		at, err := score(distance, 0)
		if err != nil {
			return err
		}
		moved, err := score(distance+shift, shift)
		if err != nil {
			return err
		}
		lowest, highest = min(lowest, at), max(highest, at)
		if !(math.Abs(at-moved) <= 1e-4*(1+math.Abs(at))) {
			return &verdict.Failure{Kind: verdict.WrongValues,
				Asked: lang.T("rope.forward on one query and one key at two pairs of positions with the same distance"),
				Message: lang.T("the score at positions (%d, 0) is %.6f, at (%d, %d) it is %.6f; both distances are %d, so both scores must be equal",
					distance, at, distance+shift, shift, moved, distance)}
		}
	}
	if !(highest-lowest > 1e-3) {
		return &verdict.Failure{Kind: verdict.WrongValues,
			Asked:   lang.T("rope.forward on one query and one key at %d distances", course.FreshCases),
			Message: lang.T("the score is %.6f at every distance; a rotation by the position makes it depend on the distance", lowest)}
	}
	return nil
}

// keepsLength checks that a rotation turns pairs, changes no pair's length, and
// leaves its input alone.
func keepsLength(e *course.Exam) error {
	in := drawRoPE(e.Rng)
	in["positions"].I64[0] = int64(course.Between(e.Rng, 1, 60)) // position 0 is not turned
	out, err := e.Ask("rope.forward", in)
	if err != nil {
		return err
	}
	x, y := in["x"], out["y"]
	if len(y.F32) != len(x.F32) {
		return &verdict.Failure{Kind: verdict.WrongShape, Asked: e.Asked("rope.forward", in), Message: lang.T("y is %s; want %s", y, x)}
	}
	for i := 0; i < len(x.F32); i += 2 {
		was := math.Hypot(float64(x.F32[i]), float64(x.F32[i+1]))
		is := math.Hypot(float64(y.F32[i]), float64(y.F32[i+1]))
		if !(math.Abs(was-is) <= 1e-5*(1+was)) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("rope.forward", in),
				Message: lang.T("the pair at %d, %d of the flattened array had length %.6f and has %.6f after the rotation; a rotation keeps lengths", i, i+1, was, is)}
		}
	}
	if slices.Equal(x.F32, y.F32) {
		return e.Fails("rope.forward", in, "y is x; at a position above 0 every pair is turned")
	}
	if touched, ok := out["x"]; ok {
		kept := 0.0
		if slices.Equal(touched.F32, x.F32) {
			kept = 1
		}
		e.MarkOutcome(e.Check+"/x is kept", kept, 1, 0.5)
		return e.InputKept("rope.forward", in, "x", touched)
	}
	return nil
}
