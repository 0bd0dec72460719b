package training

import "math"

func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	if t < warmup {
		return float64(t) * lrMax / float64(warmup)
	}
	if t >= cosineEnd {
		return lrMin
	}
	done := float64(t-warmup) / float64(cosineEnd-warmup)
	share := (1 + math.Cos(done*math.Pi)) / 2
	return share*lrMax + (1-share)*lrMin
}
