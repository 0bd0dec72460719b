package training

import "math"

// CosineSchedule uses ½·(1 + cos x) = cos²(x/2).
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	switch {
	case t < warmup:
		return lrMax / float64(warmup) * float64(t)
	case t >= cosineEnd:
		return lrMin
	}
	c := math.Cos(math.Pi / 2 * float64(t-warmup) / float64(cosineEnd-warmup))
	return c*c*lrMax + (1-c*c)*lrMin
}
