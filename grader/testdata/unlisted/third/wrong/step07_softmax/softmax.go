//go:build unlisted

package softmax

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// targets-of-caller: CrossEntropy keeps the caller's rows of targets and does not copy them
//
// Why: a caller who writes other targets into the same slices between Forward and Backward, as a loader does, changes which element of dlogits loses 1.
type CrossEntropy struct {
	logits  *tensor.Tensor
	targets [][]int
	scratch *tensor.Tensor
	dlogits *tensor.Tensor
}

func (*CrossEntropy) Forward() {
	if right {
		c.logits, c.targets = logits, c.targets[:0]
		for _, row := range targets {
			c.targets = append(c.targets, row...)
		}
	} else {
		c.logits, c.targets = logits, targets
	}
	if right {
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(len(c.targets)), nil
	} else {
		r := 0
		for _, row := range targets {
			for _, target := range row {
				x := logits.Row(r)
				shift, sum := expShifted(c.scratch.Data, x)
				loss += math.Log(float64(sum)) - float64(x[target]-shift)
				r++
			}
		}
		return loss / float64(r), nil
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
		r, n := 0, c.logits.Rows()
		for _, row := range c.targets {
			for _, target := range row {
				dx := c.dlogits.Row(r)
				softmaxRow(dx, c.logits.Row(r))
				dx[target]--
				kernel.Scale(1/float32(n), dx)
				r++
			}
		}
	}
}

// logits-kept-before-check: CrossEntropy.Forward keeps the logits before it checks the targets
//
// Why: after a Forward that was refused, Backward takes the refused logits with the targets of the last good Forward.
func (*CrossEntropy) Forward() {
	if right {
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	} else {
		c.logits = logits
		if err := checkTargets(logits, targets); err != nil {
			return 0, err
		}
	}
}

// loss-in-place: CrossEntropy.Forward turns the caller's logits into probabilities in their own memory
//
// Why: loss and dlogits are right, but after Forward the caller's logits hold softmax(x), and a second Forward of them gives another loss.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		score := x[target]
		shift, sum := expShifted(x, x)
		loss += math.Log(float64(sum)) - float64(score-shift)
		kernel.Scale(1/sum, x)
	}
}

func (*CrossEntropy) Backward() {
	if right {
		softmaxRow(dx, c.logits.Row(r))
	} else {
		copy(dx, c.logits.Row(r))
	}
}

// nil-dst-is-x: Softmax with a nil dst works in x
//
// Why: a nil dst asks for a new tensor; here x itself is overwritten and returned.
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

// shape-of-dst-stays: Softmax gives dst the shape of x only if the number of elements differs
//
// Why: a dst (6, 2) for an x (3, 4) is filled with the right numbers and returned as (6, 2).
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil || dst.Len() != x.Len() {
			dst = tensor.Reuse(dst, x.Shape...)
		}
	}
}

// product-written-over-dy: softmax.Backward writes y·dy to dx before it reads dy again
//
// Why: with dst = dy, or along any axis but the last, the result is y·(y·dy − dot) and not y·(dy − dot).
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
	} else {
		kernel.Mul(dx, dy, y)
		dot := kernel.Sum(dx)
	}
}

// dlogits-made-by-forward: CrossEntropy.Forward computes dlogits already, and Backward only returns them
//
// Why: dlogits should live until the next Backward; here the next Forward overwrites them, and a second Backward returns what the caller made of the first one's.
func (*CrossEntropy) Forward() {
	if right {
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
	} else {
		c.dlogits = tensor.Reuse(c.dlogits, logits.Shape...)
		for r, target := range c.targets {
			x, dx := logits.Row(r), c.dlogits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
			kernel.ScaleTo(dx, 1/sum, c.scratch.Data)
			dx[target]--
			kernel.Scale(1/float32(len(c.targets)), dx)
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
	}
}

// axis-stays-as-one: LogSumExp keeps the axis with length 1
//
// Why: (2, 3, 5) along axis 1 comes back as (2, 1, 5), as keepdim does, and not as (2, 5).
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		shape := slices.Clone(x.Shape)
		shape[axis] = 1
		y := tensor.New(shape...)
	}
}

