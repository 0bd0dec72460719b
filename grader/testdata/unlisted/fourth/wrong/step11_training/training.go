//go:build unlisted

package training

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// k-0-clears-in-one-piece: for k = 0 MatMul clears m·n numbers from the first one on
//
// Why: dst may be part of something wider. What lies between its rows is cleared too, and its last rows are not.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		if !accumulate {
			clear(dst.Data[:m*n])
		}
	}
}

// one-row-read-in-one-piece: the quick way for one row takes a's numbers for neighbours
//
// Why: the one row may be a column of a larger matrix, turned by T. Its numbers are a.Right apart then.
func MatMul() {
	if right {
		if m == 1 && a.Right == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	} else {
		if m == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	}
}

// long-k-divided-among-goroutines: where k is by far the largest size, each goroutine gets a part of k
//
// Why: the parts are summed on their own and then together, and how many there are depends on GOMAXPROCS; the result must not, in any bit.
func MatMul() {
	if right {
		multiplyBands(workers, dst, a, b, accumulate)
	} else {
		if k > 4*max(m, n) {
			divideDepth(workers, dst, a, b, accumulate)
			return
		}
		multiplyBands(workers, dst, a, b, accumulate)
	}
}

func divideDepth(workers int, dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	parts := make([]*tensor.Tensor, workers)
	var all sync.WaitGroup
	for w := range parts {
		from, to := w*k/workers, (w+1)*k/workers
		parts[w] = tensor.New(m, n)
		all.Go(func() {
			multiplyBlocks(parts[w].Matrix(), a.Block(0, from, m, to-from), b.Block(from, 0, to-from, n), false)
		})
	}
	all.Wait()
	for w, part := range parts {
		for i := range m {
			row := dst.Data[i*dst.Down : i*dst.Down+n]
			if w == 0 && !accumulate {
				copy(row, part.Row(i))
			} else {
				kernel.Add(row, row, part.Row(i))
			}
		}
	}
}

// no-steps-no-tile: Tile returns at once if k is 0
//
// Why: a sum of nothing is 0. Unless accumulate is set, Tile has to write zeros over what c holds.
func Tile() {
	if right {
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	} else {
		if k == 0 {
			return
		}
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	}
}

// no-gradient-no-update: AdamW passes over a parameter whose gradient is all 0
//
// Why: its means shrink, it goes on moving by them and decays. An embedding or a part that had no share in this batch stands still here.
func (*AdamW) update() {
	if right {
		param := o.Params[i]
	} else {
		param := o.Params[i]
		if kernel.SumSquares(param.Grad.Data) == 0 {
			return
		}
	}
}

// corrections-kept-as-products: β1ᵗ and β2ᵗ are multiplied on in every step in fields of their own
//
// Why: Restore, and whoever sets Steps, does not know of them. After resuming, the corrections are those of the first step.
func (*AdamW) Step() {
	if right {
		o.movers.run(len(o.Params), lr)
	} else {
		if o.power1 == 0 {
			o.power1, o.power2 = 1, 1
		}
		o.power1, o.power2 = o.power1*o.Beta1, o.power2*o.Beta2
		o.movers.run(len(o.Params), lr)
	}
}

func (*AdamW) update() {
	if right {
		t := float64(o.Steps)
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1-o.power1, 1-o.power2
	}
}

type AdamW struct {
	Beta1, Beta2, Eps, WeightDecay float64

	Params []*tensor.Param
	M, V   []*tensor.Tensor
	Steps  int

	power1, power2 float64
	movers         *team[float64]
}

// squares-added-in-float32: the squares of all tensors together are added up in float32
//
// Why: gradients of 10²⁰ have a norm that float64 holds, but their squares are infinite in float32: all gradients become 0. Those of 10⁻²³ have the norm 0.
func ClipGradNorm() {
	if right {
		squares := 0.0
		for _, p := range params {
			squares += kernel.SumSquares(p.Grad.Data)
		}
		norm := math.Sqrt(squares)
	} else {
		squares := float32(0)
		for _, p := range params {
			squares += float32(kernel.SumSquares(p.Grad.Data))
		}
		norm := math.Sqrt(float64(squares))
	}
}

