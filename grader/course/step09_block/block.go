// Package block says how step 09 is checked; what its functions look like says
// fixtures/step09_block/functions.txt.
package block

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	attention "github.com/stubformer/stubformer/grader/course/step08_attention"
	"github.com/stubformer/stubformer/reference/wire"
)

// blockParams are the parameters of a block, in order: the arguments whose
// gradients are added to what was there.
func blockParams() []string {
	backward, _ := fixtures.Declared("block.backward")
	var names []string
	for _, a := range backward.In {
		if backward.Arg("d"+a.Name+"_before") != nil {
			names = append(names, a.Name)
		}
	}
	return names
}

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step09", Name: "block", Folder: "step09_block", Track: course.Core,
		Title:     "The Transformer block, pre-norm",
		Needs:     []string{"step04", "step05", "step08"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step09_block"),
		Checks: []course.Check{
			{ID: "block.forward", Title: "the forward pass agrees with PyTorch", Points: 25, Run: course.Agrees("block.forward")},
			{ID: "block.forward.fresh", Title: "the forward pass on fresh random cases", Points: 10, Run: course.AgreesFresh("block.forward", drawBlock)},
			{ID: "block.forward.residual", Title: "with both branches silent, the block is the identity; with one, it adds the other", Points: 10,
				Run: course.AgreesOn("block.forward", silentBlock("wo", "w2"), silentBlock("wo"), silentBlock("w2"))},
			{ID: "block.forward.bad_input", Title: "inputs and positions of the wrong shape are refused", Points: 5, Run: course.All(refused()...)},
			{ID: "block.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 20, Run: course.Agrees("block.backward", "dx")},
			{ID: "block.backward.dw", Title: "the gradients of all nine parameters agree with PyTorch and are added", Points: 15, Run: course.Agrees("block.backward", blockGradients()...)},
			{ID: "block.backward.fresh", Title: "all gradients on fresh random cases", Points: 8, Run: course.All(course.AgreesFresh("block.backward", drawBlockBackward),
				course.AgreesForEach(course.Zeroed("block.backward", drawBlockBackward, append([]string{"dz"}, blockParams()...)...)...))},
			course.Again("block.backward.again",
				course.All(misfits()...), course.Misfits("block.backward", "dz", drawBlockBackward),
				course.AskedAgain(course.Layer{Forward: "block.forward", Backward: "block.backward", Input: "x", Draw: drawBlockBackward, Bad: course.Wider("x")}),
				course.AtOnce(course.Drawing{Function: "block.backward", Draw: drawBlockBackward})),
			course.NoForward("block.backward.no_forward", course.Without("x", "block.backward", drawBlockBackward)),
		},
		Inside: []string{"block.backward.again", "block.backward.no_forward"},
		Hints: []course.Hint{
			course.AgainHint("block.backward.again"),
			course.NoForwardHint("block.backward.no_forward"),
			{For: "block.forward.bad_input", Text: "Begin with tensor.CheckShape of x, (B, T, D), D being the length of the first norm's gain, so that the error names the block and not the part of it that stumbles."},
			{For: "block.forward", Text: "Two branches, one after the other. Each reads a normalised copy of the stream and adds its result to the stream itself."},
			{For: "block.forward", Text: "The residual is x, not RMSNorm(x): nothing stands between the input of a block and its output but additions."},
			{For: "block.forward", Text: "h = MHA(norm1(x)); y = x + h; z = y + FFN(norm2(y)). Keep y in a buffer of its own: the layers reuse theirs."},
			{For: "block.backward", Text: "An addition hands its gradient to both sides. So dy starts as dz, and receives in addition what came back through FFN and norm2."},
			{For: "block.backward", Text: "dy = dz + norm2.Backward(ffn.Backward(dz)); dx = dy + norm1.Backward(attn.Backward(dy))."},
			{For: "block.backward", Text: "Add into a buffer of your own: dz belongs to the caller and is still needed."},
		},
	}
}

func blockGradients() []string {
	var names []string
	for _, p := range blockParams() {
		names = append(names, "d"+p)
	}
	return names
}

