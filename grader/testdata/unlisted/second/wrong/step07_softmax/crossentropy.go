//go:build unlisted

package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// targets-kept: rows of targets are kept and not copied
//
// Why: a caller who writes the next targets into the same slices before Backward gets the gradient of other targets.
type CrossEntropy struct {
	logits  *tensor.Tensor // (B, T, V), the caller's
	targets []int
	rows    [][]int
	scratch *tensor.Tensor // (V)
	dlogits *tensor.Tensor // (B, T, V)
}

func (*CrossEntropy) Forward() {
	if right {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	} else {
		c.rows = targets
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	}
}

func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		seq := c.logits.Dim(1)
		target = c.rows[r/seq][r%seq]
		dx[target]--
	}
}

// kept-before-checked: logits and targets are kept before the targets are checked
//
// Why: after an error Backward belongs to the bad batch and not to the last good Forward.
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

// gradient-made-in-forward: Forward writes the softmax to dlogits, and Backward finishes it in place
//
// Why: the next Forward overwrites a dlogits that should be valid until the next Backward, and a second Backward subtracts and divides once more.
func (*CrossEntropy) Forward() {
	if right {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	} else {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
		c.dlogits = tensor.Reuse(c.dlogits, logits.Shape...)
		for r := range c.targets {
			softmaxRow(c.dlogits.Row(r), logits.Row(r))
		}
	}
}

func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	} else {
	}
	if right {
		softmaxRow(dx, c.logits.Row(r))
		dx[target]--
	} else {
		dx[target]--
	}
}

// minus-one-ignored: target of −1 is left out of the mean
//
// Why: a target of −1 is outside the vocabulary and should be an IndexError; here it counts as padding.
func checkTargets() {
	if right {
		if target < 0 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	} else {
		if target < -1 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	}
}

func (*CrossEntropy) Forward() {
	if right {
		x := logits.Row(r)
	} else {
		if target < 0 {
			continue
		}
		x := logits.Row(r)
	}
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(max(1, counted(c.targets))), nil
	}
}

func (*CrossEntropy) Backward() {
	if right {
		softmaxRow(dx, c.logits.Row(r))
		dx[target]--
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		if target < 0 {
			clear(dx)
			continue
		}
		softmaxRow(dx, c.logits.Row(r))
		dx[target]--
		kernel.Scale(1/float32(counted(c.targets)), dx)
	}
}

func counted(targets []int) int {
	n := 0
	for _, target := range targets {
		if target >= 0 {
			n++
		}
	}
	return n
}

// loss-of-nothing-is-zero: batch without tokens has loss 0
//
// Why: there is no mean of nothing; it should be a ShapeError.
func (*CrossEntropy) Forward() {
	if right {
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	} else {
		if logits.Rows() == 0 {
			c.logits, c.targets = logits, c.targets[:0]
			return 0, nil
		}
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	}
}

// log-of-softmax-plus-tiny: loss is −log(softmax + 10⁻⁹)
//
// Why: no loss is larger than 20.7, however wrong the logits are.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		softmaxRow(c.scratch.Data, x)
		loss -= math.Log(float64(c.scratch.Data[target]) + 1e-9)
	}
}
