package course

import (
	"slices"
	"strings"
)

// trainingMistakes is what students get wrong in step 11.
func trainingMistakes() []Mistake {
	return slices.Concat(biasMistakes(), momentMistakes(), decayMistakes(), clipMistakes(), scheduleMistakes(),
		productMistakes(), tileMistakes(), stepMistakes(), shardMistakes(), loopMistakes(), batchMistakes(), checkpointMistakes())
}

// Parts of AdamW in the solution that several mistakes change.
const (
	adamFile   = "adamw.go"
	adamBias1  = "bias1 := 1 - math.Pow(o.Beta1, float64(o.Steps))"
	adamBias2  = "bias2 := 1 - math.Pow(o.Beta2, float64(o.Steps))"
	adamCall   = "	kernel.AdamW(p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data,\n		lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, bias1, bias2)\n"
	adamKernel = "	\"github.com/stubformer/stubformer/reference/kernel\"\n"
)

// The lines of AdamW as a plain loop, in adamLoop.
const (
	adamM     = "mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*grad\n"
	adamV     = "square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad*grad\n"
	adamDecay = "value -= lr * o.WeightDecay * value\n"
	adamMove  = "value -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)\n"
)

// adamLoop makes a mistake of AdamW that the kit's kernel cannot make: a plain
// loop takes the kernel's place, with one of its lines changed.
func adamLoop(m Mistake, line, wrong string) Mistake {
	const loop = "	w, g, m, v := p.Value.Data, p.Grad.Data, o.M[i].Data, o.V[i].Data\n	for j := range w {\n" +
		"		grad, value := float64(g[j]), float64(w[j])\n" + adamM + adamV + "		m[j], v[j] = float32(mean), float32(square)\n" +
		adamDecay + adamMove + "		w[j] = float32(value)\n	}\n"
	m.File, m.Old, m.New = adamFile, adamCall, strings.Replace(loop, line, wrong, 1)
	m.More = append(m.More, Edit{adamKernel, ""})
	return m
}

// biasMistakes are about the bias correction of AdamW.
func biasMistakes() []Mistake {
	return []Mistake{
		{
			ID: "no-bias-correction", Title: "AdamW has no bias correction",
			File: adamFile, Old: adamBias1, New: "bias1 := math.Pow(1, o.Beta1)",
			More: []Edit{{adamBias2, "bias2 := 1.0"}},
			Why:  "Both means start at 0 and are too small at first, m ten times and v twenty to a thousand times. Their quotient is then wrong for many steps.",
			Hint: "Divide m by 1 − β1ᵗ and v by 1 − β2ᵗ, with t = 1 in the first step.",
		},
		{
			ID: "bias-correction-of-m-only", Title: "only m is corrected for its start at 0, and v is not",
			File: adamFile, Old: adamBias2, New: "bias2 := 1.0",
			Why:  "v starts at 0 as well, and with β2 near 1 it stays too small for longer than m. Without the correction the first steps are many times too long.",
			Hint: "v/(1 − β2ᵗ) stands under the root.",
		},
		{
			ID: "bias-correction-of-v-only", Title: "only v is corrected for its start at 0, and m is not",
			File: adamFile, Old: adamBias1, New: "bias1 := 1.0",
			Why:  "m starts at 0 too: after the first step it is (1 − β1)·g, a tenth of the gradient.",
			Hint: "m/(1 − β1ᵗ) stands in the numerator.",
		},
		{
			ID: "t-from-zero", Title: "t is 0 in the first step's bias correction, and one behind in all later ones",
			File: adamFile, Old: "	o.Steps++\n", New: "	defer func() { o.Steps++ }()\n",
			Why:  "1 − β⁰ is 0, so the first step divides by 0 and every parameter is NaN from then on.",
			Hint: "Count the step first, then use the count.",
		},
		{
			ID: "t-one-ahead", Title: "the bias correction is one step ahead: t is 2 in the first step",
			File: adamFile, Old: adamBias1, New: "bias1 := 1 - math.Pow(o.Beta1, float64(o.Steps+1))",
			More: []Edit{{adamBias2, "bias2 := 1 - math.Pow(o.Beta2, float64(o.Steps+1))"}},
			Why:  "After the first step m is (1 − β1)·g, and only 1 − β1¹ makes g of it again.",
			Hint: "t = 1 in the first step. Is the step counted twice?",
		},
		{
			ID: "t-counts-parameters", Title: "t is counted once for each parameter instead of once for each step",
			File: adamFile, Old: "	o.Steps++\n", New: "",
			More: []Edit{{"o.updates.run(len(o.Params)) // no parameter needs another\n", "for i := range o.Params {\n		o.Steps++\n		o.update(i, lr)\n	}\n"}},
			Why:  "With a single parameter nothing shows. In a model the correction is over within a step or two, and each parameter has another one.",
			Hint: "Count before the loop over the parameters, not in it.",
		},
		{
			ID: "bias-correction-without-power", Title: "the bias correction is 1 − β in every step, without the power t",
			File: adamFile, Old: adamBias1, New: "bias1 := 1 - math.Abs(o.Beta1)",
			More: []Edit{{adamBias2, "bias2 := 1 - o.Beta2"}},
			Why:  "That is right in the first step. Later the means hold many gradients, and 1 − βᵗ has come near 1.",
			Hint: "math.Pow(β, t), with t the number of steps so far.",
		},
		adamLoop(Mistake{
			ID: "corrected-means-kept", Title: "the corrected means are stored as m and v, and are corrected again in the next step",
			Why:  "The correction is for this step's use only. The running means themselves go on uncorrected.",
			Hint: "Put m/(1 − β1ᵗ) and v/(1 − β2ᵗ) into variables of their own.",
		}, adamDecay, "m[j], v[j] = float32(mean/bias1), float32(square/bias2)\n"+adamDecay),
	}
}

