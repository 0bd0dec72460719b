//go:build unlisted

package training

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// warmup-counted-from-one: the warm-up is (t + 1)/warmup
//
// Why: The rate in the warm-up is one update ahead: at t = warmup − 1 it is lrMax already.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t+1) / float64(warmup) * lrMax
	}
}

// warmup-in-integers: t/warmup is divided as whole numbers
//
// Why: The rate is 0 during the whole warm-up.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t/warmup) * lrMax
	}
}

// warmup-from-minimum: the warm-up rises from lrMin
//
// Why: The rate at t = 0 is lrMin and not 0.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return lrMin + float64(t)/float64(warmup)*(lrMax-lrMin)
	}
}

// no-warmup-divides-by-zero: t = warmup still belongs to the warm-up
//
// Why: With warmup = 0 the rate at t = 0 is 0/0, NaN.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	switch {
	case t <= warmup:
		return float64(t) / float64(warmup) * lrMax
	case t >= cosineEnd:
		return lrMin
	}
	progress := float64(t-warmup) / float64(cosineEnd-warmup)
	return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
}

// end-belongs-to-cosine: t = cosineEnd is computed with the cosine
//
// Why: With warmup = cosineEnd the rate at that t is 0/0, NaN.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	switch {
	case t < warmup:
		return float64(t) / float64(warmup) * lrMax
	case t > cosineEnd:
		return lrMin
	}
	progress := float64(t-warmup) / float64(cosineEnd-warmup)
	return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
}

// cosine-goes-on: nothing happens at cosineEnd
//
// Why: Beyond cosineEnd the rate rises again with the cosine, where it should stay at lrMin.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	if t < warmup {
		return float64(t) / float64(warmup) * lrMax
	}
	progress := float64(t-warmup) / float64(max(1, cosineEnd-warmup))
	return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
}

// zero-after-end: the rate is 0 after cosineEnd
//
// Why: Beyond cosineEnd the rate is 0 and not lrMin.
func CosineSchedule() {
	if right {
		return lrMin
	} else {
		return 0
	}
}

// cosine-from-zero: the cosine is measured from t = 0
//
// Why: progress is t/cosineEnd: the rate drops below lrMax at once at the end of the warm-up.
func CosineSchedule() {
	if right {
		progress := float64(t-warmup) / float64(cosineEnd-warmup)
	} else {
		progress := float64(t) / float64(cosineEnd)
	}
}

// minimum-added-to-wave: the wave has the height lrMax
//
// Why: lrMin is added to a wave from lrMax to 0: the rate begins at lrMax + lrMin.
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*lrMax
	}
}

// linear-fall: the rate falls in a straight line
//
// Why: Between warm-up and end the rate is a straight line and not half a wave of a cosine.
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1-progress)*(lrMax-lrMin)
	}
}

// norm-of-each-parameter: every parameter is clipped by its own length
//
// Why: Parameters are bounded one by one and not together: the direction of the gradient changes.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	squares := 0.0
	for _, p := range params {
		own := kernel.SumSquares(p.Grad.Data)
		squares += own
		if norm := math.Sqrt(own); norm > maxNorm {
			kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
		}
	}
	return math.Sqrt(squares)
}

// length-after-clipping: the length after clipping is returned
//
// Why: ClipGradNorm returns at most maxNorm, where the length before is wanted.
func ClipGradNorm() {
	if right {
		return norm
	} else {
		return min(norm, maxNorm)
	}
}

// short-gradients-stretched: the gradient is always scaled to maxNorm
//
// Why: A gradient shorter than maxNorm is made longer, where it should not be changed.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	squares := 0.0
	for _, p := range params {
		squares += kernel.SumSquares(p.Grad.Data)
	}
	norm := math.Sqrt(squares)
	for _, p := range params {
		kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
	}
	return norm
}

// elements-clipped: every element is limited to ±maxNorm
//
// Why: Elements are clipped one by one: the direction changes, and many small elements together stay too long.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	squares := 0.0
	for _, p := range params {
		squares += kernel.SumSquares(p.Grad.Data)
		for i, g := range p.Grad.Data {
			p.Grad.Data[i] = max(float32(-maxNorm), min(float32(maxNorm), g))
		}
	}
	return math.Sqrt(squares)
}

// root-missing: the sum of the squares is taken for the length
//
// Why: ClipGradNorm returns and compares the square of the length.
func ClipGradNorm() {
	if right {
		norm := math.Sqrt(squares)
	} else {
		norm := squares
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: Gradients like 1e20 overflow: the length is infinite and the clipped gradient 0.
func ClipGradNorm() {
	if right {
		squares += kernel.SumSquares(p.Grad.Data)
	} else {
		squares += float64(kernel.Dot(p.Grad.Data, p.Grad.Data))
	}
}