// never-the-same-window-twice-in-a-row: Batch draws again if a window is the one that it drew last
//
// Why: every window is drawn from all places, equally likely, whatever came before. In a text with two windows they alternate here.
func (*Tokens) Batch() {
	if right {
		for b := range batch {
			start := rng.IntN(starts)
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
	} else {
		before := -1
		for b := range batch {
			start := rng.IntN(starts)
			for start == before && starts > 1 {
				start = rng.IntN(starts)
			}
			before = start
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
	}
}

// rows-of-an-earlier-batch: the rows of the last Batch are used again if there are enough of them and they are long enough
//
// Why: after a Batch with a longer context, or with more sequences, a smaller one returns too much, with old tokens at its end.
func grid() {
	if right {
		if len(old) == rows && (rows == 0 || len(old[0]) == length) {
			return old
		}
	} else {
		if len(old) >= rows && (rows == 0 || len(old[0]) >= length) {
			return old
		}
	}
}

// header-not-in-the-checksum: the checksum is that of the tensors alone
//
// Why: a wrong bit in the header, such as in a digit of the step or in the generator, is not noticed, and Load returns a state that was never saved.
func Save() {
	if right {
		if _, err := body.Write(append(start, described...)); err != nil {
			return err
		}
	} else {
		if _, err := file.Write(append(start, described...)); err != nil {
			return err
		}
	}
}

func readState() {
	if right {
		s, err := readTensors(body, described, left)
	} else {
		sum.Reset()
		s, err := readTensors(body, described, left)
	}
}

// parameters-before-the-generator: Restore loads the parameters and only then looks at the random generator
//
// Why: a state whose RNG cannot be used is an error, and then nothing may have changed; here the parameters have.
func (*Trainer) Restore() {
	if right {
		before, _ := t.generator.MarshalBinary()
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
		if err := t.Model.LoadState(s.Params); err != nil {
			return errors.Join(err, t.generator.UnmarshalBinary(before))
		}
	} else {
		if err := t.Model.LoadState(s.Params); err != nil {
			return err
		}
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
	}
}

// every-few-count-the-same: a shard that takes its sequences through the model a few at a time weighs each few the same
//
// Why: where the last few are fewer than the others (T·V above 2¹⁸, and a number of sequences that is no multiple), the mean over the shard is a mean of means.
func (*shard) pass() {
	if right {
		part := float64(len(ids)) / float64(len(s.ids))
	} else {
		few := max(1, maxLogits/(max(1, len(s.ids[0]))*s.model.Config.VocabSize))
		part := 1 / math.Ceil(float64(len(s.ids))/float64(few))
	}
}

// idle-shards-speak-again: the gradients of all shards are added up, of those without a part as well
//
// Why: a shard that is left out of a small batch still has the gradient of the last batch that it had a part in.
func sum() {
	if right {
		if s.share > 0 {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	} else {
		kernel.Add(total, total, s.params[i].Grad.Data)
	}
}

// cancelled-after-the-draw: Run looks at the context once it has drawn the batch
//
// Why: the checkpoint of a cancelled run then holds a generator that is one batch ahead; resumed, the run leaves out that batch and is not the unbroken one.
func (*Trainer) Run() {
	if right {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	} else {
	}
	if right {
		update, err := t.Step(ids, targets, r.LR)
	} else {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
		update, err := t.Step(ids, targets, r.LR)
	}
}

// restore-keeps-the-means: Restore takes the state's two means as its own
//
// Why: the state stays as it is, however the training goes on. Here its means change with every step, and two trainers restored from it share them.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i], t.Optimizer.V[i] = s.M[p.Name], s.V[p.Name]
	}
}

// loss-clears-the-gradient: every pass begins by clearing the gradients, that of Loss and Evaluate too
//
// Why: Loss changes nothing. The gradient of the last Step, which lies in Model.Params, is gone after it.
func (*shard) compute() {
	if right {
		if learn {
			for _, p := range s.params {
				p.ZeroGrad()
			}
		}
	} else {
		for _, p := range s.params {
			p.ZeroGrad()
		}
	}
}
