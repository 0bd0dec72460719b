package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// draws19 are those of step 19.
func draws19() map[string]func(*draw) {
	return map[string]func(*draw){
		"classic.norm":    classicNorm,
		"classic.network": classicNetwork,
		"classic.dropout": classicDropout,
	}
}

// classicNorm draws a row of four around a mean, whose deviation is a whole number, a gain,
// a bias and a gradient.
func classicNorm(d *draw) {
	pair := [][]float64{{1, 7}, {2, 14}, {7, 17}, {3, 3}}[d.int(0, 3)] // ½·Σ of the squares: 25, 100, 169, 9
	dist, mean := []float64{pair[0], -pair[0], pair[1], -pair[1]}, float64(d.int(2, 9))
	d.rng.Shuffle(4, func(i, j int) { dist[i], dist[j] = dist[j], dist[i] })
	variance := dot(dist, dist) / 4
	x := plus(dist, mean, ones(4))
	g, b, dy := d.vector(4), d.vector(4), d.vector(4)
	r := 1 / math.Sqrt(variance+oracle.Eps)
	h, dh := scaled(r, dist), each(dy, g)
	level, along := total(dh)/4, dot(dh, h)/4
	for math.Abs(level) < 0.1 || math.Abs(along) < 0.05 {
		dy = d.vector(4)
		dh = each(dy, g)
		level, along = total(dh)/4, dot(dh, h)/4
	}
	in := wire.Values{"x": shaped(x, 1, 4), "g": wire.Floats(g, 4), "b": wire.Floats(b, 4)}
	y := reals(d.ask("layernorm.forward", in)["y"])
	in["dy"] = shaped(dy, 1, 4)
	in["dg_before"], in["db_before"] = wire.Floats(make([]float64, 4), 4), wire.Floats(make([]float64, 4), 4)
	out := d.ask("layernorm.backward", in)
	if d.err != nil {
		return
	}
	centred := plus(dh, -level, ones(4))
	d.set("x", x)
	d.set("g", g)
	d.set("b", b)
	d.set("dy", dy)
	d.set("mean", mean)
	d.set("dist", dist)
	d.set("variance", variance)
	d.set("h", h)
	d.set("dh", dh)
	d.set("level", level)
	d.set("along", along)
	d.set("rms", scaled(1/math.Sqrt(dot(x, x)/4+oracle.Eps), x))
	d.set("two", scaled(r, plus(dh, -along, h)))
	d.answer("y", plus(each(h, g), 1, b), y)
	d.answer("dx", scaled(r, plus(centred, -along, h)), reals(out["dx"]))
}

// classicNetwork draws a network with one row, D = 2 and F = 3, and ReLU, of whose hidden
// numbers some are cut off and some are not.
func classicNetwork(d *draw) {
	var x, b1, pre []float64
	var w1 [][]float64
	for alive := 0; alive != 1 && alive != 2; {
		x, b1, w1, pre, alive = d.vector(2), d.vector(3), d.matrix(3, 2), nil, 0
		for f := range w1 {
			pre = append(pre, dot(w1[f], x)+b1[f])
			if pre[f] > 0 {
				alive++
			}
			if pre[f] == 0 {
				alive = 9
			}
		}
	}
	w2, b2, dy := d.matrix(2, 3), d.vector(2), d.vector(2)
	act, open := make([]float64, 3), make([]float64, 3)
	for f := range pre {
		if pre[f] > 0 {
			act[f], open[f] = pre[f], 1
		}
	}
	column := func(w [][]float64, j int) []float64 {
		c := make([]float64, len(w))
		for i := range w {
			c[i] = w[i][j]
		}
		return c
	}
	dAct := []float64{dot(dy, column(w2, 0)), dot(dy, column(w2, 1)), dot(dy, column(w2, 2))}
	dPre := each(dAct, open)
	in := wire.Values{"x": shaped(x, 1, 2), "w1": tensor(w1), "b1": wire.Floats(b1, 3), "w2": tensor(w2), "b2": wire.Floats(b2, 2), "relu": wire.Int(1)}
	y := reals(d.ask("ffn.forward", in)["y"])
	in["dy"] = shaped(dy, 1, 2)
	in["dw1_before"], in["dw2_before"] = zeros(3, 2), zeros(2, 3)
	in["db1_before"], in["db2_before"] = wire.Floats(make([]float64, 3), 3), wire.Floats(make([]float64, 2), 2)
	out := d.ask("ffn.backward", in)
	if d.err != nil {
		return
	}
	d.set("x", x)
	d.set("w1", w1)
	d.set("b1", b1)
	d.set("w2", w2)
	d.set("b2", b2)
	d.set("dy", dy)
	d.set("pre", pre)
	d.set("act", act)
	d.set("dAct", dAct)
	d.answer("y", plus([]float64{dot(w2[0], act), dot(w2[1], act)}, 1, b2), y)
	d.answer("db1", dPre, reals(out["db1"]))
	d.answer("dx", []float64{dot(dPre, column(w1, 0)), dot(dPre, column(w1, 1))}, reals(out["dx"]))
}

// classicDropout draws four numbers, of which some are dropped and some are not.
func classicDropout(d *draw) {
	p := d.pick(0.2, 0.25, 0.5)
	x, dy := d.vector(4), d.vector(4)
	u := []float64{d.pick(0.05, 0.1), d.pick(0.6, 0.7), d.pick(0.8, 0.9), d.pick(0.15, 0.55)}
	d.rng.Shuffle(4, func(i, j int) { u[i], u[j] = u[j], u[i] })
	bits, keep := make([]int64, 4), make([]float64, 4)
	for i := range u {
		bits[i] = int64(u[i] * (1 << 53))
		if u[i] >= p {
			keep[i] = 1 / (1 - p)
		}
	}
	in := wire.Values{"x": shaped(x, 1, 4), "bits": wire.Ints(bits, 1, 4), "p": wire.Float(p), "training": wire.Int(1)}
	y := reals(d.ask("dropout.forward", in)["y"])
	in["dy"] = shaped(dy, 1, 4)
	out := d.ask("dropout.backward", in)
	if d.err != nil {
		return
	}
	d.set("x", x)
	d.set("u", u)
	d.set("dy", dy)
	d.set("p", p)
	d.set("factor", 1/(1-p))
	d.set("plain", x)
	d.set("x0square", x[0]*x[0])
	d.set("variance", x[0]*x[0]*p/(1-p))
	d.answer("y", each(x, keep), y)
	d.answer("dx", each(dy, keep), reals(out["dx"]))
}
