package oracle

import (
	"math"
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("flash", func(c *call) ([]*autodiff.Tensor, error) {
		y, logs, _ := Flash(c.tensor("q"), c.tensor("k"), c.tensor("v"), c.bottomRight())
		return []*autodiff.Tensor{y, logs}, nil
	})
	layer("flash_mask", func(c *call) ([]*autodiff.Tensor, error) {
		y, logs, weights := Flash(c.tensor("q"), c.tensor("k"), c.tensor("v"), c.in["mask"].Bool)
		return []*autodiff.Tensor{y, logs, weights}, nil
	})
	answer("flash.weights", func(c *call) (wire.Values, error) {
		_, _, weights := Flash(c.tensor("q"), c.tensor("k"), c.tensor("v"), c.bottomRight())
		return wire.Values{"weights": result(c.edited(nil, weights)[0])}, nil
	})
	answer("flash.long", flashLong)
}

// bottomRight returns the causal mask of N queries behind M − N keys, or one that hides
// nothing, as the argument "causal" says.
func (c *call) bottomRight() []bool {
	n, m := c.sizes["N"], c.sizes["M"]
	mask := make([]bool, n*m)
	for i := range mask {
		mask[i] = c.int("causal") == 0 || i%m <= i/m+m-n
	}
	return mask
}

// Flash is Attention, and the logarithm of what its softmax divides by, which is all
// that a backward pass needs of the scores:
//
//	S = q kᵀ / √K over the keys the mask allows, L = ln Σ e^S, y = e^(S−L) v
//
//	q (…, N, K), k (…, M, K), v (…, M, C), y (…, N, C), L (…, N), weights (…, N, M)
//
// A query without keys has y = 0 and L = −Inf.
//
// Source: Dao, "FlashAttention-2" (arXiv:2307.08691), section 3.1.
func Flash(q, k, v *autodiff.Tensor, mask []bool) (y, logs, weights *autodiff.Tensor) {
	dK := q.Shape[len(q.Shape)-1]
	scores := autodiff.Scale(autodiff.MatMul(q, autodiff.Transpose(k)), 1/math.Sqrt(float64(dK))).Labelled("1/√K").Named("S")
	scores = autodiff.Where(mask, scores, math.Inf(-1))
	weights = softmaxOf(scores, -1).Named("P")
	return autodiff.MatMul(weights, v), logSumExpOf(scores, -1), weights
}

// flashLong is the causal Flash of one text and its derivative, in loops that keep one
// row of the scores: there is no room for all of a long text's. Every processor goes through
// some of the rows, which are the longer the later they come.
func flashLong(c *call) (wire.Values, error) {
	n, width := c.sizes["N"], c.sizes["K"]
	t := longText{width: width, q: widen(c.in["q"]), k: widen(c.in["k"]), v: widen(c.in["v"]), dy: widen(c.in["dy"]),
		y: make([]float64, n*width), logs: make([]float64, n), dq: make([]float64, n*width)}
	shares := make([]longText, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for s := range shares {
		all.Go(func() {
			own := t // with sums of its own of what all rows send back
			own.p, own.dk, own.dv = make([]float64, n), make([]float64, n*width), make([]float64, n*width)
			for i := s; i < n; i += len(shares) {
				own.row(i)
			}
			shares[s] = own
		})
	}
	all.Wait()
	sum := shares[0]
	for _, other := range shares[1:] {
		addScaled(sum.dk, 1, other.dk)
		addScaled(sum.dv, 1, other.dv)
	}
	out := wire.Values{"lse": wire.Floats(t.logs, n)}
	for name, data := range map[string][]float64{"y": t.y, "dq": t.dq, "dk": sum.dk, "dv": sum.dv} {
		out[name] = wire.Floats(data, n, width)
	}
	return out, nil
}

// longText is a text that is gone through row by row.
type longText struct {
	width               int
	q, k, v, dy         []float64 // (N, K)
	y, logs, dq, dk, dv []float64 // (N, K), and (N) of logs
	p                   []float64 // (N), of one row
}

// row is what query i, which sees the keys before it and its own, has of y and L, and
// what it sends back.
func (t *longText) row(i int) {
	at := func(x []float64, i int) []float64 { return x[i*t.width:][:t.width] }
	scale, largest, total := 1/math.Sqrt(float64(t.width)), math.Inf(-1), 0.0
	q, dy, y, dq, p := at(t.q, i), at(t.dy, i), at(t.y, i), at(t.dq, i), t.p[:i+1]
	for j := range p {
		p[j] = scale * inner(q, at(t.k, j))
		largest = max(largest, p[j])
	}
	for j := range p {
		p[j] = math.Exp(p[j] - largest)
		total += p[j]
	}
	t.logs[i] = largest + math.Log(total)
	for j := range p {
		p[j] /= total
		addScaled(y, p[j], at(t.v, j))
	}
	mean := inner(dy, y)
	for j := range p {
		ds := scale * p[j] * (inner(dy, at(t.v, j)) - mean)
		addScaled(at(t.dv, j), p[j], dy)
		addScaled(dq, ds, at(t.k, j))
		addScaled(at(t.dk, j), ds, q)
	}
}

func inner(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// addScaled adds a·x to y.
func addScaled(y []float64, a float64, x []float64) {
	for i := range y {
		y[i] += a * x[i]
	}
}
