package lora

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// right has four rows of 6 numbers, 7 outputs and a rank of 3.
func right() wire.Values {
	return sizes{lead: []int{4}, in: 6, out: 7, rank: 3}.draw(rand.New(rand.NewPCG(17, 1)))
}

func refusedLayers() []func(*course.Exam) error {
	with := func(name string, shape ...int) wire.Values { return course.With(right(), name, zeros(shape...)) }
	none := course.With(with("a", 0, 6), "b", zeros(7, 0))
	return []func(*course.Exam) error{
		course.Refuses("lora.forward", "x with 5 features where the weight takes 6", with("x", 4, 5), "5", "6"),
		course.Refuses("lora.forward", "an A of 5 columns where the weight has 6", with("a", 3, 5), "5", "6"),
		course.Refuses("lora.forward", "a B of 8 rows where the weight has 7", with("b", 8, 3), "8", "7"),
		course.Refuses("lora.forward", "a B of 2 columns where A has 3 rows", with("b", 7, 2), "2", "3"),
		course.Refuses("lora.forward", "a weight of one dimension", with("w", 6), "6"),
		course.Refuses("lora.forward", "a rank of 0", none, "0"),
		course.Misfits("lora.forward", "x", drawForward),
	}
}

func refusedRanks() []func(*course.Exam) error {
	rank := func(n int) wire.Values {
		return wire.Values{"out": wire.Int(7), "in": wire.Int(5), "rank": wire.Int(n), "seed": wire.Int(1)}
	}
	flat := wire.Values{"out": wire.Int(4), "in": wire.Int(9), "rank": wire.Int(5), "seed": wire.Int(1)}
	return []func(*course.Exam) error{
		course.Refuses("lora.init", "a rank of 0", rank(0), "0"),
		course.Refuses("lora.init", "a rank of 6 with 5 inputs", rank(6), "6", "5"),
		course.Refuses("lora.init", "a rank of 5 with 4 outputs", flat, "5", "4"),
	}
}

// mergedBackward asks for the gradients of a layer that is merged.
func mergedBackward() func(*course.Exam) error {
	in := course.With(right(), "turns", wire.Ints([]int64{1}, 1))
	return course.Refuses("lora.merged", "Backward of a merged layer", course.With(in, "dy", zeros(4, 7)))
}

// refusedStates loads states in which one tensor is wrong.
func refusedStates(e *course.Exam) error {
	const function, layer = "lora.loaded", "layers.1.attn.output_proj"
	for _, c := range []struct{ wrong, name string }{
		{"missing", layer + ".lora_A"}, {"missing", layer + ".lora_B"}, {"missing", layer + ".alpha"},
		{"shape", layer + ".lora_A"}, {"shape", layer + ".lora_B"}, {"shape", layer + ".alpha"},
		{"width", layer + ".lora_A"}, {"width", layer + ".lora_B"},
		{"surplus", "layers.7.ffn.w1.lora_A"},
	} {
		story := lang.T("another shape of %s", c.name)
		switch c.wrong {
		case "missing":
			story = lang.T("no %s", c.name)
		case "surplus":
			story = lang.T("a %s, for which there is no layer", c.name)
		}
		in := drawSaved(e.Rng)
		in["name"], in["wrong"] = wire.String(c.name), wire.String(c.wrong)
		got, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		switch {
		case got["refused"].I64[0] != 1:
			return e.Fails(function, in, "a state with %s was loaded; want an error that names the tensor", story)
		case got["kept"].I64[0] != 1:
			return e.Fails(function, in,
				"a state with %s was refused, as it should be, but the layers are no longer as they were: look at everything first, and change something then", story)
		case got["named"].I64[0] != 1:
			return e.Fails(function, in, "a state with %s was refused, but the error does not name the tensor", story)
		}
	}
	return nil
}

func refusedExamples() []func(*course.Exam) error {
	return []func(*course.Exam) error{course.Refuses("example.one", "an example without a question",
		wire.Values{"question": wire.Ints([]int64{}, 0), "answer": wire.Ints([]int64{4, 5}, 2),
			"end": wire.Int(1)}, "0")}
}

// refusedPacks has examples of 12 positions for a row that is shorter.
func refusedPacks() []func(*course.Exam) error {
	ids := func(n ...int64) wire.Value { return wire.Ints(n, len(n)) }
	length := func(n int) wire.Values {
		return wire.Values{"questions": ids(1, 2, 3, 4, 5), "question_lengths": ids(2, 3),
			"answers":        ids(6, 7, 8, 9, 1, 2, 3),
			"answer_lengths": ids(3, 4), "end": wire.Int(10), "pad": wire.Int(0), "length": wire.Int(n)}
	}
	return []func(*course.Exam) error{
		course.Refuses("example.pack", "a row of 11 for examples of 12 positions", length(11), "11", "12"),
		course.Refuses("example.pack", "a row of 4 for examples of 12 positions", length(4), "4"),
	}
}

func refusedLosses() []func(*course.Exam) error {
	in := drawLoss(rand.New(rand.NewPCG(17, 5)))
	b, t, v := in["logits"].Shape[0], in["logits"].Shape[1], in["logits"].Shape[2]
	with := func(name string, v wire.Value) wire.Values { return course.With(in, name, v) }
	nothing := func(rows, length int) wire.Value { return wire.Bools(make([]bool, rows*length), rows, length) }
	ids := func(rows, length int) wire.Value { return wire.Ints(make([]int64, rows*length), rows, length) }
	outside := func(id int64) wire.Value {
		v := ids(b, t)
		v.I64[1] = id // the second token of the first row counts
		return v
	}
	return []func(*course.Exam) error{
		course.Refuses("answer_loss.forward", "a counted target outside the vocabulary",
			with("targets", outside(int64(v))), "[0][1]"),
		course.Refuses("answer_loss.forward", "a counted target of -100", with("targets", outside(-100)), "-100"),
		course.Refuses("answer_loss.forward", "a row of targets too many", with("targets", ids(b+1, t))),
		course.Refuses("answer_loss.forward", "rows of targets with one too few", with("targets", ids(b, t-1))),
		course.Refuses("answer_loss.forward", "a row of counted too few", with("counted", nothing(b-1, t))),
		course.Refuses("answer_loss.forward", "rows of counted with one too many", with("counted", nothing(b, t+1))),
	}
}
