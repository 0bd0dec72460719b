package initializers

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// bounds checks that draws stay inside the cut, and do not pile up on it.
func bounds(sigma, cut float64) func(*course.Exam) error {
	return func(e *course.Exam) error {
		in := sample(e.Rng, draws, sigma, cut)
		x, err := drawnArray(e, "truncnormal.sample", in, "x", draws)
		if err != nil {
			return err
		}
		markDraws(e, x, sigma, cut)
		edge := sigma * cut
		outside, onEdge := 0, 0
		for _, v := range x {
			switch a := math.Abs(float64(v)); {
			case !(a <= edge*(1+1e-6)): // or NaN
				outside++
			case a > edge*(1-1e-6):
				onEdge++
			}
		}
		wrong := func(format string, args ...any) error {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("truncnormal.sample", in), Message: lang.T(format, args...)}
		}
		switch {
		case outside > 0:
			return wrong("%d of %d draws lie outside ±cut·σ = ±%g", outside, len(x), edge)
		case onEdge > 20: // at most about 0.1 are expected within one part in a million of the edge
			return wrong("%d of %d draws lie exactly on ±cut·σ = ±%g: draws from outside are to be drawn again, not pushed onto the edge", onEdge, len(x), edge)
		}
		return nil
	}
}

// rare checks n draws at a cut that lets one draw of N(0, 1) in many through: one in 63
// at 0.02, one in 6,267 at 0.0002. Every one of them is drawn until it is inside.
func rare(n int, cut float64) func(*course.Exam) error {
	return func(e *course.Exam) error {
		const function, sigma = "truncnormal.sample", 1.5
		in := sample(e.Rng, n, sigma, cut)
		x, err := drawnArray(e, function, in, "x", n)
		if err != nil {
			return err
		}
		z := make([]float64, n)
		for i, v := range x {
			z[i] = float64(v) / sigma
			if math.IsNaN(z[i]) {
				return &verdict.Failure{Kind: verdict.NotFinite, Asked: e.Asked(function, in), Message: lang.T("the draws hold NaN or infinite values")}
			}
		}
		slices.Sort(z)
		return fits(e, function, in, z, sigma, cut)
	}
}

// fits checks sorted draws, in units of σ, against the distribution of N(0, 1) on
// |z| ≤ cut, by the Kolmogorov-Smirnov distance.
func fits(e *course.Exam, function string, in wire.Values, z []float64, sigma, cut float64) error {
	if times, v := mostFrequent(z); times > 8 { // of 200,000 draws nine are one float32 less than once in 10⁹ samples
		return e.Fails(function, in, "%d of %d draws are %g; a number that comes up so often is not drawn: a draw from outside ±cut·σ = ±%g is drawn again, as often as it takes", times, len(z), v*sigma, cut*sigma)
	}
	n, inside := float64(len(z)), math.Erf(cut/math.Sqrt2)
	limit := math.Sqrt(math.Log(2/1e-9) / (2 * n)) // exceeded once in a billion by a right sample (Massart 1990)
	distance := 0.0
	for i, v := range z {
		p := 0.5 + math.Erf(v/math.Sqrt2)/(2*inside)
		if v < -cut*(1+1e-6) || v > cut*(1+1e-6) {
			return e.Fails(function, in, "a draw of %.5g lies outside ±%gσ = ±%.5g", v*sigma, cut, cut*sigma)
		}
		below, above := float64(i)/n, float64(i+1)/n
		distance = max(distance, p-below, above-p)
		if distance > limit {
			return e.Fails(function, in, "the draws do not follow the distribution: %.2f %% of them lie below %.4g, want %.2f %%", 100*below, v*sigma, 100*p)
		}
	}
	if distance*math.Sqrt(n) < 0.2 { // Kolmogorov's distribution: once in 10¹⁰ by chance
		return e.Fails(function, in, "the draws fit the distribution better than chance allows: they are spread evenly, not drawn independently")
	}
	return nil
}

// mostFrequent returns the number that sorted draws hold most often, and how often.
func mostFrequent(z []float64) (times int, most float64) {
	from := 0
	for i, v := range z {
		if v != z[from] {
			from = i
		}
		if i-from+1 > times {
			times, most = i-from+1, v
		}
	}
	return times, most
}

// tails checks that as many draws as there should be lie near the cut, on both
// sides. z is sorted.
func tails(e *course.Exam, function string, in wire.Values, z []float64, cut float64) error {
	const near = 0.95
	p := (math.Erf(cut/math.Sqrt2) - math.Erf(near*cut/math.Sqrt2)) / (2 * math.Erf(cut/math.Sqrt2))
	want := p * float64(len(z))
	low, _ := slices.BinarySearch(z, -near*cut)
	high, _ := slices.BinarySearch(z, near*cut)
	for _, got := range []int{low, len(z) - high} {
		if math.Abs(float64(got)-want) > 7*math.Sqrt(want) { // seven standard deviations
			return e.Fails(function, in, "%d of %d draws lie between %gσ and %gσ on one side; want about %.0f", got, len(z), near*cut, cut, want)
		}
	}
	return nil
}

// reaches checks the fourth moment of many draws at a cut that takes next to nothing away: a
// sum of some uniform numbers has the mean and the variance of a normal distribution, and
// thinner tails.
func reaches(e *course.Exam) error {
	const function, sigma, cut, n = "truncnormal.sample", 1, 5, 2 << 20
	in := sample(e.Rng, n, sigma, cut)
	x, err := drawnArray(e, function, in, "x", n)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, v := range x {
		square := float64(v) * float64(v)
		sum += square * square
	}
	density := math.Exp(-cut*cut/2.0) / math.Sqrt(2*math.Pi)
	want := 3 - 2*density*(cut*cut*cut+3*cut)/math.Erf(cut/math.Sqrt2)
	if got := sum / n; !(math.Abs(got-want) < 0.05) { // seven standard errors
		return e.Fails(function, in,
			"the mean of the fourth powers of %d draws is %.4g; want %.4g: the tails are not those of a normal distribution",
			n, got, want)
	}
	return nil
}
