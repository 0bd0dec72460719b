package training

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/wire"
)

// productSpeed wants the blocked product to be faster than plain loops: about
// sixty times as fast is usual with AVX-512, and three times without any blocks.
// The bound is low where the micro-kernel may be emulated, and none where it is
// plain Go. The sizes are drawn, the large ones are held to the plain loops of
// the small ones, and every product that was timed is looked at.
func productSpeed(e *course.Exam) error {
	atLeast := map[string]float64{"avx512": 6, "avx2": 6, "neon": 1.5}[kernel.Best().Name]
	advice := lang.T("Work in blocks, pack them, and let the micro-kernel of kernel.Best() do the innermost loops.")
	small, large := course.Distinct(e.Rng, 3, 160, 230), course.Distinct(e.Rng, 3, 400, 560)
	baseline, err := faster(e, "matmul.speed", 5, sizes{small[0], small[1], small[2]}, 0, atLeast, advice)
	if err != nil {
		return err
	}
	_, err = faster(e, "matmul.speed", 2, sizes{large[0], large[1], large[2]}, baseline, atLeast, advice)
	return err
}

// tileSpeed wants vector instructions in the micro-kernel.
func tileSpeed(e *course.Exam) error {
	out, err := e.Ask("micro.size", wire.Values{})
	if err != nil {
		return err
	}
	rows, cols, ok := tileSize(out)
	if !ok {
		return e.Fails("micro.size", wire.Values{}, "the tile is %v × %v; want 1 to 64 rows and columns", out["rows"].I64, out["cols"].I64)
	}
	_, err = faster(e, "micro.speed", 30, sizes{rows, cols, course.Between(e.Rng, 200, 300)}, 0, 8,
		lang.T("Keep all sums in vector variables from the first step to the last, no more than fifteen of them with the factors."))
	return err
}

// faster times products of one size, each of matrices of its own, and wants each
// to be right and the fastest to be fast enough. Baseline is how many seconds
// plain loops take for one multiplication; if it is 0 they are timed too. It is
// returned.
func faster(e *course.Exam, function string, rounds int, s sizes, baseline, atLeast float64, advice lang.Text) (float64, error) {
	in := wire.Values{"a": course.Normal(e.Rng, 1, rounds, s.m, s.k), "b": course.Normal(e.Rng, 1, rounds, s.k, s.n)}
	if function == "micro.speed" {
		in["a"] = course.Normal(e.Rng, 1, rounds, s.k, s.m)
	} else {
		in["plain"] = wire.Int(map[bool]int{true: 1}[baseline == 0])
	}
	out, err := e.Ask(function, in)
	if err != nil {
		return 0, err
	}
	plain, own := out["baseline"], out["own"]
	if plain.DType != wire.F64 || own.DType != wire.F64 || plain.Len() != 1 || own.Len() != 1 || !(own.F64[0] > 0) {
		return 0, e.Fails(function, in, "baseline is %s and own is %s; want two times in seconds", plain, own)
	}
	if err := timedRight(e, function, rounds, s, in, out["c"]); err != nil {
		return 0, err
	}
	multiplications := float64(s.m) * float64(s.n) * float64(s.k)
	if baseline == 0 {
		baseline = plain.F64[0] / multiplications
	}
	if ratio := baseline * multiplications / own.F64[0]; !(ratio >= atLeast) {
		return 0, &verdict.Failure{Kind: verdict.Timeout, Asked: e.Asked(function, in),
			Message: lang.T("it takes %.3g ms where plain loops take %.3g ms: %.1f times as fast, want at least %g times. %s",
				1e3*own.F64[0], 1e3*baseline*multiplications, ratio, atLeast, advice)}
	}
	return baseline, nil
}

// timedRight checks some rows of every product that was timed.
func timedRight(e *course.Exam, function string, rounds int, s sizes, in wire.Values, c wire.Value) error {
	if c.DType != wire.F32 || c.Len() != rounds*s.m*s.n || len(c.F32) != c.Len() {
		return e.Fails(function, in, "c is %s; want f32 (%d, %d, %d)", c, rounds, s.m, s.n)
	}
	for round := range rounds {
		part := func(v wire.Value) wire.Value {
			rows, cols := v.Shape[1], v.Shape[2]
			return wire.Float32s(v.F32[round*rows*cols:(round+1)*rows*cols], rows, cols)
		}
		pair := wire.Values{"a": part(in["a"]), "b": part(in["b"]), "c_before": wire.Float32s(nil, s.m, s.n),
			"trans_a": wire.Int(0), "trans_b": wire.Int(0), "accumulate": wire.Int(0)}
		if function == "micro.speed" {
			pair["trans_a"] = wire.Int(1)
		}
		rows := course.Distinct(e.Rng, min(8, s.m), 0, s.m-1)
		sums, terms := s.product(pair, rows)
		got := wire.Float32s(nil, len(rows), s.n)
		for _, i := range rows {
			at := (round*s.m + i) * s.n
			got.F32 = append(got.F32, c.F32[at:at+s.n]...)
		}
		want := wire.Floats(sums, len(rows), s.n)
		if err := sumsAgree(e, function, in, wire.Values{"c": got}, want, terms, e.Tolerance("matmul", "c")); err != nil {
			return err
		}
	}
	return nil
}
