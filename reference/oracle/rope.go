package oracle

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
)

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
