package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws13 are those of step 13.
func draws13() map[string]func(*draw) {
	return map[string]func(*draw){
		"gqa.forward":  gqaForward,
		"gqa.backward": gqaBackward,
		"gqa.places":   gqaPlaces,
		"gqa.save":     gqaSave,
	}
}

// matrixOf draws a matrix with numbers of a list.
func (d *draw) matrixOf(rows, cols int, from ...float64) [][]float64 {
	x := make([][]float64, rows)
	for i := range x {
		for range cols {
			x[i] = append(x[i], d.pick(from...))
		}
	}
	return x
}

// deciding draws two numbers from −2 to 2 whose product with own is sign, and with other at
// most 1 in size; nil if there are none.
func (d *draw) deciding(own, other []float64, sign float64) []float64 {
	var found [][]float64
	for i := range 25 {
		q := []float64{float64(i%5 - 2), float64(i/5 - 2)}
		if dot(q, own) == sign && math.Abs(dot(q, other)) <= 1 {
			found = append(found, q)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[d.rng.IntN(len(found))]
}

// equalRows reports whether two rows are equal.
func equalRows(a, b []float64) bool {
	gap := plus(a, -1, b)
	return dot(gap, gap) == 0
}

// looked returns what every head makes of its query, √2·ln 3·Q, with the keys and the values
// of the given heads: scores as multiples of ln 3, weights and output.
func looked(q [][]float64, k, v [][][]float64, keyOf, valueOf []int) (e, p, y [][]float64) {
	for h := range q {
		e = append(e, times(q[h:h+1], k[keyOf[h]])[0])
		p = append(p, shares(3, e[h]))
		y = append(y, times(p[h:h+1], transposed(v[valueOf[h]]))[0])
	}
	return e, p, y
}

// headsOf puts heads (tokens, 2) one after the other.
func headsOf(from [][][]float64, which []int) []float64 {
	var all []float64
	for _, g := range which {
		all = append(all, flat(from[g])...)
	}
	return all
}

// gqaForward draws four heads of queries and two of keys and values, K = 2, for two tokens.
func gqaForward(d *draw) {
	grouped, tiled := []int{0, 0, 1, 1}, []int{0, 1, 0, 1}
	for {
		k := [][][]float64{d.matrixOf(2, 2, -1, 0, 1), d.matrixOf(2, 2, -1, 0, 1)}
		v := [][][]float64{d.matrixOf(2, 2, -8, -4, 4, 8), d.matrixOf(2, 2, -8, -4, 0, 4, 8)}
		step := [][]float64{plus(k[0][1], -1, k[0][0]), plus(k[1][1], -1, k[1][0])}
		if equalRows(step[0], step[1]) || equalRows(step[0], scaled(-1, step[1])) {
			continue
		}
		var q [][]float64
		one, two := d.pick(-1, 1), d.pick(-1, 1)
		for h, sign := range []float64{one, -one, two, -two} {
			if one := d.deciding(step[grouped[h]], step[1-grouped[h]], sign); one != nil {
				q = append(q, one)
			}
		}
		if len(q) < 4 {
			continue
		}
		e, p, y := looked(q, k, v, grouped, grouped)
		_, _, yTiled := looked(q, k, v, tiled, tiled)
		_, _, yMixed := looked(q, k, v, grouped, tiled)
		if equalRows(y[1], yTiled[1]) || equalRows(y[2], yTiled[2]) || equalRows(y[1], yMixed[1]) || equalRows(y[2], yMixed[2]) || equalRows(yTiled[1], yMixed[1]) {
			continue
		}
		ask := func(keys, values wire.Value) wire.Values {
			return d.ask("attention.forward", wire.Values{"q": shaped(scaled(math.Sqrt2*math.Log(3), flat(q)), 1, 4, 1, 2),
				"k": keys, "v": values, "mask": wire.Bools(every(2), 1, 2)})
		}
		repeat := func(x [][][]float64) wire.Value {
			return d.ask("gqa.repeat", wire.Values{"kv": shaped(headsOf(x, []int{0, 1}), 1, 2, 2, 2), "num_heads": wire.Int(4)})["y"]
		}
		tile := func(x [][][]float64) wire.Value { return shaped(headsOf(x, tiled), 1, 4, 2, 2) }
		d.set("Q", q)
		d.set("kA", k[0])
		d.set("kB", k[1])
		d.set("vA", v[0])
		d.set("vB", v[1])
		d.set("E", e)
		keys, values := repeat(k), repeat(v)
		out := ask(keys, values)
		d.answer("P", p, reals(out["weights"]))
		d.answer("y", y, reals(out["y"]))
		d.answer("tiled", yTiled, reals(ask(tile(k), tile(v))["y"]))
		d.answer("mixed", yMixed, reals(ask(keys, tile(v))["y"]))
		return
	}
}

// gqaBackward draws two heads of queries that share one head of keys and values, K = 2, for
// the second of two tokens.
func gqaBackward(d *draw) {
	for {
		k, v := d.matrixOf(2, 2, -1, 0, 1), d.matrixOf(2, 2, -8, -4, 4, 8)
		dy := d.matrixOf(2, 2, -2, -1, 1, 2)
		step := plus(k[1], -1, k[0])
		sign := d.pick(-1, 1)
		q := [][]float64{d.deciding(step, step, sign), d.deciding(step, step, -sign)}
		if q[0] == nil || q[1] == nil || equalRows(q[0], scaled(-1, q[1])) {
			continue
		}
		e := times(q, k)
		p := [][]float64{shares(3, e[0]), shares(3, e[1])}
		dP := times(dy, v)
		fit := true
		var mean []float64
		var dS [][]float64
		for h := range 2 {
			gap := math.Abs(dP[h][0] - dP[h][1])
			fit = fit && (gap == 8 || gap == 16 || gap == 24)
			mean = append(mean, dot(p[h], dP[h]))
			dS = append(dS, []float64{p[h][0] * (dP[h][0] - mean[h]), p[h][1] * (dP[h][1] - mean[h])})
		}
		sum := times(transposed(dS), transposed(q)) // dSᵀ·Q
		if !fit || equalRows(sum[0], []float64{0, 0}) {
			continue
		}
		dVa := [][]float64{scaled(p[0][0], dy[0]), scaled(p[0][1], dy[0])}
		dVb := [][]float64{scaled(p[1][0], dy[1]), scaled(p[1][1], dy[1])}
		ln3 := math.Log(3)
		last := [][]float64{scaled(ln3*dS[1][0], q[1]), scaled(ln3*dS[1][1], q[1])}
		dk := [][]float64{scaled(ln3, sum[0]), scaled(ln3, sum[1])}

		repeat := func(x [][]float64) wire.Value {
			return d.ask("gqa.repeat", wire.Values{"kv": shaped(x, 1, 1, 2, 2), "num_heads": wire.Int(2)})["y"]
		}
		second := func(f float64, x [][]float64) wire.Value { // token 0 of each head has zeros
			return wire.Floats([]float64{0, 0, f * x[0][0], f * x[0][1], 0, 0, f * x[1][0], f * x[1][1]}, 1, 2, 2, 2)
		}
		out := d.ask("attention.backward", wire.Values{"q": second(math.Sqrt2*ln3, q), "k": repeat(k), "v": repeat(v), "dy": second(1, dy),
			"mask": d.ask("causal_mask", wire.Values{"n": wire.Int(2)})["mask"]})
		group := func(x wire.Value) []float64 {
			return reals(d.ask("gqa.sum", wire.Values{"d": x, "num_kv_heads": wire.Int(1)})["dkv"])
		}
		d.set("Q", q)
		d.set("k", k)
		d.set("v", v)
		d.set("dy", dy)
		d.set("P", p)
		d.set("dP", dP)
		d.set("mean", mean)
		d.set("dS", dS)
		d.set("dVa", dVa)
		d.set("dVb", dVb)
		d.set("sum", sum)
		d.set("half", [][]float64{scaled(0.5, dk[0]), scaled(0.5, dk[1])})
		d.answer("dv", [][]float64{plus(dVa[0], 1, dVb[0]), plus(dVa[1], 1, dVb[1])}, group(out["dv"]))
		d.answer("dk", dk, group(out["dk"]))
		dKeys := reals(out["dk"])
		if d.err == nil {
			d.answer("last", last, dKeys[4:]) // of head 1
		}
		return
	}
}

// gqaPlaces draws a layer and a number of a key, and looks where that stands. The oracle is
// given keys that say where they are.
func gqaPlaces(d *draw) {
	sizes := [][2]int{{6, 2}, {8, 2}, {6, 3}, {12, 4}, {12, 3}, {8, 4}}[d.rng.IntN(6)]
	heads, groups := sizes[0], sizes[1]
	m, width, seq := heads/groups, 2*d.int(1, 2), d.int(3, 6)
	t, c := d.int(1, seq-1), d.int(0, width-1)
	h := d.int(1, heads-2)
	for h/m == h%groups || h/m == h/groups || h/m == 0 {
		h = d.int(1, heads-1)
	}
	dim, e := heads*width, groups*width
	g := h / m
	var places, columns, names []float64
	for head := range groups {
		names = append(names, float64(head))
		for range seq {
			for i := range width {
				places = append(places, float64(len(places)))
				columns = append(columns, float64(dim+head*width+i))
			}
		}
	}
	repeat := func(x []float64, time, k int) []float64 {
		return reals(d.ask("gqa.repeat", wire.Values{"kv": shaped(x, 1, groups, time, k), "num_heads": wire.Int(heads)})["y"])
	}
	at := (h*seq+t)*width + c
	reads, place, column := repeat(names, 1, 1), repeat(places, seq, width), repeat(columns, seq, width)
	if d.err != nil {
		return
	}
	var byHand, tiled []float64
	for head := range heads {
		byHand, tiled = append(byHand, float64(head/m)), append(tiled, float64(head%groups))
	}
	d.set("D", dim)
	d.set("H", heads)
	d.set("Hkv", groups)
	d.set("m", m)
	d.set("K", width)
	d.set("E", e)
	d.set("T", seq)
	d.set("t", t)
	d.set("c", c)
	d.set("h", h)
	d.set("g", g)
	d.set("tiled", tiled)
	d.set("byTile", h%groups)
	d.set("byNumber", h/groups)
	d.set("rows", dim+2*e)
	d.set("params", (dim+2*e)*dim)
	d.set("at", at)
	d.answer("reads", byHand, reads)
	d.answer("column", dim+g*width+c, column[at:at+1])
	d.answer("place", (g*seq+t)*width+c, place[at:at+1])
}

// gqaSave draws a model, and counts what groups save.
func gqaSave(d *draw) {
	layers, heads, width := 10*d.int(2, 4), 8*d.int(1, 2), 50*d.int(1, 2)
	groups, texts, tokens, weights := int(d.pick(2, 4)), 10*d.int(2, 5), 1000*d.int(2, 5), d.int(1, 4)
	m, dim, e := heads/groups, heads*width, groups*width
	token := 2 * 2 * layers * e
	bytes := func(width int) []float64 {
		return reals(d.ask("kvcache.bytes", wire.Values{"vocab_size": wire.Int(1), "context_length": wire.Int(tokens), "d_model": wire.Int(width),
			"num_layers": wire.Int(layers), "num_heads": wire.Int(1), "d_ff": wire.Int(1), "batch": wire.Int(texts), "max_len": wire.Int(tokens)})["bytes"])
	}
	all, grouped := bytes(dim), bytes(e)
	if d.err != nil {
		return
	}
	big, small := float64(m*token*tokens*texts)/1e9, float64(token*tokens*texts)/1e9
	d.set("L", layers)
	d.set("H", heads)
	d.set("Hkv", groups)
	d.set("m", m)
	d.set("K", width)
	d.set("D", dim)
	d.set("E", e)
	d.set("n", tokens)
	d.set("b", texts)
	d.set("w", weights)
	d.set("before", 4*dim*dim)
	d.set("tokenBefore", m*token)
	d.set("token", token)
	d.set("pairs", 2*tokens*dim)
	d.set("readBefore", float64(weights)+big)
	d.set("readAfter", float64(weights)+small)
	d.set("faster", (float64(weights)+big)/(float64(weights)+small))
	d.answer("after", 2*dim*dim+2*dim*e, []float64{4 * float64(dim*dim) * float64(m+1) / float64(2*m)}) // half of it stays, half is divided by m
	d.answer("big", big, []float64{all[0] / 2e9})                                                       // the course's numbers have four bytes
	d.answer("small", small, []float64{grouped[0] / 2e9})
}
