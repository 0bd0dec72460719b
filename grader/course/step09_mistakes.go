package course

import (
	"slices"
	"strings"
)

// blockMistakes is what students get wrong in step 09.
func blockMistakes() []Mistake {
	return slices.Concat(residualMistakes(), normMistakes(), mixedNorms(), orderMistakes(), blockBackwardMistakes(), bufferMistakes(),
		[]Mistake{noForwardMistake(blkFile, "	tensor.CheckShape(\"Block.Backward: z of Forward\", b.z, tensor.Any, tensor.Any, tensor.Any)\n")})
}

// Parts of the solution's block that several mistakes change.
const (
	blkFile  = "block.go"
	blkNew   = "	return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}\n"
	blkBegin = "	tensor.CheckShape(\"Block.Forward: x\", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))\n"
	blkY     = "	kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)\n"
	blkZ     = "	kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)\n"
	blkDY    = "	kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data) // (1) and (2)\n"
	blkDX    = "	kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data) // (3)\n"
	blkEnd   = "	return b.dx\n"
)

// both makes a mistake of the forward pass and of the derivative that fits it,
// with a variant in which the derivative is that of the right block.
func both(id, title string, forward, backward []Edit, why, hint string) Mistake {
	return Mistake{ID: id, Title: title, File: blkFile, Old: forward[0].Old, New: forward[0].New,
		More: append(forward[1:len(forward):len(forward)], backward...), Why: why, Hint: hint,
		Variants: []Variant{{"forward-only", forward}}}
}

// residualMistakes are about what is added to what.
func residualMistakes() []Mistake {
	const (
		way = "The residual connections are the way on which a gradient reaches the first layer undiminished, however many blocks lie between."
		eq  = "y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y))."
	)
	var (
		noY   = Edit{blkY, "	copy(b.y.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)\n"}
		noZ   = Edit{blkZ, "	copy(b.z.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)\n"}
		noDY  = Edit{blkDY, "	copy(b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)\n"}
		noDX  = Edit{blkDX, "	copy(b.dx.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)\n"}
		xToZ  = Edit{blkZ, "	kernel.Add(b.z.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)\n"}
		dzToX = Edit{blkDX, "	kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)\n"}
	)
	return []Mistake{
		both("first-residual-missing", "the first residual connection is missing: y = Attn(Norm1(x))", []Edit{noY}, []Edit{noDX}, way, eq),
		both("second-residual-missing", "the second residual connection is missing: z = FFN(Norm2(y))", []Edit{noZ}, []Edit{noDY}, way, eq),
		both("both-residuals-missing", "both residual connections are missing", []Edit{noY, noZ},
			[]Edit{noDY, noDX, {"	\"github.com/stubformer/stubformer/reference/kernel\"\n", ""}}, way, eq),
		normalisedResidual(),
		both("second-residual-from-x", "the second residual connection starts from x instead of y", []Edit{xToZ}, []Edit{noDY, dzToX},
			"What attention found would reach the output through the feed-forward network only.", eq),
		both("x-added-twice", "x is added to the output once more, beside y",
			[]Edit{{blkZ, blkZ + "	kernel.Add(b.z.Data, b.z.Data, x.Data)\n"}}, []Edit{{blkDX, blkDX + "	kernel.Add(b.dx.Data, b.dx.Data, dz.Data)\n"}},
			"y holds x already. Counted twice in every block, the input doubles from block to block.", eq),
	}
}

