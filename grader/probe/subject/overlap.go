package subject

import (
	"runtime"
	"sync"
	"time"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// looks is how often a product looks for another with its destination, with a pause
	// after every look.
	looks = 20
	// inVain is how many products of a call wait in vain at most, and inVainHere how many
	// with one destination.
	inVain, inVainHere = 32, 3
)

// overlapped makes a call whose products of matrices take their time: each reads what it
// adds to, waits for a product of another goroutine with the same destination, and only
// then writes. Where two goroutines of a call add to one place, one of the sums is lost
// whenever they meet, and here they meet. What each goroutine has for itself, or locks, is
// as it was. A call that starts no goroutines waits for none.
func overlapped(call func() wire.Message) wire.Message {
	if runtime.GOMAXPROCS(0) <= neighbours {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + neighbours))
	}
	d := destinations{begun: map[*float32]int{}, inVain: map[*float32]int{}}
	goroutines := runtime.NumGoroutine() + 1 // with the one that the call is made on
	defer tensor.UseProduct(func(dst, a, b tensor.Matrix, accumulate bool) {
		slow := tensor.New(dst.Rows, dst.Cols).Matrix()
		tensor.Copy(slow, dst)
		kernel.Gemm(kernel.Matrix(slow), kernel.Matrix(a), kernel.Matrix(b), accumulate)
		if len(dst.Data) > 0 && runtime.NumGoroutine() > goroutines {
			d.await(&dst.Data[0])
		}
		tensor.Copy(dst, slow)
	})()
	return call()
}

// destinations are those of the products of a call, known by the first number that they
// write.
type destinations struct {
	lock          sync.Mutex
	begun, inVain map[*float32]int // how many products have begun, and waited in vain
	allInVain     int
}

// await begins a product and waits until another with its destination has begun, unless
// too many have waited in vain.
func (d *destinations) await(dst *float32) {
	own, patient := d.begin(dst)
	if !patient {
		return
	}
	for range looks {
		time.Sleep(pause)
		if d.later(dst, own) {
			return
		}
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	d.inVain[dst]++
	d.allInVain++
}

// begin returns the number of a product among those with its destination, and whether it
// is to wait.
func (d *destinations) begin(dst *float32) (own int, patient bool) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.begun[dst]++
	return d.begun[dst], d.allInVain < inVain && d.inVain[dst] < inVainHere
}

// later reports whether a product has begun since that of a number.
func (d *destinations) later(dst *float32, own int) bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.begun[dst] > own
}
