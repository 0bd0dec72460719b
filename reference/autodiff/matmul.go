package autodiff

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// MatMul returns the matrix product a·b of the last two dimensions, once for
// every index of the leading ones.
//
//	a (…, m, k), b (…, k, n), result (…, m, n)
//
// The leading dimensions of a and b must be equal; it panics with a ShapeError
// otherwise.
//
//	∂a = g·bᵀ    ∂b = aᵀ·g
func MatMul(a, b *Tensor) *Tensor {
	rank := len(a.Shape)
	if rank < 2 {
		panic(tensor.ShapeError{Op: "autodiff.MatMul: a", Got: slices.Clone(a.Shape), Want: []int{tensor.Lead, tensor.Any, tensor.Any}})
	}
	lead, m, k := a.Shape[:rank-2], a.Shape[rank-2], a.Shape[rank-1]
	if len(b.Shape) != rank || !slices.Equal(b.Shape[:rank-1], append(slices.Clone(lead), k)) {
		panic(tensor.ShapeError{Op: "autodiff.MatMul: b", Got: slices.Clone(b.Shape), Want: append(slices.Clone(lead), k, tensor.Any)})
	}
	n := b.Shape[rank-1]
	out := node(append(slices.Clone(lead), m, n), a, b)
	for i := range count(lead) {
		product(m, k, n, block(a.Data, i, m*k), block(b.Data, i, k*n), block(out.Data, i, m*n))
	}
	out.roughen(out.Data)
	out.pull = func() {
		for i := range count(lead) {
			productBackward(m, k, n,
				block(a.Data, i, m*k), block(b.Data, i, k*n), block(out.Grad, i, m*n),
				block(a.Grad, i, m*k), block(b.Grad, i, k*n))
		}
	}
	return out.by(Recipe{Op: "matmul"}, func(in []*Tensor) *Tensor { return MatMul(in[0], in[1]) })
}

// block returns the i-th matrix of size elements.
func block(data []float64, i, size int) []float64 { return data[i*size : (i+1)*size] }

// product adds a·b to c: a (m, k), b (k, n), c (m, n).
func product(m, k, n int, a, b, c []float64) {
	for i := range m {
		rowC := c[i*n : (i+1)*n]
		for p := range k {
			aip, rowB := a[i*k+p], b[p*n:(p+1)*n]
			for j, v := range rowB {
				rowC[j] += aip * v
			}
		}
	}
}

// productBackward adds g·bᵀ to da and aᵀ·g to db, where g (m, n) is the
// gradient of the product.
func productBackward(m, k, n int, a, b, g, da, db []float64) {
	for i := range m {
		rowG := g[i*n : (i+1)*n]
		for p := range k {
			aip, rowB, rowDB := a[i*k+p], b[p*n:(p+1)*n], db[p*n:(p+1)*n]
			sum := 0.0
			for j, v := range rowG {
				sum += v * rowB[j]
				rowDB[j] += aip * v
			}
			da[i*k+p] += sum
		}
	}
}
