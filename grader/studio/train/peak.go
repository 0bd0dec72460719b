package train

import (
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
)

// Peak measures how many floating-point operations this machine can do in a
// second: what the kit's best micro-kernel reaches on all cores at once while
// everything that it reads lies in the first-level cache. The share of it that
// a training run uses for the model's matrix products is the run's model FLOPs
// utilisation, MFU (Chowdhery et al., "PaLM", 2022, appendix B). It is that of the
// recipe's precision.
func Peak(r run.Recipe) float64 {
	tile, values := kernel.Best(), 1
	if r.Precision == run.BF16 {
		if halves, pairs := kernel.BestBF16(); pairs {
			tile, values = halves, 2
		}
	}
	cores := runtime.GOMAXPROCS(0)
	best := 0.0
	for range rounds {
		var wg sync.WaitGroup
		start := cputime.Wall()
		for range cores {
			wg.Go(func() { multiply(tile) })
		}
		wg.Wait()
		best = max(best, float64(values)*flops(tile)*float64(cores)/(cputime.Wall()-start).Seconds())
	}
	return best
}

// CorePeak is the Peak of one core, in the time that it computes: what else the
// machine does makes no difference, as far as the system's clocks can tell.
func CorePeak() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tile, best := kernel.Best(), 0.0
	for range rounds {
		start := cputime.Thread()
		multiply(tile)
		best = max(best, flops(tile)/(cputime.Thread()-start).Seconds())
	}
	return best
}

// How often the micro-kernel runs, and for how many steps.
const rounds, calls, k = 8, 5000, 128

// multiply runs the micro-kernel on what fits the first-level cache.
func multiply(tile kernel.Micro) {
	a, b, c := make([]float32, k*tile.MR), make([]float32, k*tile.NR), make([]float32, tile.MR*tile.NR)
	for range calls {
		tile.Tile(k, a, b, c, tile.NR, true)
	}
}

// flops are the operations of multiply.
func flops(tile kernel.Micro) float64 {
	return float64(2*tile.MR*tile.NR*k) * calls
}
