//go:build !amd64 || portable

package kernel

// The vector functions and packing have assembly for amd64 only.

func transposeFast(isa, []float32, int, []float32, int, int, int) bool { return false }

func copyRowsFast(isa, []float32, int, []float32, int, int, int) bool { return false }

func expFast(isa, []float32, []float32) bool                         { return false }
func sigmoidFast(isa, []float32, []float32) bool                     { return false }
func dotFast(isa, []float32, []float32) (float32, bool)              { return 0, false }
func sumFast(isa, []float32) (float32, bool)                         { return 0, false }
func sumSquaresFast(isa, []float32) (float64, bool)                  { return 0, false }
func maxFast(isa, []float32) (float32, bool)                         { return 0, false }
func axpyFast(isa, float32, []float32, []float32) bool               { return false }
func axpbyFast(isa, float32, []float32, float32, []float32) bool     { return false }
func scaleToFast(isa, []float32, float32, []float32) bool            { return false }
func addConstFast(isa, []float32, float32, []float32) bool           { return false }
func sqrtFast(isa, []float32, []float32) bool                        { return false }
func addFast(isa, []float32, []float32, []float32) bool              { return false }
func mulFast(isa, []float32, []float32, []float32) bool              { return false }
func divFast(isa, []float32, []float32, []float32) bool              { return false }
func mulAddFast(isa, []float32, []float32, []float32) bool           { return false }
func matVecFast(isa, []float32, []float32, int, []float32, bool) int { return 0 }
