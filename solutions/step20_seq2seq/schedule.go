package seq2seq

import "math"

// Rate returns the learning rate of an update, which are counted from 1: it rises for warmup
// updates and then falls as 1/√step,
//
//	D^(−½)·min(step^(−½), step·warmup^(−3/2))
//
// Both terms are equal at step = warmup, where it is largest: 1/√(D·warmup).
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, equation 3.
func Rate(step, dModel, warmup int) float64 {
	s := float64(step)
	return min(1/math.Sqrt(s), s*math.Pow(float64(warmup), -1.5)) / math.Sqrt(float64(dModel))
}
