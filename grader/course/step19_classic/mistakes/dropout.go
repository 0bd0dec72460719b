//go:build mistake

package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
)

// dropout-no-scale: what is kept is not divided by 1 − p
//
// Why: The mean would be smaller in training than in evaluation by that factor.
//
// Hint: x/(1 − p).
func (*Dropout) Forward() {
	if right {
		kept := float32(1 / (1 - d.p))
	} else {
		kept := float32(1)
	}
}

// dropout-scale-by-p: what is kept is divided by p
//
// Why: A number is kept with the probability 1 − p.
//
// Hint: x/(1 − p).
func (*Dropout) Forward() {
	if right {
		kept := float32(1 / (1 - d.p))
	} else {
		kept := float32(1 / max(d.p, 1e-3))
	}
}

// dropout-scale-inverse: what is kept is multiplied by 1 − p
//
// Why: That makes the mean smaller once more.
//
// Hint: x/(1 − p).
func (*Dropout) Forward() {
	if right {
		kept := float32(1 / (1 - d.p))
	} else {
		kept := float32(1 - d.p)
	}
}

// dropout-scaled-in-evaluation: the factor stands in evaluation: 1 − p there, and none in
// training
//
// Why: The first papers did so. What generates would have to know p.
//
// Hint: 1/(1 − p) in training, nothing in evaluation.
func (*Dropout) Forward() {
	if right {
		kept := float32(1 / (1 - d.p))
	} else {
		kept := float32(1)
	}
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case !d.Training:
			d.keep.Data[i] = float32(1 - d.p)
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-inverted-choice: what should be kept is dropped, and the other way round
//
// Why: p is the probability to be dropped: u < p.
//
// Hint: Keep where u ≥ p.
func (*Dropout) Forward() {
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() < d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-keeps-with-p: u ≤ 1 − p decides, so that others are kept
//
// Why: As many are dropped, but not those that the contract names: u < p.
//
// Hint: Keep where u ≥ p.
func (*Dropout) Forward() {
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() <= 1-d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-edge: a number with u = p is dropped
//
// Why: u lies in [0, 1): u < p has exactly the probability p.
//
// Hint: Keep where u ≥ p, not where u > p.
func (*Dropout) Forward() {
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() > d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-in-evaluation: numbers are dropped in evaluation too
//
// Why: What a model says would change from call to call.
//
// Hint: Look at Training.
func (*Dropout) Forward() {
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case false:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-draws-in-evaluation: the generator is asked in evaluation too
//
// Why: How often one evaluates would decide what training draws next.
//
// Hint: Draw nothing unless Training is set.
func (*Dropout) Forward() {
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch u := d.rng.Float64(); {
		case !d.Training:
			d.keep.Data[i] = 1
		case u >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-whole-rows: one number is drawn for each row
//
// Why: Every number is dropped by itself.
//
// Hint: One draw for every number of x.
func (*Dropout) Forward() {
	if right {
		d.keep = tensor.Reuse(d.keep, x.Shape...)
	} else {
		d.keep = tensor.Reuse(d.keep, x.Shape...)
		u := 0.0
	}
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		if d.Training && i%x.Dim(-1) == 0 {
			u = d.rng.Float64()
		}
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case u >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-fresh-in-backward: Backward draws anew
//
// Why: The derivative is that of what was computed: it passes where the numbers passed.
//
// Hint: Keep what Forward decided.
func (*Dropout) Backward() {
	if right {
		through(d.dx.Data, dy.Data, d.keep.Data)
	} else {
		for i := range d.keep.Data {
			if d.keep.Data[i] != 1 {
				d.keep.Data[i] = 0
				if d.rng.Float64() >= d.p {
					d.keep.Data[i] = float32(1 / (1 - d.p))
				}
			}
		}
		through(d.dx.Data, dy.Data, d.keep.Data)
	}
}

// dropout-backward-unmasked: Backward returns dy, as if nothing had been dropped
//
// Why: What was dropped has no part in y, whatever Training is by the time of Backward.
//
// Hint: dx = dy/(1 − p) where the last Forward kept the number, else 0.
func (*Dropout) Backward() {
	if right {
		through(d.dx.Data, dy.Data, d.keep.Data)
	} else {
		copy(d.dx.Data, dy.Data)
	}
}

// dropout-backward-unmasked/by-training: Backward looks at Training, and not at what Forward did
func (*Dropout) Backward() {
	if right {
		through(d.dx.Data, dy.Data, d.keep.Data)
	} else {
		if d.Training {
			through(d.dx.Data, dy.Data, d.keep.Data)
		} else {
			copy(d.dx.Data, dy.Data)
		}
	}
}

// dropout-backward-unscaled: Backward does not divide by 1 − p
//
// Why: y = x/(1 − p), and so is the derivative.
//
// Hint: The factor of Forward.
func (*Dropout) Backward() {
	if right {
		through(d.dx.Data, dy.Data, d.keep.Data)
	} else {
		for i, k := range d.keep.Data {
			d.dx.Data[i] = 0
			if k != 0 {
				d.dx.Data[i] = dy.Data[i]
			}
		}
	}
}

// dropout-mask-kept: the choice is made once, and used again as long as the shape stays
//
// Why: Every pass of training draws anew.
//
// Hint: Draw in every Forward.
func (*Dropout) Forward() {
	if right {
		d.keep = tensor.Reuse(d.keep, x.Shape...)
	} else {
		again := d.keep != nil && d.Training && d.keep.SameShape(x)
		d.keep = tensor.Reuse(d.keep, x.Shape...)
	}
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case again:
			d.rng.Float64()
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}

// dropout-off-for-ever: after an evaluation nothing is dropped any more
//
// Why: An evaluation in the middle of training would end dropout, and nothing says so.
//
// Hint: Look at Training in every Forward, and change nothing else.
func (*Dropout) Forward() {
	if right {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	} else {
		switch {
		case !d.Training:
			d.keep.Data[i] = 1
			d.p = 0
		case d.rng.Float64() >= d.p:
			d.keep.Data[i] = kept
		default:
			d.keep.Data[i] = 0
		}
	}
}
