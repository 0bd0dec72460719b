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

	"github.com/stubformer/stubformer/grader/bench/rungs"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step11_training"
)

// operands are the memory of the questions about products and vectors.
type operands struct{ x, y, z []float32 }

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
func product(name string) (tensor.Gemm, error) {
	switch name {
	case "kit":
		return kernel.Gemm, nil
	case "steps":
		return training.MatMul, nil
	case "naive":
		return training.Naive, nil
	case "gonum":
		return gonumGemm, nil
	}
	if rung, ok := strings.CutPrefix(name, "rung-"); ok && rungs.Named(rung) != nil {
		return func(_, _ bool, m, _, _ int, a []float32, _ int, b []float32, _ int, c []float32, _ int, _ bool) {
			rungs.Named(rung)(m, a, b, c)
		}, nil
	}
	for _, m := range kernel.Micros() {
		if m.Name == name {
			return m.Gemm, nil
		}
	}
	return nil, fmt.Errorf("this machine has no product %q", name)
}

func gonumGemm(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool) {
	trans := map[bool]blas.Transpose{false: blas.NoTrans, true: blas.Trans}
	beta := float32(0)
	if accumulate {
		beta = 1
	}
	gonum.Implementation{}.Sgemm(trans[transA], trans[transB], m, n, k, 1, a, lda, b, ldb, beta, c, ldc)
}

func (o *operands) gemm(q []string) (float64, error) {
	do, err := product(q[0])
	if err != nil {
		return 0, err
	}
	transA, transB, accumulate := q[1] == "1", q[2] == "1", q[6] == "1"
	m, n, k := number(q[3]), number(q[4]), number(q[5])
	lda, ldb := k, n
	if transA {
		lda = m
	}
	if transB {
		ldb = k
	}
	a, b, c := grow(&o.x, m*k), grow(&o.y, k*n), grow(&o.z, m*n)
	return measure(span(q[7]), func() { do(transA, transB, m, n, k, a, lda, b, ldb, c, n, accumulate) }), nil
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
	a, x, y := grow(&o.x, rows*cols), grow(&o.y, rows), grow(&o.z, rows)
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
