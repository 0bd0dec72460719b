package training

import (
	"math"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/wire"
)

// productSpeed wants the blocked product to be faster than plain loops: about
// thirty times as fast on one processor is usual with AVX-512, and three times
// without any blocks. The bound is low where the micro-kernel may be emulated, and
// none where it is plain Go. The sizes are drawn, the large ones are held to the
// plain loops of the small ones, and every product that was timed is looked at.
func productSpeed(e *course.Exam) error {
	atLeast := map[string]float64{"avx512": 6, "avx2": 6, "neon": 1.5}[kernel.Best().Name]
	limit := timesAsFast(atLeast, lang.T("Work in blocks, pack them, and let the micro-kernel of kernel.Best() do the innermost loops."))
	if atLeast == 0 {
		limit.Ratio = math.Inf(1)
	}
	return limit.Decide(func() (course.Pace, error) {
		small, large := sizesBetween(e, 160, 230), sizesBetween(e, 400, 560)
		p, err := timed(e, "matmul.speed", 10, small, 0)
		if err != nil || p.Ratio() > limit.Ratio {
			return p, err
		}
		return timed(e, "matmul.speed", 3, large, p.Other/small.multiplications())
	})
}

// sizesBetween draws three sizes.
func sizesBetween(e *course.Exam, from, to int) sizes {
	n := course.Distinct(e.Rng, 3, from, to)
	return sizes{n[0], n[1], n[2]}
}

// multiplications is how many the product takes.
func (s sizes) multiplications() float64 { return float64(s.m) * float64(s.n) * float64(s.k) }

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
	limit := timesAsFast(4, lang.T("Keep all sums in vector variables from the first step to the last, no more than fifteen of them with the factors."))
	return limit.Decide(func() (course.Pace, error) {
		return timed(e, "micro.speed", 60, sizes{rows, cols, course.Between(e.Rng, 200, 300)}, 0)
	})
}

// timed times products of one size, each of matrices of its own, and wants each
// to be right. Baseline is how many seconds plain loops take for one
// multiplication; if it is 0 they are timed too.
func timed(e *course.Exam, function string, rounds int, s sizes, baseline float64) (course.Pace, error) {
	in := wire.Values{"a": course.Normal(e.Rng, 1, rounds, s.m, s.k), "b": course.Normal(e.Rng, 1, rounds, s.k, s.n)}
	if function == "micro.speed" {
		in["a"] = course.Normal(e.Rng, 1, rounds, s.k, s.m)
	} else {
		in["plain"] = wire.Int(map[bool]int{true: 1}[baseline == 0])
	}
	out, err := e.Ask(function, in)
	if err != nil {
		return course.Pace{}, err
	}
	plain, own := out["baseline"], out["own"]
	if plain.DType != wire.F64 || own.DType != wire.F64 || plain.Len() != 1 || own.Len() != 1 {
		return course.Pace{}, e.Fails(function, in, "baseline is %s and own is %s; want two times in seconds", plain, own)
	}
	if err := timedRight(e, function, rounds, s, in, out["c"]); err != nil {
		return course.Pace{}, err
	}
	p := course.Pace{Asked: e.Asked(function, in), Own: own.F64[0], Other: plain.F64[0]}
	if baseline != 0 {
		p.Other = baseline * s.multiplications()
	}
	return p, nil
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
