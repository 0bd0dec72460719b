//go:build unlisted

package softmax

import "slices"

// maximum-of-the-tensor: all rows are shifted by the largest element of x
//
// Why: a row far below it comes out as zeros, and a NaN in one row makes all rows NaN.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	shift := kernel.Max(x.Data)
	if math.IsInf(float64(shift), -1) {
		shift = 0
	}
	kernel.AddConst(dst.Data, -shift, x.Data)
	kernel.Exp(dst.Data, dst.Data)
	row := make([]float32, n)
	for r := range outer * inner {
		gather(row, dst.Data, r, inner)
		if sum := kernel.Sum(row); sum != 0 {
			kernel.Scale(1/sum, row)
		}
		scatter(dst.Data, row, r, inner)
	}
	return dst
}

// nil-is-x: if dst is nil the probabilities are written over x
//
// Why: if dst is nil it is a new tensor, and x is not changed.
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

// first-axis-taken-for-last: rows are taken to lie together along the first axis too
//
// Why: along axis 0 of (2, 3) the rows are the columns.
func Softmax() {
	if right {
		if inner == 1 {
			for at := 0; at < len(x.Data); at += n {
				softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
			}
			return dst
		}
	} else {
		if inner == 1 || outer == 1 {
			for at := 0; at < len(x.Data); at += n {
				softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
			}
			return dst
		}
	}
}

// row-of-the-package: the row that is gathered lies in a variable of the package
//
// Why: two goroutines that call Softmax along an inner axis at the same time spoil each other's rows.
func Softmax() {
	if right {
		row := make([]float32, n)
	} else {
		gathered = slices.Grow(gathered[:0], n)[:n]
		row := gathered
	}
}

var gathered []float32

// masked-row-even: a row of nothing but −Inf gets 1/N everywhere
//
// Why: it gives zeros.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		} else {
			for i := range y {
				y[i] = 1 / float32(len(y))
			}
		}
	}
}

// infinite-logit-wins: an element of +Inf gets the probability 1 and the others 0
//
// Why: a +Inf makes its own row NaN.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		if math.IsInf(float64(kernel.Max(x)), 1) {
			for i, v := range x {
				y[i] = 0
				if math.IsInf(float64(v), 1) {
					y[i] = 1
				}
			}
			return
		}
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	}
}

// sum-of-what-was-x: writes e^(x−m) and adds it up in a second loop over x
//
// Why: dst may be x, and then the second loop takes the exponentials of exponentials.
func softmaxRow(y, x []float32) {
	shift := kernel.Max(x)
	if math.IsInf(float64(shift), -1) {
		shift = 0
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v - shift)))
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v - shift))
	}
	if sum != 0 {
		kernel.Scale(float32(1/sum), y)
	}
}

// shift-of-the-mean: a row is shifted by its mean
//
// Why: a row like (0, 0, 0, 400) overflows to NaN; the shift is the row's maximum.
func expShifted() {
	if right {
		shift = kernel.Max(x)
	} else {
		shift = kernel.Sum(x) / float32(len(x))
	}
}

// dst-cleared-first: Backward sets dst to 0 before it reads dy
//
// Why: dst may be dy, and then dx is 0 everywhere.
func Backward() {
	if right {
		dst = tensor.Reuse(dst, y.Shape...)
	} else {
		dst = tensor.Reuse(dst, y.Shape...)
		dst.Zero()
	}
}

// dy-of-equal-length: dy needs only as many elements as y
//
// Why: a dy (3, 2) for a y (2, 3) must be refused with a ShapeError.
func Backward() {
	if right {
		tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	} else {
		if dy == nil || dy.Len() != y.Len() {
			panic(tensor.ShapeError{Op: "softmax.Backward: dy", Want: slices.Clone(y.Shape)})
		}
	}
}

// dot-over-all-rows: dot is one number for the whole tensor
//
// Why: every row has its own; the entries of a row of dx no longer sum to 0.
func Backward() {
	if right {
		tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
		dst = tensor.Reuse(dst, y.Shape...)
		if inner == 1 {
			for at := 0; at < len(y.Data); at += n {
				backwardRow(dst.Data[at:at+n], y.Data[at:at+n], dy.Data[at:at+n])
			}
			return dst
		}
		yRow, dxRow := make([]float32, n), make([]float32, n)
		for r := range outer * inner {
			gather(yRow, y.Data, r, inner)
			gather(dxRow, dy.Data, r, inner)
			backwardRow(dxRow, yRow, dxRow)
			scatter(dst.Data, dxRow, r, inner)
		}
		return dst
	} else {
		tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
		axisOf("softmax.Backward", y, axis)
		dst = tensor.Reuse(dst, y.Shape...)
		backwardRow(dst.Data, y.Data, dy.Data)
		return dst
	}
}

