//go:build unlisted

package softmax

import (
	"math"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// one-pass-in-float64: maximum and sum in a single pass over each strided row, rows in goroutines
//
// Why: the running sum is rescaled whenever the maximum grows (Milakov and Gimelshein); nothing is written before its row has
// been read.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	dst = tensor.Reuse(dst, x.Shape...)
	eachRow(outer, n, inner, func(at func(j int) int) {
		m, sum := onePass(n, func(j int) float64 { return float64(x.Data[at(j)]) })
		if math.IsInf(m, 1) {
			sum = math.NaN()
		}
		for j := range n {
			if sum == 0 {
				dst.Data[at(j)] = 0
			} else {
				dst.Data[at(j)] = float32(math.Exp(float64(x.Data[at(j)])-m) / sum)
			}
		}
	})
	return dst
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	dst = tensor.Reuse(dst, y.Shape...)
	eachRow(outer, n, inner, func(at func(j int) int) {
		dot := 0.0
		for j := n - 1; j >= 0; j-- {
			dot += float64(y.Data[at(j)]) * float64(dy.Data[at(j)])
		}
		for j := range n {
			dst.Data[at(j)] = float32(float64(y.Data[at(j)]) * (float64(dy.Data[at(j)]) - dot))
		}
	})
	return dst
}

func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	outer, n, inner := split(x.Shape, axis)
	y := tensor.New(slices.Concat(x.Shape[:axis], x.Shape[axis+1:])...)
	for o := range outer {
		for i := range inner {
			m, sum := onePass(n, func(j int) float64 { return float64(x.Data[(o*n+j)*inner+i]) })
			if math.IsInf(m, 1) {
				y.Data[o*inner+i] = float32(m)
				continue
			}
			y.Data[o*inner+i] = float32(m + math.Log(sum))
		}
	}
	return y
}

func eachRow(outer, n, inner int, do func(at func(j int) int)) {
	var wg sync.WaitGroup
	for i := range inner {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for o := range outer {
				do(func(j int) int { return (o*n+j)*inner + i })
			}
		}()
	}
	wg.Wait()
}

func onePass(n int, x func(j int) float64) (m, sum float64) {
	m = math.Inf(-1)
	for j := range n {
		switch v := x(j); {
		case v != v:
			return v, v
		case math.IsInf(v, -1):
		case v > m:
			if sum != 0 {
				sum *= math.Exp(m - v)
			}
			m, sum = v, sum+1
		default:
			sum += math.Exp(v - m)
		}
	}
	if sum == 0 {
		m = 0
	}
	return m, sum
}

// the-axis-last-and-a-tree: the tensor is copied with its axis last, each row summed as a tree of pairs, in float64
//
// Why: e^(x - m) of two halves is added with the larger maximum as the new shift; the loss of a token is the log of the sum
// over e^(x[j] - m) less x[target] - m, and the gradient comes from the same two numbers.
func Softmax(dst, x *tensor.Tensor, axis int) *tensor.Tensor {
	outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	rows := axisLast(x.Data, outer, n, inner)
	for r := range outer * inner {
		softmaxRow(rows[r*n:(r+1)*n], rows[r*n:(r+1)*n])
	}
	dst = tensor.Reuse(dst, x.Shape...)
	copy(dst.Data, axisLast(rows, outer, inner, n))
	return dst
}

func Backward(dst, y, dy *tensor.Tensor, axis int) *tensor.Tensor {
	tensor.CheckShape("softmax.Backward: dy", dy, y.Shape...)
	outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	p, d := axisLast(y.Data, outer, n, inner), axisLast(dy.Data, outer, n, inner)
	for r := range outer * inner {
		dot := 0.0
		for j := r * n; j < (r+1)*n; j++ {
			dot += float64(p[j]) * float64(d[j])
		}
		for j := r * n; j < (r+1)*n; j++ {
			d[j] = float32(float64(p[j]) * (float64(d[j]) - dot))
		}
	}
	dst = tensor.Reuse(dst, y.Shape...)
	copy(dst.Data, axisLast(d, outer, inner, n))
	return dst
}

func LogSumExp(x *tensor.Tensor, axis int) *tensor.Tensor {
	axis = axisOf("LogSumExp", x, axis)
	outer, n, inner := split(x.Shape, axis)
	rows := axisLast(x.Data, outer, n, inner)
	y := tensor.New(append(slices.Clone(x.Shape[:axis]), x.Shape[axis+1:]...)...)
	for r := range y.Data {
		m, sum := tree(rows[r*n : (r+1)*n])
		if y.Data[r] = float32(m); sum != 0 && !math.IsInf(m, 1) {
			y.Data[r] = float32(m + math.Log(sum))
		}
	}
	return y
}

func softmaxRow(y, x []float32) {
	m, sum := tree(x)
	for i, v := range x {
		if sum == 0 {
			y[i] = 0
		} else {
			y[i] = float32(math.Exp(float64(v)-m) / sum)
		}
	}
}

func axisLast(data []float32, outer, n, inner int) []float32 {
	out := make([]float32, len(data))
	for o := range outer {
		for j := range n {
			for i := range inner {
				out[(o*inner+i)*n+j] = data[(o*n+j)*inner+i]
			}
		}
	}
	return out
}

func tree(x []float32) (m, sum float64) {
	switch len(x) {
	case 0:
		return math.Inf(-1), 0
	case 1:
		if m = float64(x[0]); math.IsInf(m, -1) {
			return m, 0
		}
		return m, math.Exp(m - m)
	}
	m1, sum1 := tree(x[:len(x)/2])
	m2, sum2 := tree(x[len(x)/2:])
	if sum1 == 0 {
		return m2, sum2
	}
	if sum2 == 0 {
		return m1, sum1
	}
	m = math.Max(m1, m2)
	if m1 != m1 || m2 != m2 {
		m = math.NaN()
	}
	return m, sum1*math.Exp(m1-m) + sum2*math.Exp(m2-m)
}

func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits, c.targets = logits, slices.Concat(targets...)
	total := 0.0
	for r := len(c.targets) - 1; r >= 0; r-- {
		m, sum := tree(logits.Row(r))
		total += math.Log(sum) - (float64(logits.Row(r)[c.targets[r]]) - m)
	}
	return total / float64(len(c.targets)), nil
}

func (c *CrossEntropy) Backward() *tensor.Tensor {
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	dlogits := tensor.New(c.logits.Shape...)
	for r, target := range c.targets {
		m, sum := tree(c.logits.Row(r))
		for i, v := range c.logits.Row(r) {
			p := 0.0
			if sum != 0 {
				p = math.Exp(float64(v)-m) / sum
			}
			if i == target {
				p--
			}
			dlogits.Row(r)[i] = float32(p / float64(len(c.targets)))
		}
	}
	return dlogits
}
