package course

// rmsnormMistakes is what students get wrong in step 04.
func rmsnormMistakes() []Mistake {
	forward := append(append(rmsnormEpsMistakes(), rmsnormMeanMistakes()...), rmsnormSumMistakes()...)
	for i, m := range forward {
		if m.Old == rmsRoot { // Backward may use the wrong root, or work out one of its own
			own := append(m.Versions()[0].Edits, Edit{"l.r[n] = r\n", "l.r[n] = 1 / math.Sqrt(sum/float64(len(g))+Eps)\n"})
			forward[i].Variants = append(m.Variants, Variant{"forward-only", own})
		}
	}
	return append(append(forward, rmsnormGainMistakes()...), rmsnormBackwardMistakes()...)
}

// Parts of the solution that several mistakes change.
const (
	rmsFile   = "rmsnorm.go"
	rmsRoot   = "r := 1 / math.Sqrt(sum/float64(len(g))+Eps)"
	rmsOutput = "yn[i] = float32(float64(v) * r * float64(g[i]))"
	rmsMean   = "mean := sum / float64(len(g))\n"
	rmsDX     = "dxn[i] = float32(r * (dh - h*mean))"
	rmsDH     = "dh, h := float64(dyn[i])*float64(g[i]), float64(v)*r"
	rmsDG     = "l.dg[i] += dyh             // (1)"
	rmsDot    = "sum += dyh * float64(g[i]) // (2), Σ dh ⊙ h"
)

// rmsnormEpsMistakes are about ε and the root.
func rmsnormEpsMistakes() []Mistake {
	return []Mistake{
		{
			ID: "eps-outside-root", Title: "ε is added outside the root: √mean(x²) + ε",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / (math.Sqrt(sum/float64(len(g))) + Eps)",
			Why:  "Inside the root ε is compared with the mean square, outside with the root mean square. For small rows the two differ by a factor of hundreds.",
			Hint: "Add Eps first, then take the root: √(mean(x²) + ε).",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := 1 / (math.Sqrt(sum/float64(len(g))) + Eps)"},
				{rmsMean, "mean := sum / float64(len(g)) / (1 - Eps*r)\n"},
			}}},
		},
		{
			ID: "eps-missing", Title: "there is no ε",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(sum/float64(len(g)))",
			Why:  "Without ε a row of zeros is divided by zero, and a row of tiny numbers is blown up to size 1.",
			Hint: "√(mean(x²) + Eps).",
		},
		{
			ID: "eps-squared", Title: "ε is squared",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(sum/float64(len(g))+Eps*Eps)",
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
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt((sum+Eps)/float64(len(g)))",
			Why:  "Then ε is divided by D as well, and the norm depends on the width of the model.",
			Hint: "First the mean, sum/D, then + Eps, then the root.",
		},
		{
			ID: "root-forgotten", Title: "the root is forgotten: x is divided by mean(x²) + ε",
			File: rmsFile, Old: rmsRoot, New: "r := math.Pow(sum/float64(len(g))+Eps, -1)",
			Why:  "Mean squares have the unit of x². Dividing by one makes large rows small instead of making all rows equal.",
			Hint: "Divide by the root of the mean square.",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := math.Pow(sum/float64(len(g))+Eps, -1)"},
				{rmsDX, "dxn[i] = float32(r*dh - 2*h*mean)"},
			}}},
		},
		{
			ID: "multiplied", Title: "x is multiplied by the root mean square instead of divided by it",
			File: rmsFile, Old: rmsRoot, New: "r := math.Sqrt(sum/float64(len(g)) + Eps)",
			Why:  "A norm takes the size of a row away. Multiplied, it counts twice.",
			Hint: "y = x / √(mean(x²) + ε) ⊙ g.",
		},
	}
}

// Parts of the forward pass, and the row without its mean.
const (
	rmsKeep, rmsLoop = "	l.x = x\n", "	for n := range l.r {\n		xn, yn := x.Row(n), l.y.Row(n)\n		sum := 0.0\n"
	rmsCentre        = "	centred := x.Clone()\n	for n := range x.Rows() {\n		mean := 0.0\n		for _, v := range x.Row(n) {\n			mean += float64(v) / float64(len(g))\n		}\n		for i := range x.Row(n) {\n			centred.Row(n)[i] -= float32(mean)\n		}\n	}\n"
)

