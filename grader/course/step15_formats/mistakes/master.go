//go:build mistake

package formats

import "math"

// master-clipped-scaled: gradients are clipped before they are divided by the scale
//
// Why: A gradient of the scaled loss is a thousand times as large: nearly every update would be
// clipped, and then be a thousandth of what it should be.
//
// Hint: First divide, then take the norm, then clip.
func (*Master) Update() {
	if right {
		g := float64(h.Float32() / m.Scale)
		squares += g * g
	} else {
		g := float64(h.Float32())
		squares += g * g
	}
}

// master-not-divided: gradients are divided by the scale for the norm and not for the update
//
// Why: They are those of scale·loss: the update would be as many times too large.
//
// Hint: g = grads/Scale.
func (*Master) Update() {
	if right {
		g := float64(h.Float32()/m.Scale) * factor
	} else {
		g := float64(h.Float32()) * factor
	}
}

// master-not-divided/norm-too: gradients are not divided by the scale at all
//
// With: master-clipped-scaled
func (*Master) Update() {
	if right {
		g := float64(h.Float32()/m.Scale) * factor
	} else {
		g := float64(h.Float32()) * factor
	}
}

// master-divided-in-float16: the division is made in float16
//
// Why: What the scale saved is lost again: below 2⁻²⁵ nothing is left.
//
// Hint: Float32 first, then divide.
func (*Master) Update() {
	if right {
		g := float64(h.Float32()/m.Scale) * factor
	} else {
		g := float64(RoundFP16(h.Float32()/m.Scale).Float32()) * factor
	}
}

// master-none: the update is made to the float16 copy
//
// Why: An update of less than half the distance of two float16s changes nothing, however often it
// comes.
//
// Hint: Subtract from Value, which is float32, and round into copies.
func (*Master) Update() {
	if right {
		m.Value[i] -= float32(lr * g)
		copies[i] = RoundFP16(m.Value[i])
	} else {
		copies[i] = RoundFP16(copies[i].Float32() - float32(lr*g))
		m.Value[i] = copies[i].Float32()
	}
}

// master-none/rounded-after: the float32 weight is rounded to float16 after every update
func (*Master) Update() {
	if right {
		copies[i] = RoundFP16(m.Value[i])
	} else {
		copies[i] = RoundFP16(m.Value[i])
		m.Value[i] = copies[i].Float32()
	}
}

// master-copies-stay: the copies are not made anew
//
// Why: The model computes with them: it would never learn.
//
// Hint: copies[i] = RoundFP16(Value[i]).
func (*Master) Update() {
	if right {
		copies[i] = RoundFP16(m.Value[i])
	} else {
	}
}

// master-ascends: the update is added
//
// Why: The gradient points to where the loss grows.
//
// Hint: Value − lr·g.
func (*Master) Update() {
	if right {
		m.Value[i] -= float32(lr * g)
	} else {
		m.Value[i] += float32(lr * g)
	}
}

// master-infinite-taken: an update with a gradient that is not finite is taken
//
// Why: One infinite gradient makes the norm infinite, and the clipped gradients zero or NaN.
//
// Hint: Look at all gradients before anything is changed.
func (*Master) Update() {
	if right {
		if math.IsInf(squares, 0) || math.IsNaN(squares) {
			m.Scale, m.good = m.Scale/2, 0
			return false
		}
	} else {
	}
}

// master-infinite-taken/nan: an update with a gradient that is NaN is taken
func (*Master) Update() {
	if right {
		if math.IsInf(squares, 0) || math.IsNaN(squares) {
			m.Scale, m.good = m.Scale/2, 0
			return false
		}
	} else {
		if math.IsInf(squares, 0) {
			m.Scale, m.good = m.Scale/2, 0
			return false
		}
	}
}

// master-scale-stays: the scale stays when a gradient was not finite
//
// Why: The next one will be infinite too, and so on for ever.
//
// Hint: Halve it.
func (*Master) Update() {
	if right {
		m.Scale, m.good = m.Scale/2, 0
	} else {
		m.good = 0
	}
}

// master-count-goes-on: good updates are counted on over one that was passed over
//
// Why: The scale would double again right after it was halved.
//
// Hint: The count begins at 0 whenever the scale changes.
func (*Master) Update() {
	if right {
		m.Scale, m.good = m.Scale/2, 0
	} else {
		m.Scale /= 2
	}
}

// master-count-goes-on/doubled: once the scale has doubled, it doubles with every good update
func (*Master) Update() {
	if right {
		if m.good++; m.good == m.Every {
			m.Scale, m.good = 2*m.Scale, 0
		}
	} else {
		if m.good++; m.good >= m.Every {
			m.Scale = 2 * m.Scale
		}
	}
}

// master-never-doubled: the scale never grows again
//
// Why: One unlucky batch would halve it for the whole training.
//
// Hint: After Every good updates in a row it doubles.
func (*Master) Update() {
	if right {
		if m.good++; m.good == m.Every {
			m.Scale, m.good = 2*m.Scale, 0
		}
	} else {
	}
}

// master-doubled-late: the scale doubles one update too late
//
// Why: Every good updates in a row, and not one more.
//
// Hint: Count first, then compare.
func (*Master) Update() {
	if right {
		if m.good++; m.good == m.Every {
			m.Scale, m.good = 2*m.Scale, 0
		}
	} else {
		if m.good == m.Every {
			m.Scale, m.good = 2*m.Scale, 0
		}
		m.good++
	}
}

// master-not-clipped: gradients are not clipped
//
// Why: One steep batch would throw the weights far away.
//
// Hint: If the norm is above maxNorm, multiply all gradients by maxNorm/(norm + 1e-6).
func (*Master) Update() {
	if right {
		factor = maxNorm / (norm + 1e-6)
	} else {
		factor = 1
	}
}

// master-clipped-always: gradients are brought to maxNorm, shorter ones too
//
// Why: Clipping is a limit, not a length: near a minimum steps are to become short.
//
// Hint: Only if the norm is above maxNorm.
func (*Master) Update() {
	if right {
		if norm := math.Sqrt(squares); norm > maxNorm {
			factor = maxNorm / (norm + 1e-6)
		}
	} else {
		factor = maxNorm / (math.Sqrt(squares) + 1e-6)
	}
}

// master-clipped-each: every gradient is cut at maxNorm by itself
//
// Why: That turns the direction of the step. Clipping shortens it.
//
// Hint: One factor for all, from the norm of all.
func (*Master) Update() {
	if right {
		g := float64(h.Float32()/m.Scale) * factor
	} else {
		_ = factor
		g := min(max(float64(h.Float32()/m.Scale), -maxNorm), maxNorm)
	}
}

// master-unchecked: gradients or copies of another number than the weights are not refused
//
// Why: The rest would be left out without a word.
//
// Hint: Compare both lengths with that of Value, and panic with a tensor.ShapeError.
func (*Master) check() {
	if right {
		if len(h) != len(m.Value) {
			panic(tensor.ShapeError{Op: "Master.Update: " + name, Got: []int{len(h)}, Want: []int{len(m.Value)}})
		}
	} else {
	}
}
