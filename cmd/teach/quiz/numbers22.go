package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws22 are those of step 22.
func draws22() map[string]func(*draw) {
	return map[string]func(*draw){
		"paged.count":    pageCount,
		"paged.residual": residualOf,
		"paged.gain":     gainOf,
	}
}

// pageCount draws a prompt that is forked twice and ends within a page, and what each of
// the three texts appends.
func pageCount(d *draw) {
	size := d.int(4, 6)
	full, rest := d.int(1, 3), d.int(1, size-2)
	prompt, more := full*size+rest, []int{d.int(1, size-rest), d.int(size-rest+1, size+2), d.int(1, size)}
	const pages = 30
	ops, tokens := wire.Ints([]int64{0, 0, int64(prompt), 1, 0, 0, 1, 0, 0}, 6, 3), prompt
	for text, n := range more {
		ops.I64 = append(ops.I64, 0, int64(text), int64(n))
		tokens += n
	}
	zeros := wire.Floats(make([]float64, tokens), 1, 1, tokens, 1)
	out := d.ask("pages.script", wire.Values{"ops": ops, "q": zeros, "k": zeros, "v": zeros, "pages": wire.Int(pages), "size": wire.Int(size)})
	if d.err != nil {
		return
	}
	own, apart := 0, 0
	for _, n := range more {
		own += (prompt+n+size-1)/size - full
		apart += (prompt + n + size - 1) / size
	}
	d.set("S", size)
	d.set("prompt", prompt)
	d.set("full", full)
	d.set("rest", rest)
	d.set("more", floats(more))
	d.set("apart", apart)
	d.set("before", full+1)
	d.answer("held", []float64{float64(full + own)}, []float64{float64(pages - out["free"].I64[5])})
}

// residualOf draws two distributions over four tokens, in twentieths.
func residualOf(d *draw) {
	p, q := twentieths(d), twentieths(d)
	for same(p, q) {
		q = twentieths(d)
	}
	kept, left := 0.0, make([]float64, len(p))
	for x := range p {
		kept += min(p[x], q[x])
		left[x] = max(0, p[x]-q[x])
	}
	out := d.ask("spec.residual", wire.Values{"p": wire.Floats(p, 1, len(p)), "q": wire.Floats(q, 1, len(q))})
	if d.err != nil {
		return
	}
	rest := make([]float64, len(p))
	again := make([]float64, len(p))
	for x := range p {
		rest[x] = left[x] / (1 - kept)
		again[x] = min(p[x], q[x]) + (1-kept)*p[x]
	}
	d.set("p", p)
	d.set("q", q)
	d.set("kept", kept)
	d.set("refused", 1-kept)
	d.set("left", left)
	d.set("again", again)
	d.set("two", 1+kept+kept*kept)
	d.answer("rest", rest, reals(out["r"]))
}

// gainOf draws how often a token is kept, and what the draft costs.
func gainOf(d *draw) {
	alpha, c, gamma := d.pick(0.5, 0.6, 0.75, 0.8), d.pick(0.05, 0.1, 0.2), d.int(2, 4)
	tokens, share := 0.0, 1.0
	for range gamma + 1 {
		tokens, share = tokens+share, share*alpha
	}
	cost := float64(gamma)*c + 1
	d.set("alpha", alpha)
	d.set("c", c)
	d.set("gamma", gamma)
	d.set("cost", cost)
	d.set("most", gamma+1)
	d.answer("tokens", tokens, []float64{(1 - math.Pow(alpha, float64(gamma+1))) / (1 - alpha)})
	d.set("gain", tokens/cost)
}

// twentieths draws four numbers that are at least 1/20 and sum to 1.
func twentieths(d *draw) []float64 {
	parts, left := make([]float64, 4), 16
	for x := range 3 {
		n := d.int(0, left)
		parts[x], left = float64(n+1)/20, left-n
	}
	parts[3] = float64(left+1) / 20
	return parts
}

func same(p, q []float64) bool {
	for x := range p {
		if p[x] != q[x] {
			return false
		}
	}
	return true
}