// rmsnormMeanMistakes are about what is averaged.
func rmsnormMeanMistakes() []Mistake {
	return []Mistake{
		{
			ID: "sum-for-mean", Title: "the squares are summed and not divided by D",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(sum+Eps)",
			Why:  "Divided by its length, a row has a root mean square of 1/√D. Then what the next layer sees shrinks as the model grows wider.",
			Hint: "Divide the sum of the squares by D before the root.",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := 1 / math.Sqrt(sum+Eps)"}, {rmsMean, "mean := sum\n"},
			}}},
		},
		{
			ID: "d-minus-one", Title: "the sum of the squares is divided by D − 1",
			File: rmsFile, Old: rmsRoot, New: "r := 1 / math.Sqrt(sum/float64(len(g)-1)+Eps)",
			Why:  "D − 1 corrects the estimate of a variance for the mean that was subtracted. Nothing is subtracted and nothing estimated here.",
			Hint: "Divide by D, the number of elements in the row.",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsRoot, "r := 1 / math.Sqrt(sum/float64(len(g)-1)+Eps)"}, {rmsMean, "mean := sum / float64(len(g)-1)\n"},
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
					{rmsDX + "                  // (3) and (4)\n		}\n", rmsDX + "\n		}\n		shift := 0.0\n		for _, v := range dxn {\n			shift += float64(v) / float64(len(g))\n		}\n		for i := range dxn {\n			dxn[i] -= float32(shift)\n		}\n"},
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
			New:  "	all := 0.0\n	for _, v := range x.Data {\n		all += float64(v) * float64(v)\n	}\n" + rmsLoop,
			More: []Edit{{rmsRoot, "r := 1 / math.Sqrt(all/float64(len(x.Data))+Eps)"}},
			Why:  "Every token is normalised by itself: what another token, or another text in the batch, looks like must not change it.",
			Hint: "Begin a new sum for every row.",
		},
		{
			ID: "sum-not-cleared", Title: "the sum of the squares is not set to 0 again for the next row",
			File: rmsFile, Old: rmsLoop, New: "	sum := 0.0\n	for n := range l.r {\n		xn, yn := x.Row(n), l.y.Row(n)\n",
			Why:  "The first row is right, and every later one is normalised together with those before it.",
			Hint: "Declare the sum inside the loop over rows.",
		},
		{
			ID: "down-the-columns", Title: "the root mean square is taken down the columns instead of along the rows",
			File: rmsFile, Old: rmsOutput,
			New:  "column := 0.0\n			for m := range x.Rows() {\n				column += float64(x.Row(m)[i]) * float64(x.Row(m)[i])\n			}\n			yn[i] = float32(float64(v) / math.Sqrt(column/float64(x.Rows())+Eps) * float64(g[i]))",
			Why:  "That is the axis of batch normalisation. A language model normalises each token over its own D features.",
			Hint: "Sum over the last axis: all elements of x.Row(n).",
		},
		{
			ID: "squares-in-float32", Title: "the squares are summed in float32",
			File: rmsFile, Old: "sum := 0.0\n		for _, v := range xn {\n			sum += float64(v) * float64(v)\n		}\n		" + rmsRoot,
			New:  "squares := float32(0)\n		for _, v := range xn {\n			squares += v * v\n		}\n		sum := float64(squares)\n		" + rmsRoot,
			Why:  "float32 ends at 3.4e38, so the square of 2e19 is already infinite, and the whole row becomes 0.",
			Hint: "Convert before you square: float64(v)·float64(v).",
		},
		{
			ID: "input-normalised-in-place", Title: "x itself is overwritten by the normalised row",
			File: rmsFile, Old: rmsOutput,
			New:  "xn[i] = float32(float64(v) * r)\n			yn[i] = xn[i] * g[i]",
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
			File: rmsFile, Old: rmsOutput, New: "yn[i] = float32(float64(v) * r)",
			Why:  "The gain lets the model give a feature back the size that the norm took away. At the start it is 1, and a test with gains of 1 cannot see it.",
			Hint: "y[i] = x[i]·r·g[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsOutput, "yn[i] = float32(float64(v) * r)"},
				{rmsDH, "dh, h := float64(dyn[i]), float64(v)*r"}, {rmsDG, "l.dg[i] += 0"}, {rmsDot, "sum += dyh"},
			}}},
		},
		{
			ID: "gain-twice", Title: "the gain is applied twice",
			File: rmsFile, Old: rmsOutput, New: "yn[i] = float32(float64(v) * r * float64(g[i]) * float64(g[i]))",
			Why:  "Once into the normalised row, once into the output: two lines that each look right.",
			Hint: "Exactly one factor g[i] stands in y[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsOutput, "yn[i] = float32(float64(v) * r * float64(g[i]) * float64(g[i]))"},
				{rmsDH, "dh, h := float64(dyn[i])*float64(g[i])*float64(g[i]), float64(v)*r"},
				{rmsDG, "l.dg[i] += 2 * dyh * float64(g[i])"}, {rmsDot, "sum += dyh * float64(g[i]) * float64(g[i])"},
			}}},
		},
		{
			ID: "gain-plus-one", Title: "the row is multiplied by 1 + g",
			File: rmsFile, Old: rmsOutput, New: "yn[i] = float32(float64(v) * r * (1 + float64(g[i])))",
			Why:  "Gemma stores g − 1, so that weight decay pulls towards 1. Here the gain is stored as it is and starts at 1.",
			Hint: "y[i] = x[i]·r·g[i].",
			Variants: []Variant{{"derivative-too", []Edit{
				{rmsOutput, "yn[i] = float32(float64(v) * r * (1 + float64(g[i])))"},
				{rmsDH, "dh, h := float64(dyn[i])*(1+float64(g[i])), float64(v)*r"}, {rmsDot, "sum += dyh * (1 + float64(g[i]))"},
			}}},
		},
		{
			ID: "gain-inside", Title: "the gain is applied before the norm",
			File: rmsFile, Old: "sum += float64(v) * float64(v)\n		}\n		" + rmsRoot,
			New:  "sum += float64(v) * float64(v)\n		}\n		sum = 0\n		for i, v := range xn {\n			sum += float64(v*g[i]) * float64(v*g[i])\n		}\n		" + rmsRoot,
			Why:  "Then the norm takes away again what the gain gave.",
			Hint: "The root mean square is that of x alone; the gain comes last.",
		},
	}
}
