package main

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
)

// sums returns the seconds in which the gradients of the shards of a model in training
// are added up, on all processors, each of which takes one parameter after the other.
func (w *worker) sums(name string, d time.Duration) (float64, error) {
	t, err := w.trainer(name, wholeBatch)
	if err != nil {
		return 0, err
	}
	params := t.Model.Params()
	shards := make([][][]float32, t.Options.Shards)
	for s := range shards {
		for _, p := range params {
			shards[s] = append(shards[s], make([]float32, p.Grad.Len()))
		}
	}
	return measure(d, func() {
		var all sync.WaitGroup
		processors := runtime.GOMAXPROCS(0)
		for first := range processors {
			all.Go(func() {
				for i := first; i < len(params); i += processors {
					for _, s := range shards[1:] {
						kernel.Add(shards[0][i], shards[0][i], s[i])
					}
				}
			})
		}
		all.Wait()
	}), nil
}

// waking returns the seconds in which one goroutine starts one on every other processor,
// after a while in which these had nothing to do, until all run at the same time: the median.
func waking(d time.Duration) float64 {
	const idle = 5 * time.Millisecond // about what a shard takes
	processors := int64(runtime.GOMAXPROCS(0))
	var times []float64
	for end := time.Now().Add(d); time.Now().Before(end) || len(times) == 0; {
		for begin := time.Now(); time.Since(begin) < idle; {
		}
		begin := cputime.Wall()
		var awake atomic.Int64
		meet := func() {
			awake.Add(1)
			for awake.Load() < processors {
			}
		}
		var others sync.WaitGroup
		for range processors - 1 {
			others.Go(meet)
		}
		meet()
		times = append(times, (cputime.Wall() - begin).Seconds())
		others.Wait()
	}
	slices.Sort(times)
	return times[len(times)/2]
}