func drawBlock(rng *rand.Rand) wire.Values {
	in := attention.DrawMultihead(rng)
	d := in["x"].Shape[2]
	f := d + course.Between(rng, 1, 9)
	in["ln1"], in["ln2"] = course.Gain(rng, d), course.Gain(rng, d)
	in["w1"] = course.Normal(rng, 1/math.Sqrt(float64(d)), f, d)
	in["w3"] = course.Normal(rng, 1/math.Sqrt(float64(d)), f, d)
	in["w2"] = course.Normal(rng, 1/math.Sqrt(float64(f)), d, f)
	return in
}

func drawBlockBackward(rng *rand.Rand) wire.Values {
	in := drawBlock(rng)
	in["dz"] = course.Normal(rng, 1, in["x"].Shape...)
	for _, p := range blockParams() {
		in["d"+p+"_before"] = course.Normal(rng, 1, in[p].Shape...)
	}
	return in
}

// silentBlock has weights of zeros: with an output projection of zeros attention
// adds nothing, with a W2 of zeros the feed-forward network does not.
func silentBlock(weights ...string) wire.Values {
	in := drawBlock(rand.New(rand.NewPCG(9, 1)))
	for _, w := range weights {
		v := in[w]
		in[w] = wire.Float32s(make([]float32, v.Len()), v.Shape...)
	}
	return in
}

// refused asks for what Forward refuses, or the layers to which it hands it on.
func refused() []func(*course.Exam) error {
	const f = "block.forward"
	in := right()
	x := func(shape ...int) wire.Values {
		return course.With(in, "x", course.Normal(rand.New(rand.NewPCG(9, 3)), 1, shape...))
	}
	positions := func(rows, length int, first int64) wire.Values {
		at := make([]int64, rows*length)
		copy(at, []int64{first})
		return course.With(in, "positions", wire.Ints(at, rows, length))
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "x with 5 features where the block has 8", x(1, 3, 5), "5", "8"),
		course.Refuses(f, "an x of two dimensions", x(3, 8), "3", "8"),
		course.Refuses(f, "no rows of positions", positions(0, 3, 0)),
		course.Refuses(f, "three rows of positions for a batch of one", positions(3, 3, 0), "3", "1"),
		course.Refuses(f, "positions for two tokens where x has three", positions(1, 2, 0), "2", "3"),
		course.Refuses(f, "positions for four tokens where there are three", positions(1, 4, 0), "4", "3"),
		course.Refuses(f, "position 8 with max_seq_len 8", positions(1, 3, 8), "8"),
		course.Refuses(f, "position -1", positions(1, 3, -1), "-1"),
	}
}

// misfits asks for blocks that New refuses before anything is put into them.
func misfits() []func(*course.Exam) error {
	const f = "block.forward"
	rng := rand.New(rand.NewPCG(9, 4))
	in := right()
	delete(in, "x")
	gain := func(name string) wire.Values { return course.With(in, name, course.Gain(rng, 7)) }
	network := course.With(course.With(course.With(in, "w1", course.Normal(rng, 1, 11, 7)), "w3", course.Normal(rng, 1, 11, 7)), "w2", course.Normal(rng, 1, 7, 11))
	return []func(*course.Exam) error{
		course.Refuses(f, "a first gain of 7 numbers where D is 8", gain("ln1"), "7", "8"),
		course.Refuses(f, "a second gain of 7 numbers where D is 8", gain("ln2"), "7", "8"),
		course.Refuses(f, "a feed-forward network of width 7 where D is 8", network, "7", "8"),
	}
}

// right is a call of a block with D = 8 that nothing is wrong with.
func right() wire.Values {
	rng := rand.New(rand.NewPCG(9, 2))
	in := wire.Values{"x": course.Normal(rng, 1, 1, 3, 8), "num_heads": wire.Int(2), "theta": wire.Float(500), "max_seq_len": wire.Int(8),
		"positions": wire.Ints([]int64{0, 1, 2}, 1, 3), "ln1": course.Gain(rng, 8), "ln2": course.Gain(rng, 8),
		"w1": course.Normal(rng, 1, 11, 8), "w3": course.Normal(rng, 1, 11, 8), "w2": course.Normal(rng, 1, 8, 11)}
	for _, w := range []string{"wq", "wk", "wv", "wo"} {
		in[w] = course.Normal(rng, 1, 8, 8)
	}
	return in
}
