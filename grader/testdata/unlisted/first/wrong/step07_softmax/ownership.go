//go:build unlisted

package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// single-row-of-targets-kept: a batch of one row of targets is kept without copying it
//
// Why: When the caller changes its targets after Forward and B is 1, Backward belongs to the changed ones.
func (*CrossEntropy) Forward() {
	if right {
		for _, row := range targets {
			c.targets = append(c.targets, row...)
		}
	} else {
		c.targets = targets[0]
		for _, row := range targets[1:] {
			c.targets = append(c.targets[:len(c.targets):len(c.targets)], row...)
		}
	}
}

// appended-to-first-row: the other rows are appended to the caller's first
//
// Why: If targets[0] has spare capacity, Forward writes the targets of the other rows into the caller's memory behind it.
func (*CrossEntropy) Forward() {
	if right {
		for _, row := range targets {
			c.targets = append(c.targets, row...)
		}
	} else {
		all := targets[0]
		for _, row := range targets[1:] {
			all = append(all, row...)
		}
		c.targets = append(c.targets, all...)
	}
}

// softmax-in-memory-of-logits: Forward turns the logits into probabilities in place
//
// Why: Forward changes the caller's logits, and Backward takes the softmax of a softmax.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
		softmaxRow(x, x)
	}
}

// dlogits-in-memory-of-logits: Backward writes the gradient over the logits
//
// Why: Backward changes the caller's logits, and a second one takes the softmax of the gradient.
func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	} else {
		c.dlogits = c.logits
	}
}

// nil-dst-is-x: without a dst the softmax is computed in place
//
// Why: With a nil dst the caller's x is changed and y is no new tensor.
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

// dst-ignored: the result is always a new tensor
//
// Why: dst is not overwritten: y is another tensor, and who looks at dst finds its old contents.
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		dst = tensor.New(x.Shape...)
	}
}

// logsumexp-in-memory-of-x: along the last axis the exponentials are written over x
//
// Why: LogSumExp changes the caller's x if its rows lie in one piece.
func LogSumExp() {
	if right {
		shift, sum := expShifted(row, row)
	} else {
		if inner == 1 {
			row = x.Data[r*n : (r+1)*n]
		}
		shift, sum := expShifted(row, row)
	}
}

// backward-in-memory-of-y: y is multiplied by dy in place
//
// Why: Backward changes the softmax y that it was given: a second one works with the changed y.
func backwardRow(dx, y, dy []float32) {
	dot := kernel.Dot(dy, y)
	for i := range y {
		y[i] *= dy[i] - dot
		dx[i] = y[i]
	}
}

// dy-centred-in-place: the dot product is subtracted from dy itself
//
// Why: Backward changes the caller's dy when dst is another tensor.
func backwardRow(dx, y, dy []float32) {
	kernel.AddConst(dy, -kernel.Dot(dy, y), dy)
	kernel.Mul(dx, dy, y)
}

// loss-from-kept-targets: the rows of targets are kept as they are and read again by Backward
//
// Why: Backward reads the targets as the caller has changed them since, and not those of Forward.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits, c.rows = logits, targets
	c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	seq, loss := logits.Dim(1), 0.0
	for b, row := range targets {
		for t, target := range row {
			x := logits.Row(b*seq + t)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
	}
	return loss / float64(logits.Rows()), nil
}

type CrossEntropy struct {
	logits  *tensor.Tensor
	rows    [][]int
	scratch *tensor.Tensor
	dlogits *tensor.Tensor
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	seq := c.logits.Dim(1)
	for b, row := range c.rows {
		for t, target := range row {
			dx := c.dlogits.Row(b*seq + t)
			softmaxRow(dx, c.logits.Row(b*seq+t))
			dx[target]--
			kernel.Scale(1/float32(c.logits.Rows()), dx)
		}
	}
	return c.dlogits
}
