package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws16 are those of step 16.
func draws16() map[string]func(*draw) {
	return map[string]func(*draw){
		"flash.forward":  flashForward,
		"flash.backward": flashBackward,
		"flash.tiles":    flashTiles,
	}
}

// logarithms returns ln a for every number, times f.
func logarithms(f float64, a []float64) []float64 {
	logs := make([]float64, len(a))
	for i := range a {
		logs[i] = f * math.Log(a[i])
	}
	return logs
}

// ones are n times 1: a dot product with them is a sum.
func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// oneQuery is what the oracle is given for one query and keys of one number, K = C = 1.
func oneQuery(q float64, k, v []float64) wire.Values {
	return wire.Values{"q": wire.Floats([]float64{q}, 1, 1), "k": wire.Floats(k, len(k), 1), "v": wire.Floats(v, len(v), 1),
		"causal": wire.Int(0), "tile_n": wire.Int(0), "tile_m": wire.Int(0)}
}

// flashForward draws one query and four keys in two tiles, S = ln a, of which the second
// has the largest score.
func flashForward(d *draw) {
	first := [][]float64{{1, 2}, {2, 1}, {1, 4}, {4, 1}, {2, 4}, {4, 2}}[d.rng.IntN(6)]
	second := [][]float64{{8, 1}, {1, 8}, {2, 8}, {8, 2}, {16, 1}, {4, 16}}[d.rng.IntN(6)]
	v1, v2 := []float64{d.pick(2, 4, 8), d.pick(-8, -4, 0, 4)}, []float64{d.pick(-8, -4, 4, 8), d.pick(-4, 2, 4, 8)}
	top1, top2 := max(first[0], first[1]), max(second[0], second[1])
	past := top1 / top2
	l1, o1 := dot(first, ones(2))/top1, dot(first, v1)/top1
	add, own := dot(second, v2)/top2, dot(second, ones(2))/top2
	l, o := past*l1+own, past*o1+add
	a, v := append(append([]float64{}, first...), second...), append(append([]float64{}, v1...), v2...)
	out := d.ask("flash.forward", oneQuery(1, logarithms(1, a), v))
	if d.err != nil {
		return
	}
	d.set("a", a)
	d.set("v", v)
	d.set("topA", top1)
	d.set("topB", top2)
	d.set("past", past)
	d.set("inverse", 1/past)
	d.set("PA", scaled(1/top1, first))
	d.set("PB", scaled(1/top2, second))
	d.set("lA", l1)
	d.set("OA", o1)
	d.set("own", own)
	d.set("add", add)
	d.set("l", l)
	d.set("O", o)
	d.set("sum", dot(a, ones(4)))
	d.set("kept", (o1+add)/l)
	d.set("grown", (o1/past+add)/(l1/past+own))
	d.answer("y", o/l, reals(out["y"]))
	d.answer("L", math.Log(top2)+math.Log(l), reals(out["lse"]))
}

// flashBackward draws one query, q = 2, and three keys, k = ½·ln a, in tiles of two and one.
func flashBackward(d *draw) {
	a := [][]float64{{1, 3, 4}, {1, 2, 5}, {2, 2, 4}, {1, 1, 2}, {3, 1, 4}, {2, 5, 1}, {4, 1, 3}, {1, 5, 2}}[d.rng.IntN(8)]
	v := []float64{d.pick(4, 8), d.pick(-8, -4), d.pick(12, 16)}
	dy := d.pick(-2, -1, 1, 2)
	sum := dot(a, ones(3))
	p := scaled(1/sum, a)
	y := dot(p, v)
	dS := each(p, plus(scaled(dy, v), -dy*y, ones(3)))
	k := logarithms(0.5, a)
	in := oneQuery(2, k, v)
	y0, logs := reals(d.ask("flash.forward", in)["y"]), reals(d.ask("flash.forward", in)["lse"])
	in["dy"] = wire.Floats([]float64{dy}, 1, 1)
	out := d.ask("flash.backward", in)
	if d.err != nil {
		return
	}
	part := dot(p[:2], scaled(dy, v[:2])) // of Σ P·dP, in the first tile
	d.set("a", a)
	d.set("v", v)
	d.set("dy", dy)
	d.set("sum", sum)
	d.set("P", p)
	d.set("D", dy*y)
	d.set("dP", scaled(dy, v))
	d.set("dS", dS)
	d.set("k", k)
	d.set("dqA", dot(dS[:2], k[:2]))
	d.set("dqB", dS[2]*k[2])
	d.set("part", part)
	d.set("rest", p[2]*dy*v[2])
	d.set("wrong", append(each(p[:2], plus(scaled(dy, v[:2]), -part, ones(2))), p[2]*(dy*v[2]-p[2]*dy*v[2])))
	d.answer("y", y, y0)
	d.answer("L", math.Log(sum), logs)
	d.answer("dv", scaled(dy, p), reals(out["dv"]))
	d.answer("dk", scaled(2, dS), reals(out["dk"]))
	d.answer("dq", dot(dS, k), reals(out["dq"]))
}

// flashTiles draws sizes, and counts the tiles that a causal mask leaves: by what the last
// query of a tile sees, and in the oracle's weights.
func flashTiles(d *draw) {
	n, rows, cols := d.int(5, 9), d.int(2, 3), d.int(2, 4)
	m := n + int(d.pick(-3, -2, 2, 3, 4, 5))
	i := d.int(max(1, n-m), n-2)
	sees := func(i int) int { return max(0, i+1+m-n) }
	all := d.ask("flash.weights", wire.Values{"q": zeros(n, 1), "k": zeros(m, 1), "v": zeros(m, 1),
		"causal": wire.Int(1), "tile_n": wire.Int(0), "tile_m": wire.Int(0)})
	if d.err != nil {
		return
	}
	weights := reals(all["weights"])
	var needed, found []float64 // for each tile of queries
	crossed, mixed, total := 0, 0, 0
	for first := 0; first < n; first += rows {
		last := min(first+rows, n) - 1
		needed, found = append(needed, float64((sees(last)+cols-1)/cols)), append(found, 0)
		for from := 0; from < m; from += cols {
			to := min(from+cols, m)
			seen := 0
			for r := first; r <= last; r++ {
				for j := from; j < to; j++ {
					if weights[r*m+j] > 0 {
						seen++
					}
				}
			}
			if seen > 0 {
				found[len(found)-1]++
				if seen < (last+1-first)*(to-from) {
					mixed++
				}
			}
			if from < sees(last) && sees(first) < to {
				crossed++
			}
			total++
		}
	}
	count := 0.0
	for _, w := range weights[i*m:][:m] {
		if w > 0 {
			count++
		}
	}
	d.set("N", n)
	d.set("M", m)
	d.set("R", rows)
	d.set("J", cols)
	d.set("i", i)
	d.set("shift", m-n)
	d.set("lastSeen", sees(i)-1)
	d.set("blind", max(0, n-m))
	d.set("rowTiles", len(needed))
	d.set("colTiles", (m+cols-1)/cols)
	d.set("total", total)
	d.set("done", dot(needed, ones(len(needed))))
	d.set("left", min(n, m))
	d.answer("sees", sees(i), []float64{count})
	d.answer("needed", needed, found)
	d.answer("crossed", crossed, []float64{float64(mixed)})
}
