package seq2seq

import (
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// layers are what is asked without a Forward, with a gradient that does not fit, and from
// several goroutines.
func layers() []course.Layer {
	layer := func(name, input string, draw func(*rand.Rand) wire.Values, bad func(wire.Values) wire.Values) course.Layer {
		return course.Layer{Forward: name + ".forward", Backward: name + ".backward", Input: input, Draw: withGradient(name, draw), Bad: bad}
	}
	return []course.Layer{layer("attend", "x", drawAttend, course.Wider("x")), layer("encoder", "x", small.encoder, course.Wider("x")),
		layer("decoder", "x", small.decoder, course.Wider("x")), layer("transformer", "source", smallModel, course.OutOfRange("target")),
		layer("smoothing", "logits", drawSmoothing, course.OutOfRange("labels"))}
}

// small is a stack for many calls, and smallModel a model, in which an encoder is asked too.
var small = sizes{2, 4, 5, 6, 2, 5, 2}

func smallModel(rng *rand.Rand) wire.Values {
	return texts(rng, modelOf(rng, 8, 7, 6, 2, 5, 1, 1), 2, 4, 3)
}

// again asks the layers again and again, and gives them a gradient that does not fit.
func again() []func(*course.Exam) error {
	var all []func(*course.Exam) error
	for _, l := range layers() {
		if l.Forward != "encoder.forward" { // which the model asks
			all = append(all, course.AskedAgain(l))
		}
		all = append(all, course.AtOnce(course.Drawing{Function: l.Backward, Draw: l.Draw}))
		switch l.Backward {
		case "smoothing.backward":
		case "transformer.backward":
			all = append(all, course.Misfits(l.Backward, "dlogits", l.Draw))
		default:
			all = append(all, course.Misfits(l.Backward, "dy", l.Draw))
		}
	}
	for _, l := range refusedLate() {
		all = append(all, course.AfterRefusal(l))
	}
	return append(all, course.AtOnce(course.Drawing{Function: "beam", Draw: manyTokens}))
}

// refusedLate are the layers of two inputs with a second one that does not fit the first: who
// looks at it late has the first already.
func refusedLate() []course.Layer {
	attend, decoder, transformer, smoothing := layers()[0], layers()[2], layers()[3], layers()[4]
	attend.Bad, decoder.Bad = course.Wider("memory"), course.Wider("memory")
	transformer.Bad, smoothing.Bad = course.Longer("target"), course.Longer("labels")
	return []course.Layer{attend, decoder, transformer, smoothing}
}

// unread changes what nobody may see, which has to change nothing of what is seen: the
// memory where it is padding, or the target behind a token.
func unread(e *course.Exam) error {
	const f, n, m, at = "decoder.forward", 6, 5, 3
	in := sizes{2, n, m, 6, 2, 7, 2}.decoder(e.Rng)
	hidden := everything(2, m)
	in["real"] = hidden
	d := in["x"].Shape[2]
	memory, x := course.Normal(e.Rng, 5, 2, m, d), course.Normal(e.Rng, 5, 2, n, d)
	for i := range memory.F32 {
		if hidden.Bool[i/d] {
			memory.F32[i] = in["memory"].F32[i]
		}
	}
	for i := range x.F32 {
		if i/d%n < at {
			x.F32[i] = in["x"].F32[i]
		}
	}
	ask := func(in wire.Values) (y wire.Value, err error) {
		out, err := e.Ask(f, in)
		if y = out["y"]; err == nil && (y.DType != wire.F32 || !slices.Equal(y.Shape, in["x"].Shape)) {
			err = &verdict.Failure{Kind: verdict.WrongShape, Asked: e.Asked(f, in),
				Message: lang.T("%s has shape %s; want %s", "y", course.ShapeOf(y), course.ShapeOf(in["x"]))}
		}
		return y, err
	}
	first, err := ask(in)
	if err != nil {
		return err
	}
	other := course.With(in, "memory", course.Normal(e.Rng, 5, 2, m, d))
	switch got, err := ask(other); {
	case err != nil:
		return err
	case verdict.Compare("y", got, first, e.Tolerance(f, "y")) == nil:
		return e.Fails(f, other, "the memory is another where it is seen, and y is the same as before")
	}
	for _, c := range []struct {
		story lang.Text
		in    wire.Values
		upTo  int
	}{
		{lang.T("the memory is another where it is padding, and nowhere else"), course.With(in, "memory", memory), n},
		{lang.T("the target is another behind its third token, and the first three are asked for"), course.With(in, "x", x), at},
	} {
		got, err := ask(c.in)
		if err != nil {
			return err
		}
		if diff := verdict.Compare("y", upTo(got, c.upTo), upTo(first, c.upTo), e.Tolerance(f, "y")); diff != nil {
			one, other := diff.Numbers()
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(f, c.in),
				Message: lang.T("%s; %s is %s then, and was %s before", c.story, "y"+diff.At(), one, other)}
		}
	}
	return nil
}

// upTo keeps the first tokens of each sequence.
func upTo(y wire.Value, tokens int) wire.Value {
	batch, n, d := y.Shape[0], y.Shape[1], y.Shape[2]
	var kept []float32
	for b := range batch {
		kept = append(kept, y.F32[b*n*d:(b*n+min(n, tokens))*d]...)
	}
	return wire.Float32s(kept, batch, min(n, tokens), d)
}

