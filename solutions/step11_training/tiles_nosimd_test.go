//go:build !goexperiment.simd || !amd64

package training

// tiles are the micro-kernels of this build.
func tiles() map[string]tileFunc { return map[string]tileFunc{"Tile": Tile} }
