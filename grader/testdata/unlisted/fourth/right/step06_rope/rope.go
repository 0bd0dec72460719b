//go:build unlisted

package rope

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// complex-numbers-in-goroutines: a pair is a complex128 that is multiplied by e^(i·angle); a goroutine for every batch element
//
// Why: the product of complex numbers is the rotation, its conjugate the way back, and no two goroutines share a row.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK < 1 || dK&1 == 1 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for k := dK/2 - 1; k >= 0; k-- {
		frequency := 1 / math.Pow(theta, float64(2*k)/float64(dK))
		for p := range maxSeqLen {
			sin, cos := math.Sincos(float64(p) * frequency)
			r.Sin.Set(float32(sin), p, k)
			r.Cos.Set(float32(cos), p, k)
		}
	}
	return r
}

func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.multiply("RoPE.Forward: x", dst, x, positions, func(z complex128) complex128 { return z })
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.multiply("RoPE.Backward: dy", dst, dy, positions, cmplx.Conj)
}

func (r *RoPE) multiply(op string, dst, x *tensor.Tensor, positions [][]int, factor func(complex128) complex128) *tensor.Tensor {
	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, seq := x.Dim(0), x.Dim(-2)
	r.checkPositions(positions, batch, seq)
	y := tensor.New(x.Shape...)
	var wg sync.WaitGroup
	for b := range batch {
		row := positions[b%len(positions)]
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := x.Rows() / batch
			for i := b * n; i < (b+1)*n; i++ {
				p := row[i%seq]
				from, to := x.Row(i), y.Row(i)
				for k := range len(from) / 2 {
					turn := factor(complex(float64(r.Cos.At(p, k)), float64(r.Sin.At(p, k))))
					z := complex(float64(from[2*k]), float64(from[2*k+1])) * turn
					to[2*k], to[2*k+1] = float32(real(z)), float32(imag(z))
				}
			}
		}()
	}
	wg.Wait()
	if dst == nil {
		return y
	}
	dst = tensor.Reuse(dst, y.Shape...)
	copy(dst.Data, y.Data)
	return dst
}

// recursion-over-the-dimensions: the leading dimensions are walked recursively, in float64, with one sign for both ways
//
// Why: Backward is the Forward with the sign of the sines changed; all checks come before anything is written, and both
// numbers of a pair are read before one is.
func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("RoPE.Forward: x", x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	return r.walk(dst, x, positions, 1)
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("RoPE.Backward: dy", dy, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	return r.walk(dst, dy, positions, -1)
}

func (r *RoPE) walk(dst, x *tensor.Tensor, positions [][]int, sign float64) *tensor.Tensor {
	batch, seq := x.Dim(0), x.Dim(-2)
	if n := len(positions); n != 1 && n != batch {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{n}, Want: []int{batch}})
	}
	for b, row := range positions {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
		for t, p := range row {
			if uint(p) >= uint(r.Sin.Dim(0)) {
				panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: r.Sin.Dim(0)})
			}
		}
	}
	shape := slices.Clone(x.Shape)
	dst = tensor.Reuse(dst, shape...)
	for b := range batch {
		of := positions[0]
		if len(positions) > 1 {
			of = positions[b]
		}
		r.inside(dst.Slice(b, b+1).Reshape(shape[1:]...), x.Slice(b, b+1).Reshape(shape[1:]...), of, sign)
	}
	return dst
}

func (r *RoPE) inside(y, x *tensor.Tensor, positions []int, sign float64) {
	if len(x.Shape) > 2 {
		for i := range x.Dim(0) {
			r.inside(y.Slice(i, i+1).Reshape(y.Shape[1:]...), x.Slice(i, i+1).Reshape(x.Shape[1:]...), positions, sign)
		}
		return
	}
	for t, p := range positions {
		for k := range r.Cos.Dim(1) {
			c, s := float64(r.Cos.At(p, k)), sign*float64(r.Sin.At(p, k))
			a, b := float64(x.At(t, 2*k)), float64(x.At(t, 2*k+1))
			a, b = a*c-b*s, b*c+a*s
			y.Set(float32(a), t, 2*k)
			y.Set(float32(b), t, 2*k+1)
		}
	}
}
