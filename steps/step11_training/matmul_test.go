package training_test

import (
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

// alone takes the kit's product from under the layers of earlier steps, which
// would be another way to it, and returns a function that puts it back.
func alone() (restore func()) {
	return kernel.WatchProducts(func(_, _, _ int) {
		panic("this product asked the kit, by the layer of an earlier step, for a finished one; " +
			"use your own loops and the micro-kernel")
	})
}

// multiply puts a product to p: a is stored (m, k), or (k, m) if trans_a is 1,
// b (k, n), or (n, k) if trans_b is 1.
func multiply(in subject.Args, p tensor.Product) (wire.Values, error) {
	defer alone()()
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	p(c.Matrix(), turned(a.Matrix(), in.Int("trans_a")), turned(b.Matrix(), in.Int("trans_b")),
		in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
}

// multiplyStrided multiplies matrices that are parts of wider ones. Their data
// end with the last number that belongs to a matrix, as those of the last columns
// of a wider one do.
func multiplyStrided(in subject.Args) (wire.Values, error) {
	defer alone()()
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	m, n, k := in.Int("m"), in.Int("n"), in.Int("k")
	dst := c.Matrix().Block(0, 0, m, n)
	MatMul(dst, part(a, in.Int("trans_a"), m, k), part(b, in.Int("trans_b"), k, n), in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
}

// multiplyShort multiplies where the slice of one matrix lacks its last number, and says
// whether that is a panic of the caller's goroutine. Any other ends the program.
func multiplyShort(in subject.Args) (out wire.Values, err error) {
	defer alone()()
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	dst, left, right := c.Matrix(), turned(a.Matrix(), in.Int("trans_a")), turned(b.Matrix(), in.Int("trans_b"))
	short := []*tensor.Matrix{&dst, &left, &right}[in.Int("short")]
	n := len(short.Data) - 1
	short.Data = short.Data[:n:n]
	defer func() {
		if p := recover(); p != nil {
			if _, todo := p.(tensor.NotImplemented); todo {
				panic(p)
			}
			out = wire.Values{"panicked": wire.Int(1)}
		}
	}()
	MatMul(dst, left, right, in.Int("accumulate") != 0)
	return wire.Values{"panicked": wire.Int(0)}, nil
}

// part returns the first rows and columns of t or, if trans is 1, of tᵀ.
func part(t *tensor.Tensor, trans, rows, cols int) tensor.Matrix {
	return turned(t.Matrix(), trans).Block(0, 0, rows, cols)
}

// turned returns m or, if trans is 1, mᵀ.
func turned(m tensor.Matrix, trans int) tensor.Matrix {
	if trans != 0 {
		return m.T()
	}
	return m
}

func multiplyOnProcs(in subject.Args) (wire.Values, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(in.Int("procs")))
	out, err := multiply(in, MatMul)
	if err == nil {
		out["procs"] = wire.Int(runtime.GOMAXPROCS(0))
	}
	return out, err
}

// multiplyUnderModel runs a whole model forward and backward on MatMul.
func multiplyUnderModel(in subject.Args) (wire.Values, error) {
	defer tensor.UseProduct(MatMul)()
	model, err := modelOf(in)
	if err != nil {
		return nil, err
	}
	logits, err := model.Forward(in.IDs("ids"))
	if err != nil {
		return nil, err
	}
	var c softmax.CrossEntropy
	loss, err := c.Forward(logits, in.IDs("targets"))
	if err != nil {
		return nil, err
	}
	out := wire.Values{"loss": wire.Float(loss)}
	model.Backward(c.Backward())
	for _, p := range model.Params() {
		out["grad."+p.Name] = wire.Tensor(p.Grad)
	}
	return out, nil
}

// microTile computes one tile, in slices that are exactly as long as they must
// be. What lies between the rows of c, when they are longer than the tile's,
// must not change.
func microTile(in subject.Args) (wire.Values, error) {
	defer alone()()
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	end := (TileRows-1)*c.Dim(1) + TileCols
	Tile(a.Dim(0), a.Data[:len(a.Data):len(a.Data)], b.Data[:len(b.Data):len(b.Data)], c.Data[:end:end], c.Dim(1),
		in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
}

// shares is into how many parts the plain loops cut a product: they take long.
const shares = 4

// raceNaive measures MatMul beside three plain loops, if they are asked for, with
// several pairs of matrices. It returns the products too.
func raceNaive(in subject.Args) (wire.Values, error) {
	defer alone()()
	as, bs := in.Tensor("a"), in.Tensor("b")
	rounds, m, k, n := as.Dim(0), as.Dim(1), as.Dim(2), bs.Dim(2)
	plain := make([]float32, (m+shares-1)/shares*n)
	if in.Int("plain") == 0 {
		plain = nil
	}
	loops, own, products := race(rounds, as, bs, []int{m, n}, func(a, b *tensor.Tensor) {
		for i := range plain {
			row, sum := a.Data[i/n*k:i/n*k+k], float32(0)
			for p, x := range row {
				sum += x * b.Data[p*n+i%n]
			}
			plain[i] = sum
		}
	}, func(c, a, b *tensor.Tensor) { MatMul(c.MatrixAt(0), a.MatrixAt(0), b.MatrixAt(0), false) })
	naive := 0.0
	if len(plain) > 0 {
		naive = loops * float64(m*n) / float64(len(plain))
	}
	return wire.Values{"baseline": wire.Float(naive), "own": wire.Float(own), "c": wire.Tensor(products)}, nil
}

// raceTile measures Tile beside plain loops over the same tiles, and returns the
// tiles too. A turn is of several tiles, for one takes no longer than to look at
// the clock.
func raceTile(in subject.Args) (wire.Values, error) {
	defer alone()()
	const turns = 4
	as, bs := in.Tensor("a"), in.Tensor("b")
	k, sums := as.Dim(1), make([]float32, TileRows*TileCols)
	plain, own, tiles := race(turns, as, bs, []int{TileRows, TileCols}, func(as, bs *tensor.Tensor) {
		for t := range as.Dim(0) {
			a, b := as.Slice(t, t+1).Data, bs.Slice(t, t+1).Data
			for i := range TileRows {
				for j := range TileCols {
					sum := float32(0)
					for p := range k {
						sum += a[p*TileRows+i] * b[p*TileCols+j]
					}
					sums[i*TileCols+j] = sum
				}
			}
		}
	}, func(c, as, bs *tensor.Tensor) {
		for t := range as.Dim(0) {
			Tile(k, as.Slice(t, t+1).Data, bs.Slice(t, t+1).Data, c.Slice(t, t+1).Data, TileCols, false)
		}
	})
	each := float64(turns) / float64(as.Dim(0))
	return wire.Values{"baseline": wire.Float(plain * each), "own": wire.Float(own * each), "c": wire.Tensor(tiles)},
		nil
}

// race lets plain loops and the code of this step take turns with parts of as and bs. It
// returns how many seconds of a processor's time a turn took, neither the shortest nor the
// longest, and what the step made of all: c, of which size says the shape of one. The first
// turn counts for nothing, for it writes to memory that is new.
func race(turns int, as, bs *tensor.Tensor, size []int, plain func(a, b *tensor.Tensor),
	step func(c, a, b *tensor.Tensor),
) (loops, own float64, c *tensor.Tensor) {
	each := as.Dim(0) / turns
	shape := append([]int{as.Dim(0)}, size...)
	c = tensor.New(shape...)
	shape[0] = each
	a, b, part := as.Slice(0, each).Clone(), bs.Slice(0, each).Clone(), tensor.New(shape...)
	looping, spent := make([]time.Duration, turns), make([]time.Duration, turns)
	defer subject.OneProcessor()()
	for turn := range turns {
		from, to := turn*each, (turn+1)*each
		copy(a.Data, as.Slice(from, to).Data)
		copy(b.Data, bs.Slice(from, to).Data)
		part.Fill(float32(math.NaN())) // what is not written shows
		looping[turn] = subject.Alone(func() { plain(a, b) })
		spent[turn] = subject.Spent(func() { step(part, a, b) })
		copy(c.Slice(from, to).Data, part.Data)
	}
	middle := func(all []time.Duration) float64 { slices.Sort(all[1:]); return all[1+(turns-1)/2].Seconds() }
	return middle(looping), middle(spent), c
}
