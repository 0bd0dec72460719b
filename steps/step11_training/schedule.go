package training

import "github.com/stubformer/stubformer/reference/tensor"

// CosineSchedule returns the learning rate of update t:
//
//	t/warmup · lrMax                                    t < warmup
//	lrMin + ½·(1 + cos(π·(t − warmup)/(cosineEnd − warmup)))·(lrMax − lrMin)
//	                                                    warmup ≤ t < cosineEnd
//	lrMin                                               cosineEnd ≤ t
//
// It rises in a straight line to lrMax at t = warmup, falls along half a wave
// of a cosine to lrMin at t = cosineEnd, and stays there. warmup may be 0. It may
// also be cosineEnd or more: then there is no cosine, and the rate drops to lrMin when
// it has risen.
//
// Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm
// Restarts", 2017, equation 5, without restarts; the warm-up is Goyal et al.'s,
// 2017, section 2.2.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	panic(tensor.TODO("step11: CosineSchedule"))
}
