//go:build mistake

package attention

// mask-filled-with-0: masked scores are set to 0 instead of −Inf
//
// Why: 0 is a score like any other: e⁰ is 1. A masked key then often outweighs an allowed one.
//
// Hint: Only −Inf is smaller than every score: float32(math.Inf(-1)).
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = 0
				}
			}
		}
	}
}

// mask-filled-with-0/derivative-too
//
// With: mask-filled-with-0
type Attention struct {
	q, k, v *tensor.Tensor
	mask    *Mask

	weights    *tensor.Tensor
	y          *tensor.Tensor
	dScores    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

func (*Attention) Forward() {
	if right {
		a.q, a.k, a.v = q, k, v
	} else {
		a.q, a.k, a.v = q, k, v
		a.mask = mask
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		if a.mask != nil {
			for i := range a.dScores.Data {
				if !a.mask.Attend[i%len(a.mask.Attend)] {
					a.dScores.Data[i] = 0
				}
			}
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	}
}

// mask-filled-with-1e4: masked scores are set to −10000 instead of −Inf
//
// Why: −10000 was chosen for half precision, which has no −1e9. It is a score that a diverging
// model reaches, and then the mask lets everything through.
//
// Hint: Only −Inf is smaller than every score: float32(math.Inf(-1)).
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = -1e4
				}
			}
		}
	}
}

// mask-filled-with-1e4/derivative-too
//
// With: mask-filled-with-1e4
type Attention struct {
	q, k, v *tensor.Tensor
	mask    *Mask

	weights    *tensor.Tensor
	y          *tensor.Tensor
	dScores    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

func (*Attention) Forward() {
	if right {
		a.q, a.k, a.v = q, k, v
	} else {
		a.q, a.k, a.v = q, k, v
		a.mask = mask
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		if a.mask != nil {
			for i := range a.dScores.Data {
				if !a.mask.Attend[i%len(a.mask.Attend)] {
					a.dScores.Data[i] = 0
				}
			}
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	}
}

// mask-filled-with-1e4/added: −10000 is added to masked scores instead of setting them to −Inf
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] += -1e4
				}
			}
		}
	}
}

// mask-filled-with-1e9: masked scores are set to a large negative number such as −1e9 instead of
// −Inf
//
// Why: In a row with nothing but masked keys they are all equal, and each gets the weight 1/M: the
// query attends to exactly what it must not see.
//
// Hint: Only −Inf is smaller than every score: float32(math.Inf(-1)).
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = -1e9
				}
			}
		}
	}
}

// mask-filled-with-1e9/derivative-too
//
// With: mask-filled-with-1e9
type Attention struct {
	q, k, v *tensor.Tensor
	mask    *Mask

	weights    *tensor.Tensor
	y          *tensor.Tensor
	dScores    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

func (*Attention) Forward() {
	if right {
		a.q, a.k, a.v = q, k, v
	} else {
		a.q, a.k, a.v = q, k, v
		a.mask = mask
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		if a.mask != nil {
			for i := range a.dScores.Data {
				if !a.mask.Attend[i%len(a.mask.Attend)] {
					a.dScores.Data[i] = 0
				}
			}
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	}
}

// mask-filled-with-1e9/lowest: masked scores are set to the lowest float32 instead of −Inf
func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		if mask != nil {
			for i := range a.weights.Data {
				if !mask.Attend[i%len(mask.Attend)] {
					a.weights.Data[i] = -math.MaxFloat32
				}
			}
		}
	}
}
