//go:build unlisted

package embedding

import (
	"maps"
	"sync"
)

// places-by-id: Backward gathers the places of every id in a map and adds each sum once, in float64
//
// Why: the same sums in another order.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		places := map[int][]int{}
		for n, id := range e.ids {
			places[id] = append(places[id], n)
		}
		for id := range maps.Keys(places) {
			grad := e.Weight.Grad.Row(id)
			for j := range grad {
				sum := float64(grad[j])
				for _, n := range places[id] {
					sum += float64(dy.Row(n)[j])
				}
				grad[j] = float32(sum)
			}
		}
	}
}

func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
	} else {
		e.ids = nil
		e.y = nil
	}
}

// goroutines-by-column: Backward gives every goroutine some columns, each walks over all ids
//
// Why: no two goroutines write the same number, and every sum runs in the order of the ids.
func (*Embedding) Backward() {
	if right {
		for n, id := range e.ids {
			grad := e.Weight.Grad.Row(id)
			for j, d := range dy.Row(n) {
				grad[j] += d
			}
		}
	} else {
		var group sync.WaitGroup
		width := e.Weight.Value.Dim(1)
		for lo := 0; lo < width; lo += 3 {
			group.Go(func() {
				for n, id := range e.ids {
					for j := lo; j < min(lo+3, width); j++ {
						e.Weight.Grad.Data[id*width+j] += dy.Data[n*width+j]
					}
				}
			})
		}
		group.Wait()
	}
}
