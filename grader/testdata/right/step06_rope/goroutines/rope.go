// Package rope turns the elements of a batch on goroutines of their own, into a
// copy, and looks its angles up among the powers of the first frequency.
package rope

import (
	"fmt"
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

type RoPE struct{ Cos, Sin *tensor.Tensor }

func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	frequencies, step := []float64{1}, math.Pow(theta, -2/float64(dK))
	for k := 1; k < dK/2; k++ {
		frequencies = append(frequencies, frequencies[k-1]*step)
	}
	both := make([]float32, maxSeqLen*dK)
	half := len(both) / 2
	for i := range half {
		sin, cos := math.Sincos(float64(i/(dK/2)) * frequencies[i%(dK/2)])
		both[i], both[half+i] = float32(cos), float32(sin)
	}
	return &RoPE{tensor.From(both[:half:half], maxSeqLen, dK/2), tensor.From(both[half:], maxSeqLen, dK/2)}
}

func (r *RoPE) Forward(dst, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.turn("RoPE.Forward: x", dst, x, positions, 1)
}

func (r *RoPE) Backward(dst, dy *tensor.Tensor, positions [][]int) *tensor.Tensor {
	return r.turn("RoPE.Backward: dy", dst, dy, positions, -1)
}

func (r *RoPE) check(op string, x *tensor.Tensor, positions [][]int) {
	tensor.CheckShape(op, x, tensor.Lead, tensor.Any, tensor.Any, 2*r.Cos.Dim(1))
	batch, tokens := x.Dim(0), x.Dim(-2)
	if len(positions) != 1 && len(positions) != batch {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
	}
	for b := range positions {
		if len(positions[b]) != tokens {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(positions[b])}, Want: []int{tokens}})
		}
		for t, p := range positions[b] {
			if p < 0 || p >= r.Cos.Dim(0) {
				panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: r.Cos.Dim(0)})
			}
		}
	}
}

// turn turns x by the angles of its positions, times sign.
func (r *RoPE) turn(op string, dst, x *tensor.Tensor, positions [][]int, sign float32) *tensor.Tensor {
	r.check(op, x, positions)
	old := x.Clone()
	y := tensor.Reuse(dst, x.Shape...)
	var all sync.WaitGroup
	for b := range x.Dim(0) {
		all.Go(func() {
			from, to := old.Slice(b, b+1), y.Slice(b, b+1)
			row := positions[b%len(positions)]
			for i := range from.Rows() {
				p := row[i%len(row)]
				for k, cos := range r.Cos.Row(p) {
					sin := sign * r.Sin.Row(p)[k]
					even, odd := from.Row(i)[2*k], from.Row(i)[2*k+1]
					to.Row(i)[2*k] = even*cos - odd*sin
					to.Row(i)[2*k+1] = odd*cos + even*sin
				}
			}
		})
	}
	all.Wait()
	return y
}