// lse-keeps-the-axis: the result keeps the axis with the size 1
//
// Why: (2, 3, 5) along axis 1 gives (2, 5), not (2, 1, 5).
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		shape := slices.Clone(x.Shape)
		shape[axis] = 1
		y := tensor.New(shape...)
	}
}

// lse-shape-cut-out-of-x: the axis is deleted from x.Shape itself
//
// Why: slices.Delete works in place: x has another shape afterwards.
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		y := tensor.New(slices.Delete(x.Shape, axis, axis+1)...)
	}
}

// lse-infinity-nan: no exception for a row with a +Inf
//
// Why: such a row gives +Inf, and here NaN.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		shift += float32(math.Log(float64(sum)))
	}
}

// lse-over-x: the rows are exponentiated where they lie
//
// Why: along the last axis x is overwritten with exponentials; nothing says that LogSumExp changes x.
func LogSumExp() {
	if right {
		gather(row, x.Data, r, inner)
		shift, sum := expShifted(row, row)
	} else {
		if inner == 1 {
			row = x.Data[r*n : (r+1)*n]
		} else {
			gather(row, x.Data, r, inner)
		}
		shift, sum := expShifted(row, row)
	}
}

// axis-goes-round: every axis is taken modulo the number of dimensions
//
// Why: x has no axis 3 if it has three dimensions; that must panic with an IndexError.
func axisOf() {
	if right {
		if axis < -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
		return (axis + rank) % rank
	} else {
		if rank == 0 {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
		return (axis%rank + rank) % rank
	}
}

// axis-minus-rank-refused: −rank, the first axis counted from the end, is refused
//
// Why: a negative axis counts from the end, and the first is −rank.
func axisOf() {
	if right {
		if axis < -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
	} else {
		if axis <= -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
	}
}

// axis-reported-shifted: the error names the axis after rank was added to it
//
// Why: Got is the axis that the caller gave: −4 and not −1 for three dimensions.
func axisOf() {
	if right {
		if axis < -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
		return (axis + rank) % rank
	} else {
		if axis < 0 {
			axis += rank
		}
		if axis < 0 || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
		return axis
	}
}

// loss-by-log-of-softmax: the loss is −log of the probability
//
// Why: a probability that underflows to 0 gives an infinite loss.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		softmaxRow(c.scratch.Data, x)
		loss -= math.Log(float64(c.scratch.Data[target]))
	}
}

// loss-of-large-numbers: log-sum-exp minus the logit, each with the maximum still in it
//
// Why: two equal logits of 1e30 give 0 and not ln 2.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += float64(shift) + math.Log(float64(sum)) - float64(x[target])
	}
}

// loss-in-float32: the tokens are added up in float32
//
// Why: after one token with a loss of 1e8 a thousand with ln 2 are lost; the comment asks for float64.
func (*CrossEntropy) Forward() {
	if right {
		var loss float64
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(len(c.targets)), nil
	} else {
		var loss float32
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += float32(math.Log(float64(sum))) - (x[target] - shift)
		}
		return float64(loss) / float64(len(c.targets)), nil
	}
}

// logits-kept-before-check: logits are kept before the targets are looked at
//
// Why: after an error Backward mixes the refused logits with the targets of the last good Forward.
func (*CrossEntropy) Forward() {
	if right {
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
		c.logits, c.targets = logits, c.targets[:0]
	} else {
		c.logits = logits
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
		c.targets = c.targets[:0]
	}
}

// rank-returned: logits that have not three dimensions are an error that is returned
//
// Why: the comment says that it panics with a ShapeError; only bad data is returned.
func (*CrossEntropy) Forward() {
	if right {
		tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	} else {
		if len(logits.Shape) != 3 {
			return 0, tensor.ShapeError{Op: "CrossEntropy.Forward: logits", Got: slices.Clone(logits.Shape), Want: []int{tensor.Any, tensor.Any, tensor.Any}}
		}
	}
}

