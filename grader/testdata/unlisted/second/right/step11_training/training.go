//go:build unlisted

package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/stubformer/stubformer/reference/tensor"
)

// adamw-element-by-element: one loop in float64, the decay after the gradient
//
// Why: the last two lines in the opposite order are one of the published forms.
func (o *AdamW) update(i int, lr float64) {
	t := float64(o.Steps)
	bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	p, m, v := o.Params[i].Value.Data, o.M[i].Data, o.V[i].Data
	for j, g32 := range o.Params[i].Grad.Data {
		g := float64(g32)
		mean, square := o.Beta1*float64(m[j])+(1-o.Beta1)*g, o.Beta2*float64(v[j])+(1-o.Beta2)*g*g
		m[j], v[j] = float32(mean), float32(square)
		moved := float64(p[j]) - lr*(mean/bias1)/(math.Sqrt(square/bias2)+o.Eps)
		p[j] = float32(moved - lr*o.WeightDecay*moved)
	}
}

// norm-by-hypot: length of the gradient by adding one parameter after the other with Hypot
//
// Why: √(a² + b²) of the length so far and that of the next parameter is the length with it.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	norm := 0.0
	for _, p := range params {
		own := 0.0
		for _, g := range p.Grad.Data {
			own += float64(g) * float64(g)
		}
		norm = math.Hypot(norm, math.Sqrt(own))
	}
	if !(norm > maxNorm) {
		return norm
	}
	factor := maxNorm / (norm + 1e-6)
	for _, p := range params {
		for i, g := range p.Grad.Data {
			p.Grad.Data[i] = float32(float64(g) * factor)
		}
	}
	return norm
}

// square-of-half-the-angle: ½·(1 + cos φ) is written as cos²(φ/2)
//
// Why: this is the same wave.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	if t < warmup {
		return lrMax * float64(t) / float64(warmup)
	}
	if t >= cosineEnd {
		return lrMin
	}
	wave := math.Cos(math.Pi / 2 * float64(t-warmup) / float64(cosineEnd-warmup))
	return lrMax*wave*wave + lrMin*(1-wave*wave)
}

// rows-added-up: Naive adds multiples of the rows of b, in float64
//
// Why: the order of the loops makes no difference to the sums.
func Naive(dst, a, b tensor.Matrix, accumulate bool) {
	row := make([]float64, dst.Cols)
	for i := range dst.Rows {
		clear(row)
		for p := range a.Cols {
			for j := range row {
				row[j] += float64(a.At(i, p)) * float64(b.At(p, j))
			}
		}
		for j, sum := range row {
			if accumulate {
				sum += float64(dst.At(i, j))
			}
			dst.Set(float32(sum), i, j)
		}
	}
}

// bands-in-a-queue: product is cut into more bands than there are goroutines, which take one after the other
//
// Why: every element is still summed by one goroutine, in blocks that depend on k alone.
func multiplyBands(workers int, dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k, best := dst.Rows, dst.Cols, a.Cols, bestMicro()
	length, tile := m, best.rows
	if n > m {
		length, tile = n, best.cols
	}
	band := roundUp((length+2*workers-1)/(2*workers), tile)
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				from := int(next.Add(int64(band))) - band
				if from >= length {
					return
				}
				size := min(band, length-from)
				if n > m {
					multiplyBlocks(dst.Block(0, from, m, size), a, b.Block(0, from, k, size), accumulate)
				} else {
					multiplyBlocks(dst.Block(from, 0, size, n), a.Block(from, 0, size, k), b, accumulate)
				}
			}
		})
	}
	all.Wait()
}

// panels-as-views: panels are views into which the rows are copied transposed, the last one filled up with zeros
//
// Why: a panel is the transpose of its rows, and tensor.Copy knows both layouts.
func pack(panels []float32, x tensor.Matrix, size int) {
	for i := 0; i < x.Rows; i += size {
		n := min(size, x.Rows-i)
		panel := panels[i*x.Cols : (i+size)*x.Cols]
		if n < size {
			clear(panel)
		}
		view := tensor.Matrix{Rows: x.Cols, Cols: n, Data: panel, Down: size, Right: 1}
		tensor.Copy(view, x.Block(i, 0, n, x.Cols).T())
	}
}

// batch-in-new-memory: Batch returns new slices and reads every window once
//
// Why: targets are the window without its first token, ids the one without its last.
func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	if t.Len() < context+1 {
		return nil, nil, fmt.Errorf("%s holds %d tokens; a window needs %d", t.path, t.Len(), context+1)
	}
	for range batch {
		start := rng.Int64N(int64(t.Len() - context))
		window := make([]int, context+1)
		for i := range window {
			window[i] = int(t.file.At(int(start) + i))
		}
		ids = append(ids, window[:context:context])
		targets = append(targets, append([]int(nil), window[1:]...))
	}
	return ids, targets, nil
}

// goroutine-for-each-call: every call of a team runs on a goroutine of its own, as many at a time as there are processors
//
// Why: a panic is kept and passed on to the caller's goroutine when all are done.
func (t *team[W]) run(n int, with W) {
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		free <- struct{}{}
		t.others.Add(1)
		go func() {
			defer func() {
				if p := recover(); p != nil {
					t.panicked.CompareAndSwap(nil, &p)
				}
				<-free
				t.others.Done()
			}()
			t.do(i, with)
		}()
	}
	t.others.Wait()
	if p := t.panicked.Swap(nil); p != nil {
		panic(*p)
	}
}