// products are the multiplications of one decoder layer for n tokens over m of the memory,
// and of one encoder layer for m.
func products(n, m, d, f float64) (decoder, encoder float64) {
	decoder = 4*n*d*d + 2*n*n*d + 2*n*d*d + 2*m*d*d + 2*n*m*d + 2*n*d*f
	encoder = 4*m*d*d + 2*m*m*d + 2*m*d*f
	return decoder, encoder
}

// work counts the products of the decoder: one forward and two backward for each.
func work() func(*course.Exam) error {
	need := func(in wire.Values, _ int) float64 {
		x, m := in["x"].Shape, in["memory"].Shape[1]
		layer, _ := products(float64(x[1]), float64(m), float64(x[2]), float64(in["b1"].Shape[1]))
		return 3 * float64(x[0]) * float64(in["attn"].Shape[0]) * layer
	}
	return course.Grows(course.Growth{Function: "decoder.backward", Size: "N", Sizes: []int{40}, Output: "dx",
		Draw: func(rng *rand.Rand, n int) wire.Values {
			return withGradient("decoder", sizes{2, n, 30, 24, 3, 50, 2}.decoder)(rng)
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.1, Of: need,
			Advice: lang.T("Each product is there once in Forward, and twice in Backward: for one factor's gradient and for the other's.")}}})
}

// readOnce counts the products of a translation, in which the encoder is asked once.
func readOnce() func(*course.Exam) error {
	const u, v, d, heads, f, enc, dec, m = 20, 16, 24, 3, 50, 3, 1, 40
	need := func(in wire.Values, _ int) float64 {
		_, read := products(1, m, d, f)
		total := enc * read
		for t := range in["max_len"].I64[0] {
			layer, _ := products(float64(t+1), m, d, f)
			total += dec*layer + float64(t+1)*v*d
		}
		return total
	}
	return course.Grows(course.Growth{Function: "translate", Size: "T_max", Sizes: []int{12}, Output: "tokens",
		Draw: func(rng *rand.Rand, most int) wire.Values {
			in := modelOf(rng, u, v, d, heads, f, enc, dec)
			for i := range d { // End has the logit 0, which is never the largest
				in["head"].F32[2*d+i] = 0
			}
			in["source"] = course.IDs(rng, u, m)
			in["source"].I64[0] = 3
			in["width"], in["max_len"], in["alpha"] = wire.Int(1), wire.Int(most), wire.Float(0.6)
			return in
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.1, Of: need,
			Advice: lang.T("The encoder reads the source once, before the search begins: its memory is the same at every step. And a hypothesis has its sum: next is asked once for each live one in a step, about what it is to continue.")}}})
}

// readRowsAlone compares what passes through a model allocate whose source has a small
// vocabulary and a large one.
func readRowsAlone() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "transformer.backward", Size: "U", Sizes: []int{20, 6000},
		Draw: func(rng *rand.Rand, vocab int) wire.Values {
			return withGradient("transformer", func(rng *rand.Rand) wire.Values {
				return texts(rng, modelOf(rng, vocab, 7, 12, 2, 5, 1, 1), 2, 4, 3)
			})(rng)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.5, Free: 64 << 10,
			Advice: lang.T("A pass costs what its tokens cost: it reads their rows of the embeddings and adds to these rows, and makes nothing of the size of the vocabulary.")}}})
}

// constantPositions compares what forward passes allocate whose texts are of one length and
// of two.
func constantPositions() func(*course.Exam) error {
	const t = 20
	return course.Grows(course.Growth{Function: "transformer.forward", Size: "M", Sizes: []int{t, t + 1}, From: 2, Look: [2]int{2, 4},
		Draw: func(rng *rand.Rand, m int) wire.Values {
			return texts(rng, modelOf(rng, 9, 8, 96, 2, 3, 1, 1), 1, m, t)
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 1.2, Free: 4 << 10,
			Advice: lang.T("The table of sines and cosines is a constant. That of the longest text so far serves all that are shorter: source and target take turns.")}}})
}

// nothingStays asks every layer several times and looks at the memory in use.
func nothingStays() func(*course.Exam) error {
	advice := lang.T("What a pass works with is used again by the next, and nothing of past calls is kept.")
	var all []func(*course.Exam) error
	for _, of := range []struct {
		function, output string
		draw             func(*rand.Rand) wire.Values
	}{
		{"attend.backward", "dx", withGradient("attend", drawAttend)},
		{"encoder.backward", "dx", withGradient("encoder", drawEncoder)},
		{"decoder.backward", "dx", withGradient("decoder", drawDecoder)},
		{"transformer.forward", "logits", drawModel},
		{"smoothing.backward", "dlogits", drawSmoothing},
	} {
		all = append(all, course.Grows(course.Growth{Function: of.function, Size: "N", Sizes: []int{40}, From: 2, Look: [2]int{3, 43}, Output: of.output,
			Draw:   func(rng *rand.Rand, _ int) wire.Values { return of.draw(rng) },
			Bounds: []course.Bound{{Cost: course.Kept, Free: 32 << 10, Advice: advice}}}))
	}
	return course.All(all...)
}
