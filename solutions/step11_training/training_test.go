package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step11_training/README.md.
// The loop needs a model and is tested by grading.
func TestWorkedExample(t *testing.T) {
	t.Run("packing", func(t *testing.T) {
		a := tensor.From([]float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3).Matrix()
		b := tensor.From([]float32{1, 0, 2, 1, 0, 3}, 3, 2).Matrix()
		panels := []float32{-1, -1, -1, -1, -1, -1, -1, -1}
		pack(panels, a.Block(0, 0, 3, 2), 2) // three rows, of which two steps
		require.Equal(t, []float32{1, 4, 2, 5, 7, -1, 8, -1}, panels)
		pack(panels, b.Block(0, 0, 2, 2).T(), 2) // two columns, of which two steps
		require.Equal(t, []float32{1, 0, 2, 1}, panels[:4])

		c := tensor.New(3, 2)
		MatMul(c.Matrix(), a.Block(0, 0, 3, 2), b.Block(0, 0, 2, 2), false) // the first two steps of k
		require.Equal(t, []float32{5, 2, 14, 5, 23, 8}, c.Data)
		MatMul(c.Matrix(), a.Block(0, 2, 3, 1), b.Block(2, 0, 1, 2), true) // and the third
		require.Equal(t, []float32{5, 11, 14, 23, 23, 35}, c.Data)
	})
	t.Run("AdamW", func(t *testing.T) {
		p := tensor.NewParam("p", tensor.From([]float32{1}, 1))
		o := NewAdamW([]*tensor.Param{p}, 0.9, 0.999, 1e-8, 0.1)
		lines := ""
		for _, g := range []float32{0.5, 1} {
			p.Grad.Data[0] = g
			o.Step(0.1)
			lines += fmt.Sprintf("%.4f %.6f %.4f; ", o.M[0].Data[0], o.V[0].Data[0], p.Value.Data[0])
		}
		require.Equal(t, "0.0500 0.000250 0.8900; 0.1450 0.001250 0.7846; ", lines)
		require.Equal(t, "0.7632 0.6252 0.9652", fmt.Sprintf("%.4f %.4f %.4f", 0.145/0.19, 0.00124975/0.001999,
			0.145/0.19/math.Sqrt(0.00124975/0.001999)))
		require.Equal(t, "3.16", fmt.Sprintf("%.2f", 0.05/math.Sqrt(0.00025)), "without bias correction")
	})
	t.Run("schedule", func(t *testing.T) {
		text := ""
		for step := range 8 {
			text += fmt.Sprintf("%.4f ", CosineSchedule(step, 1, 0.1, 2, 6))
		}
		require.Equal(t, "0.0000 0.5000 1.0000 0.8682 0.5500 0.2318 0.1000 0.1000 ", text)
	})
	t.Run("clipping", func(t *testing.T) {
		a, b := tensor.NewParam("a", tensor.New(1)), tensor.NewParam("b", tensor.New(2))
		a.Grad.Data[0], b.Grad.Data[0] = 3, 4
		params := []*tensor.Param{a, b}
		require.Equal(t, 5.0, ClipGradNorm(params, 1))
		require.Equal(t, "[0.6000] [0.8000 0.0000]", fmt.Sprintf("%.4f %.4f", a.Grad.Data, b.Grad.Data))
		require.InDelta(t, 1, ClipGradNorm(params, 1), 1e-6)
	})
	t.Run("windows", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "text.bin")
		require.NoError(t, WriteTokens(path, []int{10, 11, 12, 13, 14}))
		text, err := OpenTokens(path)
		require.NoError(t, err)
		defer text.Close()
		seen := map[string]bool{}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 50 {
			ids, targets, err := text.Batch(rng, 1, 3)
			require.NoError(t, err)
			seen[fmt.Sprint(ids, targets)] = true
		}
		require.Equal(t, map[string]bool{"[[10 11 12]] [[11 12 13]]": true, "[[11 12 13]] [[12 13 14]]": true}, seen)
	})
}

// TestAdamWAsDefined holds the update, which goes block by block, against its
// definition: below one block, one and a bit, and three.
func TestAdamWAsDefined(t *testing.T) {
	for _, n := range []int{0, 1, 37, block + 1, 3 * block} {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) { testAdamWAsDefined(t, n) })
	}
}

func testAdamWAsDefined(t *testing.T, n int) {
	const lr, beta1, beta2, eps, decay = 0.01, 0.9, 0.999, 1e-8, 0.1
	rng := rand.New(rand.NewPCG(11, 2))
	param := tensor.NewParam("p", tensor.From(random(rng, n), n))
	o := NewAdamW([]*tensor.Param{param}, beta1, beta2, eps, decay)
	p, m, v := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, x := range param.Value.Data {
		p[i] = float64(x)
	}
	for step := 1; step <= 20; step++ {
		copy(param.Grad.Data, random(rng, n))
		o.Step(lr)
		o.define(p, m, v, param.Grad.Data, lr)
		for i := range p {
			if got := float64(param.Value.Data[i]); !(math.Abs(got-p[i]) <= 2e-6) {
				require.InDelta(t, p[i], got, 2e-6, "step %d, element %d", step, i)
			}
		}
	}
}

