//go:build unlisted

package softmax

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// other-axes-share-a-maximum: along an axis that is not the last, the shift is the maximum of all inner rows together
//
// Why: along the last axis every row has its own; along another one, a row 200 below its neighbour underflows as a whole and
// becomes zeros.
func Softmax() {
	if right {
		row := make([]float32, n)
	} else {
		row, shift := make([]float32, n), float32(0)
	}
	if right {
		gather(row, x.Data, r, inner)
		softmaxRow(row, row)
	} else {
		if r%inner == 0 {
			shift = -math.MaxFloat32
			for _, v := range x.Data[r*n : (r+inner)*n] {
				if v > shift && v <= math.MaxFloat32 {
					shift = v
				}
			}
		}
		gather(row, x.Data, r, inner)
		if m := float64(kernel.Max(row)); m != m || math.IsInf(m, 0) {
			softmaxRow(row, row)
		} else {
			kernel.AddConst(row, -shift, row)
			kernel.Exp(row, row)
			if sum := kernel.Sum(row); sum != 0 {
				kernel.Scale(1/sum, row)
			}
		}
	}
}

// a-nan-among-masked-scores-is-zero: the maximum is searched with >, and a row whose maximum is -Inf is set to zeros
//
// Why: the comparison passes over a NaN; beside finite numbers the sum still becomes NaN, but a row of NaN and -Inf counts as
// masked, and the mistake that the NaN was to show disappears.
func softmaxRow(y, x []float32) {
	m := float32(math.Inf(-1))
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	if math.IsInf(float64(m), -1) {
		clear(y)
		return
	}
	kernel.AddConst(y, -m, x)
	kernel.Exp(y, y)
	kernel.Scale(1/kernel.Sum(y), y)
}

// backward-passes-over-zero-probabilities: where y is 0 there is no gradient, and dst is left alone
//
// Why: dst is overwritten: with a dst that held something, or with dst = dy, a masked entry keeps that in place of 0.
func backwardRow() {
	if right {
		dx[i] = p * (dy[i] - dot)
	} else {
		if p == 0 {
			continue
		}
		dx[i] = p * (dy[i] - dot)
	}
}

// forward-writes-the-softmax-where-backward-writes-the-gradient: the probabilities are computed once, in the memory of dlogits
//
// Why: dlogits is valid until the next Backward; a Forward in between, of a validation batch, turns it into probabilities.
func (*CrossEntropy) Forward() {
	if right {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	} else {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
		c.dlogits = tensor.Reuse(c.dlogits, logits.Shape...)
		for r := range c.targets {
			softmaxRow(c.dlogits.Row(r), logits.Row(r))
		}
		c.done = false
	}
}

func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	} else {
		if c.done {
			return c.dlogits
		}
		c.done = true
	}
	if right {
		softmaxRow(dx, c.logits.Row(r))
		dx[target]--
	} else {
		dx[target]--
	}
}

type CrossEntropy struct {
	logits  *tensor.Tensor // (B, T, V), the caller's
	targets []int          // B·T, one for every row of logits
	scratch *tensor.Tensor // (V)
	dlogits *tensor.Tensor // (B, T, V): the softmax, and after Backward the gradient
	done    bool           // Backward has been called
}

// forward-keeps-the-logits-of-a-refused-call: the logits are stored before the targets are checked
//
// Why: after an error Backward belongs to the last good Forward; here it is a mixture of the new logits and the old targets.
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

// target-minus-100-is-ignored: as in PyTorch, a token with the target -100 has no loss and no gradient
//
// Why: a target outside 0 ≤ target < V is an IndexError, whichever it is; here a mean over fewer tokens comes back.
func (*CrossEntropy) Forward() {
	if right {
		x := logits.Row(r)
	} else {
		if target == -100 {
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
		if target == -100 {
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
		if target != -100 && (target < 0 || target >= vocab) {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	}
}

// targets-are-counted-not-measured: B rows with B·T targets in all are accepted, however long each row is
//
// Why: rows of 3 and 1 targets for T = 2 are a mistake that has to come back as a ShapeError; here the third target of the
// first row is charged to the second row's first token.
func checkTargets() {
	if right {
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
	} else {
		count := 0
		for _, row := range targets {
			count += len(row)
		}
		for b, row := range targets {
			if len(row) != seq && count != batch*seq {
				return tensor.ShapeError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d]", b), Got: []int{len(row)}, Want: []int{seq}}
			}
			for t, target := range row {
				if target < 0 || target >= vocab {
					return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
				}
			}
		}
	}
}

// logsumexp-cuts-the-axis-out-of-x: the shape of the result is put together with append, in the memory of x.Shape
//
// Why: the result is right, but after it x of shape (2, 3, 5) says (2, 5, 5), unless the axis was the last.
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		y := tensor.New(append(x.Shape[:axis], x.Shape[axis+1:]...)...)
	}
}

// the-number-of-tokens-is-that-of-the-first-batch: 1/(B·T) is worked out once and kept
//
// Why: loss and gradient are right until a batch of another size comes, as the last one of an epoch or one of validation.
type CrossEntropy struct {
	logits  *tensor.Tensor // (B, T, V), the caller's
	targets []int          // B·T, one for every row of logits
	scratch *tensor.Tensor // (V)
	dlogits *tensor.Tensor // (B, T, V)
	each    float64        // the weight of a token, 1/(B·T)
}

func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		if c.each == 0 {
			c.each = 1 / float64(len(c.targets))
		}
		return loss * c.each, nil
	}
}

func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(float32(c.each), dx)
	}
}

// loss-subtracts-the-logit-from-the-log-sum-exp: in float64, but with the maximum added first and the target's logit taken away after
//
// Why: for logits up to a million nothing is seen; between two equal logits of 1e30 the ln 2 is lost, and the loss is 0.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		logSumExp := float64(shift) + math.Log(float64(sum))
		loss += logSumExp - float64(x[target])
	}
}
