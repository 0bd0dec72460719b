package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws08 are those of step 08.
func draws08() map[string]func(*draw) {
	return map[string]func(*draw){
		"attention.forward":  attentionForward,
		"attention.backward": attentionBackward,
		"heads.split":        headsSplit,
		"attention.cost":     attentionCost,
	}
}

// keys draws n different keys of four numbers from −1 to 1, none of them zero.
func (d *draw) keys(n int) [][]float64 {
	var k [][]float64
	for len(k) < n {
		one := []float64{d.pick(-1, 0, 1), d.pick(-1, 0, 1), d.pick(-1, 0, 1), d.pick(-1, 0, 1)}
		fresh := dot(one, one) > 0
		for _, other := range k {
			fresh = fresh && dot(plus(one, -1, other), plus(one, -1, other)) > 0
		}
		if fresh {
			k = append(k, one)
		}
	}
	return k
}

// query draws four numbers from −2 to 2 whose products with the keys are as wanted; nil if
// there are none.
func (d *draw) query(k [][]float64, wanted func(e []float64) bool) []float64 {
	var found [][]float64
	for i := range 625 {
		q := []float64{float64(i%5 - 2), float64(i/5%5 - 2), float64(i/25%5 - 2), float64(i/125 - 2)}
		if wanted(times([][]float64{q}, k)[0]) {
			found = append(found, q)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[d.rng.IntN(len(found))]
}

// exponents reports whether e, in any order, is the pattern moved by a whole number from lo
// to hi.
func exponents(e []float64, lo, hi float64, pattern ...int) bool {
	least := math.Inf(1)
	for _, x := range e {
		least = min(least, x)
	}
	left := map[int]int{}
	for _, p := range pattern {
		left[p]++
	}
	for _, x := range e {
		left[int(x-least)]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return lo <= least && least <= hi
}

// shares returns the softmax of scores that are ln base times whole numbers.
func shares(base float64, e []float64) []float64 {
	w, sum := make([]float64, len(e)), 0.0
	for i := range e {
		w[i] = math.Pow(base, e[i])
		sum += w[i]
	}
	return scaled(1/sum, w)
}

// every is a mask that allows all of n pairs.
func every(n int) []bool {
	mask := make([]bool, n)
	for i := range mask {
		mask[i] = true
	}
	return mask
}

// attentionForward draws three tokens of one head with K = 4 whose scores are ln 2 times whole
// numbers: q = ln 4·Q.
func attentionForward(d *draw) {
	var q, k [][]float64
	for len(q) < 3 {
		k = d.keys(3)
		q = nil
		for _, wanted := range []func(e []float64) bool{
			func(e []float64) bool { return exponents(e, -1, 1, 0, 0, 1) },
			func(e []float64) bool { return exponents(e[:2], -1, 1, 0, 1) && math.Abs(e[2]) <= 3 },
			func(e []float64) bool { return exponents(e, -1, 1, 0, 0, 1) },
		} {
			if one := d.query(k, wanted); one != nil {
				q = append(q, one)
			}
		}
	}
	v := [][]float64{{d.pick(-6, -3, 3, 6), d.pick(-6, -3, 0, 3, 6)}, {d.pick(-6, -3, 0, 3, 6), d.pick(-6, -3, 3, 6)}, d.vector(2)}
	e := times(q, k)
	p := [][]float64{{1, 0, 0}, append(shares(2, e[1][:2]), 0), shares(2, e[2])}
	d.set("Q", q)
	d.set("k", k)
	d.set("v", v)
	d.set("E", e)
	in := wire.Values{"q": tensor([][]float64{scaled(math.Log(4), q[0]), scaled(math.Log(4), q[1]), scaled(math.Log(4), q[2])}),
		"k": tensor(k), "v": tensor(v), "mask": d.ask("causal_mask", wire.Values{"n": wire.Int(3)})["mask"]}
	out := d.ask("attention.forward", in)
	d.answer("P", p, reals(out["weights"]))
	d.answer("y", times(p, transposed(v)), reals(out["y"]))

	in["mask"] = wire.Bools(every(9), 3, 3)
	free := reals(d.ask("attention.forward", in)["weights"])
	if d.err != nil {
		return
	}
	d.answer("free", shares(2, e[0]), free[:3])
	d.set("after", scaled(shares(2, e[0])[0], v[0]))
}

// attentionBackward draws two tokens of one head with K = 4 whose scores are ln 3 times whole
// numbers, q = ln 9·Q, so that the second row of P is 1/4 and 3/4.
func attentionBackward(d *draw) {
	var q, k [][]float64
	for len(q) < 2 {
		k = d.keys(2)
		q = nil
		for _, wanted := range []func(e []float64) bool{
			func(e []float64) bool { return math.Abs(e[0]) <= 2 && e[0] != 0 && e[0] != e[1] },
			func(e []float64) bool { return exponents(e, -1, 1, 0, 1) },
		} {
			if one := d.query(k, wanted); one != nil {
				q = append(q, one)
			}
		}
	}
	var v, dy, dP [][]float64
	for {
		v, dy = d.matrix(2, 2), d.matrix(2, 2)
		dP = times(dy, v)
		if gap := math.Abs(dP[1][0] - dP[1][1]); gap == 4 || gap == 8 {
			break
		}
	}
	p := [][]float64{{1, 0}, shares(3, times(q, k)[1])}
	mean := dot(p[1], dP[1])
	dS := [][]float64{{0, 0}, {p[1][0] * (dP[1][0] - mean), p[1][1] * (dP[1][1] - mean)}}
	half := [][]float64{scaled(0.5, dS[0]), scaled(0.5, dS[1])}
	sumQ := times(transposed(dS), transposed(q)) // dSᵀ·Q
	ln3 := math.Log(3)
	in := wire.Values{"q": tensor([][]float64{scaled(2*ln3, q[0]), scaled(2*ln3, q[1])}), "k": tensor(k), "v": tensor(v), "dy": tensor(dy),
		"mask": d.ask("causal_mask", wire.Values{"n": wire.Int(2)})["mask"]}
	out := d.ask("attention.backward", in)
	d.set("Q", q)
	d.set("k", k)
	d.set("v", v)
	d.set("dy", dy)
	d.set("dP", dP)
	d.set("mean", mean)
	d.set("dS", dS)
	d.set("sumQ", sumQ)
	d.answer("P", p, reals(d.ask("attention.forward", without(in, "dy"))["weights"]))
	d.answer("dv", times(transposed(p), transposed(dy)), reals(out["dv"]))
	d.answer("dq", times(half, transposed(k)), reals(out["dq"]))
	d.answer("dk", [][]float64{scaled(ln3, sumQ[0]), scaled(ln3, sumQ[1])}, reals(out["dk"]))
}

// headsSplit draws a number of a key, and looks where it stands before and after the split:
// once by a formula, and once by moving the numbers.
func headsSplit(d *draw) {
	for {
		seq, heads, width := d.int(3, 6), d.int(2, 4), 2*d.int(1, 3)
		t, h, c := d.int(0, seq-1), d.int(0, heads-1), d.int(0, width-1)
		dim := heads * width
		column, place := dim+h*width+c, (h*seq+t)*width+c
		if place/dim == t || place%dim/width == h {
			continue // the reshape would be half right
		}
		var moved, unmoved [][2]int // the token and the column of k of each number in memory
		for head := range heads {
			for token := range seq {
				for i := range width {
					moved = append(moved, [2]int{token, head*width + i})
				}
			}
		}
		for token := range seq {
			for i := range dim {
				unmoved = append(unmoved, [2]int{token, i})
			}
		}
		at := 0
		for moved[at] != [2]int{t, h*width + c} {
			at++
		}
		d.set("T", seq)
		d.set("H", heads)
		d.set("K", width)
		d.set("D", dim)
		d.set("D3", 3*dim)
		d.set("t", t)
		d.set("h", h)
		d.set("c", c)
		d.answer("column", column, []float64{float64(dim + moved[at][1])})
		d.answer("place", place, []float64{float64(at)})
		d.answer("token", place/dim, []float64{float64(unmoved[at][0])})
		d.answer("col", place%dim, []float64{float64(unmoved[at][1])})
		d.set("head", place%dim/width)
		return
	}
}

// attentionCost draws a layer and counts its work.
func attentionCost(d *draw) {
	width, heads, seq := 16*d.int(1, 2), d.int(2, 8), 100*d.int(2, 10)
	dim := width * heads
	for seq == 2*dim {
		seq += 100
	}
	projections, pairs := 8*seq*dim*dim, 4*seq*seq*dim
	all := reals(d.ask("kvcache.flops", wire.Values{"vocab_size": wire.Int(1), "context_length": wire.Int(seq), "d_model": wire.Int(dim),
		"num_layers": wire.Int(1), "num_heads": wire.Int(heads), "d_ff": wire.Int(1), "past": wire.Int(0), "n": wire.Int(seq)})["without"])
	if d.err != nil {
		return
	}
	d.set("T", seq)
	d.set("H", heads)
	d.set("K", width)
	d.set("D", dim)
	d.set("D2", 2*dim)
	d.set("params", 4*dim*dim)
	d.set("P", heads*seq*seq)
	d.set("x", seq*dim)
	d.set("ratio", float64(seq)/float64(width))
	d.set("projections", projections)
	d.set("pairs", pairs)
	d.set("larger", map[bool]string{true: "the pairs cost more than the projections", false: "the projections cost more than the pairs"}[pairs > projections])
	d.answer("both", projections+pairs, []float64{all[0] - float64(8*seq*dim)}) // without a network of F = 1 and a head of V = 1
}
