package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws12 are those of step 12.
func draws12() map[string]func(*draw) {
	return map[string]func(*draw){
		"cache.attend": cacheAttend,
		"cache.place":  cachePlace,
		"cache.flops":  cacheWork,
		"cache.fit":    cacheFit,
	}
}

// cacheAttend draws two new tokens behind two old ones, for one head with K = 4 whose scores
// are ln 2 times whole numbers: q = ln 4·Q.
func cacheAttend(d *draw) {
	var q, k [][]float64
	for len(q) < 2 {
		k = d.keys(4)
		q = nil
		for _, wanted := range []func(e []float64) bool{
			func(e []float64) bool { return exponents(e[:3], 0, 0, 0, 0, 1) && math.Abs(e[3]) <= 2 },
			func(e []float64) bool { return e[0] != e[1] && exponents(e, 0, 0, 0, 0, 1, 2) },
		} {
			if one := d.query(k, wanted); one != nil {
				q = append(q, one)
			}
		}
	}
	v := [][]float64{d.vector(2), d.vector(2), d.vector(2), d.vector(2)}
	for v[0][0] == v[1][0] && v[0][1] == v[1][1] {
		v[1] = d.vector(2)
	}
	e := times(q, k)
	p := [][]float64{append(shares(2, e[0][:3]), 0), shares(2, e[1])}
	y := times(p, transposed(v))
	mask := d.ask("kvcache.mask", wire.Values{"past": wire.Int(2), "n": wire.Int(2)})["mask"]
	in := wire.Values{"q": tensor([][]float64{scaled(math.Log(4), q[0]), scaled(math.Log(4), q[1])}), "k": tensor(k), "v": tensor(v), "mask": mask}
	out := d.ask("attention.forward", in)
	d.set("Q", q)
	d.set("keys", k)
	d.set("values", v)
	d.set("E", e)
	d.answer("P", p, reals(out["weights"]))
	d.answer("y", y, reals(out["y"]))

	in["mask"] = wire.Bools([]bool{true, false, false, false, true, true, false, false}, 2, 4)
	square := shares(2, e[1][:2])
	d.answer("square", [][]float64{v[0], plus(scaled(square[0], v[0]), square[1], v[1])}, reals(d.ask("attention.forward", in)["y"]))

	five := wire.Values{"q": wire.Floats(scaled(math.Log(4), q[1]), 1, 4), "k": tensor(append(k[:4:4], make([]float64, 4))),
		"v": tensor(append(v[:4:4], make([]float64, 2))), "mask": wire.Bools(every(5), 1, 5)}
	d.answer("empty", scaled(8./9, y[1]), reals(d.ask("attention.forward", five)["y"])) // the weights were 8 parts; now there is a ninth
}

// cachePlace draws a batch of three rows, and looks where its new tokens stand: once by
// formulas, and once by laying all buffers out.
func cachePlace(d *draw) {
	heads, width, longest := d.int(2, 4), 2*d.int(1, 3), d.int(10, 12)
	past := []int{d.int(3, 6), 0, d.int(1, 5)}
	fresh := []int{1, d.int(3, 5), 2}
	total := fresh[0] + fresh[1] + fresh[2]
	h, c := d.int(1, heads-1), d.int(0, width-1)
	row, token := 2, 1 // the second new token of the last row
	place := ((row*heads+h)*longest+past[row]+token)*width + c

	at, found := 0, 0
	for b := range 3 {
		for head := range heads {
			for t := range longest {
				for i := range width {
					if b == row && head == h && t == past[row]+token && i == c {
						found = at
					}
					at++
				}
			}
		}
	}
	var positions, seen []float64 // of all new tokens
	pairs := 0.0
	for b := range 3 {
		for i, allowed := range d.ask("kvcache.mask", wire.Values{"past": wire.Int(past[b]), "n": wire.Int(fresh[b])})["mask"].Bool {
			if i%(past[b]+fresh[b]) == 0 {
				positions, seen = append(positions, -1), append(seen, 0)
			}
			if allowed {
				positions[len(positions)-1]++ // the last key that a token sees is its own
				seen[len(seen)-1]++
				pairs++
			}
		}
	}
	var byHand, keys []float64
	sum := 0
	for b := range 3 {
		for i := range fresh[b] {
			byHand, keys = append(byHand, float64(past[b]+i)), append(keys, float64(past[b]+i+1))
		}
		sum += fresh[b]*past[b] + fresh[b]*(fresh[b]+1)/2
	}
	d.set("H", heads)
	d.set("K", width)
	d.set("D", heads*width)
	d.set("max", longest)
	d.set("p0", past[0])
	d.set("p2", past[2])
	d.set("n1", fresh[1])
	d.set("N", total)
	d.set("M1", fresh[1])
	d.set("M0", past[0]+1)
	d.set("M2", past[2]+2)
	d.set("h", h)
	d.set("c", c)
	d.set("t", past[2]+1)
	d.answer("positions", byHand, positions)
	d.answer("seen", keys, seen)
	d.answer("pairs", sum, []float64{pairs})
	d.answer("place", place, []float64{float64(found)})
}

