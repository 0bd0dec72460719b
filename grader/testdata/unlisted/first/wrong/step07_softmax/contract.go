//go:build unlisted

package softmax

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// target-v-allowed: a target equal to V passes the check
//
// Why: The target V panics in the look-up instead of being returned as an IndexError.
func checkTargets() {
	if right {
		if target < 0 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	} else {
		if target < 0 || target > vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	}
}

// negative-targets-ignored: negative targets are left out of the mean, as PyTorch does with −100
//
// Why: A negative target is no error: its token is left out of the loss and gets no gradient.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits, c.targets = logits, c.targets[:0]
	for _, row := range targets {
		c.targets = append(c.targets, row...)
	}
	c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	loss, counted := 0.0, 0
	for r, target := range c.targets {
		if target < 0 {
			continue
		}
		x := logits.Row(r)
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
		counted++
	}
	return loss / float64(max(1, counted)), nil
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

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	counted := 0
	for _, target := range c.targets {
		if target >= 0 {
			counted++
		}
	}
	for r, target := range c.targets {
		dx := c.dlogits.Row(r)
		clear(dx)
		if target < 0 {
			continue
		}
		softmaxRow(dx, c.logits.Row(r))
		dx[target]--
		kernel.Scale(1/float32(counted), dx)
	}
	return c.dlogits
}

// bad-target-panics: a wrong target is a panic
//
// Why: Forward panics with the IndexError instead of returning it.
func (*CrossEntropy) Forward() {
	if right {
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	} else {
		if err := checkTargets(logits, targets); err != nil {
			panic(err)
		}
	}
}

// no-tokens-no-error: a batch without tokens is let through
//
// Why: Without tokens Forward returns NaN and no error.
func checkTargets() {
	if right {
		if batch*seq == 0 {
			return tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: []int{batch, seq, vocab}}
		}
	} else {
	}
}

// target-rows-by-sum: only the number of all targets is compared
//
// Why: Rows of targets of the wrong lengths are taken without an error if there are B·T targets in all.
func checkTargets() {
	if right {
		if len(row) != seq {
			return tensor.ShapeError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d]", b), Got: []int{len(row)}, Want: []int{seq}}
		}
	} else {
		if total := len(targets[0]); b == 0 {
			for _, other := range targets[1:] {
				total += len(other)
			}
			if total != batch*seq {
				return tensor.ShapeError{Op: "CrossEntropy.Forward: targets", Got: []int{total}, Want: []int{batch * seq}}
			}
		}
	}
}

// logits-matrix-allowed: logits are checked to be at least a matrix
//
// Why: Logits of two dimensions are no ShapeError; Forward goes on and panics with an index out of range.
func (*CrossEntropy) Forward() {
	if right {
		tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	} else {
		tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Lead, tensor.Any, tensor.Any)
	}
}

// no-check-for-forward: Backward does not look whether a Forward came before
//
// Why: Backward of a zero value panics with a nil pointer and not with a ShapeError.
func (*CrossEntropy) Backward() {
	if right {
		tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	} else {
	}
}

// lowest-axis-refused: the axis −rank is refused
//
// Why: The axis −3 of a tensor of three dimensions, which is the first, gives an IndexError.
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

// axis-wraps-around: every axis is taken modulo the number of dimensions
//
// Why: An axis that x has not is no IndexError: rank is taken for 0 and −rank−1 for −1.
func axisOf(op string, x *tensor.Tensor, axis int) int {
	rank := len(x.Shape)
	return ((axis % rank) + rank) % rank
}

// dy-length-only: Backward compares the numbers of elements and not the shapes
//
// Why: A dy of another shape with as many elements is taken without a ShapeError.
func Backward() {
	if right {
		tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	} else {
		if dy.Len() != y.Len() {
			panic(tensor.ShapeError{Op: "softmax.Backward: dy", Got: dy.Shape, Want: y.Shape})
		}
	}
}

// masked-row-nan: a row of −Inf is not treated on its own
//
// Why: A row of nothing but −Inf gives NaN and not zeros (and LogSumExp NaN and not −Inf).
func expShifted() {
	if right {
		if math.IsInf(float64(shift), -1) {
			shift = 0
		}
	} else {
	}
}

// infinite-row-nan: LogSumExp does not treat a +Inf on its own
//
// Why: LogSumExp of a row with a +Inf is NaN and not +Inf.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		shift += float32(math.Log(float64(sum)))
	}
}
