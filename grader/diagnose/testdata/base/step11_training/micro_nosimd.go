//go:build !goexperiment.simd || !amd64

package training

// simdTile returns the vectorised Tile, of which there is none in this build:
// Go offers vector instructions on amd64 only, and only to those who ask for
// them with GOEXPERIMENT=simd.
func simdTile() tileFunc { return nil }
