//go:build goexperiment.simd && amd64

package training

import "simd/archsimd"

// tiles are the micro-kernels of this build that this processor can run.
func tiles() map[string]tileFunc {
	all := map[string]tileFunc{"Tile": Tile}
	if archsimd.X86.AVX512() {
		all["tile512"] = tile512
	}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		all["tile256"] = tile256
	}
	return all
}
