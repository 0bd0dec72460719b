package course

// rmsnormMistakes is what students get wrong in step 04.
func rmsnormMistakes() []Mistake {
	forward := append(append(rmsnormEpsMistakes(), rmsnormMeanMistakes()...), rmsnormSumMistakes()...)
	for i, m := range forward {
		if m.Old == rmsRoot { // Backward may use the wrong root, or work out one of its own
			own := append(m.Versions()[0].Edits, Edit{"l.r[n] = r\n", "l.r[n] = 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps)\n"})
			forward[i].Variants = append(m.Variants, Variant{"forward-only", own})
		}
	}
	return append(append(forward, rmsnormGainMistakes()...), rmsnormBackwardMistakes()...)
}

// Parts of the solution that several mistakes change.
const (
	rmsFile   = "rmsnorm.go"
	rmsRow    = "xn := x.Row(n)\n		"
	rmsRoot   = "r := 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps)"
	rmsOutput = "kernel.ScaledMul(l.y.Row(n), r, xn, g) // r·x ⊙ g"
	rmsRows   = "xn, dyn := l.x.Row(n), dy.Row(n)\n"
	rmsMean   = "mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g))      // of dh ⊙ h, with (2)\n"
	rmsDX     = "kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn) // (3) and (4): r·dh − r·mean·h"
	rmsDG     = "kernel.ScaledMulAdd(dg, r, dyn, xn, 1, dg)                 // (1)"
)

// Ones in the place of the gain.
const (
	rmsOnes   = "slices.Repeat([]float32{1}, len(g))"
	rmsNoGain = rmsRows + "		g := " + rmsOnes + "\n"
)

// rmsDXLoop is a row of dx in plain Go: the value for an index i and v = x[i].
func rmsDXLoop(value string) string {
	return "for i, v := range xn {\n			l.dx.Row(n)[i] = float32(" + value + ")\n		}"
}

// rmsnormEpsMistakes are about ε and the root.
func rmsnormEpsMistakes() []Mistake {
	return []Mistake{
		{
			ID: "eps-outside-root", Title: "ε is added outside the root: √mean(x²) + ε",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / (math.Sqrt(kernel.SumSquares(xn)/float64(len(g))) + Eps)",
			Why:  "Inside the root ε is compared with the mean square, outside with the root mean square. For small rows the two differ by a factor of hundreds.",
			Hint: "Add Eps first, then take the root: √(mean(x²) + ε).",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := 1 / (math.Sqrt(kernel.SumSquares(xn)/float64(len(g))) + Eps)"},
				{rmsMean, "mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g)) / (1 - Eps*r)\n"},
			}}},
		},
		{
			ID: "eps-missing", Title: "there is no ε",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g)))",
			Why:  "Without ε a row of zeros is divided by zero, and a row of tiny numbers is blown up to size 1.",
			Hint: "√(mean(x²) + Eps).",
		},
		{
			ID: "eps-squared", Title: "ε is squared",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps*Eps)",
			Why:  "Some codes call ε what others call its root. Here ε = 1e-5 stands beside the mean square as it is.",
			Hint: "√(mean(x²) + Eps), not Eps².",
		},
		{
			ID: "eps-1e-6", Title: "ε is 1e-6",
			File: rmsFile, Old: "const Eps = 1e-5", New: "const Eps = 1e-6",
			Why:  "1e-6 is the value of T5 and of later models. This course uses Llama's 1e-5, and a model that is loaded with another ε computes something else.",
			Hint: "const Eps = 1e-5 stands in the stub; use it.",
		},
		{
			ID: "eps-1e-8", Title: "ε is 1e-8",
			File: rmsFile, Old: "const Eps = 1e-5", New: "const Eps = 1e-8",
			Why:  "1e-8 is the ε of Adam and of the first RMSNorm code. This course uses Llama's 1e-5.",
			Hint: "const Eps = 1e-5 stands in the stub; use it.",
		},
		{
			ID: "eps-on-sum", Title: "ε is added to the sum of the squares, before the division by D",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt((kernel.SumSquares(xn)+Eps)/float64(len(g)))",
			Why:  "Then ε is divided by D as well, and the norm depends on the width of the model.",
			Hint: "First the mean, sum/D, then + Eps, then the root.",
		},
		{
			ID: "root-forgotten", Title: "the root is forgotten: x is divided by mean(x²) + ε",
			File: rmsFile, Old: rmsRoot, New: "r := math.Pow(kernel.SumSquares(xn)/float64(len(g))+Eps, -1)",
			Why:  "Mean squares have the unit of x². Dividing by one makes large rows small instead of making all rows equal.",
			Hint: "Divide by the root of the mean square.",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := math.Pow(kernel.SumSquares(xn)/float64(len(g))+Eps, -1)"},
				{rmsDX, "kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -2*r*mean, xn)"},
			}}},
		},
		{
			ID: "multiplied", Title: "x is multiplied by the root mean square instead of divided by it",
			File: rmsFile, Old: rmsRoot, New: "r := math.Sqrt(kernel.SumSquares(xn)/float64(len(g)) + Eps)",
			Why:  "A norm takes the size of a row away. Multiplied, it counts twice.",
			Hint: "y = x / √(mean(x²) + ε) ⊙ g.",
		},
	}
}

