package course

// rmsnormBackwardMistakes is what students get wrong in the derivative.
func rmsnormBackwardMistakes() []Mistake {
	mistakes := append(append(rmsnormTermMistakes(), rmsnormDHMistakes()...), rmsnormDGMistakes()...)
	return append(mistakes, noForwardMistake(rmsFile, "	tensor.CheckShape(\"RMSNorm.Backward: x of Forward\", l.x, tensor.Lead, len(g))\n"))
}

// rmsnormTermMistakes are about the second term of dx, and the factors in it.
func rmsnormTermMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dx-second-term-missing", Title: "dx lacks its second term, the one through the root",
			File: rmsFile, Old: rmsDX, New: "kernel.ScaledMul(l.dx.Row(n), r, dyn, g)\n		_ = mean",
			Why:  "x_i stands in the numerator, and in the root that the whole row shares. If x_i grows, all of the row is divided by more.",
			Hint: "dx = r·(dh − h·mean(dh ⊙ h)), with h = x·r and dh = dy ⊙ g.",
		},
		{
			ID: "dx-second-term-summed", Title: "dx's second term has the sum over the row where the mean belongs",
			File: rmsFile, Old: rmsMean, New: "mean := r * kernel.Dot3(dyn, g, xn)\n",
			Why:  "The root holds a mean of squares, so its derivative carries the same 1/D.",
			Hint: "Divide Σ dh·h by D.",
		},
		{
			ID: "dx-second-term-sign", Title: "dx's second term is added instead of subtracted",
			File: rmsFile, Old: rmsDX, New: "kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, r*r*mean, xn)",
			Why:  "The root stands in the denominator: a larger x_i makes the rest of the row smaller, hence the minus.",
			Hint: "dx = r·(dh − h·mean(dh ⊙ h)).",
		},
		{
			ID: "dx-second-term-factor", Title: "dx's second term lacks one of its three factors 1/√(mean(x²) + ε)",
			File: rmsFile, Old: rmsDX, New: "kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*mean, xn)",
			Why:  "The derivative of 1/√u is −½·u^(−3/2): three factors in all. One makes h of x inside the mean, one outside, and one stands in front.",
			Hint: "dx = r·(dh − h·mean(dh ⊙ h)): h = x·r both times, and the bracket ends after the second term.",
		},
		{
			ID: "dx-x-for-h", Title: "dx's second term uses x where the normalised row belongs, inside the mean and outside",
			File: rmsFile, Old: rmsDX, New: "kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -mean, xn)",
			Why:  "The derivative of 1/√u is −½·u^(−3/2): three factors in all. Two of them make h out of x.",
			Hint: "Work with h = x·r instead of x: dx = r·(dh − h·mean(dh ⊙ h)).",
		},
		{
			ID: "dx-outer-factor-missing", Title: "dx lacks the factor 1/√(mean(x²) + ε) in front",
			File: rmsFile, Old: rmsDX, New: "kernel.ScaledMulAdd(l.dx.Row(n), 1, dyn, g, -r*mean, xn)",
			Why:  "h = x·r, so a change of x arrives at h multiplied by r.",
			Hint: "Multiply the whole bracket by r.",
		},
		{
			ID: "dx-layernorm", Title: "dx also subtracts the mean of dh, as LayerNorm's derivative does",
			File: rmsFile, Old: rmsMean, New: rmsMean + "		centre := 0.0\n		for i := range dyn {\n			centre += float64(dyn[i]) * float64(g[i]) / float64(len(g))\n		}\n",
			More: []Edit{{rmsDX, rmsDXLoop("r * (float64(dyn[i])*float64(g[i]) - centre - float64(v)*r*mean)")}},
			Why:  "That term belongs to a mean that was subtracted in the forward pass. RMSNorm subtracts none.",
			Hint: "Two terms, not three.",
		},
		{
			ID: "dx-sum-not-cleared", Title: "the sum in dx's second term is not set to 0 again for the next row",
			File: rmsFile, Old: rmsMean, New: "sum += r * kernel.Dot3(dyn, g, xn)\n		mean := sum / float64(len(g))\n",
			More: []Edit{{"	for n, r := range l.r {\n", "	sum := 0.0\n	for n, r := range l.r {\n"}},
			Why:  "The first row is right, and every later one sees the rows before it.",
			Hint: "Declare the sum inside the loop over rows.",
		},
	}
}

