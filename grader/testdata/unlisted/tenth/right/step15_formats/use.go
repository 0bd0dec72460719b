//go:build unlisted

package formats

import (
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// rows-by-goroutines: the outputs are computed by several goroutines
//
// Why: None needs another.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	if l.w8 == nil {
		l.quantize(W)
	}
	l.x8 = QuantizeInt8(l.x8, x, l.group)
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	const part = 64 // rows of W for a goroutine
	var wait sync.WaitGroup
	for lo := 0; lo < l.w8.Rows; lo += part {
		hi := min(lo+part, l.w8.Rows)
		if hi == l.w8.Rows { // the last part is for this one
			l.some(lo, hi)
			break
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			l.some(lo, hi)
		}()
	}
	wait.Wait()
	return l.y
}

func (l *Linear) some(lo, hi int) {
	if l.product != nil {
		for n := range l.x8.Rows {
			l.product(l.y.Row(n)[lo:hi], l.w8.rows(lo, hi), l.x8.rows(n, n+1))
		}
		return
	}
	for i := lo; i < hi; i++ {
		for n := range l.x8.Rows {
			l.y.Row(n)[i] = dotGroups(l.x8, n, l.w8, i)
		}
	}
}
