package flash

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// right has three queries and four keys with K = 6 and C = 7, for two heads.
func right() wire.Values {
	return sizes{[]int{1, 2}, 3, 4, 6, 7, 0, 2, 3}.draw(rand.New(rand.NewPCG(16, 1)))
}

// zeros is an array of a shape, for what is refused before it is read.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

func refusedForwards() []func(*course.Exam) error {
	const f, masked = "flash.forward", "flash_mask.forward"
	with := func(name string, v wire.Value) wire.Values { return course.With(right(), name, v) }
	mask := func(shape ...int) wire.Values {
		in := right()
		delete(in, "causal")
		v := wire.Bools(nil, shape...)
		v.Bool = make([]bool, v.Len())
		return course.With(in, "mask", v)
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "q with K = 6 and k with K = 5", with("k", zeros(1, 2, 4, 5)), "5", "6"),
		course.Refuses(f, "4 keys and 5 values", with("v", zeros(1, 2, 5, 7)), "4", "5"),
		course.Refuses(f, "keys of 5 sequences and queries of 1", with("k", zeros(5, 2, 4, 6)), "5", "1"),
		course.Refuses(f, "values of 5 sequences and queries of 1", with("v", zeros(5, 2, 4, 7)), "5", "1"),
		course.Refuses(f, "keys of 1 head and queries of 2", with("k", zeros(1, 1, 4, 6)), "1", "2"),
		course.Refuses(f, "values of 1 head and queries of 2", with("v", zeros(1, 1, 4, 7)), "1", "2"),
		course.Refuses(f, "keys without leading dimensions and queries with two", with("k", zeros(4, 6))),
		course.Refuses(f, "a q with one dimension", with("q", zeros(6))),
		course.Refuses(f, "a tile of -1 queries", with("tile_n", wire.Int(-1))),
		course.Refuses(f, "a tile of -2 keys", with("tile_m", wire.Int(-2))),
		course.Refuses(masked, "a mask for 2 keys where there are 4", mask(3, 2), "2", "4"),
		course.Refuses(masked, "a mask for 2 queries where there are 3", mask(2, 4), "2", "3"),
		course.Refuses(masked, "a mask for 4 queries and 3 keys, which are 3 and 4,", mask(4, 3), "4", "3"),
		course.Refuses(masked, "5 masks for 2 leading indices", mask(5, 3, 4)),
	}
}

func refusedBackwards() []func(*course.Exam) error {
	const f = "flash.backward"
	dy := func(shape ...int) wire.Values { return course.With(right(), "dy", zeros(shape...)) }
	return []func(*course.Exam) error{
		course.Refuses(f, "a dy of 5 queries where y has 3", dy(1, 2, 5, 7), "5", "3"),
		course.Refuses(f, "a dy of 1 head where y has 2", dy(1, 1, 3, 7), "1", "2"),
		course.Refuses(f, "a dy of width 6 where v has 7", dy(1, 2, 3, 6), "6", "7"),
	}
}