// cacheWork draws a small model and a position, and counts what a token costs there.
func cacheWork(d *draw) {
	layers, dim, vocab := d.int(2, 4), 10*d.int(1, 3), 10*d.int(2, 5)
	f, past := 2*dim, 10*d.int(2, 9)-1
	weights, pairs, head := 2*(4*dim*dim+3*dim*f), 4*(past+1)*dim, 2*dim*vocab
	with := layers*(weights+pairs) + head
	out := d.ask("kvcache.flops", wire.Values{"vocab_size": wire.Int(vocab), "context_length": wire.Int(past + 1), "d_model": wire.Int(dim),
		"num_layers": wire.Int(layers), "num_heads": wire.Int(1), "d_ff": wire.Int(f), "past": wire.Int(past), "n": wire.Int(1)})
	d.set("L", layers)
	d.set("D", dim)
	d.set("F", f)
	d.set("V", vocab)
	d.set("p", past)
	d.set("p1", past+1)
	d.set("weights", weights)
	d.set("pairs", pairs)
	d.set("head", head)
	d.set("equal", 5*dim)
	d.set("before", 5*dim-1)
	d.answer("with", with, reals(out["with"]))
	d.answer("without", (past+1)*with, reals(out["without"]))
}

// cacheFit draws a model and a machine, and counts how many texts fit.
func cacheFit(d *draw) {
	layers, dim, longest := 10*d.int(2, 4), 1000*d.int(2, 5), 1000*d.int(2, 4)
	token := 2 * 2 * layers * dim // bytes of one token, two for each number
	text := token * longest
	gigabytes := d.int(10, 40)
	whole := gigabytes * 1_000_000_000
	bytes := reals(d.ask("kvcache.bytes", wire.Values{"vocab_size": wire.Int(1), "context_length": wire.Int(longest), "d_model": wire.Int(dim),
		"num_layers": wire.Int(layers), "num_heads": wire.Int(1), "d_ff": wire.Int(1), "batch": wire.Int(1), "max_len": wire.Int(longest)})["bytes"])
	if d.err != nil {
		return
	}
	fit, quarter := 0, 0
	for left := whole; left >= text; left -= text {
		fit++
	}
	for left := whole; left >= text/4; left -= text / 4 {
		quarter++
	}
	d.set("L", layers)
	d.set("D", dim)
	d.set("max", longest)
	d.set("G", gigabytes)
	d.set("token", token)
	d.set("gb", float64(text)/1e9)
	d.set("half", float64(text)/2e9)
	d.answer("text", text, []float64{bytes[0] / 2}) // the course's numbers have four bytes
	d.answer("fit", whole/text, []float64{float64(fit)})
	d.answer("quarter", 4*whole/text, []float64{float64(quarter)})
}
