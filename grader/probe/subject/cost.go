package subject

import (
	"runtime"
	"time"

	"github.com/stubformer/stubformer/reference/wire"
)

// measured is the argument that asks what calls cost: two numbers of calls after which
// the memory in use is looked at, 0 for before them all. A layer is asked as often as the
// second says.
const measured = "measured"

// costs are those of the calls that a binding has made so far.
type costs struct {
	multiplications, allocated []int64
	seconds                    []float64
	inUse                      []int64 // after the calls of measured
	all                        func()  // gives the goroutines their processors again
}

// mostCalls is how many calls are measured without memory of the measuring's own.
const mostCalls = 1 << 10

// Cost makes a call, which is one of several. If the argument "measured" asks for it,
// the answer says beside the results what each of them took: multiplications of matrix
// products, allocated bytes, seconds of a processor, and how many bytes more are in use
// after a later one than after an early one.
func (a Args) Cost(call func()) {
	if !a.Has(measured) {
		call()
		return
	}
	c := a.host.costs
	if c == nil {
		c = &costs{multiplications: make([]int64, 0, mostCalls), allocated: make([]int64, 0, mostCalls),
			seconds: make([]float64, 0, mostCalls), all: OneProcessor()}
		a.host.costs = c
		a.look()
	}
	var before, after runtime.MemStats
	var spent time.Duration
	runtime.ReadMemStats(&before)
	n := Multiplications(func() { spent = Spent(call) })
	runtime.ReadMemStats(&after)
	c.multiplications = append(c.multiplications, int64(n))
	c.allocated = append(c.allocated, int64(after.TotalAlloc-before.TotalAlloc))
	c.seconds = append(c.seconds, spent.Seconds())
	a.look()
}

// Calls makes a call once, or, where costs are measured, as often as that asks for.
func (a Args) Calls(call func()) {
	if !a.Has(measured) {
		call()
		return
	}
	for range a.get(measured, wire.I64).I64[1] {
		a.Cost(call)
	}
}

// look notes the memory in use, if that is asked for after the calls that were made.
func (a Args) look() {
	c := a.host.costs
	for _, number := range a.get(measured, wire.I64).I64 {
		if int(number) == len(c.seconds) {
			c.inUse = append(c.inUse, inUse())
		}
	}
}

// inUse returns how many bytes can be reached. What lies in a sync.Pool can be for one
// collection more.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// addCosts puts what calls took beside the results of a function.
func (h *Host) addCosts(out wire.Values) {
	c := h.costs
	if c == nil || out == nil {
		return
	}
	out[wire.Cost+"multiplications"] = wire.Ints(c.multiplications, len(c.multiplications))
	out[wire.Cost+"allocated"] = wire.Ints(c.allocated, len(c.allocated))
	out[wire.Cost+"seconds"] = wire.Floats(c.seconds, len(c.seconds))
	if n := len(c.inUse); n > 1 {
		out[wire.Cost+"kept"] = wire.Int(int(c.inUse[n-1] - c.inUse[0]))
	}
}

// endCosts ends the measuring of a call.
func (h *Host) endCosts() {
	if h.costs != nil {
		h.costs.all()
		h.costs = nil
	}
}