// momentMistakes are about the two running means, and the move along them.
func momentMistakes() []Mistake {
	return []Mistake{
		{
			ID: "betas-swapped", Title: "β1 and β2 are swapped",
			File: adamFile, Old: "lr, o.Beta1, o.Beta2, o.Eps", New: "lr, o.Beta2, o.Beta1, o.Eps",
			More: []Edit{{adamBias1, strings.Replace(adamBias1, "Beta1", "Beta2", 1)}, {adamBias2, strings.Replace(adamBias2, "Beta2", "Beta1", 1)}},
			Why:  "The mean of the gradient follows quickly (β1 = 0.9), the mean of its square slowly (β2 = 0.95 to 0.999), so that the length of a step does not jump.",
			Hint: "β1 belongs to m, β2 to v.",
			Variants: []Variant{{"not-in-the-correction", []Edit{
				{"lr, o.Beta1, o.Beta2, o.Eps", "lr, o.Beta2, o.Beta1, o.Eps"},
			}}},
		},
		adamLoop(Mistake{
			ID: "v-of-g", Title: "v is the mean of the gradient, not of its square",
			Why:  "The root of a mean that may be negative is NaN. v measures how large the gradients are, whatever their sign.",
			Hint: "v = β2·v + (1 − β2)·g².",
		}, adamV, "square := o.Beta2*float64(v[j]) + (1-o.Beta2)*grad\n"),
		adamLoop(Mistake{
			ID: "v-of-absolute", Title: "v is the mean of |g| instead of g²",
			Why:  "The root that is taken of v later undoes the square. Of |g| it makes something with the unit of √g.",
			Hint: "v = β2·v + (1 − β2)·g².",
		}, adamV, "square := o.Beta2*float64(v[j]) + (1-o.Beta2)*math.Abs(grad)\n"),
		adamLoop(Mistake{
			ID: "v-of-m", Title: "v is the mean of m² instead of g²",
			Why:  "m has averaged the noise away already. v is to know how much noise there was.",
			Hint: "Square the gradient, not its mean.",
		}, adamV, "square := o.Beta2*float64(v[j]) + (1-o.Beta2)*mean*mean\n"),
		adamLoop(Mistake{
			ID: "m-accumulated", Title: "m is β1·m + g, without the factor 1 − β1",
			Why:  "That is the momentum of plain gradient descent. It is a sum and not a mean: with β1 = 0.9 ten times as large.",
			Hint: "m = β1·m + (1 − β1)·g.",
		}, adamM, "mean := o.Beta1*float64(m[j]) + grad\n"),
		adamLoop(Mistake{
			ID: "v-accumulated", Title: "v is β2·v + g², without the factor 1 − β2",
			Why:  "Without the factor v is a sum and not a mean, 20 to 1000 times as large, and the steps are that much shorter.",
			Hint: "v = β2·v + (1 − β2)·g².",
		}, adamV, "square := o.Beta2*float64(v[j]) + grad*grad\n"),
		adamLoop(Mistake{
			ID: "m-weights-swapped", Title: "m gives β1 to the new gradient and 1 − β1 to the old mean",
			Why:  "A running mean changes slowly: nearly all of it is the old one.",
			Hint: "m = β1·m + (1 − β1)·g, with β1 near 1.",
		}, adamM, "mean := (1-o.Beta1)*float64(m[j]) + o.Beta1*grad\n"),
		adamLoop(Mistake{
			ID: "v-weights-swapped", Title: "v gives β2 to the new square and 1 − β2 to the old mean",
			Why:  "A running mean changes slowly: nearly all of it is the old one.",
			Hint: "v = β2·v + (1 − β2)·g², with β2 near 1.",
		}, adamV, "square := (1-o.Beta2)*float64(v[j]) + o.Beta2*grad*grad\n"),
		adamLoop(Mistake{
			ID: "moves-along-g", Title: "the parameter moves along g instead of m",
			Why:  "That is RMSProp. Adam moves along the mean of the last gradients, which is steadier than each of them.",
			Hint: "The numerator is m/(1 − β1ᵗ).",
		}, adamMove, "_ = bias1\n"+strings.Replace(adamMove, "mean / bias1", "grad", 1)),
		{
			ID: "step-clears-gradients", Title: "AdamW's step sets the gradients to 0 after it has used them",
			File: adamFile, Old: adamCall, New: adamCall + "	p.ZeroGrad()\n",
			Why:  "Whoever asked for the step may want to look at the gradients after it, and whoever adds gradients up decides when a new sum begins.",
			Hint: "Step reads the gradients. The trainer sets them to 0 before the next Backward.",
		},
		adamLoop(Mistake{
			ID: "moves-uphill", Title: "the step is added to the parameter instead of subtracted",
			Why:  "The gradient points to where the loss grows.",
			Hint: "p = p − lr·…",
		}, adamMove, strings.Replace(adamMove, "-=", "+=", 1)),
		adamLoop(Mistake{
			ID: "root-of-v-forgotten", Title: "m is divided by v instead of by √v",
			Why:  "v has the unit of g². Only its root makes the step independent of how large the gradients are.",
			Hint: "Divide by √(v/(1 − β2ᵗ)) + ε.",
		}, adamMove, strings.Replace(adamMove, "math.Sqrt(square/bias2)", "math.Abs(square/bias2)", 1)),
		adamLoop(Mistake{
			ID: "adam-eps-inside-root", Title: "AdamW's ε stands inside the root: √(v + ε)",
			Why:  "Inside the root ε = 1e-8 counts as 1e-4. Gradients smaller than that then hardly move anything.",
			Hint: "First the root, then + ε: √v̂ + ε.",
		}, adamMove, strings.Replace(adamMove, "math.Sqrt(square/bias2) + o.Eps", "math.Sqrt(square/bias2 + o.Eps)", 1)),
		adamLoop(Mistake{
			ID: "adam-eps-missing", Title: "AdamW has no ε",
			Why:  "A parameter whose gradient was always 0 has m = 0 and v = 0, and 0/0 is NaN. The rows of the embedding of tokens that did not occur are such.",
			Hint: "Divide by √v̂ + ε.",
		}, adamMove, strings.Replace(adamMove, " + o.Eps", "", 1)),
	}
}