// normalisedResidual adds the branch to what the norm made of its input.
func normalisedResidual() Mistake {
	var (
		y  = Edit{blkY, "	h := b.Norm1.Forward(x)\n	kernel.Add(b.y.Data, h.Data, b.Attn.Forward(h, positions).Data)\n"}
		z  = Edit{blkZ, "	g := b.Norm2.Forward(b.y)\n	kernel.Add(b.z.Data, g.Data, b.FFN.Forward(g).Data)\n"}
		dy = Edit{blkDY, "	dg := b.FFN.Backward(dz)\n	kernel.Add(dg.Data, dg.Data, dz.Data)\n	copy(b.dy.Data, b.Norm2.Backward(dg).Data)\n"}
		dx = Edit{blkDX, "	dh := b.Attn.Backward(b.dy)\n	kernel.Add(dh.Data, dh.Data, b.dy.Data)\n	copy(b.dx.Data, b.Norm1.Backward(dh).Data)\n"}
	)
	m := both("residual-normalised", "the residual is taken from the normalised input: x = Norm(x), and then x + …", []Edit{y, z}, []Edit{dy, dx},
		"The norm belongs to the branch. On the way of the residual it would rescale the stream in every block.", "Keep x beside Norm1(x): y = x + Attn(Norm1(x)).")
	m.Variants = append(m.Variants, Variant{"first", []Edit{y, dx}}, Variant{"second", []Edit{z, dy}},
		Variant{"first-forward-only", []Edit{y}}, Variant{"second-forward-only", []Edit{z}})
	return m
}

// normMistakes are about which norm stands where.
func normMistakes() []Mistake {
	const pre = "Pre-norm: the norm stands before a branch, inside it, and the stream itself is never normalised. Deep models train without a warm-up that way."
	var (
		bare1  = Edit{blkY, "	kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)\n"}
		bare2  = Edit{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)\n"}
		dBare1 = Edit{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.dy).Data)\n"}
		dBare2 = Edit{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(dz).Data)\n"}
	)
	return []Mistake{
		both("post-norm", "the norms stand behind the additions, as in the first Transformer: y = Norm1(x + Attn(x)), z = Norm2(y + FFN(y))",
			[]Edit{
				{blkY, "	kernel.Add(b.y.Data, x.Data, b.Attn.Forward(x, positions).Data)\n	copy(b.y.Data, b.Norm1.Forward(b.y.Clone()).Data)\n"},
				{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.y).Data)\n	copy(b.z.Data, b.Norm2.Forward(b.z.Clone()).Data)\n"},
			}, []Edit{
				{blkDY, "	dSum := b.Norm2.Backward(dz)\n	kernel.Add(b.dy.Data, dSum.Data, b.FFN.Backward(dSum).Data)\n"},
				{blkDX, "	dSum = b.Norm1.Backward(b.dy)\n	kernel.Add(b.dx.Data, dSum.Data, b.Attn.Backward(dSum).Data)\n"},
			}, pre, "y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y))."),
		both("norm-after-branch", "the norms stand behind the branches: y = x + Norm1(Attn(x)), z = y + Norm2(FFN(y))",
			[]Edit{
				{blkY, "	kernel.Add(b.y.Data, x.Data, b.Norm1.Forward(b.Attn.Forward(x, positions)).Data)\n"},
				{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.Norm2.Forward(b.FFN.Forward(b.y)).Data)\n"},
			}, []Edit{
				{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.FFN.Backward(b.Norm2.Backward(dz)).Data)\n"},
				{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Attn.Backward(b.Norm1.Backward(b.dy)).Data)\n"},
			}, pre, "First the norm, then the branch: Attn(Norm1(x))."),
		both("norm1-missing", "attention reads x without the norm", []Edit{bare1}, []Edit{dBare1}, pre, "y = x + Attn(Norm1(x))."),
		both("norm2-missing", "the feed-forward network reads y without the norm", []Edit{bare2}, []Edit{dBare2}, pre, "z = y + FFN(Norm2(y))."),
		both("both-norms-missing", "neither branch has its norm", []Edit{bare1, bare2}, []Edit{dBare1, dBare2}, pre, "y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y))."),
	}
}