// rmsnormDHMistakes are about the gain in dx.
func rmsnormDHMistakes() []Mistake {
	return []Mistake{
		{
			ID: "dx-gain-forgotten", Title: "dx does not contain the gain",
			File: rmsFile, Old: rmsRows, New: rmsNoGain,
			Why:  "y = h ⊙ g, so what reaches h is dy ⊙ g. With gains of 1 the mistake does not show.",
			Hint: "Begin with dh[i] = dy[i]·g[i], and use dh in both terms.",
		},
		{
			ID: "dx-gain-in-first-term-only", Title: "the gain is missing in dx's second term",
			File: rmsFile, Old: rmsMean, New: "mean := r * kernel.Dot3(dyn, " + rmsOnes + ", xn) / float64(len(g))\n",
			Why:  "Both terms come from the gradient of the normalised row, dh = dy ⊙ g.",
			Hint: "The mean runs over dh ⊙ h, where dh holds the gain already.",
		},
		{
			ID: "dx-gain-in-second-term-only", Title: "the gain is missing in dx's first term",
			File: rmsFile, Old: rmsDX, New: "kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, " + rmsOnes + ", -r*r*mean, xn)",
			Why:  "Both terms come from the gradient of the normalised row, dh = dy ⊙ g.",
			Hint: "dx = r·(dh − h·mean(dh ⊙ h)), with dh[i] = dy[i]·g[i].",
		},
		{
			ID: "dx-gain-last", Title: "dx is multiplied by the gain at the end instead of at the beginning",
			File: rmsFile, Old: rmsMean, New: "mean := r * kernel.Dot3(dyn, " + rmsOnes + ", xn) / float64(len(g))\n",
			More: []Edit{{rmsDX, rmsDXLoop("float64(g[i]) * r * (float64(dyn[i]) - float64(v)*r*mean)")}},
			Why:  "The gain is the last thing that happens in the forward pass, so it is the first on the way back. The mean over the row mixes columns, so the order matters.",
			Hint: "Begin with dh[i] = dy[i]·g[i]; after that the gain occurs no more.",
		},
	}
}

func rmsnormDGMistakes() []Mistake {
	const grad = "	dg := l.Gain.Grad.Data\n"
	return []Mistake{
		{
			ID: "dg-with-x", Title: "the gain's gradient is computed with x instead of the normalised row",
			File: rmsFile, Old: rmsDG, New: "kernel.ScaledMulAdd(dg, 1, dyn, xn, 1, dg)",
			Why:  "The gain multiplies what the norm has made of x, so that is its derivative.",
			Hint: "dg[i] = Σ_n dy[n,i]·x[n,i]·r[n].",
		},
		{
			ID: "dg-with-gain", Title: "the gain's gradient contains the gain itself",
			File: rmsFile, Old: rmsDG, New: "for i, v := range xn {\n			dg[i] += float32(r * float64(dyn[i]) * float64(v) * float64(g[i]))\n		}",
			Why:  "y is linear in g: its derivative with respect to g does not contain g.",
			Hint: "dg[i] = Σ_n dy[n,i]·h[n,i]: use dy, not dh.",
		},
		{
			ID: "dg-without-row", Title: "the gain's gradient is the sum of dy alone",
			File: rmsFile, Old: rmsDG, New: "kernel.Add(dg, dg, dyn)",
			Why:  "That is the gradient of a bias. A gain multiplies, so its gradient holds what it multiplies.",
			Hint: "dg[i] = Σ_n dy[n,i]·h[n,i].",
		},
		{
			ID: "dg-overwritten", Title: "the gain's gradient is overwritten instead of added to",
			File: rmsFile, Old: grad, New: grad + "	clear(dg)\n",
			Why:  "Gradients collect over calls until the optimiser clears them.",
			Hint: "Gain.Grad[i] += …",
		},
		{
			ID: "dg-averaged", Title: "the gain's gradient is averaged over the rows instead of summed",
			File: rmsFile, Old: rmsDG, New: "kernel.ScaledMulAdd(dg, r/float64(dy.Rows()), dyn, xn, 1, dg)",
			Why:  "The loss is what averages, once. Every row went through the same gain, and the chain rule adds their shares.",
			Hint: "Sum over the rows, without a division.",
		},
		{
			ID: "dg-last-row-only", Title: "only the last row reaches the gain's gradient",
			File: rmsFile, Old: rmsDG, New: "if n == len(l.r)-1 {\n			kernel.ScaledMulAdd(dg, r, dyn, xn, 1, dg)\n		}",
			Why:  "Every row went through the same gain. An assignment in the loop keeps the last one's share.",
			Hint: "+= in the loop over rows.",
			Variants: []Variant{{"overwritten", []Edit{
				{rmsDG, "kernel.ScaledMul(dg, r, dyn, xn)"},
			}}},
		},
		{
			ID: "dg-not-cleared", Title: "the gain's gradient still contains that of the call before",
			File: rmsFile, Old: grad, New: "	l.dg = slices.Grow(l.dg[:0], len(g))[:len(g)]\n	dg := l.dg\n",
			More: []Edit{
				{"	return l.dx\n", "	kernel.Add(l.Gain.Grad.Data, l.Gain.Grad.Data, dg)\n	return l.dx\n"},
				{"	y, dx *tensor.Tensor // (…, D), reused\n", "	y, dx *tensor.Tensor\n	dg    []float32\n"},
			},
			Why:  "A buffer that is used again holds the last result. The first call is right and every later one is not.",
			Hint: "Set the sum to 0 before the loop over rows; only Gain.Grad is added to.",
		},
		{
			ID: "dg-lost", Title: "nothing is added to the gain's gradient",
			File: rmsFile, Old: rmsDG, New: "_ = dg",
			Why:  "The optimiser reads Gain.Grad. A sum that stays in a local variable trains nothing.",
			Hint: "Add the sum over the rows to Gain.Grad at the end.",
		},
	}
}
