package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	lm "github.com/stubformer/stubformer/grader/course/step10_lm"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are those of a product: A (m, k), B (k, n), C (m, n).
type sizes struct{ m, n, k int }

// draw draws the arguments of a product in one of the forms 0 to 7: the bits say
// trans_a, trans_b, accumulate. When C is to be overwritten it holds a NaN here and
// there, which must not survive.
func (s sizes) draw(form int, element func(shape ...int) wire.Value) wire.Values {
	a, b := []int{s.m, s.k}, []int{s.k, s.n}
	if form&1 != 0 {
		slices.Reverse(a)
	}
	if form&2 != 0 {
		slices.Reverse(b)
	}
	in := wire.Values{"a": element(a...), "b": element(b...), "c_before": element(s.m, s.n),
		"trans_a": wire.Int(form & 1), "trans_b": wire.Int(form >> 1 & 1), "accumulate": wire.Int(form >> 2 & 1)}
	if form&4 == 0 {
		for i := 0; i < s.m*s.n; i += 3 {
			in["c_before"].F32[i] = float32(math.NaN())
		}
	}
	return in
}

// product computes some rows of A·B + C in float64, and Σ|terms| of every
// element; a nil list of rows stands for all.
func (s sizes) product(in wire.Values, rows []int) (c, terms []float64) {
	a, b, before := in["a"], in["b"], in["c_before"]
	rowA, stepA, stepB, colB := a.Shape[1], 1, b.Shape[1], 1
	if in["trans_a"].I64[0] != 0 {
		rowA, stepA = stepA, rowA
	}
	if in["trans_b"].I64[0] != 0 {
		stepB, colB = colB, stepB
	}
	if rows == nil {
		for i := range s.m {
			rows = append(rows, i)
		}
	}
	wideB := make([]float64, 0, s.k*s.n) // B, row by row
	for p := range s.k {
		for j := range s.n {
			wideB = append(wideB, float64(b.F32[p*stepB+j*colB]))
		}
	}
	c, terms = make([]float64, len(rows)*s.n), make([]float64, len(rows)*s.n)
	for r, i := range rows {
		row, sizes := c[r*s.n:(r+1)*s.n], terms[r*s.n:(r+1)*s.n]
		if in["accumulate"].I64[0] != 0 {
			for j := range row {
				row[j] = float64(before.F32[i*before.Shape[1]+j])
				sizes[j] = math.Abs(row[j])
			}
		}
		for p := range s.k {
			x := float64(a.F32[i*rowA+p*stepA])
			for j, y := range wideB[p*s.n:][:len(row)] {
				row[j] += x * y
				sizes[j] += math.Abs(x * y)
			}
		}
	}
	return c, terms
}

// multiplies puts a product to the subject and holds it against float64. The
// answer is marked if it has a name.
func multiplies(e *course.Exam, function string, s sizes, in wire.Values, tolerance float64, name string) error {
	got, err := e.Ask(function, in)
	if err != nil {
		return err
	}
	known, err := course.Remembered("step11 terms", s.terms)(in)
	if err != nil {
		return err
	}
	want := known["c"]
	if name != "" {
		markProduct(e, name, function, got["c"], want)
	}
	return sumsAgree(e, function, in, got, want, known["terms"].F64, tolerance)
}

// terms is product as a solver: c and terms, both (M, N).
func (s sizes) terms(in wire.Values) (wire.Values, error) {
	c, terms := s.product(in, nil)
	return wire.Values{"c": wire.Floats(c, s.m, s.n), "terms": wire.Floats(terms, s.m, s.n)}, nil
}

// sumsAgree holds a product against the right one, each element to the size of
// its terms.
func sumsAgree(e *course.Exam, function string, in, got wire.Values, want wire.Value, terms []float64, tolerance float64) error {
	if d := verdict.CompareSums("c", got["c"], want, tolerance, terms); d != nil {
		return e.Differs(function, in, got, d)
	}
	return nil
}

// markProduct marks a product of the grader's own choosing. The blocked product
// has fixtures, which have the first word; the naive one and the tile have none.
func markProduct(e *course.Exam, name, function string, got, want wire.Value) {
	e.Marks[e.Check+"/"+name] = diagnose.Mark{Got: diagnose.SketchOf(got), Want: diagnose.SketchOf(want), Tolerance: e.Tolerance("matmul", "c"), Chosen: strings.HasPrefix(function, "matmul") && function != "matmul.naive"}
}

// formNames are the forms of sizes.draw in words.
var formNames = [8]string{"AB", "A'B", "AB'", "A'B'", "+AB", "+A'B", "+AB'", "+A'B'"}

