// Package initializers says how step 01 is checked; what its functions look like says
// fixtures/step01_init/functions.txt.
package initializers

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
		ID: "step01", Name: "initializers", Folder: "step01_init", Track: course.Core,
		Title:     "Initialisation, the first random weights",
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step01_init"),
		Checks: []course.Check{
			{ID: "truncnormal.bounds", Title: "no draw lies outside the cut, and none is pushed onto it", Points: 10, Run: course.All(bounds(0.02, 3), bounds(1.5, 1), rare(10_000, 0.02), rare(200, 2e-4))},
			{ID: "truncnormal.distribution", Title: "the draws follow the truncated normal distribution", Points: 20, Run: course.All(follows(0.02, 3), follows(1, 1), follows(2, 0.5), reaches)},
			{ID: "linear.weight", Title: "linear weights have σ² = 2/(d_in + d_out), cut at 3σ", Points: 20, Run: course.All(linearWeight(300, 700), linearWeight(900, 300))},
			{ID: "embedding.weight", Title: "embedding weights have σ = 1, cut at 3; gains are ones", Points: 20, Run: course.All(embeddingWeight,
				course.AgreesOn("gain", wire.Values{"d": wire.Int(7)}, wire.Values{"d": wire.Int(0)}), course.AgreesFresh("gain", course.DrawSize("d", 8, 99)))},
			{ID: "seed.reproducible", Title: "the same seed and name give the same numbers", Points: 10, Run: reproducible},
			{ID: "seed.streams", Title: "another seed, and another name, give other numbers", Points: 15, Run: streams},
			{ID: "truncnormal.cut", Title: "a cut that is not positive is refused", Points: 5, Run: positiveCut}, // last: what hangs is not asked again
		},
		Truths: map[string]course.Solver{"gain": ones},
		Hints: []course.Hint{
			{For: "truncnormal", Text: "A truncated normal is a normal distribution with its tails taken away, and what is left scaled up to one. Nothing piles up at the ends."},
			{For: "truncnormal", Text: "Clamping a draw that falls outside puts it exactly on the cut: about 0.27 % of all weights, at 3σ, would be equal to ±3σ. Draw again instead."},
			{For: "truncnormal", Text: "for { z := rng.NormFloat64(); if |z| ≤ cut { dst[i] = float32(sigma·z); break } }"},
			{For: "truncnormal.bounds", Text: "However small the cut is, draw until a number is inside. A limit on the attempts puts some other number there, which the density does not allow."},
			{For: "truncnormal.cut", Text: "With a cut of 0 no draw is ever accepted, and a loop that draws again never ends. Panic first unless cut > 0."},
			{For: "linear.weight", Text: "σ² = 2/(d_in + d_out) is a variance; a draw is multiplied by σ, its square root. The cut is in units of σ too."},
			{For: "linear.weight", Text: "TruncatedNormal(w.Data, math.Sqrt(2/float64(dIn+dOut)), 3, rng)"},
			{For: "embedding.weight", Text: "σ is 1 whatever the sizes are, and the cut is 3."},
			{For: "seed", Text: "Two tensors that start from the same stream start with the same numbers. Mix the tensor's name into the seed."},
			{For: "seed", Text: "A PCG generator takes two seeds (math/rand/v2). One can be the run's seed, the other a hash of the name (hash/fnv)."},
			{For: "seed.streams", Text: "Whoever enters one stream at another place for every name gets the same numbers, only later. The seed and the name belong into what the generator starts from."},
			{For: "seed.reproducible", Text: "Draw in one order from the rng that you are given, whatever the number of processors is. Do not cut the work by GOMAXPROCS."},
			{For: "seed", Text: "h := fnv.New64a(); h.Write([]byte(name)); return rand.New(rand.NewPCG(seed, h.Sum64()))"},
			{For: "seed", Text: "rng is the only source of chance, in all three drawing functions: hand it on, and draw again from it."},
			{For: "embedding.weight", Text: "A gain of 1 leaves the normalised row as it is: training starts from there. Make a tensor and fill it with ones."},
		},
	}
}

// draws is the size of a statistical sample. At 200,000 draws a test at one in
// a billion still sees a standard deviation that is 1 % off.
const draws = 200_000

func sample(rng *rand.Rand, n int, sigma, cut float64) wire.Values {
	return wire.Values{"n": wire.Int(n), "sigma": wire.Float(sigma), "cut": wire.Float(cut),
		"seed": wire.Int(int(rng.Int32())), "name": wire.String("layers.0.ffn.w1.weight")}
}

