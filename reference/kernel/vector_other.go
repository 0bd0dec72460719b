//go:build !amd64

package kernel

// The vector functions and packing have assembly for amd64 only.

func transposeFast(isa, []float32, int, []float32, int, int, int) bool { return false }

func copyRowsFast(isa, []float32, int, []float32, int, int, int) bool { return false }

func expFast(isa, []float32, []float32) bool                            { return false }
func sigmoidFast(isa, []float32, []float32) bool                        { return false }
func siluGradFast(isa, []float32, []float32, []float32, []float32) bool { return false }
func dotFast(isa, []float32, []float32) (float32, bool)                 { return 0, false }
func sumFast(isa, []float32) (float32, bool)                            { return 0, false }
func sumSquaresFast(isa, []float32) (float64, bool)                     { return 0, false }
func dot3Fast(isa, []float32, []float32, []float32) (float64, bool)     { return 0, false }
func scaledMulFast(isa, []float32, float64, []float32, []float32) bool  { return false }
func scaledMulAddFast(isa, []float32, float64, []float32, []float32, float64, []float32) bool {
	return false
}
func maxFast(isa, []float32) (float32, bool)                                     { return 0, false }
func axpyFast(isa, float32, []float32, []float32) bool                           { return false }
func scaleFast(isa, float32, []float32) bool                                     { return false }
func addFast(isa, []float32, []float32, []float32) bool                          { return false }
func mulFast(isa, []float32, []float32, []float32) bool                          { return false }
func adamWFast(isa, []float32, []float32, []float32, []float32, *adamRates) bool { return false }
func expShiftedFast(isa, []float32, []float32, float32) (float32, bool)          { return 0, false }
func matVecFast(isa, []float32, []float32, int, []float32, bool) int             { return 0 }
