package lora

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawnEvenly looks at what Init draws: the bounds, the distribution, the zeros of B, and
// that one seed gives one adapter and another another.
func drawnEvenly(e *course.Exam) error {
	const function, out, rank = "lora.init", 103, 97
	for _, in := range []int{211, 400} {
		args := wire.Values{"out": wire.Int(out), "in": wire.Int(in), "rank": wire.Int(rank),
			"seed": wire.Int(int(e.Rng.Int64N(1 << 40)))}
		a, err := e.Array(function, args, "a", rank, in)
		if err != nil {
			return err
		}
		b, err := e.Array(function, args, "b", out, rank)
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(b, func(x float32) bool { return x != 0 }); at >= 0 {
			return e.Fails(function, args,
				"B[%d][%d] is %g, want 0: the layer is to begin as it was without the adapter", at/rank, at%rank, b[at])
		}
		if err := even(e, args, a, 1/math.Sqrt(float64(in))); err != nil {
			return err
		}
		again, err := e.Array(function, args, "a", rank, in)
		if err != nil {
			return err
		}
		if !slices.Equal(a, again) {
			return e.Fails(function, args,
				"the same generator gives another A the second time: draw from rng and from nothing else")
		}
		next := course.With(args, "seed", wire.Int(int(args["seed"].I64[0])+1))
		other, err := e.Array(function, next, "a", rank, in)
		if err != nil {
			return err
		}
		if slices.Equal(a, other) {
			return e.Fails(function, args, "another generator gives the same A: draw from rng")
		}
	}
	return nil
}

// even checks draws against the even distribution in ±bound, by the Kolmogorov-Smirnov
// distance, which a right sample exceeds once in a billion times (Massart 1990).
func even(e *course.Exam, in wire.Values, a []float32, bound float64) error {
	const function = "lora.init"
	sorted := slices.Clone(a)
	slices.Sort(sorted)
	n := float64(len(sorted))
	limit := math.Sqrt(math.Log(2/1e-9) / (2 * n))
	if lo, hi := float64(sorted[0]), float64(sorted[len(sorted)-1]); !(lo >= -bound*(1+1e-6) && hi <= bound*(1+1e-6)) {
		return e.Fails(function, in,
			"A lies between %.4g and %.4g, want all of it between ±1/√in = ±%.4g", lo, hi, bound)
	}
	for i, x := range sorted {
		p := (float64(x)/bound + 1) / 2
		if distance := max(p-float64(i)/n, float64(i+1)/n-p); distance > limit {
			return e.Fails(function, in,
				"A is not drawn evenly from ±1/√in = ±%.4g: %.1f %% of it lies below %.4g, want %.1f %%", bound, 100*float64(i+1)/n, x, 100*p)
		}
	}
	for row := range slices.Chunk(a, int(in["in"].I64[0])) {
		if slices.Equal(row, a[:len(row)]) && &row[0] != &a[0] {
			return e.Fails(function, in, "two rows of A are the same: every number is drawn")
		}
	}
	return nil
}

// restored merges and unmerges: the weight is the same bit for bit.
func restored(e *course.Exam) error {
	const function = "lora.merged"
	for _, turns := range [][]int64{{1, 0}, {1, 1, 0}, {1, 0, 1, 0}, {0}} {
		in := course.With(drawForward(e.Rng), "turns", wire.Ints(turns, len(turns)))
		weight, err := e.Array(function, in, "weight", in["w"].Shape...)
		if err != nil {
			return err
		}
		for at, x := range weight {
			if want := in["w"].F32[at]; !course.SameBits(x, want) {
				return e.Fails(function, in,
					"after Unmerge the weight is not what it was before Merge: entry %d is %.9g, want %.9g. To subtract what was added leaves roundings behind; keep a copy", at, x, want)
			}
		}
	}
	return nil
}

// unmoved makes updates with a large weight decay: the frozen weights stay bit for bit.
func unmoved(e *course.Exam) error {
	const function = "lora.optimizer"
	in := drawOptimizer(e.Rng)
	weight, err := e.Array(function, in, "weight", in["w"].Shape...)
	if err != nil {
		return err
	}
	for at, x := range weight {
		if want := in["w"].F32[at]; !course.SameBits(x, want) {
			return e.Fails(function, in,
				"an update has moved the frozen weight: entry %d is %.9g, want %.9g", at, x, want)
		}
	}
	return nil
}

// ignored asks for a loss and its gradient where targets that do not count are no tokens:
// nobody looks at them.
func ignored(function, output string) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := drawLoss(e.Rng)
		want, err := e.Truth(function, in)
		if err != nil {
			return err
		}
		targets := in["targets"]
		targets.I64 = slices.Clone(targets.I64)
		for at, counts := range in["counted"].Bool {
			if !counts {
				targets.I64[at] = -100
			}
		}
		in = course.With(in, "targets", targets)
		got, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		return e.Compare(function, in, got, want, []string{output},
			func(output string) float64 { return e.Tolerance(function, output) })
	}
}

// addedUp asks for the loss of many tokens, several times: where goroutines add to one sum,
// some of what they add is lost. A token is 10⁻⁴ of it and more, rounding in float32 less.
func addedUp(e *course.Exam) error {
	const function, tolerance = "answer_loss.forward", 5e-5
	in := manyTexts(e.Rng)
	want, err := e.Solve(function)(in)
	if err != nil {
		return err
	}
	return course.InTurn(8, func(int) error {
		got, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		return e.Compare(function, in, got, want, nil, func(string) float64 { return tolerance })
	})
}
