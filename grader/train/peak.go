package train

import (
	"runtime"
	"sync"
	"time"

	"github.com/stubformer/stubformer/reference/kernel"
)

// Peak measures how many floating-point operations this machine can do in a
// second: what the kit's best micro-kernel reaches on all cores at once while
// everything that it reads lies in the first-level cache. The share of it that
// a training run uses for the model's matrix products is the run's model FLOPs
// utilisation, MFU (Chowdhery et al., "PaLM", 2022, appendix B).
func Peak() float64 {
	const rounds, calls, k = 8, 5000, 128
	cores := runtime.GOMAXPROCS(0)
	tile := kernel.Best()
	best := 0.0
	for range rounds {
		var wg sync.WaitGroup
		start := time.Now()
		for range cores {
			wg.Go(func() {
				a, b, c := make([]float32, k*tile.MR), make([]float32, k*tile.NR), make([]float32, tile.MR*tile.NR)
				for range calls {
					tile.Tile(k, a, b, c, tile.NR, true)
				}
			})
		}
		wg.Wait()
		flops := float64(2*tile.MR*tile.NR*k) * calls * float64(cores)
		best = max(best, flops/time.Since(start).Seconds())
	}
	return best
}
