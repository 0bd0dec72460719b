package training_test

import (
	"math"
	"runtime"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

// alone takes the kit's product from under the layers of earlier steps, which
// would be another way to it, and returns a function that puts it back.
func alone() (restore func()) {
	return tensor.UseProduct(func(_, _, _ tensor.Matrix, _ bool) {
		panic("this product asked the layer of an earlier step for a finished one; use your own loops and the micro-kernel")
	})
}

// multiply puts a product to p: a is stored (m, k), or (k, m) if trans_a is 1,
// b (k, n), or (n, k) if trans_b is 1.
func multiply(in subject.Args, p tensor.Product) (wire.Values, error) {
	defer alone()()
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	p(c.Matrix(), turned(a.Matrix(), in.Int("trans_a")), turned(b.Matrix(), in.Int("trans_b")), in.Int("accumulate") != 0)
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
	Tile(a.Dim(0), a.Data[:len(a.Data):len(a.Data)], b.Data[:len(b.Data):len(b.Data)], c.Data[:end:end], c.Dim(1), in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
}

// shares is into how many parts the plain loops cut a product, for a short turn
// is disturbed less often than a long one.
const shares = 4

// raceNaive measures MatMul beside three plain loops, if they are asked for: the
// best of several pairs of matrices. It returns the products too.
func raceNaive(in subject.Args) (wire.Values, error) {
	defer alone()()
	as, bs := in.Tensor("a"), in.Tensor("b")
	rounds, m, k, n := as.Dim(0), as.Dim(1), as.Dim(2), bs.Dim(2)
	products, plain := unset(rounds, m, n), make([]float32, (m+shares-1)/shares*n)
	if in.Int("plain") == 0 {
		plain = nil
	}
	share, own := race(rounds, func(round int) {
		a, b := as.Data[round*m*k:(round+1)*m*k], bs.Data[round*k*n:(round+1)*k*n]
		for i := range plain {
			row, sum := a[i/n*k:i/n*k+k], float32(0)
			for p, x := range row {
				sum += x * b[p*n+i%n]
			}
			plain[i] = sum
		}
	}, func(round int) {
		MatMul(products.MatrixAt(round), as.MatrixAt(round), bs.MatrixAt(round), false)
	})
	naive := 0.0
	if len(plain) > 0 {
		naive = share * float64(m*n) / float64(len(plain))
	}
	return wire.Values{"baseline": wire.Float(naive), "own": wire.Float(own), "c": wire.Tensor(products)}, nil
}

// raceTile measures Tile beside plain loops over the same tiles, and returns the
// tiles too. A turn is of several tiles, for one takes no longer than to look at
// the clock.
func raceTile(in subject.Args) (wire.Values, error) {
	defer alone()()
	const turn = 10
	as, bs := in.Tensor("a"), in.Tensor("b")
	rounds, k := as.Dim(0), as.Dim(1)
	tiles, c := unset(rounds, TileRows, TileCols), make([]float32, TileRows*TileCols)
	panels := func(round int) (a, b []float32) {
		return as.Data[round*k*TileRows : (round+1)*k*TileRows], bs.Data[round*k*TileCols : (round+1)*k*TileCols]
	}
	plain, own := race(rounds/turn, func(first int) {
		for round := first * turn; round < (first+1)*turn; round++ {
			a, b := panels(round)
			for i := range TileRows {
				for j := range TileCols {
					sum := float32(0)
					for p := range k {
						sum += a[p*TileRows+i] * b[p*TileCols+j]
					}
					c[i*TileCols+j] = sum
				}
			}
		}
	}, func(first int) {
		for round := first * turn; round < (first+1)*turn; round++ {
			a, b := panels(round)
			Tile(k, a, b, tiles.Data[round*TileRows*TileCols:(round+1)*TileRows*TileCols], TileCols, false)
		}
	})
	return wire.Values{"baseline": wire.Float(plain / turn), "own": wire.Float(own / turn), "c": wire.Tensor(tiles)}, nil
}

// race gives each function a turn in every round and returns how many seconds of
// a processor's time the shortest turn of each took. What several goroutines do
// counts in full, so they get one processor only, on which none waits for others.
func race(rounds int, first, second func(round int)) (a, b float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, b = math.Inf(1), math.Inf(1)
	for round := range rounds {
		start := cputime.Process()
		first(round)
		between := cputime.Process()
		second(round)
		end := cputime.Process()
		a, b = min(a, (between-start).Seconds()), min(b, (end-between).Seconds())
	}
	return a, b
}

// unset returns a tensor of NaN: what is not written shows.
func unset(shape ...int) *tensor.Tensor {
	t := tensor.New(shape...)
	for i := range t.Data {
		t.Data[i] = float32(math.NaN())
	}
	return t
}
