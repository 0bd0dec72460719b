//go:build unlisted

package softmax

// no-care-for-masked-rows: a row of −Inf is shifted by −Inf
//
// Why: −Inf − (−Inf) is NaN; a row with everything masked must be zeros.
func expShifted(y, x []float32) (shift, sum float32) {
	shift = kernel.Max(x)
	kernel.AddConst(y, -shift, x)
	kernel.Exp(y, y)
	return shift, kernel.Sum(y)
}

// one-maximum-for-all: along the last axis the shift is the maximum of the whole tensor
//
// Why: a row that lies 200 below another underflows to zeros, where its probabilities are promised; a NaN spreads to all rows.
func Softmax() {
	if right {
		for at := 0; at < len(x.Data); at += n {
			softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
		}
	} else {
		expShifted(dst.Data, x.Data)
		for at := 0; at < len(x.Data); at += n {
			y := dst.Data[at : at+n]
			if sum := kernel.Sum(y); sum != 0 {
				kernel.Scale(1/sum, y)
			}
		}
	}
}

// rows-of-the-first-outer: element j of row r is sought without the outer index
//
// Why: with an outer size above 1 the elements of other rows are read: a middle axis gives wrong probabilities, and LogSumExp is wrong along the last one too.
func gather(row, data []float32, r, inner int) {
	first := r
	for j := range row {
		row[j] = data[first+j*inner]
	}
}

// axis-too-negative: an axis below −rank is not refused by name
//
// Why: an IndexError is promised, and a slice error comes.
func axisOf() {
	if right {
		if axis < -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
	} else {
		if axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
	}
}

// nil-dst-is-x: without a dst the softmax is written into x
//
// Why: a nil dst means a new tensor, and x must not change.
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			dst = x
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

// backward-writes-y: the products dy·y are put into y for the sum
//
// Why: y must not change; whoever looks at the weights afterwards finds others.
func backwardRow(dx, y, dy []float32) {
	dot := float32(0)
	for i, p := range y {
		y[i] = p * dy[i]
		dot += y[i]
		dx[i] = p
	}
	for i, p := range dx {
		dx[i] = y[i] - p*dot
	}
}

// infinite-logsumexp: the log of the sum is added to a shift of +Inf too
//
// Why: a row with a +Inf must give +Inf and gives NaN.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		shift += float32(math.Log(float64(sum)))
	}
}

// state-before-the-check: Forward keeps logits and targets before it looks at the targets
//
// Why: after an error nothing may have changed; Backward then belongs to the refused call.
func (*CrossEntropy) Forward() {
	if right {
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
		c.logits, c.targets = logits, c.targets[:0]
		for _, row := range targets {
			c.targets = append(c.targets, row...)
		}
	} else {
		c.logits, c.targets = logits, c.targets[:0]
		for _, row := range targets {
			c.targets = append(c.targets, row...)
		}
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	}
}

// one-row-of-targets-kept: with a batch of one the caller's row is kept and not copied
//
// Why: targets are copied by contract; a change before Backward shows, and the next Forward appends into the caller's row.
func (*CrossEntropy) Forward() {
	if right {
		for _, row := range targets {
			c.targets = append(c.targets, row...)
		}
	} else {
		if len(targets) == 1 {
			c.targets = targets[0]
		} else {
			for _, row := range targets {
				c.targets = append(c.targets, row...)
			}
		}
	}
}

// maximum-added-first: the loss is LogSumExp minus the target's logit
//
// Why: at 1e30 the ln 2 of two equal logits is lost in float32 and in float64; both are to be taken relative to m.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += (float64(shift) + math.Log(float64(sum))) - float64(x[target])
	}
}

// log-of-a-clipped-softmax: the loss is −log(p + 1e-9)
//
// Why: a target that is 100 below the maximum must cost 100 nats and costs 20.7.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		_ = shift
		loss -= math.Log(float64(c.scratch.Data[target]/sum) + 1e-9)
	}
}

// gradient-over-time-only: Backward divides by T
//
// Why: B times too large; a finite difference differs for B > 1.
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(c.logits.Dim(1)), dx)
	}
}

// empty-batch-costs-nothing: without tokens Forward returns 0 and no error
//
// Why: there is no mean of nothing; a ShapeError is promised.
func (*CrossEntropy) Forward() {
	if right {
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	} else {
		if logits.Dim(0)*logits.Dim(1) == 0 {
			return 0, nil
		}
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	}
}
