package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Sizes that decide when a product is divided. A sleeping worker may need some 60 µs to wake, in which one core does
// several million multiplications.
const (
	shareFrom    = 4 << 20 // m·n·k below which a product stays on one goroutine
	shareFewFrom = 1 << 18 // the same for a few rows of A, which wait for memory and not for multiplications
	partsPerCore = 2       // parts of C for each worker: more are better balanced, fewer pack less
	spinRounds   = 2000    // how often a worker looks for the next product before it sleeps
)

// crew is a set of goroutines that live as long as the program and help with one product at a time. The caller works as
// well: parts are claimed one by one, so a worker that wakes late costs nothing but its help.
type crew struct {
	busy    sync.Mutex    // held by the caller whose product this is
	helpers int           // goroutines started so far
	asleep  atomic.Int64  // helpers that wait for a token, or are about to
	wake    chan struct{} // a token for each helper that is to wake

	job  product
	grid grid
	// unclaimed is the number of parts that nobody has begun. A worker that takes it below zero has no part. Storing a
	// new number publishes job and grid; they change only while it is not positive and unfinished is zero.
	unclaimed  atomic.Int64
	unfinished atomic.Int64
}

// theCrew is shared by the whole program, since the cores are.
var theCrew = crew{wake: make(chan struct{}, 1024)}

// runShared computes the product together with the crew. It reports false, having done nothing, when the product is too
// small, when there is one core, or when the crew is busy.
func (p *product) runShared() bool {
	from := float64(shareFrom)
	if p.m == 1 || p.isDots() || p.isTurned() {
		from = shareFewFrom
	}
	if float64(p.m)*float64(p.n)*float64(p.k) < from {
		return false
	}
	workers := runtime.GOMAXPROCS(0)
	if workers == 1 || !theCrew.busy.TryLock() {
		return false
	}
	defer theCrew.busy.Unlock()
	theCrew.run(p, workers)
	return true
}

func (c *crew) run(p *product, workers int) {
	c.hire(workers - 1)
	c.job = *p
	c.grid = p.divide(workers * partsPerCore)
	parts := int64(c.grid.rows * c.grid.cols)
	c.unfinished.Store(parts)
	c.unclaimed.Store(parts)
	for range min(workers-1, int(parts)-1) {
		if !c.rouse() {
			break // the others are looking already
		}
		c.wake <- struct{}{}
	}
	w := workspaces.take()
	for c.runPart(w) {
	}
	workspaces.put(w)
	// What is left is being computed: to wait for it takes no longer than a part, to sleep and wake might.
	for c.unfinished.Load() > 0 {
		runtime.Gosched()
	}
	c.job = product{} // do not keep the caller's matrices alive
}

// hire starts helpers until there are n.
func (c *crew) hire(n int) {
	for ; c.helpers < n; c.helpers++ {
		go c.help(newWorkspace())
	}
}

// help is the life of a worker: look for parts for a while, then sleep until there is a new product.
func (c *crew) help(w *workspace) {
	for {
		for spin := 0; spin < spinRounds; spin++ {
			for c.unclaimed.Load() > 0 && c.runPart(w) {
				spin = 0
			}
			runtime.Gosched()
		}
		c.asleep.Add(1)
		if c.unclaimed.Load() > 0 && c.rouse() {
			continue // a product came just now
		}
		<-c.wake
	}
}

// rouse takes one helper off the number of those asleep, and reports whether there was one. Whoever does it wakes the
// helper with a token, unless it is the helper itself.
func (c *crew) rouse() bool {
	for n := c.asleep.Load(); n > 0; n = c.asleep.Load() {
		if c.asleep.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// runPart claims and computes one part. It reports whether there was one.
func (c *crew) runPart(w *workspace) bool {
	part := int(c.unclaimed.Add(-1))
	if part < 0 {
		return false
	}
	i0, i1 := span(part/c.grid.cols, c.job.m, c.grid.heights)
	j0, j1 := span(part%c.grid.cols, c.job.n, c.grid.widths)
	c.job.run(w, i0, i1, j0, j1)
	c.unfinished.Add(-1)
	return true
}

// grid divides C into rows×cols parts of heights×widths elements; the last ones may be smaller.
type grid struct{ rows, cols, heights, widths int }

// span is the i-th stretch of the given size in 0 ≤ x < length.
func span(i, length, size int) (from, to int) {
	return i * size, min((i+1)*size, length)
}

// divide cuts C into about the given number of parts, across its longer side, at the boundaries of tiles.
func (p *product) divide(parts int) grid {
	mr, nr := p.isa.tile()
	g := grid{rows: 1, cols: 1, heights: p.m, widths: p.n}
	if p.m >= p.n {
		g.heights = ((p.m+parts-1)/parts + mr - 1) / mr * mr
		g.rows = (p.m + g.heights - 1) / g.heights
		return g
	}
	g.widths = ((p.n+parts-1)/parts + nr - 1) / nr * nr
	g.cols = (p.n + g.widths - 1) / g.widths
	return g
}
