package course

// clipMistakes are about clipping the gradient.
func clipMistakes() []Mistake {
	const file = "clip.go"
	const sum = "squares += kernel.SumSquares(p.Grad.Data)"
	const root = "norm := math.Sqrt(squares)"
	const scale = "kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)"
	const when = "if norm > maxNorm {"
	const loop = "	if norm > maxNorm {\n		for _, p := range params {\n			" + scale + "\n		}\n	}\n"
	return []Mistake{
		{
			ID: "clip-per-parameter", Title: "every parameter's gradient is clipped by its own norm",
			File: file, Old: loop,
			New:  "	for _, p := range params {\n		if own := math.Sqrt(kernel.SumSquares(p.Grad.Data)); own > maxNorm {\n			kernel.Scale(float32(maxNorm/(own+1e-6)), p.Grad.Data)\n		}\n	}\n",
			Why:  "All gradients together are one vector. One factor for all keeps its direction; a factor for each bends it.",
			Hint: "Sum the squares over all parameters first, then scale all by the same factor.",
		},
		{
			ID: "clip-by-value", Title: "every element of the gradient is cut to ±maxNorm",
			File: file, Old: loop,
			New:  "	for _, p := range params {\n		for i, g := range p.Grad.Data {\n			p.Grad.Data[i] = float32(max(-maxNorm, min(maxNorm, float64(g))))\n		}\n	}\n",
			Why:  "Cutting the elements changes the direction, and bounds the norm only by maxNorm·√n.",
			Hint: "Scale the whole gradient by maxNorm/(norm + 1e-6).",
		},
		{
			ID: "clip-always", Title: "the gradient is scaled to maxNorm even if it is shorter",
			File: file, Old: when, New: "if maxNorm > 0 {",
			Why:  "Near the end of the training gradients are small and are to stay small. Clipping shortens, it never lengthens.",
			Hint: "Scale only if norm > maxNorm.",
		},
		{
			ID: "clip-never", Title: "the norm is returned, but nothing is scaled",
			File: file, Old: when, New: "if math.IsNaN(norm) {",
			Why:  "One bad batch can then throw the model far away.",
			Hint: "If norm > maxNorm, multiply every gradient by maxNorm/(norm + 1e-6).",
		},
		{
			ID: "clip-inverted", Title: "the gradient is scaled when it is shorter than maxNorm, and left when it is longer",
			File: file, Old: when, New: "if norm < maxNorm {",
			Why:  "The comparison is the wrong way round.",
			Hint: "norm > maxNorm is too long.",
		},
		{
			ID: "norm-without-root", Title: "the norm is the sum of the squares, without the root",
			File: file, Old: root, New: "norm := math.Abs(squares)",
			Why:  "A sum of squares is the square of a length. Clipping by it shortens a long gradient far too much.",
			Hint: "norm = √(Σ g²).",
		},
		{
			ID: "norm-sum-of-norms", Title: "the norms of the parameters are added up",
			File: file, Old: sum, New: "squares += math.Sqrt(kernel.SumSquares(p.Grad.Data))",
			More: []Edit{{root, "norm := squares"}},
			Why:  "Lengths add up only along one line. The squares are what adds up (Pythagoras).",
			Hint: "Add the sums of squares, and take one root at the end.",
		},
		{
			ID: "norm-of-absolutes", Title: "the norm is the sum of the absolute values",
			File: file, Old: sum, New: "for _, g := range p.Grad.Data {\n			squares += math.Abs(float64(g))\n		}",
			More: []Edit{{root, "norm := squares"}},
			Why:  "That is the L1 norm. The length of a vector is the L2 norm.",
			Hint: "norm = √(Σ g²).",
		},
		{
			ID: "norm-averaged", Title: "the squares are averaged over all elements instead of summed",
			File: file, Old: root, New: "count := 0\n	for _, p := range params {\n		count += p.Grad.Len()\n	}\n	norm := math.Sqrt(squares / float64(count))",
			Why:  "The root mean square of a million elements is a thousand times smaller than their norm, and would hardly ever be too long.",
			Hint: "norm = √(Σ g²), without a division.",
		},
		{
			ID: "norm-of-last-parameter", Title: "the norm is that of the last parameter alone",
			File: file, Old: sum, New: "squares = kernel.SumSquares(p.Grad.Data)",
			Why:  "An assignment in the loop keeps the last value only.",
			Hint: "+= in the loop over the parameters.",
		},
		{
			ID: "norm-after-clipping", Title: "the norm is returned as it is after clipping",
			File: file, Old: "	return norm\n", New: "	return min(norm, norm*maxNorm/(norm+1e-6))\n",
			Why:  "The norm before is what one wants to watch: it shows that a training is about to break. After clipping it is never above maxNorm.",
			Hint: "Return the norm that was measured before scaling.",
		},
		{
			ID: "clip-without-1e-6", Title: "the factor is maxNorm/norm, without the 1e-6 in the denominator",
			File: file, Old: scale, New: "kernel.Scale(float32(maxNorm/norm), p.Grad.Data)",
			Why:  "The small number is PyTorch's. It matters only where norm and maxNorm are tiny themselves.",
			Hint: "maxNorm/(norm + 1e-6).",
		},
		{
			ID: "clip-to-one", Title: "the gradient is scaled to length 1, whatever maxNorm is",
			File: file, Old: scale, New: "kernel.Scale(float32(1/(norm+1e-6)), p.Grad.Data)",
			Why:  "With maxNorm = 1, the usual choice, this does not show.",
			Hint: "maxNorm/(norm + 1e-6): maxNorm occurs in the comparison and in the factor.",
		},
	}
}

