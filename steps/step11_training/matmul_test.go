package training

import (
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// multiply puts a product to p: a is stored (m, k), or (k, m) if trans_a is 1,
// b (k, n), or (n, k) if trans_b is 1.
func multiply(in subject.Args, p tensor.Product) (wire.Values, error) {
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	p(c.Matrix(), turned(a.Matrix(), in.Int("trans_a")), turned(b.Matrix(), in.Int("trans_b")), in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
}

// multiplyStrided multiplies matrices that are parts of wider ones. Their data
// end with the last number that belongs to a matrix, as those of the last columns
// of a wider one do.
func multiplyStrided(in subject.Args) (wire.Values, error) {
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	m, n, k := in.Int("m"), in.Int("n"), in.Int("k")
	dst := c.Matrix().Block(0, 0, m, n)
	MatMul(dst, part(a, in.Int("trans_a"), m, k), part(b, in.Int("trans_b"), k, n), in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
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
	a, b, c := in.Tensor("a"), in.Tensor("b"), in.Tensor("c_before")
	end := (TileRows-1)*c.Dim(1) + TileCols
	Tile(a.Dim(0), a.Data[:len(a.Data):len(a.Data)], b.Data[:len(b.Data):len(b.Data)], c.Data[:end:end], c.Dim(1), in.Int("accumulate") != 0)
	return wire.Values{"c": wire.Tensor(c)}, nil
}

// raceNaive measures MatMul beside three plain loops: the best of several
// rounds, in turn.
func raceNaive(in subject.Args) (wire.Values, error) {
	n := in.Int("n")
	rng := rand.New(rand.NewPCG(1, 2))
	a, b, c := numbers(rng, n*n), numbers(rng, n*n), make([]float32, n*n)
	naive, own := race(in.Int("rounds"), func() {
		for i := range n {
			for j := range n {
				sum := float32(0)
				for p := range n {
					sum += a[i*n+p] * b[p*n+j]
				}
				c[i*n+j] = sum
			}
		}
	}, func() {
		MatMul(square(c, n), square(a, n), square(b, n), false)
	})
	return wire.Values{"baseline": wire.Float(naive), "own": wire.Float(own)}, nil
}

// square returns x as a matrix of n rows and columns.
func square(x []float32, n int) tensor.Matrix { return tensor.From(x, n, n).Matrix() }

// raceTile measures Tile beside plain loops over the same tile.
func raceTile(in subject.Args) (wire.Values, error) {
	k := in.Int("k")
	rng := rand.New(rand.NewPCG(1, 3))
	a, b, c := numbers(rng, k*TileRows), numbers(rng, k*TileCols), make([]float32, TileRows*TileCols)
	plain, own := race(in.Int("rounds"), func() {
		for i := range TileRows {
			for j := range TileCols {
				sum := float32(0)
				for p := range k {
					sum += a[p*TileRows+i] * b[p*TileCols+j]
				}
				c[i*TileCols+j] = sum
			}
		}
	}, func() {
		Tile(k, a, b, c, TileCols, false)
	})
	return wire.Values{"baseline": wire.Float(plain), "own": wire.Float(own)}, nil
}

// race returns the shortest time of each function in seconds.
func race(rounds int, first, second func()) (a, b float64) {
	a, b = math.Inf(1), math.Inf(1)
	for range rounds {
		start := time.Now()
		first()
		between := time.Now()
		second()
		a, b = min(a, between.Sub(start).Seconds()), min(b, time.Since(between).Seconds())
	}
	return a, b
}

func numbers(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