// productsAgree checks every form on sizes of 0 and 1 and on random ones. The
// first sizes have the same numbers in every run, and are marked.
func productsAgree(function string) func(*course.Exam) error {
	return func(e *course.Exam) error {
		cases := []sizes{{1, 1, 1}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 0}, {1, 17, 5}, {17, 1, 5}, {5, 9, 7}}
		fixed, marked := rand.New(rand.NewPCG(11, 1)), len(cases)
		for range course.FreshCases {
			n := course.Distinct(e.Rng, 3, 2, 70)
			cases = append(cases, sizes{n[0], n[1], n[2]})
		}
		for i := range 9 { // a single row or column may go a way of its own
			cases = append(cases, sizes{1 + i/3, 1 + i%3, course.Between(e.Rng, 2, 9)})
		}
		return course.InTurn(8*len(cases), func(i int) error {
			s, form, rng, name := cases[i/8], i%8, e.Rng, ""
			if i/8 < marked {
				rng, name = fixed, fmt.Sprintf("%d×%d×%d %s", s.m, s.k, s.n, formNames[form])
			}
			in := s.draw(form, func(shape ...int) wire.Value { return course.Normal(rng, 1, shape...) })
			return multiplies(e, function, s, in, e.Tolerance("matmul", "c"), name)
		})
	}
}

// largeProducts checks sizes that are larger than any block that fits a cache,
// in one direction at a time and in all. The numbers are small integers, whose
// sums are exact in any order.
func largeProducts(e *course.Exam) error {
	cases := []sizes{{3, 4, 5003}, {2, 4501, 3}, {4403, 3, 2}, {67, 531, 1031}, {301, 67, 403}}
	form := e.Rng.IntN(8)
	return course.InTurn(2*len(cases), func(i int) error {
		s, form := cases[i/2], (form+3*(i/2))%8
		if i%2 == 1 {
			form ^= 7 // so that every size is asked for with A transposed and not, B too, and both ways to leave C
		}
		return multiplies(e, "matmul", s, s.draw(form, func(shape ...int) wire.Value { return smallIntegers(e.Rng, shape...) }), 0, "")
	})
}

func smallIntegers(rng *rand.Rand, shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	for i := range v.F32 {
		v.F32[i] = float32(rng.IntN(7) - 3)
	}
	return v
}

// productOnProcs checks that the number of processors changes nothing, for a high product,
// a wide one, a deep one and a single row, and that some of their rows are right.
func productOnProcs(e *course.Exam) error {
	for i, s := range []sizes{{1603, 61, 411}, {61, 1603, 411}, {53, 67, 12007}, {1, 301, 5003}} {
		const accumulate = 4 // so that what two goroutines do shows
		in := s.draw(i&1|accumulate, func(shape ...int) wire.Value { return course.Normal(e.Rng, 1, shape...) })
		var results []wire.Value
		for _, procs := range []int{1, 4} {
			out, err := e.Ask("matmul.procs", course.With(in, "procs", wire.Int(procs)))
			if err != nil {
				return err
			}
			if c := out["c"]; c.DType != wire.F32 || c.Len() != s.m*s.n {
				return e.Fails("matmul.procs", in, "c is %s; want f32 (%d, %d)", c, s.m, s.n)
			}
			if left, told := integer(out, "procs"); told && left != procs {
				return e.Fails("matmul.procs", in, "the program ran on %d processors before the call, and on %d after it; leave GOMAXPROCS as it is", procs, left)
			}
			results = append(results, out["c"])
		}
		one, four := results[0].F32, results[1].F32
		markProcs(e, s, in["c_before"].F32, one, four)
		for i := range one {
			if math.Float32bits(one[i]) != math.Float32bits(four[i]) {
				return e.Fails("matmul.procs", in, "C[%d, %d] is %v on one processor and %v on four; each element must be summed by one goroutine, in an order that depends on k alone",
					i/s.n, i%s.n, one[i], four[i])
			}
		}
		rows := course.Distinct(e.Rng, min(12, s.m), 0, s.m-1)
		sums, terms := s.product(in, rows)
		got := wire.Float32s(nil, len(rows), s.n)
		for _, i := range rows {
			got.F32 = append(got.F32, four[i*s.n:(i+1)*s.n]...)
		}
		want := wire.Floats(sums, len(rows), s.n)
		if err := sumsAgree(e, "matmul.procs", in, wire.Values{"c": got}, want, terms, e.Tolerance("matmul", "c")); err != nil {
			return err
		}
	}
	return nil
}

// markProcs marks how the result of four processors differs from that of one: by
// rounding, or because its last rows or columns are as they were before.
func markProcs(e *course.Exam, s sizes, before, one, four []float32) {
	const same, rounded, endLeft, otherwise = 1, 2, 3, 4
	how, left, after := same, false, false
	for x := range s.m * s.n { // along the longer side
		at := x
		if s.n > s.m {
			at = x%s.m*s.n + x/s.m
		}
		switch {
		case course.SameBits(one[at], four[at]):
			after = left
		case course.SameBits(four[at], before[at]):
			left = true
		case math.Abs(float64(four[at])-float64(one[at])) <= 1e-3:
			how = max(how, rounded)
		default:
			how = otherwise
		}
	}
	switch {
	case left && (after || how != same):
		how = otherwise
	case left:
		how = endLeft
	}
	e.MarkOutcome(fmt.Sprintf("%s/%d×%d on four processors", e.Check, s.m, s.n), float64(how), same, 0.05)
}

// modelOnProduct runs a model on the subject's product and holds its loss and
// gradients against the oracle.
func modelOnProduct(e *course.Exam) error {
	return lm.GradientsAgree(e, "matmul.model", lm.DrawLMBackward, false)
}