// Parts of the schedule in the solution that several mistakes change.
const (
	rateFile     = "schedule.go"
	rateRise     = "return float64(t) / float64(warmup) * lrMax"
	rateProgress = "progress := float64(t-warmup) / float64(cosineEnd-warmup)"
	rateWave     = "return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)"
	rateFloor    = "	case t >= cosineEnd:\n		return lrMin\n"
)

// scheduleMistakes are about the learning rate.
func scheduleMistakes() []Mistake {
	return append(warmupMistakes(), cosineMistakes()...)
}

func warmupMistakes() []Mistake {
	return []Mistake{
		{
			ID: "warmup-one-ahead", Title: "the warm-up is one update ahead: (t + 1)/warmup",
			File: rateFile, Old: rateRise, New: "return float64(t+1) / float64(warmup) * lrMax",
			Why:  "At t = 0 the rate is 0, and at t = warmup it is lrMax, where the cosine begins. One ahead, lrMax comes twice.",
			Hint: "t/warmup·lrMax, with the t that is given.",
		},
		{
			ID: "warmup-never-reaches-top", Title: "the warm-up rises to lrMax over warmup + 1 updates",
			File: rateFile, Old: rateRise, New: "return float64(t) / float64(warmup+1) * lrMax",
			Why:  "The straight line is to meet the cosine at t = warmup. Here the rate jumps there.",
			Hint: "t/warmup·lrMax.",
		},
		{
			ID: "warmup-divides-by-zero", Title: "t = warmup still belongs to the warm-up, so without a warm-up the first rate is 0/0",
			File: rateFile, Old: "case t < warmup:", New: "case t <= warmup:",
			Why:  "At t = warmup both formulas give lrMax, but with warmup = 0 the first divides by 0, and the first update makes every parameter NaN.",
			Hint: "t < warmup for the line; t = warmup is the first of the cosine.",
		},
		{
			ID: "warmup-missing", Title: "there is no warm-up: the rate begins at lrMax",
			File: rateFile, Old: rateRise, New: "return lrMax",
			Why:  "AdamW's means know little in the first steps. A small rate keeps those steps from doing harm.",
			Hint: "t/warmup·lrMax as long as t < warmup.",
		},
		{
			ID: "warmup-from-floor", Title: "the warm-up rises from lrMin instead of from 0",
			File: rateFile, Old: rateRise, New: "return lrMin + float64(t)/float64(warmup)*(lrMax-lrMin)",
			Why:  "lrMin is where the rate ends. It begins at 0.",
			Hint: "t/warmup·lrMax.",
		},
		{
			ID: "warmup-integer-division", Title: "t/warmup is divided in integers, so the rate is 0 until the warm-up is over",
			File: rateFile, Old: rateRise, New: "return float64(t/warmup) * lrMax",
			Why:  "3/7 of two ints is 0 in Go. Nothing is learnt during the warm-up.",
			Hint: "Convert before you divide: float64(t)/float64(warmup).",
		},
	}
}

