//go:build unlisted

package training

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// float64-element-loop: AdamW element by element in float64, the decay after the rest, on all parameters at once
//
// Why: Right: the last two lines in the opposite order count as right.
func (o *AdamW) Step(lr float64) {
	o.Steps++
	c1, c2 := 1-math.Pow(o.Beta1, float64(o.Steps)), 1-math.Pow(o.Beta2, float64(o.Steps))
	var all sync.WaitGroup
	for i, param := range o.Params {
		all.Go(func() {
			for j, g := range param.Grad.Data {
				m := o.Beta1*float64(o.M[i].Data[j]) + (1-o.Beta1)*float64(g)
				v := o.Beta2*float64(o.V[i].Data[j]) + (1-o.Beta2)*float64(g)*float64(g)
				o.M[i].Data[j], o.V[i].Data[j] = float32(m), float32(v)
				p := float64(param.Value.Data[j])
				p -= lr * (m / c1) / (math.Sqrt(v/c2) + o.Eps)
				param.Value.Data[j] = float32(p - lr*o.WeightDecay*p)
			}
		})
	}
	all.Wait()
}

// corrected-rate: AdamW with the corrections in the learning rate
//
// Why: Right: the third published form, lr·√(1 − β2ᵗ)/(1 − β1ᵗ) · m/(√v + ε).
func (o *AdamW) update(i int, lr float64) {
	t := float64(o.Steps)
	rate := lr * math.Sqrt(1-math.Pow(o.Beta2, t)) / (1 - math.Pow(o.Beta1, t))
	p, g, m, v := o.Params[i].Value.Data, o.Params[i].Grad.Data, o.M[i].Data, o.V[i].Data
	for j := range p {
		m[j] = float32(o.Beta1*float64(m[j]) + (1-o.Beta1)*float64(g[j]))
		v[j] = float32(o.Beta2*float64(v[j]) + (1-o.Beta2)*float64(g[j])*float64(g[j]))
		decayed := float64(p[j]) * (1 - lr*o.WeightDecay)
		p[j] = float32(decayed - rate*float64(m[j])/(math.Sqrt(float64(v[j]))+o.Eps))
	}
}

// squared-cosine: the schedule with the square of the cosine of half the angle
//
// Why: Right: ½·(1 + cos x) = cos²(x/2).
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	if t < warmup {
		return lrMax * float64(t) / float64(warmup)
	}
	if t >= cosineEnd {
		return lrMin
	}
	c := math.Cos(math.Pi / 2 * float64(t-warmup) / float64(cosineEnd-warmup))
	return lrMax*c*c + lrMin*(1-c*c)
}

// length-by-hypot: the length is put together by a recursion over halves with math.Hypot
//
// Why: Right: √(a² + b²) of two parts is the length of both together.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	norm := 0.0
	for _, p := range params {
		norm = math.Hypot(norm, lengthOf(p.Grad.Data))
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

func lengthOf(x []float32) float64 {
	if len(x) > 64 {
		return math.Hypot(lengthOf(x[:len(x)/2]), lengthOf(x[len(x)/2:]))
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// new-slices-every-time: Batch makes its rows anew from one piece of memory
//
// Why: Right: ids and targets are two views of the same window, one token apart, which nobody writes.
func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	if t.Len() < context+1 {
		return nil, nil, fmt.Errorf("%s holds %d tokens; a window needs %d", t.path, t.Len(), context+1)
	}
	for range batch {
		start := int(rng.Uint64N(uint64(t.Len() - context)))
		window := make([]int, context+1)
		for i := range window {
			window[i] = int(t.file.At(start + i))
		}
		ids, targets = append(ids, window[:context:context]), append(targets, window[1:])
	}
	return ids, targets, nil
}

// bytes-by-hand: WriteTokens checks all ids first and shifts the bytes itself
//
// Why: Right: the lower byte first, and nothing is written before every id has passed.
func WriteTokens(path string, ids []int) error {
	for i, id := range ids {
		if id>>16 != 0 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to 65535", i, id)
		}
	}
	return replaceFile(path, func(w io.Writer) error {
		data := make([]byte, 2*len(ids))
		for i, id := range ids {
			data[2*i], data[2*i+1] = byte(id), byte(id>>8)
		}
		_, err := w.Write(data)
		return err
	})
}

// float64-naive: Naive sums rank-one products in float64
//
// Why: Right: the inner dimension is the outermost loop, and the sums are rounded at the end.
func Naive(dst, a, b tensor.Matrix, accumulate bool) {
	sums := make([]float64, dst.Rows*dst.Cols)
	for p := range a.Cols {
		for i := range dst.Rows {
			for j := range dst.Cols {
				sums[i*dst.Cols+j] += float64(a.At(i, p)) * float64(b.At(p, j))
			}
		}
	}
	for i := range dst.Rows {
		for j := range dst.Cols {
			sum := sums[i*dst.Cols+j]
			if accumulate {
				sum += float64(dst.At(i, j))
			}
			dst.Set(float32(sum), i, j)
		}
	}
}

// halves-by-recursion: a large product is halved again and again, one half on a goroutine of its own
//
// Why: Right: only rows and columns are cut, so every element is summed in the same order.
func multiplyBands(workers int, dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	if workers <= 1 || max(m, n) < 128 {
		multiplyBlocks(dst, a, b, accumulate)
		return
	}
	var other sync.WaitGroup
	if n > m {
		half := roundUp(n/2, 64)
		other.Go(func() {
			multiplyBands(workers/2, dst.Block(0, 0, m, half), a, b.Block(0, 0, k, half), accumulate)
		})
		multiplyBands(workers-workers/2, dst.Block(0, half, m, n-half), a, b.Block(0, half, k, n-half), accumulate)
	} else {
		half := roundUp(m/2, 56)
		other.Go(func() {
			multiplyBands(workers/2, dst.Block(0, 0, half, n), a.Block(0, 0, half, k), b, accumulate)
		})
		multiplyBands(workers-workers/2, dst.Block(half, 0, m-half, n), a.Block(half, 0, m-half, k), b, accumulate)
	}
	other.Wait()
}

// state-is-a-copy: State copies the tensors
//
// Why: Right: a state that does not change with the training may be saved before the next Step too.
func (t *Trainer) State() *State {
	generator, _ := t.generator.MarshalBinary()
	clones := func(tensors func(i int) *tensor.Tensor) map[string]*tensor.Tensor {
		all := map[string]*tensor.Tensor{}
		for i, p := range t.Optimizer.Params {
			all[p.Name] = tensors(i).Clone()
		}
		return all
	}
	return &State{Config: t.Model.Config, Step: t.Optimizer.Steps, RNG: generator,
		Params: clones(func(i int) *tensor.Tensor { return t.Optimizer.Params[i].Value }),
		M:      clones(func(i int) *tensor.Tensor { return t.Optimizer.M[i] }),
		V:      clones(func(i int) *tensor.Tensor { return t.Optimizer.V[i] })}
}

// numbers-one-by-one: checkpoints are written and read by encoding/binary, all numbers at once
//
// Why: Right: the same bytes; the memory is that of the tensor.
func writeFloats(w io.Writer, x []float32) error { return binary.Write(w, binary.LittleEndian, x) }

func readFloats(r io.Reader, x []float32) error {
	bits := make([]uint32, len(x))
	if err := binary.Read(r, binary.LittleEndian, bits); err != nil {
		return err
	}
	for i, b := range bits {
		x[i] = math.Float32frombits(b)
	}
	return nil
}
