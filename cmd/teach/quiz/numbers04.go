package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// draws04 are those of step 04.
func draws04() map[string]func(*draw) {
	return map[string]func(*draw){
		"rmsnorm.forward":  rmsForward,
		"rmsnorm.backward": rmsBackward,
		"rmsnorm.gain":     rmsGain,
		"rmsnorm.small":    rmsSmall,
	}
}

// square draws a row of four whose mean square is that of a whole number, root.
func (d *draw) square() (x []float64, root float64) {
	rows := [][]float64{{1, 1, 3, 5}, {1, 5, 5, 7}, {1, 1, 7, 7}, {1, 3, 3, 9}, {2, 2, 6, 10}}
	x = append(x, rows[d.int(0, len(rows)-1)]...)
	d.rng.Shuffle(4, func(i, j int) { x[i], x[j] = x[j], x[i] })
	for i := range x {
		x[i] *= d.pick(1, -1)
	}
	return x, math.Sqrt(dot(x, x) / 4)
}

// scale is r of a row.
func scale(x []float64) float64 { return 1 / math.Sqrt(dot(x, x)/float64(len(x))+oracle.Eps) }

// rmsForward draws a row and a gain.
func rmsForward(d *draw) {
	x, root := d.square()
	for total(x) == 0 { // layer normalisation would do the same
		x, root = d.square()
	}
	g := d.vector(4)
	d.set("x", x)
	d.set("g", g)
	d.set("ms", root*root)
	d.set("root", root)
	d.set("h", scaled(scale(x), x))
	d.answer("y", each(scaled(scale(x), x), g), reals(d.ask("rmsnorm.forward", wire.Values{"x": shaped(x, 1, 4), "g": wire.Floats(g, 4)})["y"]))
	mean := total(x) / 4
	d.set("mean", mean)
	d.set("variance", root*root-mean*mean)
}

// rmsBackward draws a row, a gain and a gradient.
func rmsBackward(d *draw) {
	x, root := d.square()
	g, dy := d.vector(4), d.vector(4)
	h, dh := scaled(scale(x), x), each(dy, g)
	mean := dot(dh, h) / 4
	for math.Abs(mean) < 0.1 {
		dy = d.vector(4)
		dh = each(dy, g)
		mean = dot(dh, h) / 4
	}
	out := d.ask("rmsnorm.backward", wire.Values{"x": shaped(x, 1, 4), "g": wire.Floats(g, 4), "dy": shaped(dy, 1, 4), "dg_before": wire.Floats(make([]float64, 4), 4)})
	d.set("x", x)
	d.set("g", g)
	d.set("dy", dy)
	d.set("root", root)
	d.set("h", h)
	d.set("dh", dh)
	d.set("mean", mean)
	d.answer("dx", scaled(scale(x), plus(dh, -mean, h)), reals(out["dx"]))
	d.set("half", scaled(scale(x), dh))
	d.set("along", dot(x, scaled(scale(x), dh)))
}

// rmsGain draws two rows that share a gain.
func rmsGain(d *draw) {
	a, rootA := d.square()
	b, rootB := d.square()
	g, before := []float64{1, 1, 1, 1}, d.vector(4)
	dy := d.matrix(2, 4)
	x := [][]float64{a, b}
	grad := before
	for n, r := range x {
		grad = plus(grad, 1, each(dy[n], scaled(scale(r), r)))
	}
	out := d.ask("rmsnorm.backward", wire.Values{"x": tensor(x), "g": wire.Floats(g, 4), "dy": tensor(dy), "dg_before": wire.Floats(before, 4)})
	d.set("x", x)
	d.set("dy", dy)
	d.set("before", before)
	d.set("roots", []float64{rootA, rootB})
	d.set("H", [][]float64{scaled(scale(a), a), scaled(scale(b), b)})
	d.answer("dg", grad, reals(out["dg"]))
}

// rmsSmall draws a row so small that ε decides, with a mean square of a whole number of 10⁻⁵.
func rmsSmall(d *draw) {
	k := float64(d.int(2, 15)) // k·10⁻⁵ and ε together are (k+1)·10⁻⁵
	size := math.Sqrt(k * 1e-5)
	x := []float64{size, size, -size, size}
	d.set("k", k)
	d.set("k1", k+1)
	d.set("size", size*1000)
	d.answer("h", []float64{size * scale(x)}, reals(d.ask("rmsnorm.forward", wire.Values{"x": shaped(x, 1, 4), "g": wire.Floats([]float64{1, 1, 1, 1}, 4)})["y"])[:1])
	d.set("outside", size/(size+oracle.Eps))
}
