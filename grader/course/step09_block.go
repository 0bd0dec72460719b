package course

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

// blockParams are the parameters of a block, in order, with their shapes.
func blockParams() []Arg {
	return []Arg{
		{"ln1", wire.F32, "D", "gain of the norm before attention"},
		{"wq", wire.F32, "D D", "query projection"}, {"wk", wire.F32, "D D", "key projection"},
		{"wv", wire.F32, "D D", "value projection"}, {"wo", wire.F32, "D D", "output projection"},
		{"ln2", wire.F32, "D", "gain of the norm before the feed-forward network"},
		{"w1", wire.F32, "F D", "feed-forward: SiLU branch"}, {"w2", wire.F32, "D F", "feed-forward: back to D"}, {"w3", wire.F32, "F D", "feed-forward: linear branch"},
	}
}

func blockStep() *Step {
	in := append([]Arg{{"x", wire.F32, "B T D", "the input"}}, blockParams()...)
	in = append(in, multiheadArgs()[5:]...)
	back := append(in[:len(in):len(in)], Arg{"dz", wire.F32, "B T D", "gradient of z"})
	out := []Arg{{"dx", wire.F32, "B T D", ""}}
	for _, p := range blockParams() {
		back = append(back, before(p.Name, p.Shape))
		out = append(out, Arg{"d" + p.Name, wire.F32, p.Shape, ""})
	}
	return &Step{
		ID: "step09", Name: "block", Folder: "step09_block",
		Title: "The Transformer block, pre-norm",
		Needs: []string{"step04", "step05", "step08"},
		Functions: []Function{
			{"block.forward", "y = x + MultiHead(RMSNorm(x; ln1)); z = y + SwiGLU(RMSNorm(y; ln2))", in, []Arg{{"z", wire.F32, "B T D", "the output"}}},
			{"block.backward", "the gradients of block.forward; those of the parameters are added to …_before", back, out},
		},
		Checks: []Check{
			{"block.forward", "the forward pass agrees with PyTorch", 30, agrees("block.forward")},
			{"block.forward.fresh", "the forward pass on fresh random cases", 10, agreesFresh("block.forward", drawBlock)},
			{"block.forward.residual", "with both branches silent, the block is the identity; with one, it adds the other", 10,
				agreesOn("block.forward", silentBlock("wo", "w2"), silentBlock("wo"), silentBlock("w2"))},
			{"block.forward.bad_input", "an input of the wrong width is refused", 5,
				refuses("block.forward", "x with 5 features where the block has 8", badBlock(), "5", "8")},
			{"block.backward.dx", "the gradient of the input agrees with PyTorch", 20, agrees("block.backward", "dx")},
			{"block.backward.dw", "the gradients of all nine parameters agree with PyTorch and are added", 15, agrees("block.backward", blockGradients()...)},
			{"block.backward.fresh", "all gradients on fresh random cases", 8, agreesFresh("block.backward", drawBlockBackward)},
			noForward("block.backward.no_forward", without("x", "block.backward", drawBlockBackward)),
		},
		Inside: []string{"block.backward.no_forward"},
		Hints: []Hint{
			noForwardHint("block.backward.no_forward"),
			{"block.forward", "Two branches, one after the other. Each reads a normalised copy of the stream and adds its result to the stream itself."},
			{"block.forward", "The residual is x, not RMSNorm(x): nothing stands between the input of a block and its output but additions."},
			{"block.forward", "h = MHA(norm1(x)); y = x + h; z = y + FFN(norm2(y)). Keep y in a buffer of its own: the layers reuse theirs."},
			{"block.backward", "An addition hands its gradient to both sides. So dy starts as dz, and receives in addition what came back through FFN and norm2."},
			{"block.backward", "dy = dz + norm2.Backward(ffn.Backward(dz)); dx = dy + norm1.Backward(attn.Backward(dy))."},
			{"block.backward", "Add into a buffer of your own: dz belongs to the caller and is still needed."},
		},
	}
}

func blockGradients() []string {
	var names []string
	for _, p := range blockParams() {
		names = append(names, "d"+p.Name)
	}
	return names
}

func drawBlock(rng *rand.Rand) wire.Values {
	in := drawMultihead(rng)
	d := in["x"].Shape[2]
	f := d + between(rng, 1, 9)
	in["ln1"], in["ln2"] = gain(rng, d), gain(rng, d)
	in["w1"] = normal(rng, 1/math.Sqrt(float64(d)), f, d)
	in["w3"] = normal(rng, 1/math.Sqrt(float64(d)), f, d)
	in["w2"] = normal(rng, 1/math.Sqrt(float64(f)), d, f)
	return in
}

func drawBlockBackward(rng *rand.Rand) wire.Values {
	in := drawBlock(rng)
	in["dz"] = normal(rng, 1, in["x"].Shape...)
	for _, p := range blockParams() {
		in["d"+p.Name+"_before"] = normal(rng, 1, in[p.Name].Shape...)
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

func badBlock() wire.Values {
	rng := rand.New(rand.NewPCG(9, 2))
	in := wire.Values{"x": normal(rng, 1, 1, 3, 5), "num_heads": wire.Int(2), "theta": wire.Float(500), "max_seq_len": wire.Int(8),
		"positions": wire.Ints([]int64{0, 1, 2}, 1, 3), "ln1": gain(rng, 8), "ln2": gain(rng, 8),
		"w1": normal(rng, 1, 11, 8), "w3": normal(rng, 1, 11, 8), "w2": normal(rng, 1, 8, 11)}
	for _, w := range []string{"wq", "wk", "wv", "wo"} {
		in[w] = normal(rng, 1, 8, 8)
	}
	return in
}
