package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomInt8s fills rows of n numbers, from −128 to 127, in groups.
func randomInt8s(rng *rand.Rand, q []int8, rows, n, group int) Int8s {
	v := Int8s{Q: q, Group: group}
	for i := range q {
		v.Q[i] = int8(rng.IntN(256) - 128)
		if rng.IntN(4) == 0 { // the ends more often
			v.Q[i] = []int8{-128, -127, 127}[rng.IntN(3)]
		}
	}
	for range rows * ((n + group - 1) / group) {
		v.Scale = append(v.Scale, rng.Float32()+0.5)
	}
	return v
}

// requireInt8 holds a product to the definition, in float64.
func requireInt8(t *testing.T, s isa, y []float32, w, x Int8s) {
	t.Helper()
	n, groups := len(x.Q), len(x.Scale)
	matVecInt8(s, y, w, x)
	for i := range y {
		want, scale := 0.0, 0.0
		for j := range x.Q {
			g := j / x.Group
			term := float64(w.Scale[i*groups+g]) * float64(x.Scale[g]) * float64(w.Q[i*n+j]) * float64(x.Q[j])
			want, scale = want+term, scale+math.Abs(term)
		}
		requireNear(t, y[i], want, scale, float64(groups+12), "%s, row %d of %d numbers in groups of %d", s, i, n, x.Group)
	}
}

func TestMatVecInt8(t *testing.T) {
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(15, uint64(s)))
		for _, n := range []int{0, 1, 31, 32, 33, 64, 70, 127, 128, 192, 257, 512} {
			for _, group := range []int{1, 7, 16, 32, 33, 64, 96, 128, 600} {
				const rows = 7
				w, x := randomInt8s(rng, make([]int8, rows*n), rows, n, group), randomInt8s(rng, make([]int8, n), 1, n, group)
				requireInt8(t, s, make([]float32, rows), w, x)
			}
		}
	}
}

// Sums that need more than 16 bits, and all signs, are exact: with scales of one the result is the whole number.
func TestMatVecInt8Exact(t *testing.T) {
	for _, s := range supported() {
		for _, ends := range [][2]int8{{127, 127}, {-128, -128}, {-128, 127}, {127, -128}} {
			q := func(x int8) Int8s {
				v := Int8s{Q: make([]int8, 256), Scale: []float32{1, 1}, Group: 128}
				for i := range v.Q {
					v.Q[i] = x
				}
				return v
			}
			y := make([]float32, 1)
			matVecInt8(s, y, q(ends[0]), q(ends[1]))
			require.Equal(t, float32(256*int(ends[0])*int(ends[1])), y[0], "%s %v", s, ends)
		}
	}
}

func TestMatVecInt8Refuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	x := randomInt8s(rng, make([]int8, 8), 1, 8, 4)
	w := randomInt8s(rng, make([]int8, 24), 3, 8, 4)
	require.PanicsWithValue(t, "kernel: MatVecInt8: groups of 2 and 4; want the same, at least 1", func() {
		MatVecInt8(make([]float32, 3), Int8s{w.Q, w.Scale, 2}, x)
	})
	require.PanicsWithValue(t, "kernel: MatVecInt8: 24 numbers and 6 scales for 2 rows of 8, with 2 scales for the vector; want 16, 4 and 2", func() {
		MatVecInt8(make([]float32, 2), w, x)
	})
}

func BenchmarkMatVecInt8(b *testing.B) {
	const n, group = 512, 64
	rng := rand.New(rand.NewPCG(15, 2))
	for _, rows := range []int{512, 65536} {
		w, x := randomInt8s(rng, make([]int8, rows*n), rows, n, group), randomInt8s(rng, make([]int8, n), 1, n, group)
		y := make([]float32, rows)
		for _, s := range supported() {
			b.Run(fmt.Sprintf("impl=%s/n=%d", s, rows*n), func(b *testing.B) {
				b.SetBytes(int64(rows * n))
				for b.Loop() {
					matVecInt8(s, y, w, x)
				}
			})
		}
	}
}
