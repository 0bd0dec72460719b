package seq2seq

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

func fixed() *rand.Rand { return rand.New(rand.NewPCG(20, 1)) }

func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

func everything(shape ...int) wire.Value {
	v := wire.Bools(nil, shape...)
	v.Bool = make([]bool, v.Len())
	for i := range v.Bool {
		v.Bool[i] = i%5 > 0
	}
	return v
}

func refusedAttends() []func(*course.Exam) error {
	const f = "attend.forward"
	in := attendOf(fixed(), 2, 3, 5, 6, 2)
	return []func(*course.Exam) error{
		course.Misfits(f, "x", drawAttend), course.Misfits(f, "memory", drawAttend),
		course.Refuses(f, "x of width 7 where the weights take 6", course.With(in, "x", zeros(2, 3, 7)), "7", "6"),
		course.Refuses(f, "a memory of width 4 where the weights take 6", course.With(in, "memory", zeros(2, 5, 4)), "4", "6"),
		course.Refuses(f, "a memory of 3 sequences for 2 of x", course.With(in, "memory", zeros(3, 5, 6)), "3", "2"),
		course.Refuses(f, "a mask for 4 keys where the memory has 5", course.With(in, "real", everything(2, 4)), "4", "5"),
		course.Refuses(f, "a mask for 3 sequences where there are 2", course.With(in, "real", everything(3, 5))),
	}
}

func refusedStacks() []func(*course.Exam) error {
	s := sizes{2, 4, 5, 6, 2, 7, 1}
	enc, dec := s.encoder(fixed()), s.decoder(fixed())
	return []func(*course.Exam) error{
		course.Misfits("encoder.forward", "x", drawEncoder), course.Misfits("decoder.forward", "x", drawDecoder),
		course.Misfits("decoder.forward", "memory", drawDecoder),
		course.Refuses("encoder.forward", "real for 3 tokens where x has 4", course.With(enc, "real", everything(2, 3)), "3", "4"),
		course.Refuses("encoder.forward", "real for 3 sequences where x has 2", course.With(enc, "real", everything(3, 4)), "3", "2"),
		course.Refuses("decoder.forward", "real for 4 tokens where the memory has 5", course.With(dec, "real", everything(2, 4)), "4", "5"),
		course.Refuses("encoder.forward", "real for one sequence where x has 2", course.With(enc, "real", everything(1, 4)), "1", "2"),
		course.Refuses("decoder.forward", "real for one sequence where the memory has 2", course.With(dec, "real", everything(1, 5)), "1", "2"),
		course.Refuses("decoder.forward", "a memory of 3 sequences for 2 of x",
			course.With(course.With(dec, "memory", zeros(3, 5, 6)), "real", everything(3, 5)), "3", "2"),
	}
}

// ids are token ids of a shape, all of them 3 but for the last.
func ids(last int64, shape ...int) wire.Value {
	v := wire.Ints(nil, shape...)
	v.I64 = make([]int64, v.Len())
	for i := range v.I64 {
		v.I64[i] = 3
	}
	v.I64[len(v.I64)-1] = last
	return v
}

func refusedTexts() []func(*course.Exam) error {
	const f = "transformer.forward"
	in := texts(fixed(), modelOf(fixed(), 9, 7, 6, 2, 5, 1, 1), 2, 4, 3)
	one := course.With(modelOf(fixed(), 9, 7, 6, 2, 5, 1, 1), "source", ids(3, 4))
	one["width"], one["max_len"], one["alpha"] = wire.Int(2), wire.Int(3), wire.Float(0.6)
	return []func(*course.Exam) error{
		course.Refuses(f, "id 9 at [1][3] of the source, whose vocabulary has 9", course.With(in, "source", ids(9, 2, 4)), "9", "[1][3]"),
		course.Refuses(f, "id -1 at [1][3] of the source", course.With(in, "source", ids(-1, 2, 4)), "-1", "[1][3]"),
		course.Refuses(f, "id 7 at [1][2] of the target, whose vocabulary has 7", course.With(in, "target", ids(7, 2, 3)), "7", "[1][2]"),
		course.Refuses(f, "id -2 at [1][2] of the target", course.With(in, "target", ids(-2, 2, 3)), "-2", "[1][2]"),
		course.Refuses(f, "3 targets for 2 sources", course.With(in, "target", ids(3, 3, 3)), "3", "2"),
		course.Refuses(f, "a second source that is shorter than the first", course.Ragged(in, "source", 4, 3)),
		course.Refuses(f, "a second target that is longer than the first", course.Ragged(in, "target", 3, 4)),
		course.Refuses("translate", "id 9 in a source whose vocabulary has 9", course.With(one, "source", ids(9, 4)), "9"),
		course.Refuses("translate", "a source without tokens", course.With(one, "source", wire.Ints([]int64{}, 0))),
	}
}

func refusedLabels() []func(*course.Exam) error {
	const f = "smoothing.forward"
	in := smoothingOf(fixed(), 2, 3, 5, 0.3, 0.1)
	labels := func(n ...int64) wire.Values { return course.With(in, "labels", wire.Ints(n, 2, 3)) }
	return []func(*course.Exam) error{
		course.Refuses(f, "label 5 at [0][1] of a vocabulary of 5", labels(0, 5, 2, -1, 1, 1), "5", "[0][1]"),
		course.Refuses(f, "label -2 at [1][2]", labels(0, 4, 2, -1, 1, -2), "-2", "[1][2]"),
		course.Refuses(f, "logits of two dimensions", course.With(in, "logits", zeros(6, 5)), "6", "5"),
		course.Refuses(f, "labels for 2 tokens where there are 3", course.With(in, "labels", ids(3, 2, 2)), "2", "3"),
		course.Refuses(f, "labels for 3 sequences where there are 2", course.With(in, "labels", ids(3, 3, 3)), "3", "2"),
		course.Refuses(f, "a second row of labels that is shorter", course.Ragged(in, "labels", 3, 2), "2", "3"),
	}
}

// noForwards calls every Backward without a Forward before it.
func noForwards() func(*course.Exam) error {
	var all []func(*course.Exam) error
	for _, l := range layers() {
		all = append(all, course.Without(l.Input, l.Backward, l.Draw))
	}
	return course.All(all...)
}
