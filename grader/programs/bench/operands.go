package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/stubformer/stubformer/grader/studio/bench/rungs"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	swiglu "github.com/stubformer/stubformer/steps/step05_swiglu"
	softmax "github.com/stubformer/stubformer/steps/step07_softmax"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// operands are the memory of the questions about products and vectors.
type operands struct {
	x, y, z []float32
	large   *tensor.Tensor
}

// grow returns n random numbers, from the old memory if it is large enough.
func grow(x *[]float32, n int) []float32 {
	if len(*x) < n {
		*x = make([]float32, n)
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range *x {
			(*x)[i] = float32(rng.NormFloat64())
		}
	}
	return (*x)[:n]
}

// product returns the product of the given name. Those of rungs are for square
// matrices that are not transposed.
func product(name string) (tensor.Product, error) {
	switch name {
	case "kit":
		return ofKernel(kernel.Gemm), nil
	case "steps":
		return training.MatMul, nil
	case "naive":
		return training.Naive, nil
	case "gonum":
		return gonumGemm, nil
	}
	if rung, ok := strings.CutPrefix(name, "rung-"); ok && rungs.Named(rung) != nil {
		return func(dst, a, b tensor.Matrix, _ bool) { rungs.Named(rung)(dst.Rows, a.Data, b.Data, dst.Data) }, nil
	}
	for _, m := range kernel.Micros() {
		if m.Name == name {
			return ofKernel(m.Gemm), nil
		}
	}
	return nil, fmt.Errorf("this machine has no product %q", name)
}

// ofKernel makes a product of one of package kernel, which has a Matrix of its own.
func ofKernel(gemm func(dst, a, b kernel.Matrix, accumulate bool)) tensor.Product {
	return func(dst, a, b tensor.Matrix, accumulate bool) {
		gemm(kernel.Matrix(dst), kernel.Matrix(a), kernel.Matrix(b), accumulate)
	}
}

func gonumGemm(dst, a, b tensor.Matrix, accumulate bool) {
	beta := float32(0)
	if accumulate {
		beta = 1
	}
	transA, lda := blasForm(a)
	transB, ldb := blasForm(b)
	gonum.Implementation{}.Sgemm(transA, transB, dst.Rows, dst.Cols, a.Cols,
		1, a.Data, lda, b.Data, ldb, beta, dst.Data, dst.Down)
}

// blasForm returns a view in the terms of BLAS.
func blasForm(m tensor.Matrix) (trans blas.Transpose, ld int) {
	if m.Right == 1 {
		return blas.NoTrans, m.Down
	}
	return blas.Trans, m.Right
}

func (o *operands) gemm(q []string) (float64, error) {
	do, err := product(q[0])
	if err != nil {
		return 0, err
	}
	transA, transB, accumulate := q[1] == "1", q[2] == "1", q[6] == "1"
	m, n, k := number(q[3]), number(q[4]), number(q[5])
	a, b := view(grow(&o.x, m*k), m, k, transA), view(grow(&o.y, k*n), k, n, transB)
	c := view(grow(&o.z, m*n), m, n, false)
	return measure(span(q[7]), func() { do(c, a, b, accumulate) }), nil
}

// view returns x as a matrix of the given size, stored transposed if trans is set.
func view(x []float32, rows, cols int, trans bool) tensor.Matrix {
	if trans {
		return tensor.From(x, cols, rows).Matrix().T()
	}
	return tensor.From(x, rows, cols).Matrix()
}

func (o *operands) vector(q []string) (float64, error) {
	rows, cols := number(q[1]), number(q[2])
	x, y := grow(&o.x, rows*cols), grow(&o.y, rows*cols)
	do := map[string]func(){
		"exp":  func() { kernel.Exp(y, x) },
		"silu": func() { swiglu.SiLU(y, x) },
		"softmax": func() {
			softmax.Softmax(&tensor.Tensor{Shape: []int{rows, cols}, Data: y}, &tensor.Tensor{Shape: []int{rows, cols}, Data: x}, -1)
		},
	}[q[0]]
	if do == nil {
		return 0, fmt.Errorf("there is no vector function %q", q[0])
	}
	return measure(span(q[3]), do), nil
}

// read reads 256 MiB, which no cache holds, as generation reads its weights: each
// core a part of them ("dot"), or all together as one matrix ("matvec").
func (o *operands) read(how string, d time.Duration) (float64, error) {
	const rows, cols = 1 << 16, 1 << 10
	if o.large == nil { // in the memory that weights lie in
		o.large = tensor.New(rows, cols)
		o.large.Fill(1)
	}
	a, x, y := o.large.Data, grow(&o.y, rows), grow(&o.z, rows)
	cores := runtime.GOMAXPROCS(0)
	do := map[string]func(){
		"matvec": func() { kernel.MatVec(y, a, cols, x[:cols], false) },
		"dot": func() {
			var parts sync.WaitGroup
			for i := range cores {
				parts.Go(func() {
					for r := i * rows / cores; r < (i+1)*rows/cores; r++ {
						y[r] = kernel.Dot(x[:cols], a[r*cols:(r+1)*cols])
					}
				})
			}
			parts.Wait()
		},
	}[how]
	if do == nil {
		return 0, fmt.Errorf("there is no way %q to read", how)
	}
	return measure(d, do) / (4 * rows * cols), nil
}