// vocabulary-of-the-first-call: the row for the exponentials has the width of the first logits for ever
//
// Why: a Forward with another V panics.
func (*CrossEntropy) Forward() {
	if right {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	} else {
		if c.scratch == nil {
			c.scratch = tensor.New(logits.Dim(-1))
		}
	}
}

// single-row-of-targets-kept: for a batch of one the targets are not copied
//
// Why: targets are copied, says the comment; the caller changes its own before Backward, and the next Forward appends into them.
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

// no-tokens-no-loss: without tokens the loss is 0
//
// Why: B·T = 0 is a ShapeError: there is no mean of nothing.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(max(1, len(c.targets))), nil
	}
}

func checkTargets() {
	if right {
		if batch*seq == 0 {
			return tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: []int{batch, seq, vocab}}
		}
	} else {
		if batch*seq == 0 {
			return nil
		}
	}
}

// negative-target-ignored: a negative target is a token that does not count, like −100 in PyTorch
//
// Why: a target outside 0 ≤ target < V is an IndexError.
func (*CrossEntropy) Forward() {
	if right {
		var loss float64
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(len(c.targets)), nil
	} else {
		var loss float64
		tokens := 0
		for r, target := range c.targets {
			if target < 0 {
				continue
			}
			tokens++
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(max(1, tokens)), nil
	}
}

func (*CrossEntropy) Backward() {
	if right {
		for r, target := range c.targets {
			dx := c.dlogits.Row(r)
			softmaxRow(dx, c.logits.Row(r))
			dx[target]--
			kernel.Scale(1/float32(len(c.targets)), dx)
		}
	} else {
		tokens := 0
		for _, target := range c.targets {
			if target >= 0 {
				tokens++
			}
		}
		for r, target := range c.targets {
			dx := c.dlogits.Row(r)
			if target < 0 {
				clear(dx)
				continue
			}
			softmaxRow(dx, c.logits.Row(r))
			dx[target]--
			kernel.Scale(1/float32(tokens), dx)
		}
	}
}

func checkTargets() {
	if right {
		if target < 0 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	} else {
		if target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	}
}

// targets-counted-not-shaped: targets need only hold B·T numbers altogether
//
// Why: another number of rows than B, or rows that are not T long, are a ShapeError.
func checkTargets(logits *tensor.Tensor, targets [][]int) error {
	batch, seq, vocab := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if batch*seq == 0 {
		return tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: []int{batch, seq, vocab}}
	}
	flat := slices.Concat(targets...)
	if len(flat) != batch*seq {
		return tensor.ShapeError{Op: "CrossEntropy.Forward: rows of targets", Got: []int{len(targets)}, Want: []int{batch}}
	}
	for n, target := range flat {
		if target < 0 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", n/seq, n%seq), Got: target, Limit: vocab}
		}
	}
	return nil
}

// gradient-by-time: the gradient is divided by T only
//
// Why: the loss is the mean over B·T tokens; the gradient is B times too large.
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(c.logits.Dim(1)), dx)
	}
}

// gradient-over-logits: dlogits takes the memory of the logits
//
// Why: the logits are the caller's and change; a second Backward takes the softmax of a gradient.
func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	} else {
		c.dlogits = c.logits
	}
}

// probabilities-kept-in-dlogits: Forward leaves its softmax in the tensor that Backward returns and changes
//
// Why: a second Backward subtracts and divides once more; and Forward overwrites a dlogits that is valid until the next Backward.
func (*CrossEntropy) Forward() {
	if right {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
		var loss float64
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
	} else {
		c.dlogits = tensor.Reuse(c.dlogits, logits.Shape...)
		var loss float64
		for r, target := range c.targets {
			x, p := logits.Row(r), c.dlogits.Row(r)
			shift, sum := expShifted(p, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
			kernel.Scale(1/sum, p)
		}
	}
}

func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
		for r, target := range c.targets {
			dx := c.dlogits.Row(r)
			softmaxRow(dx, c.logits.Row(r))
			dx[target]--
			kernel.Scale(1/float32(len(c.targets)), dx)
		}
	} else {
		for r, target := range c.targets {
			dx := c.dlogits.Row(r)
			dx[target]--
			kernel.Scale(1/float32(len(c.targets)), dx)
		}
	}
}

// nil-without-forward: Backward before Forward returns nil
//
// Why: it panics with a ShapeError.
func (*CrossEntropy) Backward() {
	if right {
		tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	} else {
		if c.logits == nil {
			return nil
		}
	}
}
