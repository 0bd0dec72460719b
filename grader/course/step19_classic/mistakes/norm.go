//go:build mistake

package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"math"
)

// variance-unbiased: the variance is divided by D − 1
//
// Why: D − 1 is for who estimates the variance of a population from a sample. Here the row is all
// there is.
//
// Hint: Divide by D; in PyTorch that is unbiased=False.
func moments() {
	if right {
		return mean, variance / float64(len(x))
	} else {
		return mean, variance / float64(len(x)-1)
	}
}

// eps-outside: ε is added to the root and not below it
//
// Why: A row of equal numbers would be divided by 1e-5 instead of √1e-5, and its rounding errors
// come out 300 times as large.
//
// Hint: 1/√(σ² + ε), not 1/(√σ² + ε).
func (*LayerNorm) Forward() {
	if right {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
	} else {
		l.mean[n], l.r[n] = mean, 1/(math.Sqrt(variance)+Eps)
	}
}

// eps-missing: there is no ε
//
// Why: A row of equal numbers has a variance of 0, and 0/0 is NaN.
//
// Hint: Add Eps to the variance, inside the root.
func (*LayerNorm) Forward() {
	if right {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
	} else {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance)
	}
}

// eps-other: ε is another number
//
// Why: BERT has 1e-12, other models 1e-6. Rows whose variance is near ε tell them apart.
//
// Hint: Use Eps, 1e-5, as PyTorch and GPT-2.
func (*LayerNorm) Forward() {
	if right {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
	} else {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+1e-6)
	}
}

// eps-other/bert: ε is that of BERT
func (*LayerNorm) Forward() {
	if right {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
	} else {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+1e-12)
	}
}

// root-missing: the row is divided by the variance and not by its root
//
// Why: The deviation has the unit of x, the variance that of x².
//
// Hint: 1/√(σ² + ε).
func (*LayerNorm) Forward() {
	if right {
		l.mean[n], l.r[n] = mean, 1/math.Sqrt(variance+Eps)
	} else {
		l.mean[n], l.r[n] = mean, 1/(variance+Eps)
	}
}

// mean-not-subtracted: the mean is not subtracted
//
// Why: What is left is divided by the deviation from a mean that is still in it.
//
// Hint: h = (x − μ)·r.
func (*LayerNorm) Forward() {
	if right {
		normalise(yn, xn, mean, l.r[n])
	} else {
		normalise(yn, xn, 0, l.r[n])
	}
}

// rmsnorm: it is the RMSNorm of step 04
//
// Why: RMSNorm leaves the mean out of both places: it is not subtracted, and the squares are
// those of x.
//
// Hint: μ first, and then squares of x − μ.
func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		variance += float64(v) * float64(v)
	}
	return 0, variance / float64(len(x))
}

// variance-cancels: the variance is mean(x²) − μ², in float32
//
// Why: Both are about μ². Where the mean is a thousand times the spread, they agree in six
// digits, and seven are all that float32 has.
//
// Hint: Go through the row twice, and sum (x − μ)² in float64.
func moments(x []float32) (mean, variance float64) {
	sum, squares := float32(0), float32(0)
	for _, v := range x {
		sum += v
		squares += v * v
	}
	m := sum / float32(len(x))
	return float64(m), math.Max(0, float64(squares/float32(len(x))-m*m))
}

// mean-rounded: the mean is rounded to float32 before it is subtracted
//
// Why: Of 500 float32 keeps steps of 0.00003. Beside a spread of 0.5 that is the fourth digit of
// every number of the row.
//
// Hint: Keep μ and r in float64, and round when the difference is multiplied by r.
func (*LayerNorm) Forward() {
	if right {
		mean, variance := moments(xn)
	} else {
		mean, variance := moments(xn)
		mean = float64(float32(mean))
	}
}

// gain-missing: the gain is left out
//
// Why: The layer has a gain for every column, which is learnt.
//
// Hint: y = h ⊙ g + b.
func (*LayerNorm) Forward() {
	if right {
		kernel.Mul(yn, yn, g)
	} else {
		_ = g
	}
}

// gain-plus-one: the gain is 1 + g
//
// Why: Some models store the gain as its distance from 1. Here it is the gain itself.
//
// Hint: y = h ⊙ g + b.
func (*LayerNorm) Forward() {
	if right {
		kernel.Mul(yn, yn, g)
	} else {
		for i := range yn {
			yn[i] *= 1 + g[i]
		}
	}
}

// bias-missing: the bias is left out
//
// Why: The layer has a bias for every column, which is learnt.
//
// Hint: y = h ⊙ g + b.
func (*LayerNorm) Forward() {
	if right {
		if l.Bias != nil {
			kernel.Add(yn, yn, l.Bias.Value.Data)
		}
	} else {
		_ = l.Bias
	}
}

// bias-before-gain: the bias is added before the gain is multiplied
//
// Why: (h + b) ⊙ g = h ⊙ g + b ⊙ g: the bias would depend on the gain.
//
// Hint: First the gain, then the bias.
func (*LayerNorm) Forward() {
	if right {
		kernel.Mul(yn, yn, g)
		if l.Bias != nil {
			kernel.Add(yn, yn, l.Bias.Value.Data)
		}
	} else {
		if l.Bias != nil {
			kernel.Add(yn, yn, l.Bias.Value.Data)
		}
		kernel.Mul(yn, yn, g)
	}
}

// columns-normalised: mean and variance are those of a column, over all rows
//
// Why: That is BatchNorm: what a token becomes would depend on the others in the batch, and on
// how many there are.
//
// Hint: Each row has a mean and a variance of its own.
func (*LayerNorm) Forward() {
	if right {
		normalise(yn, xn, mean, l.r[n])
	} else {
		for i := range yn {
			column := make([]float32, x.Rows())
			for m := range column {
				column[m] = x.Row(m)[i]
			}
			mean, variance := moments(column)
			yn[i] = float32((float64(xn[i]) - mean) / math.Sqrt(variance+Eps))
		}
	}
}

// all-rows-together: all rows have one mean and one variance
//
// Why: Then a token depends on its neighbours, and on those that come later.
//
// Hint: Both are taken along the last dimension, row by row.
func (*LayerNorm) Forward() {
	if right {
		mean, variance := moments(xn)
	} else {
		mean, variance := moments(x.Data)
	}
}
