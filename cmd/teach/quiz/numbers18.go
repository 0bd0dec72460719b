package quiz

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws18 are those of step 18.
func draws18() map[string]func(*draw) {
	return map[string]func(*draw){
		"moe.gates": moeGates,
		"moe.load":  moeLoad,
		"moe.slots": moeSlots,
	}
}

// shuffled returns the numbers in another order.
func (d *draw) shuffled(x ...float64) []float64 {
	d.rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	return x
}

// largest returns the places of the k largest, the largest first.
func largest(x []float64, k int) []int {
	places := make([]int, len(x))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return int(math.Copysign(1, x[b]-x[a])) })
	return places[:k]
}

// moeGates draws the logits of a token and what each of three experts makes of it.
func moeGates(d *draw) {
	sets := [][]float64{{5, 3, 2}, {12, 8, 5}, {9, 6, 5}, {14, 6, 5}, {15, 9, 1}}
	a := d.shuffled(slices.Clone(sets[d.rng.IntN(len(sets))])...)
	outs := d.shuffled(d.pick(-20, -10), d.pick(10, 20, 30), d.pick(40, 60))
	chosen := largest(a, 2)
	c, second := chosen[0], chosen[1]
	p := scaled(1/total(a), a)
	two := a[c] + a[second]
	g := []float64{a[c] / two, a[second] / two}
	y := g[0]*outs[c] + g[1]*outs[second]
	dl, one := make([]float64, 3), scaled(-outs[c]*p[c], p)
	dl[c], dl[second] = g[0]*(outs[c]-y), g[1]*(outs[second]-y)
	one[c] += outs[c] * p[c]

	in := func(k int) wire.Values { return wire.Values{"logits": shaped(logits(a), 1, 3), "k": wire.Int(k)} }
	back := func(dg ...float64) wire.Values {
		v := in(len(dg))
		v["dgates"] = shaped(dg, 1, len(dg))
		return v
	}
	d.set("a", a)
	d.set("sum", total(a))
	d.set("out", outs)
	d.set("c", c)
	d.set("s", second)
	d.set("outC", outs[c])
	d.set("outS", outs[second])
	d.set("p", p)
	d.set("pC", p[c])
	d.set("two", two)
	d.set("y", y)
	d.set("y1", p[c]*outs[c])
	d.set("plain", p[c]*outs[c]+p[second]*outs[second])
	d.set("left", p[c]+p[second])
	d.answer("g", g, reals(d.ask("gates.forward", in(2))["gates"]))
	d.answer("one", p[c], reals(d.ask("gates.forward", in(1))["gates"]))
	d.answer("dl", dl, reals(d.ask("gates.backward", back(outs[c], outs[second]))["dlogits"]))
	d.answer("dlOne", one, reals(d.ask("gates.backward", back(outs[c]))["dlogits"]))
}

// identity is a router whose logits are its input.
func identity(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i*n+i] = 1
	}
	return x
}

// noExperts are the arguments of a layer whose logits are its input, and whose experts make 0.
func noExperts(l [][]float64, k int) wire.Values {
	experts := len(l[0])
	return wire.Values{"x": tensor(l), "router": shaped(identity(experts), experts, experts), "k": wire.Int(k),
		"w1": zeros(experts, experts), "w2": zeros(experts*experts, 1), "w3": zeros(experts, experts)}
}

// moeLoad draws the logits of five tokens, of which the last is padding, for three
// experts: some have twice the weights, which the softmax does not see.
func moeLoad(d *draw) {
	const tokens, k = 4, 2
	a, l := make([][]float64, tokens+1), make([][]float64, tokens+1)
	f, p := make([]float64, 3), make([]float64, 3)
	squares, real := 0.0, every(tokens+1)
	real[tokens] = false
	for t := range a {
		a[t] = scaled(float64(d.int(1, 2)), d.shuffled(5, 3, 2))
		l[t] = logits(a[t])
		if !real[t] {
			continue
		}
		for _, e := range largest(a[t], k) {
			f[e] += 1.0 / (k * tokens)
		}
		p = plus(p, 1/(tokens*total(a[t])), a[t])
		squares += math.Log(total(a[t])) * math.Log(total(a[t]))
	}
	own := scaled(1/total(a[0]), a[0])
	mean := dot(f, own)
	dl := scaled(3.0/tokens, each(own, plus(f, -mean, ones(3))))
	twice := 0
	for _, row := range a[:tokens] {
		if total(row) > 10 {
			twice++
		}
	}

	in := wire.Values{"x": shaped(l, 1, tokens+1, 3), "router": shaped(identity(3), 1, 3, 3), "k": wire.Int(k), "real": wire.Bools(real, tokens+1)}
	out := d.ask("moe.losses", in)
	layer := noExperts(l, k)
	layer["real"], layer["alpha"], layer["beta"] = wire.Bools(real, tokens+1), wire.Floats([]float64{1}), wire.Floats([]float64{0})
	layer["dy"] = zeros(tokens+1, 3)
	for _, w := range []string{"router", "w1", "w2", "w3"} {
		layer["d"+w+"_before"] = zeros(layer[w].Shape[0], layer[w].Shape[1])
	}
	back := d.ask("moe.trained", layer)
	if d.err != nil {
		return
	}
	d.set("a", a)
	d.set("P", p)
	d.set("p", own)
	d.set("mean", mean)
	d.set("once", tokens-twice)
	d.set("twice", twice)
	d.set("kTimes", 2*3*dot(f, p))
	d.answer("f", f, reals(out["load"]))
	d.answer("balance", 3*dot(f, p), reals(out["balance"]))
	d.answer("z", squares/tokens, reals(out["z"]))
	d.answer("dl", dl, reals(back["dx"])[:3])
}

// moeSlots draws four tokens for four experts, and sorts their slots.
func moeSlots(d *draw) {
	const k = 2
	l := make([][]float64, 4)
	for t := range l {
		l[t] = d.shuffled(-3, -1, 2, 5)
	}
	if chosen := largest(l[0], 1); chosen[0] == 0 { // or the order of the slots may be their own
		l[0][0], l[0][3] = l[0][3], l[0][0]
	}
	chosen := make([][]float64, len(l))
	count := make([]float64, 4)
	byExpert := make([][]float64, 4)
	for t := range l {
		for n, e := range largest(l[t], k) {
			chosen[t] = append(chosen[t], float64(e))
			count[e]++
			byExpert[e] = append(byExpert[e], float64(t*k+n))
		}
	}
	order := slices.Concat(byExpert...)
	start, dropped := []float64{0}, 0.0
	for _, n := range count {
		start = append(start, start[len(start)-1]+n)
		dropped += max(0, n-2)
	}
	place := d.int(2, 5)
	slot := int(order[place])
	d.set("l", l)
	d.set("order", order)
	d.set("start", start)
	d.set("dropped", dropped)
	d.set("place", place)
	d.set("slot", slot)
	d.set("token", slot/k)
	d.set("nth", []string{"first", "second"}[slot%k])
	d.answer("chosen", chosen, reals(d.ask("moe.topk", wire.Values{"logits": tensor(l), "k": wire.Int(k)})["chosen"]))
	d.answer("count", count, reals(d.ask("moe.calls", noExperts(l, k))["rows"]))
}
