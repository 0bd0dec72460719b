//go:build unlisted

package softmax

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// maximum-from-zero: the search for the maximum starts at 0
//
// Why: a row of numbers around −1000 is shifted by 0 and underflows to zeros; adding a constant to a row must change nothing.
func expShifted(y, x []float32) (shift, sum float32) {
	for _, v := range x {
		if v > shift {
			shift = v
		}
	}
	kernel.AddConst(y, -shift, x)
	kernel.Exp(y, y)
	return shift, kernel.Sum(y)
}

// masked-below-minus-1e9: a row whose maximum is below −1e9 is taken for fully masked
//
// Why: only −Inf is; a row of −2e9 twice must give ½ and ½ and gives zeros.
func expShifted() {
	if right {
		if math.IsInf(float64(shift), -1) {
			shift = 0
		}
	} else {
		if shift <= -1e9 {
			shift = 0
		}
	}
}

// axis-deleted-from-x: LogSumExp takes the axis out of x's own shape
//
// Why: x is only read; afterwards its shape has another product than its elements.
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		y := tensor.New(append(x.Shape[:axis], x.Shape[axis+1:]...)...)
	}
}

// axis-wraps-round: any negative axis is taken modulo the number of dimensions
//
// Why: −5 of three dimensions is no axis and must panic with an IndexError.
func axisOf() {
	if right {
		if axis < -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
		return (axis + rank) % rank
	} else {
		if rank == 0 || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
		return (axis%rank + rank) % rank
	}
}

// dy-read-after-writing: the products for the dot go into dx before dy is read again
//
// Why: dst may be dy; then dy is gone when it is needed, and along an inner axis it always is.
func backwardRow(dx, y, dy []float32) {
	kernel.Mul(dx, dy, y)
	dot := kernel.Sum(dx)
	for i, p := range y {
		dx[i] = p * (dy[i] - dot)
	}
}

// outer-forgotten: along an axis that is not the last only the rows of the first outer block are computed
//
// Why: along a middle axis everything but the first block is left as the memory was.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	_, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	if inner == 1 {
		for at := 0; at < len(x.Data); at += n {
			softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
		}
		return dst
	}
	row := make([]float32, n)
	for r := range inner {
		if n == 0 || len(x.Data) == 0 {
			break
		}
		gather(row, x.Data, r, inner)
		softmaxRow(row, row)
		scatter(dst.Data, row, r, inner)
	}
	return dst
}

// shift-added-back: the loss adds the maximum to the logarithm before it takes the target's logit off
//
// Why: two equal logits of 1e30 give 0 instead of ln 2; both are to be taken relative to m first.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += float64(shift) + math.Log(float64(sum)) - float64(x[target])
	}
}

// gradient-made-by-forward: Forward computes dlogits as well and Backward hands it out
//
// Why: dlogits is valid until the next Backward; the Forward of the next batch overwrites it.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits, c.targets = logits, c.targets[:0]
	for _, row := range targets {
		c.targets = append(c.targets, row...)
	}
	c.dlogits = tensor.Reuse(c.dlogits, logits.Shape...)
	var loss float64
	for r, target := range c.targets {
		x, dx := logits.Row(r), c.dlogits.Row(r)
		shift, sum := expShifted(dx, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
		kernel.Scale(1/sum, dx)
		dx[target]--
		kernel.Scale(1/float32(len(c.targets)), dx)
	}
	return loss / float64(len(c.targets)), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	return c.dlogits
}

// no-tokens-no-error: an empty batch is not refused
//
// Why: there is no mean of nothing; it must be a ShapeError and is a loss of NaN.
func checkTargets(logits *tensor.Tensor, targets [][]int) error {
	batch, seq, vocab := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(targets) != batch {
		return tensor.ShapeError{Op: "CrossEntropy.Forward: rows of targets", Got: []int{len(targets)}, Want: []int{batch}}
	}
	for b, row := range targets {
		if len(row) != seq {
			return tensor.ShapeError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d]", b), Got: []int{len(row)}, Want: []int{seq}}
		}
		for t, target := range row {
			if target < 0 || target >= vocab {
				return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
			}
		}
	}
	return nil
}

// minus-100-ignored: a target of −100 leaves its token out, as in PyTorch
//
// Why: a target outside 0 ≤ target < V is an IndexError here.
const ignored = -100

func (*CrossEntropy) Forward() {
	if right {
		x := logits.Row(r)
	} else {
		if target == ignored {
			continue
		}
		x := logits.Row(r)
	}
}

func (*CrossEntropy) Backward() {
	if right {
		dx := c.dlogits.Row(r)
	} else {
		dx := c.dlogits.Row(r)
		if target == ignored {
			clear(dx)
			continue
		}
	}
}

func checkTargets() {
	if right {
		if target < 0 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	} else {
		if target != ignored && (target < 0 || target >= vocab) {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	}
}