// follows checks a sample of TruncatedNormal against the distribution.
func follows(sigma, cut float64) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := sample(e.Rng, draws, sigma, cut)
		x, err := e.Array("truncnormal.sample", in, "x", draws)
		if err != nil {
			return err
		}
		return truncatedNormal(e, "truncnormal.sample", in, x, sigma, cut)
	}
}

func linearWeight(dOut, dIn int) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := wire.Values{"d_out": wire.Int(dOut), "d_in": wire.Int(dIn), "seed": wire.Int(int(e.Rng.Int32())), "name": wire.String("w")}
		w, err := e.Array("linear.weight", in, "w", dOut, dIn)
		if err != nil {
			return err
		}
		return truncatedNormal(e, "linear.weight", in, w, math.Sqrt(2/float64(dIn+dOut)), 3)
	}
}

func embeddingWeight(e *course.Exam) error {
	const vocab, d = 500, 400
	in := wire.Values{"vocab": wire.Int(vocab), "d_model": wire.Int(d), "seed": wire.Int(int(e.Rng.Int32())), "name": wire.String("token_embeddings.weight")}
	w, err := e.Array("embedding.weight", in, "w", vocab, d)
	if err != nil {
		return err
	}
	return truncatedNormal(e, "embedding.weight", in, w, 1, 3)
}

// ones is what a gain begins with, which a student edition knows too.
func ones(in wire.Values) (wire.Values, error) {
	return wire.Values{"g": course.Ones(int(in["d"].I64[0]))}, nil
}

// truncatedNormal tests a sample against N(0, σ²) on |x| ≤ cut·σ: its standard
// deviation, which is what a wrong formula changes, and then the whole
// distribution by the Kolmogorov-Smirnov distance.
func truncatedNormal(e *course.Exam, function string, in wire.Values, x []float32, sigma, cut float64) error {
	wrong := func(format string, args ...any) error {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(function, in), Message: lang.T(format, args...)}
	}
	markDraws(e, x, sigma, cut)
	if err := unrepeated(e, function, in, x); err != nil {
		return err
	}
	z := make([]float64, len(x))
	sum, squares := 0.0, 0.0
	for i, v := range x {
		z[i] = float64(v) / sigma
		sum += z[i]
		squares += z[i] * z[i]
	}
	n := float64(len(z))
	mean, std := sum/n, math.Sqrt(squares/n)
	want := course.TruncatedStd(cut)
	switch {
	case math.IsNaN(std) || math.IsInf(std, 0):
		return &verdict.Failure{Kind: verdict.NotFinite, Asked: e.Asked(function, in), Message: lang.T("the draws hold NaN or infinite values")}
	case math.Abs(std/want-1) > 0.015: // seven standard errors and more
		return wrong("the standard deviation is %.5g; want %.5g (σ = %.5g, a little less because the tails are cut at %gσ)", std*sigma, want*sigma, sigma, cut)
	case math.Abs(mean) > 0.015:
		return wrong("the mean is %.5g; want 0 within %.2g", mean*sigma, 0.015*sigma)
	}
	slices.Sort(z)
	if err := fits(e, function, in, z, sigma, cut); err != nil {
		return err
	}
	if err := tails(e, function, in, z, cut); err != nil {
		return err
	}
	return independent(e, function, in, x, sigma)
}

// independent checks that no draw tells anything about those that follow it.
func independent(e *course.Exam, function string, in wire.Values, x []float32, sigma float64) error {
	squares := 0.0
	for _, v := range x {
		squares += float64(v) * float64(v) / (sigma * sigma)
	}
	for lag := 1; lag <= 20; lag++ {
		sum := 0.0
		for i := range len(x) - lag {
			sum += float64(x[i]) * float64(x[i+lag]) / (sigma * sigma)
		}
		if r := sum / squares; math.Abs(r) > 7/math.Sqrt(float64(len(x))) {
			return e.Fails(function, in, "draws that lie %d apart have a correlation of %.2g; want 0: every draw is independent of the others", lag, r)
		}
	}
	return nil
}

// drawnArray is array for random draws, which are not all the same number.
func drawnArray(e *course.Exam, function string, in wire.Values, name string, shape ...int) ([]float32, error) {
	x, err := e.Array(function, in, name, shape...)
	if err == nil && !slices.ContainsFunc(x, func(v float32) bool { return v != x[0] }) {
		err = e.Fails(function, in, "all %d draws are %g; want random numbers", len(x), x[0])
	}
	return x, err
}
