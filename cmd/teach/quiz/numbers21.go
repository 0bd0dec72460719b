package quiz

import (
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws21 are those of step 21.
func draws21() map[string]func(*draw) {
	return map[string]func(*draw){
		"windows.row":  windowRow,
		"windows.ring": ringSlots,
		"windows.sums": linearSums,
	}
}

// windowRow draws the last query of six tokens, q = 1 and k = ln a, and what it sees through
// a window of two or three keys and one sink.
func windowRow(d *draw) {
	const n = 6
	a, v := make([]float64, n), make([]float64, n)
	for j := range n {
		a[j], v[j] = d.pick(1, 2, 3, 4), d.pick(-6, -3, 2, 4, 8, 12)
	}
	w := d.int(2, 3)
	ask := func(window, sinks int) []float64 {
		out := d.ask("window.forward", wire.Values{"q": wire.Floats(ones(n), n, 1), "k": wire.Floats(logarithms(1, a), n, 1), "v": wire.Floats(v, n, 1),
			"mask": wire.Bools(slices.Repeat([]bool{true}, n*n), n, n), "window": wire.Int(window), "sinks": wire.Int(sinks)})
		if d.err != nil {
			return nil
		}
		return reals(out["y"])[n-1:]
	}
	seen := func(window int, sink bool) (weights, values []float64) {
		if sink {
			weights, values = append(weights, a[0]), append(values, v[0])
		}
		return append(weights, a[n-window:]...), append(values, v[n-window:]...)
	}
	mean := func(window int, sink bool) float64 {
		weights, values := seen(window, sink)
		return dot(weights, values) / dot(weights, ones(len(weights)))
	}
	weights, values := seen(w, true)
	d.set("a", a)
	d.set("v", v)
	d.set("W", w)
	d.set("from", n-w)
	d.set("seenA", weights)
	d.set("seenV", values)
	d.set("sum", dot(weights, ones(len(weights))))
	d.set("num", dot(weights, values))
	d.answer("y", mean(w, true), ask(w, 1))
	d.answer("without", mean(w, false), ask(w, 0))
	d.answer("more", mean(w+1, true), ask(w+1, 1))
}

// ringSlots draws a ring and positions, the last of which goes round twice or more.
func ringSlots(d *draw) {
	w, s := d.int(3, 5), d.int(1, 3)
	at := []int{d.int(0, s-1), s, s + w - 1, s + w + d.int(0, w-1), s + 2*w + d.int(1, 2*w)}
	positions, slots := make([]int64, len(at)), make([]float64, len(at))
	for i, p := range at {
		positions[i], slots[i] = int64(p), float64(p)
		if p >= s {
			slots[i] = float64(s + (p-s)%w)
		}
	}
	out := d.ask("ring.slot", wire.Values{"at": wire.Ints(positions, len(at)), "window": wire.Int(w), "sinks": wire.Int(s)})
	if d.err != nil {
		return
	}
	var places []float64
	for _, slot := range out["slots"].I64 {
		places = append(places, float64(slot))
	}
	last := at[len(at)-1]
	d.set("W", w)
	d.set("s", s)
	d.set("at", floats(at))
	d.set("last", last)
	d.set("gone", last-w)
	d.set("places", s+w)
	d.set("lost", last-w-s+1)
	d.answer("slots", slots, places)
}

// floats are whole numbers as a vector.
func floats(all []int) []float64 {
	x := make([]float64, len(all))
	for i, n := range all {
		x[i] = float64(n)
	}
	return x
}

// linearSums draws three tokens with K = 2 and C = 1 whose φ are whole numbers.
func linearSums(d *draw) {
	const n = 3
	q, k, v := make([][]float64, n), make([][]float64, n), make([]float64, n)
	for j := range n {
		q[j], k[j] = []float64{d.pick(0, 1, 2), d.pick(0, 1, 2)}, []float64{d.pick(0, 1, 2, 3), d.pick(0, 1, 2)}
		v[j] = d.pick(-4, -2, 3, 6, 9)
	}
	a := plus(q[n-1], 1, ones(2))
	s, z, weights := make([]float64, 2), make([]float64, 2), make([]float64, n)
	for j := range n {
		b := plus(k[j], 1, ones(2))
		s, z = plus(s, v[j], b), plus(z, 1, b)
		weights[j] = dot(a, b)
	}
	out := d.ask("linattn.recurrent", wire.Values{"q": wire.Floats(slices.Concat(q...), n, 2), "k": wire.Floats(slices.Concat(k...), n, 2), "v": wire.Floats(v, n, 1)})
	if d.err != nil {
		return
	}
	d.set("q", q[n-1])
	d.set("kA", k[0])
	d.set("kB", k[1])
	d.set("kC", k[2])
	d.set("v", v)
	d.set("a", a)
	d.set("bA", plus(k[0], 1, ones(2)))
	d.set("bB", plus(k[1], 1, ones(2)))
	d.set("bC", plus(k[2], 1, ones(2)))
	d.set("A", weights)
	d.set("num", dot(weights, v))
	d.set("den", dot(weights, ones(n)))
	d.set("blind", dot(weights[:2], v[:2])/dot(weights[:2], ones(2)))
	d.answer("S", s, reals(out["s"]))
	d.answer("z", z, reals(out["z"]))
	d.set("y", dot(weights, v)/dot(weights, ones(n))) // without ε
}