// Parts of the forward pass, and the row without its mean.
const (
	rmsKeep, rmsLoop = "	l.x = x\n", "	for n := range l.r {\n"
	rmsCentre        = "	centred := x.Clone()\n	for n := range x.Rows() {\n		mean := 0.0\n		for _, v := range x.Row(n) {\n			mean += float64(v) / float64(len(g))\n		}\n		for i := range x.Row(n) {\n			centred.Row(n)[i] -= float32(mean)\n		}\n	}\n"
)

// rmsnormMeanMistakes are about what is averaged.
func rmsnormMeanMistakes() []Mistake {
	return []Mistake{
		{
			ID: "sum-for-mean", Title: "the squares are summed and not divided by D",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(kernel.SumSquares(xn)+Eps)",
			Why:  "Divided by its length, a row has a root mean square of 1/√D. Then what the next layer sees shrinks as the model grows wider.",
			Hint: "Divide the sum of the squares by D before the root.",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := 1 / math.Sqrt(kernel.SumSquares(xn)+Eps)"}, {rmsMean, "mean := r * kernel.Dot3(dyn, g, xn)\n"},
			}}},
		},
		{
			ID: "d-minus-one", Title: "the sum of the squares is divided by D − 1",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g)-1)+Eps)",
			Why:  "D − 1 corrects the estimate of a variance for the mean that was subtracted. Nothing is subtracted and nothing estimated here.",
			Hint: "Divide by D, the number of elements in the row.",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g)-1)+Eps)"}, {rmsMean, "mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g)-1)\n"},
			}}},
		},
		{
			ID: "mean-subtracted", Title: "the row's mean is subtracted first, as LayerNorm does",
			File: rmsFile, Old: rmsKeep, New: rmsCentre + "	x, l.x = centred, x\n",
			Why:  "RMSNorm leaves the mean alone. That is what it saves over LayerNorm, and its authors found nothing lost.",
			Hint: "Only one statistic of the row is needed: the mean of its squares.",
			Variants: []Variant{
				{"kept", []Edit{{rmsKeep, rmsCentre + "	x = centred\n" + rmsKeep}}},
				{"derivative-too", []Edit{
					{rmsKeep, rmsCentre + "	x = centred\n" + rmsKeep},
					{rmsDX, rmsDX + "\n		dxn, shift := l.dx.Row(n), 0.0\n		for _, v := range dxn {\n			shift += float64(v) / float64(len(g))\n		}\n		for i := range dxn {\n			dxn[i] -= float32(shift)\n		}"},
				}},
			},
		},
	}
}

