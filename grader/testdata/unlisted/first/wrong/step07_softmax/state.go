//go:build unlisted

package softmax

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// row-of-first-call: the scratch row of an inner axis is a variable of the package that only grows
//
// Why: A Softmax along an inner axis that is shorter than an earlier one's goes through rows that are too long and panics.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	if inner == 1 {
		for at := 0; at < len(x.Data); at += n {
			softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
		}
		return dst
	}
	if len(scratchRow) < n {
		scratchRow = make([]float32, n)
	}
	for r := range outer * inner {
		gather(scratchRow, x.Data, r, inner)
		softmaxRow(scratchRow, scratchRow)
		scatter(dst.Data, scratchRow, r, inner)
	}
	return dst
}

var scratchRow []float32

// new-result-of-package: without a dst the result is a buffer of the package
//
// Why: y is not a new tensor when dst is nil: the next Softmax with a nil dst overwrites it.
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			sharedY = tensor.Reuse(sharedY, x.Shape...)
			dst = sharedY
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

var sharedY *tensor.Tensor

// targets-not-emptied: the targets of the new call are appended to those of the last
//
// Why: A second Forward reads the old targets as well: the mean is wrong, or rows of logits are missing.
func (*CrossEntropy) Forward() {
	if right {
		c.logits, c.targets = logits, c.targets[:0]
	} else {
		c.logits = logits
	}
}

// scratch-made-once: the scratch row is made for the first vocabulary
//
// Why: A later Forward with another vocabulary panics, because the lengths differ.
func (*CrossEntropy) Forward() {
	if right {
		c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	} else {
		if c.scratch == nil {
			c.scratch = tensor.New(logits.Dim(-1))
		}
	}
}

// dlogits-made-once: dlogits is made by the first Backward and keeps its shape
//
// Why: Backward for fewer tokens than the first one's returns the old shape with old numbers at its end, for more it panics.
func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	} else {
		if c.dlogits == nil {
			c.dlogits = tensor.New(c.logits.Shape...)
		}
	}
}

// dlogits-added-up: the gradient is added to what dlogits held
//
// Why: A second Backward of the same Forward returns twice the gradient.
func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	p := make([]float32, c.logits.Dim(-1))
	for r, target := range c.targets {
		softmaxRow(p, c.logits.Row(r))
		p[target]--
		kernel.Axpy(1/float32(len(c.targets)), p, c.dlogits.Row(r))
	}
	return c.dlogits
}

// kept-before-checked: logits and targets are kept first and checked afterwards
//
// Why: After a Forward that returned an error, Backward belongs to the refused logits and not to the last good Forward.
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

// targets-checked-while-copied: every target is checked when it is copied
//
// Why: After an error the targets of the last good Forward are lost, and Backward works with some of the refused ones.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	c.targets = c.targets[:0]
	for _, row := range targets {
		c.targets = append(c.targets, row...)
	}
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits = logits
	c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	var loss float64
	for r, target := range c.targets {
		x := logits.Row(r)
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	}
	return loss / float64(len(c.targets)), nil
}

// dlogits-of-package: dlogits is a variable of the package
//
// Why: The Backward of a second CrossEntropy overwrites the dlogits that the first one returned.
func (*CrossEntropy) Backward() {
	if right {
		c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	} else {
		sharedDlogits = tensor.Reuse(sharedDlogits, c.logits.Shape...)
		c.dlogits = sharedDlogits
	}
}

var sharedDlogits *tensor.Tensor

// logits-dropped-after-backward: Backward lets go of the logits when it is done
//
// Why: A second Backward of the same Forward panics instead of giving the same gradient again.
func (*CrossEntropy) Backward() {
	if right {
		return c.dlogits
	} else {
		c.logits = nil
		return c.dlogits
	}
}