// one-in-the-denominator: Softmax divides by 1 + Σ e^x and not by Σ e^x
//
// Why: rows sum to less than 1, as if there were one more logit of 0; Backward's formula happens to be the derivative of this as well.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		shift, sum := expShifted(y, x)
		kernel.Scale(1/(sum+float32(math.Exp(-float64(shift)))), y)
	}
}

func (*CrossEntropy) Backward() {
	if right {
		softmaxRow(dx, c.logits.Row(r))
	} else {
		if _, sum := expShifted(dx, c.logits.Row(r)); sum != 0 {
			kernel.Scale(1/sum, dx)
		}
	}
}

// label-smoothing: CrossEntropy gives the target 0.9 and spreads 0.1 over the whole vocabulary, in the loss and in dlogits
//
// Why: the loss is logsumexp − 0.9·x[target] − 0.1·mean(x); the one-hot of the definition has 1 at the target and 0 elsewhere.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		mean := 0.0
		for _, v := range x {
			mean += float64(v-shift) / float64(len(x))
		}
		loss += math.Log(float64(sum)) - 0.9*float64(x[target]-shift) - 0.1*mean
	}
}

func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		kernel.AddConst(dx, -0.1/float32(len(dx)), dx)
		dx[target] -= 0.9
	}
}

// target-zero-is-padding: CrossEntropy leaves out tokens whose target is 0, in the sum, in the count and in dlogits
//
// Why: 0 is a token like the others; here its rows cost nothing and get no gradient, and the mean runs over the other tokens only.
func (*CrossEntropy) Forward() {
	if right {
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(len(c.targets)), nil
	} else {
		counted := 0
		for r, target := range c.targets {
			if target == 0 {
				continue
			}
			counted++
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(max(1, counted)), nil
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
		counted := 0
		for _, target := range c.targets {
			if target != 0 {
				counted++
			}
		}
		for r, target := range c.targets {
			dx := c.dlogits.Row(r)
			if target == 0 {
				clear(dx)
				continue
			}
			softmaxRow(dx, c.logits.Row(r))
			dx[target]--
			kernel.Scale(1/float32(counted), dx)
		}
	}
}

// maximum-from-zero: search for the row's maximum begins at 0
//
// Why: a row of negative numbers is shifted by 0; at −200 every exponential underflows, softmax is all zeros, log-sum-exp −Inf and the loss −Inf.
func expShifted() {
	if right {
		shift = kernel.Max(x)
	} else {
		shift = 0
		for _, v := range x {
			if v > shift || v != v {
				shift = v
			}
		}
	}
}

// logsumexp-of-plus-inf: LogSumExp has no case for a maximum of +Inf
//
// Why: Inf − Inf in the exponent makes a row with a +Inf NaN; it should be +Inf.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		shift += float32(math.Log(float64(sum)))
	}
}

// diagonal-only: softmax.Backward has only the diagonal of the Jacobian, dx = y·(1 − y)·dy
//
// Why: what each logit does to the other probabilities, −y[i]·y[j], is missing; this is the derivative of a sigmoid.
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
		for i, p := range y {
			dx[i] = p * (dy[i] - dot)
		}
	} else {
		for i, p := range y {
			dx[i] = p * (1 - p) * dy[i]
		}
	}
}

// mean-of-products: softmax.Backward subtracts the mean of dy·y and not the sum
//
// Why: dot is divided by N, so dx = y·(dy − dot/N), and the dx of a row no longer sum to 0.
func backwardRow() {
	if right {
		dot := kernel.Dot(dy, y)
	} else {
		dot := kernel.Dot(dy, y) / float32(len(y))
	}
}

// one-subtracted-after-mean: CrossEntropy.Backward subtracts the one-hot after the division by B·T
//
// Why: dlogits is softmax/(B·T) − onehot: only the first term is divided.
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(len(c.targets)), dx)
		dx[target]--
	}
}