// rmsnormSumMistakes are about what is summed over, and how.
func rmsnormSumMistakes() []Mistake {
	return []Mistake{
		{
			ID: "one-rms-for-all-rows", Title: "one root mean square is computed over the whole tensor instead of one for each row",
			File: rmsFile, Old: rmsLoop,
			New:  "	all := kernel.SumSquares(x.Data)\n" + rmsLoop,
			More: []Edit{{rmsRoot, "r := 1 / math.Sqrt(all/float64(len(x.Data))+Eps)"}},
			Why:  "Every token is normalised by itself: what another token, or another text in the batch, looks like must not change it.",
			Hint: "Begin a new sum for every row.",
		},
		{
			ID: "sum-not-cleared", Title: "the sum of the squares is not set to 0 again for the next row",
			File: rmsFile, Old: rmsLoop, New: "	sum := 0.0\n" + rmsLoop,
			More: []Edit{{rmsRoot, "sum += kernel.SumSquares(xn)\n		r := 1 / math.Sqrt(sum/float64(len(g))+Eps)"}},
			Why:  "The first row is right, and every later one is normalised together with those before it.",
			Hint: "Declare the sum inside the loop over rows.",
		},
		{
			ID: "down-the-columns", Title: "the root mean square is taken down the columns instead of along the rows",
			File: rmsFile, Old: rmsOutput,
			New:  "for i, v := range xn {\n			column := 0.0\n			for m := range x.Rows() {\n				column += float64(x.Row(m)[i]) * float64(x.Row(m)[i])\n			}\n			l.y.Row(n)[i] = float32(float64(v) / math.Sqrt(column/float64(x.Rows())+Eps) * float64(g[i]))\n		}",
			Why:  "That is the axis of batch normalisation. A language model normalises each token over its own D features.",
			Hint: "Sum over the last axis: all elements of x.Row(n).",
		},
		{
			ID: "squares-in-float32", Title: "the squares are summed in float32",
			File: rmsFile, Old: rmsRow + rmsRoot,
			New:  rmsRow + "squares := float32(0)\n		for _, v := range xn {\n			squares += v * v\n		}\n		r := 1 / math.Sqrt(float64(squares)/float64(len(g))+Eps)",
			Why:  "float32 ends at 3.4e38, so the square of 2e19 is already infinite, and the whole row becomes 0.",
			Hint: "Convert before you square: float64(v)·float64(v).",
		},
		{
			ID: "input-normalised-in-place", Title: "x itself is overwritten by the normalised row",
			File: rmsFile, Old: rmsOutput,
			New:  "for i, v := range xn {\n			xn[i] = float32(float64(v) * r)\n			l.y.Row(n)[i] = xn[i] * g[i]\n		}",
			Why:  "x belongs to the caller: in a block the same tensor is the residual that is added later. Backward needs it too.",
			Hint: "Write to l.y only.",
		},
	}
}

// rmsnormGainMistakes are about the gain.
func rmsnormGainMistakes() []Mistake {
	return []Mistake{
		{
			ID: "gain-forgotten", Title: "the gain is not applied",
			File: rmsFile, Old: rmsOutput, New: "kernel.ScaledMul(l.y.Row(n), r, xn, " + rmsOnes + ")",
			Why:  "The gain lets the model give a feature back the size that the norm took away. At the start it is 1, and a test with gains of 1 cannot see it.",
			Hint: "y[i] = x[i]·r·g[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsOutput, "kernel.ScaledMul(l.y.Row(n), r, xn, " + rmsOnes + ")"}, {rmsRows, rmsNoGain}, {rmsDG, "_ = dg"},
			}}},
		},
		{
			ID: "gain-twice", Title: "the gain is applied twice",
			File: rmsFile, Old: rmsOutput, New: rmsOutput + "\n		kernel.Mul(l.y.Row(n), l.y.Row(n), g)",
			Why:  "Once into the normalised row, once into the output: two lines that each look right.",
			Hint: "Exactly one factor g[i] stands in y[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsOutput, rmsOutput + "\n		kernel.Mul(l.y.Row(n), l.y.Row(n), g)"},
				{rmsRows, rmsRows + "		once, g := g, slices.Clone(g)\n		kernel.Mul(g, g, once)\n"},
				{rmsDG, "for i, v := range xn {\n			dg[i] += float32(2 * r * float64(dyn[i]) * float64(v) * float64(once[i]))\n		}"},
			}}},
		},
		{
			ID: "gain-plus-one", Title: "the row is multiplied by 1 + g",
			File: rmsFile, Old: rmsOutput, New: "kernel.ScaledMulAdd(l.y.Row(n), r, xn, g, r, xn)",
			Why:  "Gemma stores g − 1, so that weight decay pulls towards 1. Here the gain is stored as it is and starts at 1.",
			Hint: "y[i] = x[i]·r·g[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsOutput, "kernel.ScaledMulAdd(l.y.Row(n), r, xn, g, r, xn)"},
				{rmsRows, rmsNoGain + "		kernel.Add(g, g, l.Gain.Value.Data)\n"},
			}}},
		},
		{
			ID: "gain-inside", Title: "the gain is applied before the norm",
			File: rmsFile, Old: rmsRow + rmsRoot,
			New:  rmsRow + "gained := make([]float32, len(g))\n		kernel.Mul(gained, xn, g)\n		r := 1 / math.Sqrt(kernel.SumSquares(gained)/float64(len(g))+Eps)",
			Why:  "Then the norm takes away again what the gain gave.",
			Hint: "The root mean square is that of x alone; the gain comes last.",
		},
	}
}
