// Package classic says how step 19 is checked; what its functions look like says
// fixtures/step19_classic/functions.txt.
package classic

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step19", Name: "classic", Folder: "step19_classic", Track: course.Classic,
		Title: "The parts of 2017",
		Needs: []string{"step01", "step02", "step03", "step04", "step05", "step06", "step08"},
		Seats: seats(),
		Sets: map[string][]string{
			"gpt2": {"layernorm", "gelu", "learned-positions", "dropout"},
			"2017": {"layernorm", "relu", "sinusoids", "post-norm", "dropout"},
		},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step19_classic"),
		Checks:    checks(),
		Inside:    []string{"layernorm.backward.time", "activation.lengths", "dropout.backward.turns", "classic.backward.work", "classic.backward.again", "classic.backward.no_forward"},
		Hints:     hints(),
	}
}

// seats are the parts of the model that those of this step stand in for.
func seats() []course.Seat {
	norm := course.Place{In: "step04", Names: []string{"RMSNorm", "New"}, By: map[string]string{"New": "Normed()"}}
	network := func(call string) course.Place {
		return course.Place{In: "step05", Names: []string{"SwiGLU", "New"}, By: map[string]string{"New": call}}
	}
	positions := func(learned string) []course.Place {
		return []course.Place{
			{In: "step03", Names: []string{"Embedding", "New"}, By: map[string]string{"New": "Placed(" + learned + ", context_length)"}},
			{In: "step06", Names: []string{"New"}, By: map[string]string{"New": "Unturned()"}},
		}
	}
	block := course.Place{In: "step09", Names: []string{"Block", "New"},
		By: map[string]string{"New": "Arranged(with_post_norm, with_layernorm, with_dropout)"}}
	return []course.Seat{
		{Name: "layernorm", Places: []course.Place{norm}},
		{Name: "gelu", Places: []course.Place{network("Activated(false)")}},
		{Name: "gelu-tanh", Places: []course.Place{network("Approximated()")}},
		{Name: "relu", Places: []course.Place{network("Activated(true)")}},
		{Name: "learned-positions", Places: positions("true")},
		{Name: "sinusoids", Places: positions("false")},
		{Name: "post-norm", Places: []course.Place{block}},
		{Name: "dropout", Places: []course.Place{block}},
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "layernorm.forward", Title: "LayerNorm agrees with PyTorch", Points: 7, Run: course.All(
			course.Agrees("layernorm.forward"), course.Agrees("layernorm_gain.forward"))},
		{ID: "layernorm.forward.fresh", Title: "LayerNorm on fresh random cases", Points: 2, Run: course.All(
			course.AgreesFresh("layernorm.forward", drawNorm), course.AgreesFresh("layernorm_gain.forward", withoutBias))},
		{ID: "layernorm.forward.rows", Title: "rows far from 0, of equal numbers, tiny and huge ones; rows do not mix; an empty batch is fine", Points: 4, Run: course.All(
			course.AgreesOn("layernorm.forward", hardRows(), emptyNorm()),
			farFromZero("layernorm.forward", shifted), course.AgreesOnce("layernorm.forward", wideNorm, manyRows, huge, course.Empty(drawNorm, "x")))},
		{ID: "layernorm.forward.bad_input", Title: "an input of the wrong width, a gain that is no vector and a bias of another length are refused", Points: 2, Run: course.All(refusedNorms()...)},
		{ID: "layernorm.backward.dx", Title: "LayerNorm's gradient of the input agrees with PyTorch", Points: 8, Run: course.All(
			course.Agrees("layernorm.backward", "dx"), course.Agrees("layernorm_gain.backward", "dx"))},
		{ID: "layernorm.backward.params", Title: "the gradients of gain and bias agree with PyTorch and are added", Points: 5, Run: course.All(
			course.Agrees("layernorm.backward", "dg", "db"), course.Agrees("layernorm_gain.backward", "dg"))},
		{ID: "layernorm.backward.fresh", Title: "all gradients on fresh random cases", Points: 4, Run: course.All(
			course.AgreesFresh("layernorm.backward", withGradient("layernorm", drawNorm)),
			course.AgreesFresh("layernorm_gain.backward", withGradient("layernorm_gain", withoutBias)),
			farFromZero("layernorm.backward", withGradient("layernorm", shifted)), course.AgreesOnce("layernorm.backward", withGradient("layernorm", wideNorm), withGradient("layernorm", manyRows)))},

		{ID: "layernorm.backward.time", Title: "a row of many numbers takes no more time than these numbers in many rows", Points: 1, Run: inTime(), Timed: true},

		{ID: "gelu.forward", Title: "GELU agrees with PyTorch, far to the left as well", Points: 5, Run: course.All(
			course.Agrees("gelu.forward"), course.AgreesForEach(lengths("gelu.forward")...), course.AgreesOn("gelu.forward", course.Extremes("x")...))},
		{ID: "gelu.backward", Title: "GELU's derivative agrees with PyTorch", Points: 5, Run: course.All(
			course.Agrees("gelu.backward"), course.AgreesForEach(lengths("gelu.backward")...), course.AgreesOn("gelu.backward", course.FiniteExtremes("x", "dy")...))},
		{ID: "relu.forward", Title: "ReLU agrees with PyTorch", Points: 2, Run: course.All(
			course.Agrees("relu.forward"), course.AgreesForEach(lengths("relu.forward")...), course.AgreesOn("relu.forward", course.Extremes("x")...))},
		{ID: "relu.backward", Title: "ReLU's derivative agrees with PyTorch, and is 0 at 0", Points: 2, Run: course.All(
			course.Agrees("relu.backward"), course.AgreesForEach(lengths("relu.backward")...))},
		{ID: "activation.lengths", Title: "slices of different lengths are refused", Points: 2, Run: course.All(refusedLengths()...)},

		{ID: "ffn.forward", Title: "the network with biases agrees with PyTorch", Points: 5, Run: course.All(
			course.Agrees("ffn.forward"), course.AgreesFresh("ffn.forward", drawNetwork(0)), course.AgreesFresh("ffn.forward", drawNetwork(1)),
			course.AgreesOnce("ffn.forward", course.Empty(drawNetwork(0), "x")))},
		{ID: "ffn.forward.bad_input", Title: "an input, weights and biases that do not fit are refused", Points: 2, Run: course.All(refusedNetworks()...)},
		{ID: "ffn.backward", Title: "all its gradients agree with PyTorch; those of the parameters are added", Points: 7, Run: course.All(
			course.Agrees("ffn.backward"), course.AgreesFresh("ffn.backward", withGradient("ffn", drawNetwork(0))),
			course.AgreesFresh("ffn.backward", withGradient("ffn", drawNetwork(1))))},

		{ID: "sinusoids", Title: "the table of sines and cosines agrees with PyTorch", Points: 5, Run: course.All(
			course.Agrees("sinusoids"), course.AgreesFresh("sinusoids", drawTable), course.AgreesOn("sinusoids", tables()...))},
		{ID: "positions.forward", Title: "the rows of the table are added from the first position on", Points: 2, Run: course.All(
			course.Agrees("positions.forward"), course.AgreesFresh("positions.forward", drawPositions))},
		{ID: "positions.forward.bad_input", Title: "positions outside of the table, and an input of another width, are refused", Points: 2, Run: course.All(refusedPositions()...)},
		{ID: "positions.backward", Title: "the gradient of the table is the sum over all sequences, and is added", Points: 3, Run: course.All(
			course.Agrees("positions.backward"), course.AgreesFresh("positions.backward", withGradient("positions", drawPositions)))},

		{ID: "dropout.forward", Title: "dropout keeps what the generator says, and scales it; in evaluation it does nothing", Points: 4, Run: course.All(
			course.Agrees("dropout.forward"), course.AgreesFresh("dropout.forward", drawDropout(1)), course.AgreesFresh("dropout.forward", drawDropout(0)),
			unordinary("dropout.forward", "x", drawDropout(1)))},
		{ID: "dropout.backward", Title: "the gradient passes where the numbers passed", Points: 3, Run: course.All(
			course.Agrees("dropout.backward"), course.AgreesFresh("dropout.backward", withGradient("dropout", drawDropout(1))),
			unordinary("dropout.backward", "dy", withGradient("dropout", drawDropout(1))))},
		{ID: "dropout.backward.turns", Title: "training, evaluation and training again on one layer", Points: 2, Run: turns()},

		{ID: "postnorm.forward", Title: "the norm behind the sum agrees with PyTorch", Points: 3, Run: course.All(
			course.Agrees("postnorm.forward"), course.AgreesFresh("postnorm.forward", drawPostNorm))},
		{ID: "postnorm.backward", Title: "its gradients agree with PyTorch", Points: 5, Run: course.All(
			course.Agrees("postnorm.backward"), course.AgreesFresh("postnorm.backward", withGradient("postnorm", drawPostNorm)))},

		{ID: "classic.backward.work", Title: "a layer of any size computes each product once, and keeps nothing of past calls", Points: 1, Run: course.All(work(), nothingStays())},
		course.Again("classic.backward.again", again()...),
		course.NoForward("classic.backward.no_forward", noForwards()),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("classic.backward.again"),
		course.NoForwardHint("classic.backward.no_forward"),
		{For: "layernorm.forward", Text: "Row by row: the mean; the mean of the squared distances from it; 1/√(that + ε); then (x − μ)·r, times the gain, plus the bias, one number of each for a column."},
		{For: "layernorm.forward", Text: "The variance is divided by D and not by D − 1, and ε stands inside the root. torch.std and torch.var divide by D − 1 unless they are told otherwise."},
		{For: "layernorm.forward.rows", Text: "Two passes over the row, both summed in float64: first the mean, then Σ (x − μ)². With mean(x²) − μ² a row around 500 loses all its digits in float32, and one around 1e9 in float64 too."},
		{For: "layernorm.forward.bad_input", Text: "Begin with tensor.CheckShape: x's last dimension is the gain's length, and the leading ones may be any (tensor.Lead)."},
		{For: "layernorm.backward.dx", Text: "x_j acts in three ways: through its own numerator, through μ and through r. dx has a term for each."},
		{For: "layernorm.backward.dx", Text: "With h = (x − μ)·r and dh = dy ⊙ g: dx = r·(dh − mean(dh) − h·mean(dh ⊙ h)), both means along the row. Add up dx over a row: it must be 0, for a constant that is added to x changes nothing."},
		{For: "layernorm.backward.params", Text: "dg_i sums dy_i·h_i over all rows and db_i sums dy_i. Both are added to what Grad holds. A layer without bias has no db: look whether Bias is nil."},
		{For: "layernorm.backward.fresh", Text: "The gradients are asked for again with rows around 500, long ones and many: keep μ and r of every row in float64, and work out h from them anew."},
		{For: "layernorm.backward.time", Text: "The mean and the variance belong to a row: compute both once, keep them, and let the loop over the numbers of the row only read them."},
		{For: "gelu.forward", Text: "Φ(x) = ½·erfc(−x/√2), in float64: math.Erfc. ½·(1 + erf(x/√2)) is the same on paper; at −8 it is the difference of two numbers that agree in all their digits."},
		{For: "gelu.forward", Text: "Not the approximation: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) is GPT-2's, and up to 0.0005 off. Nor x·σ(1.702·x)."},
		{For: "gelu.backward", Text: "Differentiate x·Φ(x) as a product. Φ' is the density φ(x) = e^(−x²/2)/√(2π), so GELU'(x) = Φ(x) + x·φ(x)."},
		{For: "relu.forward", Text: "The built-in max(0, x) hands a NaN on."},
		{For: "relu.backward", Text: "x > 0 decides, not the output and not x ≥ 0: at 0 the derivative is 0 by agreement."},
		{For: "activation.lengths", Text: "checkLength for every slice, before the first element is written. The shorter of two is as wrong as the longer."},
		{For: "ffn.forward", Text: "pre = W1 x + b1, act = a(pre), y = W2 act + b2. Each bias has one number for a column and is added to every row. f.Act.Forward is a."},
		{For: "ffn.forward.bad_input", Text: "tensor.CheckShape of x against the columns of W1, before anything else."},
		{For: "ffn.backward", Text: "From the end: db2 is the sum of dy's rows; dAct = W2.Backward(dy); dPre = dAct ⊙ a'(pre), which f.Act.Backward computes; db1 is the sum of dPre's rows; dx = W1.Backward(dPre)."},
		{For: "ffn.backward", Text: "a' is asked for at pre = W1 x + b1, bias included: keep it. Biases have gradients of their own, which are added to B1.Grad and B2.Grad."},
		{For: "sinusoids", Text: "Column j belongs to pair i = j/2. Even columns are sines and odd ones cosines of the same angle p/10000^(2i/D), with D as it is, odd or even."},
		{For: "sinusoids", Text: "Write it for one entry: angle := float64(p) / math.Pow(10000, float64(2*(j/2))/float64(d)). Whoever steps through pairs has one column left over when D is odd."},
		{For: "positions.forward", Text: "Token t of a sequence is at position first + t, whichever sequence it is: row n of all rows has t = n % T."},
		{For: "positions.forward.bad_input", Text: "0 ≤ first and first + T ≤ T_max, or tensor.IndexError{Op: …, Got: the first position that is not in the table, Limit: T_max}. Nothing is changed before."},
		{For: "positions.backward", Text: "dx is dy, number by number. Row first + t of the table was added in every sequence, so its gradient is the sum over them, added to Grad."},
		{For: "dropout.forward", Text: "One rng.Float64() for every number, in their order; it is kept where u ≥ p, and divided by 1 − p. Keep what was decided: Backward needs it."},
		{For: "dropout.forward", Text: "Without Training nothing is drawn: an evaluation in between must not change what training draws next."},
		{For: "dropout.backward", Text: "The same factor for each number as in Forward, 1/(1 − p) or 0, and no new draw."},
		{For: "dropout.backward.turns", Text: "Look at Training in every Forward, change neither p nor Training, and let Backward use what the last Forward has left, also where that was nothing."},
		{For: "postnorm.forward", Text: "s = x + f(x) in memory of its own, y = Norm(s). f reads x itself, not a normalised one."},
		{For: "postnorm.backward", Text: "ds = Norm.Backward(dy). x is in s twice, by itself and in f(x): dx = ds + F.Backward(ds)."},
		{For: "classic.backward.work", Text: "Three products of each weight: one forward and two backward, which are the Linears' own. Buffers are used again by the next call (tensor.Reuse); nothing is appended from call to call."},
	}
}
