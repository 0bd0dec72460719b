package quiz

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws10 are those of step 10.
func draws10() map[string]func(*draw) {
	return map[string]func(*draw){
		"lm.accounting":      lmAccounting,
		"sample.temperature": sampleTemperature,
		"sample.nucleus":     sampleNucleus,
	}
}

// lmAccounting draws a small model, and counts what it has and what it does.
func lmAccounting(d *draw) {
	vocab, width, layers := d.int(5, 30), 4*d.int(1, 4), d.int(1, 4)
	hidden, length, batch := 4*d.int(2, 6), d.int(2, 8), d.int(2, 4)
	out := d.ask("lm.accounting", wire.Values{"vocab_size": wire.Int(vocab), "context_length": wire.Int(length), "d_model": wire.Int(width),
		"num_layers": wire.Int(layers), "num_heads": wire.Int(2), "d_ff": wire.Int(hidden), "batch": wire.Int(batch), "seq": wire.Int(length)})
	table, attention, network, gains := 2*vocab*width, 4*width*width, 3*width*hidden, 2*width
	d.set("V", vocab)
	d.set("D", width)
	d.set("L", layers)
	d.set("F", hidden)
	d.set("T", length)
	d.set("B", batch)
	d.set("table", table)
	d.set("attention", attention)
	d.set("network", network)
	d.set("gains", gains)
	d.answer("params", table+layers*(attention+network+gains)+width, reals(out["params"]))
	weights, scores, head := 2*(attention+network), 4*length*width, 2*vocab*width
	d.set("weights", weights)
	d.set("scores", scores)
	d.set("head", head)
	d.set("token", layers*(weights+scores)+head)
	d.answer("flops", batch*length*(layers*(weights+scores)+head), reals(out["forward_flops"]))
	d.set("step", 3*batch*length*(layers*(weights+scores)+head))
}

// odds draws probabilities of four tokens, in tenths and in no order.
func (d *draw) odds() []float64 {
	all := [][]float64{{5, 3, 1, 1}, {4, 3, 2, 1}, {6, 2, 1, 1}, {5, 2, 2, 1}} // the largest is alone in its size
	w := slices.Clone(all[d.int(0, len(all)-1)])
	d.rng.Shuffle(4, func(i, j int) { w[i], w[j] = w[j], w[i] })
	return w
}

// probs asks for the distribution of tokens whose logits are logarithms of weights.
func (d *draw) probs(weights []float64, temperature, topP float64) []float64 {
	return reals(d.ask("sample.probs", wire.Values{"logits": wire.Floats(logits(weights), len(weights)), "temperature": wire.Float(temperature), "top_p": wire.Float(topP)})["probs"])
}

// sampleTemperature draws a distribution, and makes it sharper.
func sampleTemperature(d *draw) {
	w := d.odds()
	squares := each(w, w)
	d.set("p", scaled(0.1, w))
	d.set("squares", squares)
	d.set("sum", total(squares))
	d.answer("sharp", scaled(1/total(squares), squares), d.probs(w, 0.5, 1))
	best := slices.Index(w, slices.Max(w))
	greedy := make([]float64, 4)
	greedy[best] = 1
	d.answer("greedy", greedy, d.probs(w, 0, 1))
	d.set("ratio", slices.Max(w)/slices.Min(w))
	d.set("ratio2", math.Pow(slices.Max(w)/slices.Min(w), 2))
}

// sampleNucleus draws a distribution, a nucleus, and a dart.
func sampleNucleus(d *draw) {
	w := d.odds()
	for w[0] == w[1] || w[0] == w[2] || w[0] == w[3] { // the first is alone in its size
		w = d.odds()
	}
	topP := d.pick(0.65, 0.75, 0.85)
	order := []int{0, 1, 2, 3}
	slices.SortStableFunc(order, func(a, b int) int { return int(w[b] - w[a]) })
	kept, sum := make([]float64, 4), 0.0
	n := 0
	for _, i := range order {
		kept[i] = w[i]
		n++
		if sum += w[i] / 10; sum > topP {
			break
		}
	}
	share := scaled(1/total(kept), kept)
	u := d.pick(0.05, 0.35, 0.6, 0.95)
	token, end := 0, share[0]
	for u >= end {
		token++
		end += share[token]
	}
	d.set("p", scaled(0.1, w))
	d.set("topP", topP)
	d.set("n", n)
	d.set("reached", sum)
	d.answer("nucleus", share, d.probs(w, 1, topP))
	d.set("u", u)
	d.set("token", token)
	ends := make([]float64, 4)
	for i := range ends {
		ends[i] = total(share[:i+1])
	}
	d.set("ends", ends)
}