// decayMistakes are about the weight decay of AdamW.
func decayMistakes() []Mistake {
	return []Mistake{
		adamLoop(Mistake{
			ID: "l2-in-gradient", Title: "the decay is added to the gradient (L2 regularisation) instead of being decoupled from it",
			Why:  "In the gradient the decay passes through m and v, and the division by √v takes away most of what it was to do. To change that is what the W in AdamW stands for.",
			Hint: "Leave g alone. Shrink the parameter directly: p = p − lr·λ·p.",
		}, adamM+adamV+"		m[j], v[j] = float32(mean), float32(square)\n"+adamDecay,
			"grad += o.WeightDecay * value\n"+adamM+adamV+"		m[j], v[j] = float32(mean), float32(square)\n"),
		{
			ID: "decay-forgotten", Title: "there is no weight decay",
			File: adamFile, Old: "o.Eps, o.WeightDecay, bias1", New: "o.Eps, 0, bias1",
			Why:  "Without decay the weights grow for as long as the training runs, because nothing ever makes them smaller.",
			Hint: "p = p − lr·λ·p, besides the move along the means.",
		},
		adamLoop(Mistake{
			ID: "decay-without-rate", Title: "the decay is λ·p, without the learning rate",
			Why:  "With λ = 0.1 every step would take away a tenth of every weight, and the schedule could not change it.",
			Hint: "p = p − lr·λ·p.",
		}, adamDecay, "value -= o.WeightDecay * value\n"),
		adamLoop(Mistake{
			ID: "decay-grows", Title: "the decay is added: the weights grow instead of shrinking",
			Why:  "With the wrong sign the weights grow exponentially, slowly at first.",
			Hint: "p = p − lr·λ·p.",
		}, adamDecay, "value += lr * o.WeightDecay * value\n"),
		adamLoop(Mistake{
			ID: "decay-by-corrected-rate", Title: "the decay uses the corrected rate lr·√(1 − β2ᵗ)/(1 − β1ᵗ) instead of lr",
			Why:  "The correction belongs to the means of the gradient. The decay has no means to correct.",
			Hint: "p = p − lr·λ·p, with the lr that is given.",
		}, adamDecay, "value -= lr * math.Sqrt(bias2) / bias1 * o.WeightDecay * value\n"),
		adamLoop(Mistake{
			ID: "decay-divided-too", Title: "the decay is divided by √v + ε like the step",
			Why:  "Then weights with large gradients decay less, which is what AdamW was made to avoid.",
			Hint: "Only m is divided by √v̂ + ε.",
		}, adamDecay+adamMove, "value -= lr * (mean/bias1 + o.WeightDecay*value) / (math.Sqrt(square/bias2) + o.Eps)\n"),
		adamLoop(Mistake{
			ID: "decay-of-sign", Title: "the decay takes lr·λ off every weight, whatever its size (L1 instead of L2)",
			Why:  "Weight decay is a shrinking by a factor: large weights lose more than small ones.",
			Hint: "p = p − lr·λ·p.",
		}, adamDecay, "value -= math.Copysign(lr*o.WeightDecay, value)\n"),
		{
			ID: "decay-not-of-gains", Title: "parameters with one dimension, the gains, are not decayed",
			File: adamFile, Old: adamCall,
			New:  "	decay := o.WeightDecay\n	if len(p.Value.Shape) == 1 {\n		decay = 0\n	}\n" + strings.Replace(adamCall, "o.WeightDecay", "decay", 1),
			Why:  "Many codes spare the gains. Both ways train well, but they are not the same optimiser; this course decays everything, so that a run can be compared with the stored one.",
			Hint: "Treat every parameter alike.",
		},
	}
}
