//go:build unlisted

package rope

import (
	"math"
	"math/cmplx"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// tables-of-complex-powers: tables are the parts of e^(ip·f) with the frequency from a logarithm
//
// Why: Θ^(−2k/K) is e^(−2k/K·ln Θ), and cosine and sine are the real and the imaginary part; all is float64 until it is stored.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK < 2 || dK%2 == 1 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for k := range dK / 2 {
		frequency := math.Exp(-2 * float64(k) / float64(dK) * math.Log(theta))
		for p := range maxSeqLen {
			z := cmplx.Rect(1, float64(p)*frequency)
			r.Cos.Set(float32(real(z)), p, k)
			r.Sin.Set(float32(imag(z)), p, k)
		}
	}
	return r
}

// goroutine-for-each-sequence: sequences are turned by goroutines, pair by pair as complex numbers
//
// Why: positions and shapes are checked before, and no two goroutines have a row in common.
func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.spin("RoPE.Forward: x", dst, x, positions, 1)
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.spin("RoPE.Backward: dy", dst, dy, positions, -1)
}

func (r *RoPE) spin(op string, dst, x *tensor.Tensor, positions [][]int, way float64) *tensor.Tensor {
	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, seq := x.Dim(0), x.Dim(-2)
	r.checkPositions(positions, batch, seq)
	dst = tensor.Reuse(dst, x.Shape...)
	var all sync.WaitGroup
	for b := range batch {
		all.Go(func() {
			rows := x.Rows() / batch
			for i := range rows {
				p := positions[b%len(positions)][i%seq]
				from, to := x.Row(b*rows+i), dst.Row(b*rows+i)
				for k, c := range r.Cos.Row(p) {
					z := complex(float64(from[2*k]), float64(from[2*k+1])) * complex(float64(c), way*float64(r.Sin.At(p, k)))
					to[2*k], to[2*k+1] = float32(real(z)), float32(imag(z))
				}
			}
		})
	}
	all.Wait()
	return dst
}
