package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws20 are those of step 20.
func draws20() map[string]func(*draw) {
	return map[string]func(*draw){
		"seq2seq.memory":    memoryRow,
		"seq2seq.smoothing": smoothedRow,
		"seq2seq.rate":      rates,
	}
}

// memoryRow draws a query over three tokens of a memory, (ln a, v) each, of which the last
// is padding: the first number is the key, the second the value.
func memoryRow(d *draw) {
	const n = 3
	a, v := make([]float64, n), make([]float64, n)
	var memory []float64
	for j := range n {
		a[j], v[j] = d.pick(1, 2, 3, 4), d.pick(-6, -3, 2, 4, 8, 12)
		memory = append(memory, math.Log(a[j]), v[j])
	}
	a[2] = d.pick(5, 6, 8)
	memory[4] = math.Log(a[2])
	ask := func(last bool) []float64 {
		identity := wire.Floats([]float64{1, 0, 0, 1}, 2, 2)
		out := d.ask("attend.forward", wire.Values{"num_heads": wire.Int(1), "x": wire.Floats([]float64{math.Sqrt2, 0}, 1, 1, 2),
			"memory": wire.Floats(memory, 1, n, 2), "real": wire.Bools([]bool{true, true, last}, 1, n), "wq": identity, "wo": identity,
			"wk": wire.Floats([]float64{1, 0, 0, 0}, 2, 2), "wv": wire.Floats([]float64{0, 0, 0, 1}, 2, 2)})
		if d.err != nil {
			return nil
		}
		return reals(out["y"])[1:]
	}
	d.set("a", a)
	d.set("v", v)
	d.set("seen", a[:2])
	d.set("num", dot(a[:2], v[:2]))
	d.set("sum", dot(a[:2], ones(2)))
	d.set("all", dot(a, ones(n)))
	d.answer("y", dot(a[:2], v[:2])/dot(a[:2], ones(2)), ask(false))
	d.answer("without", dot(a, v)/dot(a, ones(n)), ask(true))
}

// smoothedRow draws a row of four logits ln w, a label and ε.
func smoothedRow(d *draw) {
	w := [][]float64{{4, 3, 2, 1}, {1, 5, 2, 2}, {6, 1, 1, 2}, {2, 2, 3, 3}, {1, 1, 7, 1}}[d.int(0, 4)]
	epsilon, label := d.pick(0.1, 0.2, 0.4), d.int(0, 3)
	p, q, logits := scaled(0.1, w), make([]float64, 4), make([]float64, 4)
	for i := range q {
		q[i], logits[i] = epsilon/4, math.Log(w[i])
	}
	q[label] += 1 - epsilon
	in := wire.Values{"logits": wire.Floats(logits, 1, 1, 4), "labels": wire.Ints([]int64{int64(label)}, 1, 1), "eps": wire.Float(epsilon)}
	gradient := reals(d.ask("smoothing.backward", in)["dlogits"])
	if d.err != nil {
		return
	}
	d.set("w", w)
	d.set("label", label)
	d.set("epsilon", epsilon)
	d.set("p", p)
	d.set("q", q)
	d.answer("gradient", plus(p, -1, q), gradient)
}

// rates draws a width and a warm-up of which the roots are whole numbers.
func rates(d *draw) {
	root, warm := d.int(4, 16), d.int(2, 6)
	width, warmup := root*root, warm*warm
	steps := []int64{1, int64(warmup), int64(4 * warmup)}
	out := d.ask("rate", wire.Values{"steps": wire.Ints(steps, 3), "d_model": wire.Int(width), "warmup": wire.Int(warmup)})
	if d.err != nil {
		return
	}
	cube := float64(root * warm * warm * warm)
	d.set("D", width)
	d.set("warmup", warmup)
	d.set("later", 4*warmup)
	d.set("root", root)
	d.set("cube", warm*warm*warm)
	d.answer("rates", []float64{1 / cube, 1 / float64(root*warm), 1 / float64(2*root*warm)}, reals(out["rates"]))
}
