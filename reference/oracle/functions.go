package oracle

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func gain(c *call) (wire.Values, error) {
	return wire.Values{"g": result(autodiff.Full(1, c.int("d")))}, nil
}

func dff(c *call) (wire.Values, error) {
	return wire.Values{"d_ff": wire.Int(DFF(c.int("d_model")))}, nil
}

func ropeForward(c *call) (wire.Values, error) {
	if err := c.checkRoPE("x"); err != nil {
		return nil, err
	}
	y := c.edited(nil, RoPE(c.tensor("x"), c.indices("positions"), c.float("theta")).Named("y"))
	return wire.Values{"y": result(y[0])}, nil
}

// ropeBackward needs no x: the rotation is linear.
func ropeBackward(c *call) (wire.Values, error) {
	if err := c.checkRoPE("dy"); err != nil {
		return nil, err
	}
	dy := c.tensor("dy")
	x := autodiff.Zeros(dy.Shape...).Named("x")
	y := c.edited(nil, RoPE(x, c.indices("positions"), c.float("theta")).Named("y"))
	y[0].Backward(dy.Data)
	return wire.Values{"dx": wire.Floats(x.Grad, x.Shape...)}, nil
}

func (c *call) checkRoPE(name string) error {
	if c.sizes["K"]%2 != 0 {
		return c.refuse(name, "an even last dimension")
	}
	return c.checkTheta("theta")
}

// ropeTables returns the cosines and sines of every position's Angles.
//
//	cos, sin (max_seq_len, K/2)
func ropeTables(c *call) (wire.Values, error) {
	dK, length := c.int("d_k"), c.int("max_seq_len")
	if dK%2 != 0 {
		return nil, c.refuse("d_k", "an even number")
	}
	if dK*length > maxElements {
		return nil, c.refuse("max_seq_len", fmt.Sprintf("at most %d for d_k = %d", maxElements/dK, dK))
	}
	if err := c.checkTheta("theta"); err != nil {
		return nil, err
	}
	cos, sin := autodiff.Zeros(length, dK/2), autodiff.Zeros(length, dK/2)
	for position := range length {
		for k := range dK / 2 {
			s, c := math.Sincos(Angle(c.float("theta"), dK, position, k))
			cos.Data[position*dK/2+k], sin.Data[position*dK/2+k] = c, s
		}
	}
	return wire.Values{"cos": result(cos), "sin": result(sin)}, nil
}

func logSumExp(c *call) (wire.Values, error) {
	if err := c.checkAxis(); err != nil {
		return nil, err
	}
	y := c.edited(nil, LogSumExp(c.tensor("x"), c.int("axis")).Named("y"))
	return wire.Values{"y": result(y[0])}, nil
}

func crossEntropyForward(c *call) (wire.Values, error) {
	loss := c.edited(nil, CrossEntropy(c.tensor("logits"), c.indices("targets")).Named("loss"))
	return wire.Values{"loss": result(loss[0])}, nil
}

func crossEntropyBackward(c *call) (wire.Values, error) {
	loss := c.edited(nil, CrossEntropy(c.tensor("logits"), c.indices("targets")).Named("loss"))
	loss[0].Backward([]float64{1})
	return wire.Values{"dlogits": c.gradient("logits", "")}, nil
}

func causalMask(c *call) (wire.Values, error) {
	n := c.int("n")
	if n*n > maxElements {
		return nil, c.refuse("n", fmt.Sprintf("at most %d elements in the mask", maxElements))
	}
	return wire.Values{"mask": wire.Bools(Causal(n), n, n)}, nil
}

func sampleProbs(c *call) (wire.Values, error) {
	if c.sizes["V"] == 0 {
		return nil, c.refuse("logits", "at least one")
	}
	if t := c.float("temperature"); !(t >= 0) || math.IsInf(t, 1) {
		return nil, c.refuse("temperature", "a number of at least 0")
	}
	if p := c.float("top_p"); !(p > 0 && p <= 1) {
		return nil, c.refuse("top_p", "0 < top_p ≤ 1")
	}
	probs := SampleProbs(c.tensor("logits").Data, c.float("temperature"), c.float("top_p"))
	return wire.Values{"probs": wire.Floats(probs, len(probs))}, nil
}
