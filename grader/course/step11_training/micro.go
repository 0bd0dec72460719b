package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/wire"
)

// tilesAgree checks the micro-kernel. The first of all cases has the same numbers
// in every run, and is marked.
func tilesAgree(e *course.Exam) error {
	out, err := e.Ask("micro.size", wire.Values{})
	if err != nil {
		return err
	}
	rows, cols, ok := tileSize(out)
	if !ok {
		return e.Fails("micro.size", wire.Values{}, "the tile is %v × %v; want 1 to 64 rows and columns", out["rows"].I64, out["cols"].I64)
	}
	depths := []int{0, 1, 2, 7, 8, 64, 301}
	fixed, n := rand.New(rand.NewPCG(11, 3)), 4*len(depths)
	return course.InTurn(2*n, func(i int) error {
		k, accumulate, ldc, rng := depths[i%n/4], i%2, cols+i/2%2*3, e.Rng
		if i < n {
			rng = fixed
		}
		in := wire.Values{"a": course.Normal(rng, 1, k, rows), "b": course.Normal(rng, 1, k, cols), "c_before": course.Normal(rng, 1, rows, ldc), "accumulate": wire.Int(accumulate)}
		want, terms := wire.Floats(make([]float64, rows*ldc), rows, ldc), make([]float64, rows*ldc)
		for at, before := range in["c_before"].F32 {
			r, c := at/ldc, at%ldc
			if c < cols && accumulate == 0 {
				in["c_before"].F32[at] = float32(math.NaN())
			} else {
				want.F64[at] = float64(before)
				terms[at] = math.Abs(want.F64[at])
			}
			for p := 0; p < k && c < cols; p++ {
				term := float64(in["a"].F32[p*rows+r]) * float64(in["b"].F32[p*cols+c])
				want.F64[at] += term
				terms[at] += math.Abs(term)
			}
		}
		got, err := e.Ask("micro.tile", in)
		if err != nil {
			return err
		}
		if i < n {
			markProduct(e, fmt.Sprintf("k = %d, accumulate %d, rows %d apart", k, accumulate, ldc), "micro.tile", got["c"], want)
		}
		return sumsAgree(e, "micro.tile", in, got, want, terms, e.Tolerance("matmul", "c"))
	})
}

// productsOnTile checks some products of which the micro-kernel computes the
// tiles: whole ones, and those that stick out.
func productsOnTile(e *course.Exam) error {
	return course.InTurn(8, func(form int) error {
		s := sizes{course.Between(e.Rng, 33, 70), course.Between(e.Rng, 33, 70), course.Between(e.Rng, 2, 300)}
		return multiplies(e, "matmul", s, s.draw(form, func(shape ...int) wire.Value { return course.Normal(e.Rng, 1, shape...) }), e.Tolerance("matmul", "c"), "")
	})
}

func tileSize(out wire.Values) (rows, cols int, ok bool) {
	r, c := out["rows"], out["cols"]
	if r.DType != wire.I64 || c.DType != wire.I64 || r.Len() != 1 || c.Len() != 1 {
		return 0, 0, false
	}
	rows, cols = int(r.I64[0]), int(c.I64[0])
	return rows, cols, min(rows, cols) >= 1 && max(rows, cols) <= 64
}

// noSIMD says why the vectorised micro-kernel cannot be graded here, if so.
func noSIMD() lang.Text {
	switch best := kernel.Best().Name; {
	case runtime.GOARCH != "amd64":
		return lang.T("Go has vector instructions (simd/archsimd) on amd64 only")
	case best != "avx2" && best != "avx512":
		return lang.T("this processor has neither AVX-512 nor AVX2")
	}
	return lang.Text{}
}