func cosineMistakes() []Mistake {
	return []Mistake{
		{
			ID: "cosine-from-zero", Title: "the cosine begins at t = 0 instead of where the warm-up ends",
			File: rateFile, Old: rateProgress, New: "progress := float64(t) / float64(cosineEnd)",
			Why:  "Then the rate jumps down at the end of the warm-up and never is lrMax.",
			Hint: "Progress is 0 at t = warmup and 1 at t = cosineEnd: (t − warmup)/(cosineEnd − warmup).",
		},
		{
			ID: "cosine-too-long", Title: "the cosine's length is cosineEnd instead of cosineEnd − warmup",
			File: rateFile, Old: rateProgress, New: "progress := float64(t-warmup) / float64(cosineEnd)",
			Why:  "The wave begins at warmup, so it ends late, and the rate jumps to lrMin at cosineEnd.",
			Hint: "(t − warmup)/(cosineEnd − warmup).",
		},
		{
			ID: "end-by-cosine", Title: "the rate at cosineEnd comes from the cosine, which divides 0 by 0 when the warm-up ends there too",
			File: rateFile, Old: "case t >= cosineEnd:", New: "case t > cosineEnd:",
			Why:  "The cosine comes to lrMin at its end, so nothing shows until warmup and cosineEnd are the same number. Then the rate is NaN, and so is every parameter after that update.",
			Hint: "At t = cosineEnd the rate is lrMin already: t >= cosineEnd.",
		},
		{
			ID: "floor-ignored", Title: "the cosine falls to 0 instead of to lrMin",
			File: rateFile, Old: rateWave, New: "return (1 + math.Cos(math.Pi*progress)) / 2 * lrMax",
			Why:  "The wave lies between lrMax and lrMin. If it ends at 0, the rate jumps up to lrMin at the end.",
			Hint: "lrMin + ½·(1 + cos(π·progress))·(lrMax − lrMin).",
			Variants: []Variant{{"cut-off", []Edit{
				{rateWave, "return max(lrMin, (1+math.Cos(math.Pi*progress))/2*lrMax)"},
			}}},
		},
		{
			ID: "floor-added", Title: "lrMin is added to a cosine of height lrMax: the rate begins at lrMax + lrMin",
			File: rateFile, Old: rateWave, New: "return lrMin + (1+math.Cos(math.Pi*progress))/2*lrMax",
			Why:  "What falls is only what lies above lrMin.",
			Hint: "The wave's height is lrMax − lrMin.",
		},
		{
			ID: "rates-swapped", Title: "lrMax and lrMin are swapped in the cosine: the rate rises",
			File: rateFile, Old: rateWave, New: "return lrMax + (1+math.Cos(math.Pi*progress))/2*(lrMin-lrMax)",
			Why:  "cos is 1 at the beginning: the factor ½·(1 + cos) falls from 1 to 0.",
			Hint: "lrMin + ½·(1 + cos(π·progress))·(lrMax − lrMin).",
		},
		{
			ID: "cosine-half-forgotten", Title: "the factor ½ is missing in the cosine: it begins near 2·lrMax",
			File: rateFile, Old: rateWave, New: "return lrMin + (1+math.Cos(math.Pi*progress))*(lrMax-lrMin)",
			Why:  "1 + cos runs from 2 to 0.",
			Hint: "½·(1 + cos(π·progress)).",
		},
		{
			ID: "cosine-without-pi", Title: "π is missing in the cosine",
			File: rateFile, Old: rateWave, New: "return lrMin + (1+math.Cos(progress))/2*(lrMax-lrMin)",
			Why:  "The argument is in radians: half a wave is π. cos(1) is still 0.54.",
			Hint: "math.Cos(math.Pi·progress).",
		},
		{
			ID: "cosine-whole-wave", Title: "the cosine runs through a whole wave: the rate falls and rises again",
			File: rateFile, Old: rateWave, New: "return lrMin + (1+math.Cos(2*math.Pi*progress))/2*(lrMax-lrMin)",
			Why:  "2π is a whole wave, down and up. The rate is to go down only.",
			Hint: "math.Cos(math.Pi·progress).",
		},
		{
			ID: "decay-in-a-line", Title: "the rate falls in a straight line instead of a cosine",
			File: rateFile, Old: rateWave, New: "return lrMin + (1-math.Abs(progress))*(lrMax-lrMin)",
			Why:  "A line is also a good schedule, but another one: the cosine stays high for longer and ends flat.",
			Hint: "½·(1 + cos(π·progress)) instead of 1 − progress.",
		},
		{
			ID: "rate-constant", Title: "the rate stays at lrMax after the warm-up",
			File: rateFile, Old: rateWave, New: "_ = math.Cos(progress)\n	return lrMax",
			Why:  "A rate that does not fall leaves the loss higher in the end: the last steps are too long to settle.",
			Hint: "Between warmup and cosineEnd the rate follows half a wave of a cosine.",
		},
		{
			ID: "rises-after-end", Title: "the cosine goes on after cosineEnd, so the rate rises again",
			File: rateFile, Old: rateFloor, New: "",
			Why:  "A wave has no end by itself. After cosineEnd the rate stays at lrMin.",
			Hint: "Return lrMin if t ≥ cosineEnd.",
		},
		{
			ID: "zero-after-end", Title: "the rate is 0 after cosineEnd",
			File: rateFile, Old: rateFloor, New: "	case t >= cosineEnd:\n		return 0\n",
			Why:  "lrMin is there so that the training can go on slowly.",
			Hint: "Return lrMin if t ≥ cosineEnd.",
		},
	}
}
