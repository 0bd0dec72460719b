//go:build unlisted

package training

import (
	"os"
	"path/filepath"
)

// half-angles: the cosine is written as the square of the cosine of half the angle
//
// Why: ½(1 + cos φ) = cos²(φ/2).
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

// clipped-by-plain-loops: squares and factors in float64, number by number
//
// Why: the same formula.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	norm := 0.0
	for i := len(params) - 1; i >= 0; i-- {
		for _, g := range params[i].Grad.Data {
			norm += float64(g) * float64(g)
		}
	}
	norm = math.Sqrt(norm)
	if !(norm > maxNorm) {
		return norm
	}
	for _, p := range params {
		for i, g := range p.Grad.Data {
			p.Grad.Data[i] = float32(float64(g) * maxNorm / (norm + 1e-6))
		}
	}
	return norm
}

// adam-in-float64: a plain loop in float64, the decay after the step
//
// Why: the stub allows the last two lines in the opposite order.
func (o *AdamW) update(i int, lr float64) {
	t := float64(o.Steps)
	bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	p := o.Params[i].Value.Data
	for j, g := range o.Params[i].Grad.Data {
		m := o.Beta1*float64(o.M[i].Data[j]) + (1-o.Beta1)*float64(g)
		v := o.Beta2*float64(o.V[i].Data[j]) + (1-o.Beta2)*float64(g)*float64(g)
		o.M[i].Data[j], o.V[i].Data[j] = float32(m), float32(v)
		x := float64(p[j])
		x -= lr * (m / bias1) / (math.Sqrt(v/bias2) + o.Eps)
		x -= lr * o.WeightDecay * x
		p[j] = float32(x)
	}
}

// batch-in-new-memory: every Batch makes rows of its own, and draws all places first
//
// Why: the places are drawn in the same order from all places; new rows are valid for longer than they must be.
func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	places := t.Len() - context
	if places <= 0 {
		return nil, nil, fmt.Errorf("the text has %d tokens; a sequence of %d and the token after it need %d", t.Len(), context, context+1)
	}
	var starts []int
	for range batch {
		starts = append(starts, rng.IntN(places))
	}
	for _, start := range starts {
		window := make([]int, context+1)
		for i := range window {
			window[i] = int(t.file.At(start + i))
		}
		ids, targets = append(ids, window[:context:context]), append(targets, append([]int(nil), window[1:]...))
	}
	return ids, targets, nil
}

// file-with-a-name-of-its-own: the new content goes to a file that the system names, in the same folder
//
// Why: it is renamed when it is on the disk, and removed after an error.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		file.Close()
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// own-tiles-only: every product, large or small, goes through packed blocks; no short way for one token
//
// Why: the same numbers, a little slower for a single row.
func MatMul() {
	if right {
		if m == 1 && a.Right == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	} else {
	}
}
