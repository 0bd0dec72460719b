package training

import "github.com/stubformer/stubformer/reference/tensor"

// TileRows and TileCols are the size of the tile of C that Tile computes. You
// may change them. With 4 × 32 the sums fill eight of the 32 registers of
// AVX-512 with 16 numbers each.
const (
	TileRows = 4
	TileCols = 32
)

// tileFunc is a micro-kernel: Tile, or kernel.Micro's method of that name.
type tileFunc func(k int, a, b, c []float32, ldc int, accumulate bool)

// Tile is the micro-kernel, the innermost loop of a product. It computes one
// tile of C from a packed panel of A and a packed panel of B:
//
//	C_ij = Σ_p a[p·TileRows + i] · b[p·TileCols + j]   0 ≤ p < k
//
// and adds it to C if accumulate is set. a holds k·TileRows numbers, b
// k·TileCols, and two rows of C are ldc apart. Exactly TileRows·TileCols
// elements of c are written. k may be 0. c must not overlap a or b.
//
// Where there is a vectorised tile, Tile calls it. Otherwise plain loops do the
// work; keep the sums in an array of their own until the end.
func Tile(k int, a, b, c []float32, ldc int, accumulate bool) {
	if tile := simdTile(); tile != nil {
		tile(k, a, b, c, ldc, accumulate)
		return
	}
	panic(tensor.TODO("step11: Tile"))
}
