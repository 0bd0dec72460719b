package flash

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/stubformer/stubformer/reference/tensor"
)

// share does something for every leading index i, usually every head of every text. They
// have nothing to do with each other, so each core takes the next one that nobody has
// begun, with a copy of a whose tile is its own.
func (a *Attention) share(do func(a *Attention, i int)) {
	var begun atomic.Int64
	work := func(a *Attention) {
		for i := int(begun.Add(1)) - 1; i < a.q.Matrices(); i = int(begun.Add(1)) - 1 {
			do(a, i)
		}
	}
	var others sync.WaitGroup
	for o := range min(runtime.GOMAXPROCS(0), a.q.Matrices()) - 1 {
		if o == len(a.others) {
			a.others = append(a.others, scratch{})
		}
		own := &a.others[o]
		own.like(a.scratch)
		other := *a
		other.scratch = *own
		others.Go(func() { work(&other) })
	}
	work(a)
	others.Wait()
}

// like gives s the shapes of another one.
func (s *scratch) like(t scratch) {
	s.p, s.rows = tensor.Reuse(s.p, t.p.Shape...), tensor.Reuse(s.rows, t.rows.Shape...)
	if t.dp != nil { // Backward has come
		s.dp = tensor.Reuse(s.dp, t.dp.Shape...)
	}
}
