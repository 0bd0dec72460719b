package training

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// stridedProducts checks matrices that are the left parts of wider ones. What
// lies to their right is NaN in A and B, and must be the same afterwards in C.
// The first one of each form has the same numbers in every run, and is marked.
func stridedProducts(e *course.Exam) error {
	fixed := rand.New(rand.NewPCG(11, 2))
	return course.All(func(e *course.Exam) error {
		return course.InTurn(16, func(i int) error {
			form, rng, name := i%8, e.Rng, ""
			if i < 8 {
				rng, name = fixed, formNames[form]
			}
			n := course.Distinct(rng, 3, 2, 50)
			return multipliesStrided(e, sizes{n[0], n[1], n[2]}, 5, form, rng, name)
		})
	}, stridedEdges, stridedBlocks)(e)
}

// stridedEdges checks sums of nothing, single rows and single columns. With only
// one number beside it, the step along a single row that is stored transposed is 2.
func stridedEdges(e *course.Exam) error {
	n := course.Distinct(e.Rng, 3, 2, 20)
	cases := []sizes{{n[0], n[1], 0}, {1, n[1], n[2]}, {n[0], 1, n[2]}}
	return course.InTurn(8*len(cases), func(i int) error { return multipliesStrided(e, cases[i/8], 1, i%8, e.Rng, "") })
}

// stridedBlocks checks sizes that are whole numbers of the usual tiles and
// blocks: what comes after the last one is no part of a matrix. One product is
// large enough to be shared.
func stridedBlocks(e *course.Exam) error {
	cases := []struct {
		sizes
		form int
	}{{sizes{56, 512, 256}, 0}, {sizes{56, 512, 256}, 7}, {sizes{1344, 64, 400}, 0}}
	return course.InTurn(len(cases), func(i int) error { return multipliesStrided(e, cases[i].sizes, 5, cases[i].form, e.Rng, "") })
}

// shortRefused checks that a slice that ends before its matrix does is refused with a
// panic that the caller can recover from: also by a product that is large enough to be
// shared among goroutines, in one of which a panic would end the program.
func shortRefused(e *course.Exam) error {
	cases := []sizes{{7, 9, 5}, {1, 9, 5}, {1344, 64, 400}}
	names := []string{"dst", "a", "b"}
	return course.InTurn(len(cases)*len(names), func(i int) error {
		s, short := cases[i/len(names)], i%len(names)
		in := s.draw(e.Rng.IntN(8), func(shape ...int) wire.Value { return course.Normal(e.Rng, 1, shape...) })
		in["short"] = wire.Int(short)
		out, err := e.Ask("matmul.short", in)
		if err != nil {
			return err
		}
		if panicked, _ := integer(out, "panicked"); panicked != 1 {
			return e.Fails("matmul.short", in, "the slice of %s ends one number before the matrix does, and MatMul returned; it must panic", names[short])
		}
		return nil
	})
}

// multipliesStrided puts one such product to the subject, with so many numbers
// beside every row. The answer is marked if it has a name.
func multipliesStrided(e *course.Exam, s sizes, beside, form int, rng *rand.Rand, name string) error {
	in := s.draw(form, func(shape ...int) wire.Value {
		v := course.Normal(rng, 1, shape[0], shape[1]+beside)
		for i := range v.F32 {
			if i%v.Shape[1] >= shape[1] {
				v.F32[i] = float32(math.NaN())
			}
		}
		return v
	})
	before := in["c_before"]
	for i := range before.F32 { // a number where the comparison is to see a change
		if i%before.Shape[1] >= s.n {
			before.F32[i] = float32(rng.NormFloat64())
		}
	}
	in["m"], in["n"], in["k"] = wire.Int(s.m), wire.Int(s.n), wire.Int(s.k)
	want, terms := wire.Floats(make([]float64, before.Len()), before.Shape...), make([]float64, before.Len())
	sums, sizes := s.product(in, nil)
	for i, x := range sums {
		at := i/s.n*before.Shape[1] + i%s.n
		want.F64[at], terms[at] = x, sizes[i]
	}
	for i, x := range before.F32 {
		if i%before.Shape[1] >= s.n {
			want.F64[i], terms[i] = float64(x), math.Abs(float64(x))
		}
	}
	got, err := e.Ask("matmul.strided", in)
	if err != nil {
		return err
	}
	if name != "" {
		markProduct(e, name, "matmul.strided", got["c"], want)
	}
	return sumsAgree(e, "matmul.strided", in, got, want, terms, e.Tolerance("matmul", "c"))
}
