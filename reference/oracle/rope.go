package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("rope.tables", ropeTables)
	answer("rope.forward", ropeForward)
	answer("rope.backward", ropeBackward)
}

// Angle returns by how much RoPE rotates pair k of a vector of length dK at a
// position: position·Θ^(−2k/dK), with k counted from 0.
func Angle(theta float64, dK, position, k int) float64 {
	return float64(position) * math.Pow(theta, -2*float64(k)/float64(dK))
}

// RoPE rotates each pair (x[2k], x[2k+1]) of the last dimension, as a point in
// the plane, by the Angle of its position:
//
//	y[2k]   = x[2k]·cos − x[2k+1]·sin
//	y[2k+1] = x[2k]·sin + x[2k+1]·cos
//
//	x (B, …, T, K) with K even, positions (B, T), or (1, T) for the whole
//	batch, result (B, …, T, K)
//
// Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position
// Embedding" (arXiv:2104.09864), section 3.4.2, equation 34.
func RoPE(x *autodiff.Tensor, positions Indices, theta float64) *autodiff.Tensor {
	half := x.Shape[len(x.Shape)-1] / 2
	pairs := autodiff.Reshape(x, append(slices.Clone(x.Shape[:len(x.Shape)-1]), half, 2)...)
	even := autodiff.Slice(pairs, -1, 0, 1).Named("x[2k]") // (B, …, T, K/2, 1)
	odd := autodiff.Slice(pairs, -1, 1, 2).Named("x[2k+1]")
	cos, sin := rotation(positions, theta, half, len(pairs.Shape))
	rotated := autodiff.Concat(-1,
		autodiff.Sub(autodiff.Mul(even, cos), autodiff.Mul(odd, sin)).Named("y[2k]"),
		autodiff.Add(autodiff.Mul(even, sin), autodiff.Mul(odd, cos)).Named("y[2k+1]"))
	return autodiff.Reshape(rotated, x.Shape...)
}

// rotation returns the cosines and sines for the given positions, with
// dimensions of size 1 that broadcast against (B, …, T, K/2, 1) of that rank.
//
//	cos, sin (B or 1, 1, …, T, half, 1)
func rotation(positions Indices, theta float64, half, rank int) (cos, sin *autodiff.Tensor) {
	shape := slices.Repeat([]int{1}, rank)
	shape[0], shape[rank-3], shape[rank-2] = positions.Shape[0], positions.Shape[1], half
	cos, sin = autodiff.Zeros(shape...).Named("cos"), autodiff.Zeros(shape...).Named("sin")
	for i, position := range positions.Data {
		for k := range half {
			s, c := math.Sincos(Angle(theta, 2*half, position, k))
			cos.Data[i*half+k], sin.Data[i*half+k] = c, s
		}
	}
	return cos, sin
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

func (c *call) checkTheta(name string) error {
	if theta := c.float(name); !(theta > 0) {
		return c.refuse(name, "a number above 0")
	}
	return nil
}
