//go:build mistake

package training

// warmup-one-ahead: the warm-up is one update ahead: (t + 1)/warmup
//
// Why: At t = 0 the rate is 0, and at t = warmup it is lrMax, where the cosine begins. One ahead,
// lrMax comes twice.
//
// Hint: t/warmup·lrMax, with the t that is given.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t+1) / float64(warmup) * lrMax
	}
}

// warmup-never-reaches-top: the warm-up rises to lrMax over warmup + 1 updates
//
// Why: The straight line is to meet the cosine at t = warmup. Here the rate jumps there.
//
// Hint: t/warmup·lrMax.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t) / float64(warmup+1) * lrMax
	}
}

// warmup-divides-by-zero: t = warmup still belongs to the warm-up, so without a warm-up the first
// rate is 0/0
//
// Why: At t = warmup both formulas give lrMax, but with warmup = 0 the first divides by 0, and the
// first update makes every parameter NaN.
//
// Hint: t < warmup for the line; t = warmup is the first of the cosine.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t <= warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	}
}

// warmup-missing: there is no warm-up: the rate begins at lrMax
//
// Why: AdamW's means know little in the first steps. A small rate keeps those steps from doing
// harm.
//
// Hint: t/warmup·lrMax as long as t < warmup.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return lrMax
	}
}

// warmup-from-floor: the warm-up rises from lrMin instead of from 0
//
// Why: lrMin is where the rate ends. It begins at 0.
//
// Hint: t/warmup·lrMax.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return lrMin + float64(t)/float64(warmup)*(lrMax-lrMin)
	}
}

// warmup-integer-division: t/warmup is divided in integers, so the rate is 0 until the warm-up is
// over
//
// Why: 3/7 of two ints is 0 in Go. Nothing is learnt during the warm-up.
//
// Hint: Convert before you divide: float64(t)/float64(warmup).
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t/warmup) * lrMax
	}
}

// cosine-from-zero: the cosine begins at t = 0 instead of where the warm-up ends
//
// Why: Then the rate jumps down at the end of the warm-up and never is lrMax.
//
// Hint: Progress is 0 at t = warmup and 1 at t = cosineEnd: (t − warmup)/(cosineEnd − warmup).
func CosineSchedule() {
	if right {
		progress := float64(t-warmup) / float64(cosineEnd-warmup)
	} else {
		progress := float64(t) / float64(cosineEnd)
	}
}

// cosine-too-long: the cosine's length is cosineEnd instead of cosineEnd − warmup
//
// Why: The wave begins at warmup, so it ends late, and the rate jumps to lrMin at cosineEnd.
//
// Hint: (t − warmup)/(cosineEnd − warmup).
func CosineSchedule() {
	if right {
		progress := float64(t-warmup) / float64(cosineEnd-warmup)
	} else {
		progress := float64(t-warmup) / float64(cosineEnd)
	}
}

// end-by-cosine: the rate at cosineEnd comes from the cosine, which divides 0 by 0 when the
// warm-up ends there too
//
// Why: The cosine comes to lrMin at its end, so nothing shows until warmup and cosineEnd are the
// same number. Then the rate is NaN, and so is every parameter after that update.
//
// Hint: At t = cosineEnd the rate is lrMin already: t >= cosineEnd.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t > cosineEnd:
			return lrMin
		}
	}
}

// floor-ignored: the cosine falls to 0 instead of to lrMin
//
// Why: The wave lies between lrMax and lrMin. If it ends at 0, the rate jumps up to lrMin at the
// end.
//
// Hint: lrMin + ½·(1 + cos(π·progress))·(lrMax − lrMin).
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return (1 + math.Cos(math.Pi*progress)) / 2 * lrMax
	}
}

// floor-ignored/cut-off: the cosine falls towards 0 and is cut off at lrMin
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return max(lrMin, (1+math.Cos(math.Pi*progress))/2*lrMax)
	}
}

// floor-added: lrMin is added to a cosine of height lrMax: the rate begins at lrMax + lrMin
//
// Why: What falls is only what lies above lrMin.
//
// Hint: The wave's height is lrMax − lrMin.
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*lrMax
	}
}

// rates-swapped: lrMax and lrMin are swapped in the cosine: the rate rises
//
// Why: cos is 1 at the beginning: the factor ½·(1 + cos) falls from 1 to 0.
//
// Hint: lrMin + ½·(1 + cos(π·progress))·(lrMax − lrMin).
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMax + (1+math.Cos(math.Pi*progress))/2*(lrMin-lrMax)
	}
}

// cosine-half-forgotten: the factor ½ is missing in the cosine: it begins near 2·lrMax
//
// Why: 1 + cos runs from 2 to 0.
//
// Hint: ½·(1 + cos(π·progress)).
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1+math.Cos(math.Pi*progress))*(lrMax-lrMin)
	}
}

// cosine-without-pi: π is missing in the cosine
//
// Why: The argument is in radians: half a wave is π. cos(1) is still 0.54.
//
// Hint: math.Cos(math.Pi·progress).
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1+math.Cos(progress))/2*(lrMax-lrMin)
	}
}

// cosine-whole-wave: the cosine runs through a whole wave: the rate falls and rises again
//
// Why: 2π is a whole wave, down and up. The rate is to go down only.
//
// Hint: math.Cos(math.Pi·progress).
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1+math.Cos(2*math.Pi*progress))/2*(lrMax-lrMin)
	}
}

// decay-in-a-line: the rate falls in a straight line instead of a cosine
//
// Why: A line is also a good schedule, but another one: the cosine stays high for longer and ends
// flat.
//
// Hint: ½·(1 + cos(π·progress)) instead of 1 − progress.
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		return lrMin + (1-math.Abs(progress))*(lrMax-lrMin)
	}
}

// rate-constant: the rate stays at lrMax after the warm-up
//
// Why: A rate that does not fall leaves the loss higher in the end: the last steps are too long to
// settle.
//
// Hint: Between warmup and cosineEnd the rate follows half a wave of a cosine.
func CosineSchedule() {
	if right {
		return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
	} else {
		_ = math.Cos(progress)
		return lrMax
	}
}

// rises-after-end: the cosine goes on after cosineEnd, so the rate rises again
//
// Why: A wave has no end by itself. After cosineEnd the rate stays at lrMin.
//
// Hint: Return lrMin if t ≥ cosineEnd.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		}
	}
}

// zero-after-end: the rate is 0 after cosineEnd
//
// Why: lrMin is there so that the training can go on slowly.
//
// Hint: Return lrMin if t ≥ cosineEnd.
func CosineSchedule() {
	if right {
		return lrMin
	} else {
		return 0
	}
}
