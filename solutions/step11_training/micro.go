package training

import "github.com/stubformer/stubformer/reference/kernel"

// TileRows and TileCols are the size of the tile of C that Tile computes. Its
// 128 sums fill eight of the 32 registers of AVX-512 with 16 numbers each; each
// step loads two registers of B and uses them four times.
const (
	TileRows = 4
	TileCols = 32
)

// tileFunc is a micro-kernel: Tile, or kernel.Micro's method of that name.
type tileFunc func(k int, a, b, c []float32, ldc int, accumulate bool)

// micro is the micro-kernel that MatMul works with.
type micro struct {
	rows, cols int // of its tile
	tile       tileFunc
}

// bestMicro is this package's own micro-kernel where it is vectorised (see
// micro_simd.go), and otherwise the best that the kit offers on this machine.
func bestMicro() micro {
	if simdTile() != nil {
		return micro{TileRows, TileCols, Tile}
	}
	best := kernel.Best()
	return micro{best.MR, best.NR, best.Tile}
}

// Tile is the micro-kernel, the innermost loop of a product. It computes one
// tile of C from a packed panel of A and a packed panel of B:
//
//	C_ij = Σ_p a[p·TileRows + i] · b[p·TileCols + j]   0 ≤ p < k
//
// and adds it to C if accumulate is set. a holds k·TileRows numbers, b
// k·TileCols, and two rows of C are ldc apart. Exactly TileRows·TileCols
// elements of c are written. k may be 0. c must not overlap a or b.
func Tile(k int, a, b, c []float32, ldc int, accumulate bool) {
	if tile := simdTile(); tile != nil {
		tile(k, a, b, c, ldc, accumulate)
		return
	}
	var sum [TileRows][TileCols]float32
	for p := range k {
		for i, x := range a[p*TileRows : (p+1)*TileRows] {
			row := &sum[i]
			for j, y := range b[p*TileCols : (p+1)*TileCols] {
				row[j] += x * y
			}
		}
	}
	for i := range TileRows {
		row := c[i*ldc : i*ldc+TileCols]
		for j, s := range sum[i] {
			if accumulate {
				s += row[j]
			}
			row[j] = s
		}
	}
}