// mixedNorms are two norms in each other's place.
func mixedNorms() []Mistake {
	const why = "Each norm has gains of its own. Fresh gains are all 1, so a model that mixes the norms up looks right until it has been trained."
	// mixed wires the norms wrongly in New, or uses them wrongly in both methods, or in Forward alone.
	mixed := func(id, title, ln1, ln2, norm1, norm2, hint string) Mistake {
		z := strings.Replace(blkZ, "Norm2", norm2, 1)
		forward := []Edit{{blkZ, z}}
		backward := []Edit{{blkDY, strings.Replace(blkDY, "Norm2", norm2, 1)}}
		if norm1 != "Norm1" {
			forward = append(forward, Edit{blkY, strings.Replace(blkY, "Norm1", norm1, 1)})
			backward = append(backward, Edit{blkDX, strings.Replace(blkDX, "Norm1", norm1, 1)})
		}
		if norm2 == "Norm2" {
			forward, backward = forward[1:], backward[1:]
		}
		return Mistake{ID: id, Title: title, File: blkFile, Old: blkNew, Why: why, Hint: hint,
			New:      "	return &Block{Norm1: rmsnorm.New(" + ln1 + "), Attn: attn, Norm2: rmsnorm.New(" + ln2 + "), FFN: ffn}\n",
			Variants: []Variant{{"in-use", append(forward, backward...)}, {"forward-only", forward}}}
	}
	return []Mistake{
		mixed("first-norm-twice", "the first norm is used in both places", "ln1", "ln1", "Norm1", "Norm1",
			"Norm2 stands before the feed-forward network."),
		mixed("second-norm-twice", "the second norm is used in both places", "ln2", "ln2", "Norm2", "Norm2",
			"Norm1 stands before attention."),
		mixed("norms-exchanged", "the two norms are exchanged", "ln2", "ln1", "Norm2", "Norm1",
			"Norm1, with ln1, stands before attention, Norm2 before the feed-forward network."),
	}
}

// orderMistakes are about which branch reads what.
func orderMistakes() []Mistake {
	const (
		serial = "The feed-forward network works on what attention has gathered, so it reads y."
		hint   = "y = x + Attn(Norm1(x)); z = y + FFN(Norm2(y))."
	)
	ffnFirst := both("ffn-first", "the feed-forward network comes first and attention second",
		[]Edit{
			{blkY, "	kernel.Add(b.y.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)\n"},
			{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.Attn.Forward(b.Norm1.Forward(b.y), positions).Data)\n"},
		}, []Edit{
			{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)\n"},
			{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Norm2.Backward(b.FFN.Backward(b.dy)).Data)\n"},
		}, serial, hint)
	ffnFirst.Variants = append(ffnFirst.Variants, Variant{"norms-stay", []Edit{
		{blkY, "	kernel.Add(b.y.Data, x.Data, b.FFN.Forward(b.Norm1.Forward(x)).Data)\n"},
		{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.Attn.Forward(b.Norm2.Forward(b.y), positions).Data)\n"},
		{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.Attn.Backward(dz)).Data)\n"},
		{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.FFN.Backward(b.dy)).Data)\n"},
	}})
	parallel := both("parallel", "both branches read x, side by side: z = x + Attn(Norm1(x)) + FFN(Norm2(x))",
		[]Edit{{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)\n"}},
		[]Edit{
			{blkDY, "	kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)\n"},
			{blkDX, "	kernel.Add(b.dx.Data, b.dy.Data, b.Norm1.Backward(b.Attn.Backward(dz)).Data)\n"},
		}, serial+" Side by side, as in GPT-J, the two can run at the same time; it is another model.", hint)
	parallel.Variants = append(parallel.Variants, Variant{"one-norm", []Edit{
		{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm1.Forward(x)).Data)\n"},
		{blkDY, "	copy(b.dy.Data, dz.Data)\n"},
		{blkDX, "	dh := b.FFN.Backward(dz)\n	kernel.Add(dh.Data, dh.Data, b.Attn.Backward(dz).Data)\n	kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(dh).Data)\n"},
	}})
	return []Mistake{
		ffnFirst, parallel,
		both("ffn-reads-attention", "the feed-forward network reads what attention returned, without x",
			[]Edit{
				{blkY, "	a := b.Attn.Forward(b.Norm1.Forward(x), positions)\n	kernel.Add(b.y.Data, x.Data, a.Data)\n"},
				{blkZ, "	kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(a)).Data)\n"},
			}, []Edit{{blkDX, "	kernel.Add(b.dx.Data, dz.Data, b.Norm1.Backward(b.Attn.Backward(b.dy)).Data)\n"}},
			serial+" y holds both, the token itself and what it has gathered.", hint),
	}
}