// TestEveryTile holds every micro-kernel that this build has against the plain
// loops, and the product of both against the kit's.
func TestEveryTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for _, k := range []int{0, 1, 5, 8, 64, 301} {
		a, b := random(rng, k*TileRows), random(rng, k*TileCols)
		for _, accumulate := range []bool{false, true} {
			const ldc = TileCols + 3
			before := random(rng, TileRows*ldc)
			want := append([]float32(nil), before...)
			for i := range TileRows {
				for j := range TileCols {
					sum := 0.0
					for p := range k {
						sum += float64(a[p*TileRows+i]) * float64(b[p*TileCols+j])
					}
					if accumulate {
						sum += float64(before[i*ldc+j])
					}
					want[i*ldc+j] = float32(sum)
				}
			}
			for name, tile := range tiles() {
				c := append([]float32(nil), before...)
				tile(k, a, b, c, ldc, accumulate)
				require.InDeltaSlice(t, want, c, 1e-4, "%s, k = %d, accumulate %v", name, k, accumulate)
			}
		}
	}
}

// TestLikeTheKit multiplies random sizes in every form and compares with the
// kit's product.
func TestLikeTheKit(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	for range 200 {
		m, n, k := rng.IntN(90), rng.IntN(90), rng.IntN(90)
		transA, transB, accumulate := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
		a, b := wider(rng, m, k, transA), wider(rng, k, n, transB)
		c := tensor.From(random(rng, m*n), m, n)
		kit, naive := c.Clone(), c.Clone()
		kernel.GemmSerial(kernel.Matrix(kit.Matrix()), kernel.Matrix(a), kernel.Matrix(b), accumulate)
		Naive(naive.Matrix(), a, b, accumulate)
		MatMul(c.Matrix(), a, b, accumulate)
		name := fmt.Sprintf("m %d, n %d, k %d, transA %v, transB %v, accumulate %v", m, n, k, transA, transB,
			accumulate)
		require.InDeltaSlice(t, kit.Data, c.Data, 1e-4, name)
		require.InDeltaSlice(t, kit.Data, naive.Data, 1e-4, name)
	}
}

// wider returns a matrix of random numbers that is part of a wider one, stored
// by columns if transposed is set.
func wider(rng *rand.Rand, rows, cols int, transposed bool) tensor.Matrix {
	if transposed {
		return wider(rng, cols, rows, false).T()
	}
	gap := rng.IntN(5)
	return tensor.From(random(rng, rows*(cols+gap)), rows, cols+gap).Matrix().Block(0, 0, rows, cols)
}

// A workspace is seven allocations. Few products make one: the pool is emptied by
// a garbage collection and, when the race detector is on, at random.
func TestMatMulKeepsItsWorkspace(t *testing.T) {
	const n = 64
	rng := rand.New(rand.NewPCG(11, 5))
	a, b, c := tensor.From(random(rng, n*n), n, n), tensor.From(random(rng, n*n), n, n), tensor.New(n, n)
	require.Less(t, testing.AllocsPerRun(50, func() { MatMul(c.Matrix(), a.Matrix(), b.Matrix().T(), false) }), 4.0)
}

func TestFailedSaveLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoint")
	s := &State{Step: 1, Params: map[string]*tensor.Tensor{"w": tensor.From([]float32{1, 2, 3}, 3)}}
	require.NoError(t, Save(path, s))
	require.NoError(t, os.Mkdir(path+".tmp", 0o700)) // in the way of the second file
	s.Step = 2
	require.Error(t, Save(path, s))
	loaded, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, 1, loaded.Step)
	require.Equal(t, s.Params, loaded.Params)
}

func TestLoadSaysWhich(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	require.NoError(t, Save(path, &State{Step: 1, Params: map[string]*tensor.Tensor{"w": tensor.New(100, 3)}}))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	flipped := append([]byte(nil), whole...)
	flipped[len(whole)/2] ^= 4
	newer := append([]byte(nil), whole...)
	newer[8] = 9
	for name, test := range map[string]struct {
		data  []byte
		words string
	}{
		"empty":        {nil, "is not a checkpoint"},
		"foreign":      {[]byte("a letter to a friend, long enough for a header"), "is not a checkpoint"},
		"only a start": {whole[:20], "is cut off: it has only 20 bytes"},
		"cut off": {whole[:len(whole)-1], fmt.Sprintf("is cut off: it has %d of %d bytes", len(whole)-1,
			len(whole))},
		"with more":     {append(append([]byte(nil), whole...), 0), "is damaged: its length"},
		"a wrong bit":   {flipped, "is damaged: its checksum"},
		"newer version": {newer, "is a checkpoint of version 9; this program reads version 1"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, test.data, 0o600))
			_, err := Load(path)
			require.ErrorContains(t, err, path+" "+test.words)
		})
	}
	_, err = Load(path + ".missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}
