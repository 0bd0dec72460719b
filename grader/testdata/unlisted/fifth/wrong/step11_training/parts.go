//go:build unlisted

package training

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// rest-of-the-bands-lost: each worker gets a whole number of tiles, rounded down, and the rest nobody
//
// Why: a large product whose rows (or columns) are not workers times a multiple of
// the tile keeps old numbers, or NaN, at its end.
func multiplyBands(workers int, dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	micro := bestMicro()
	length, tile := m, micro.rows
	if n > m {
		length, tile = n, micro.cols
	}
	band := max(1, length/workers/tile) * tile

	var all sync.WaitGroup
	for worker := range workers {
		from := worker * band
		size := min(band, length-from)
		if size <= 0 {
			break
		}
		all.Go(func() {
			if n > m {
				multiplyBlocks(dst.Block(0, from, m, size), a, b.Block(0, from, k, size), accumulate)
			} else {
				multiplyBlocks(dst.Block(from, 0, size, n), a.Block(from, 0, size, k), b, accumulate)
			}
		})
	}
	all.Wait()
}

// empty-sum-clears-between-the-rows: with k = 0 the whole slice of dst is cleared
//
// Why: dst may be a part of a larger matrix, and what lies between its rows is not to
// be touched.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
		return
	} else {
		if !accumulate {
			clear(dst.Data)
		}
		return
	}
}

// one-row-taken-for-a-vector: a product with one row takes the vector's way even where a is stored by columns
//
// Why: the row of a transposed part of a larger matrix has its numbers a.Right
// apart; the first k numbers of the slice are others.
func MatMul() {
	if right {
		if m == 1 && a.Right == 1 && b.Down == 1 { // one token: every weight is used once, so packing it would be all the work
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	} else {
		if m == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:min(k, len(a.Data))], accumulate)
			return
		}
	}
}

// scratch-tile-added-to: the scratch tile at the edges is computed with the caller's accumulate
//
// Why: when accumulate is set, or from the second block of k on, what the scratch
// tile held from another tile is added to the edges of dst.
func (*workspace) multiply() {
	if right {
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
	} else {
		w.micro.tile(depth, w.a, panel, w.tile, cols, accumulate)
	}
}

// no-steps-no-tile: Tile returns at once where k is 0
//
// Why: k may be 0, and without accumulate the tile of c is then 0; it keeps what it
// held.
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

// decay-without-the-rate: every parameter shrinks by λ·p in each step
//
// Why: the line is p − lr·λ·p; without lr the decay is a hundred times too large and
// does not follow the schedule.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-o.WeightDecay), p, p)
	}
}

// gradients-cleared-by-step: Step leaves gradients of 0 behind, ready for the next batch
//
// Why: the gradients are read and not changed; a caller who looks at them after the
// step, or adds to them further, finds zeros.
func (*AdamW) Step() {
	if right {
		o.movers.run(len(o.Params), lr) // no parameter needs another
	} else {
		o.movers.run(len(o.Params), lr) // no parameter needs another
		for _, p := range o.Params {
			p.ZeroGrad()
		}
	}
}

// idle-parameters-left-out: a parameter whose gradient is 0 everywhere is not updated at all
//
// Why: m and v must shrink, the parameter still moves by its mean of gradients, and
// decays. All three are missing.
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

// end-of-the-cosine-asked-first: t ≥ cosineEnd is looked at before the warm-up
//
// Why: warmup may be cosineEnd or more; then the rate is lrMin from cosineEnd on
// where it should still rise to lrMax.
func CosineSchedule() {
	if right {
		switch {
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		case t >= cosineEnd:
			return lrMin
		}
	} else {
		switch {
		case t >= cosineEnd:
			return lrMin
		case t < warmup:
			return float64(t) / float64(warmup) * lrMax
		}
	}
}

// squares-in-float32: the squares are summed in float32
//
// Why: gradients of 10²⁰ are finite, but their squares are not: norm becomes +Inf
// and the gradient 0 (the stub asks for float64).
func ClipGradNorm() {
	if right {
		squares += kernel.SumSquares(p.Grad.Data)
	} else {
		squares += float64(kernel.Dot(p.Grad.Data, p.Grad.Data))
	}
}

// text-of-one-context: a text of exactly context tokens is not refused
//
// Why: there is no room for a window of context + 1; in place of the error there is a
// panic of IntN(0).
func (*Tokens) Batch() {
	if right {
		if starts < 1 {
			return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
				t.path, t.Len(), context, context+1)
		}
	} else {
		if starts < 0 {
			return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
				t.path, t.Len(), context, context+1)
		}
	}
}

// rows-reused-at-their-old-length: the slices of the last Batch are taken again if there are as many rows
//
// Why: a Batch with another context returns rows of the old length, with ids of the
// batch before at their ends, or panics where they are too short.
func grid() {
	if right {
		if len(old) == rows && (rows == 0 || len(old[0]) == length) {
			return old
		}
	} else {
		if len(old) == rows {
			return old
		}
	}
}

// written-while-checked: the tokens are written to path itself, one after the other, until an id does not fit
//
// Why: an error must leave a file that was there as it was; here it is cut off at the
// id that was refused.
func WriteTokens(path string, ids []int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for i, id := range ids {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
		if err := binary.Write(file, binary.LittleEndian, uint16(id)); err != nil {
			return err
		}
	}
	return nil
}
