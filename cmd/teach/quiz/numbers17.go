package quiz

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws17 are those of step 17.
func draws17() map[string]func(*draw) {
	return map[string]func(*draw){
		"lora.layer":   loraLayer,
		"lora.example": loraExample,
		"lora.loss":    loraLoss,
	}
}

// loraLayer draws a layer of two inputs and two outputs with an adapter of rank 1 or 2
// whose factor is a whole number, and one row.
func loraLayer(d *draw) {
	r := d.int(1, 2)
	s := d.pick(2, 3)
	x, dy := d.matrix(1, 2), d.matrix(1, 2)
	w, a, b := d.matrix(2, 2), d.matrix(r, 2), d.matrix(2, r)
	narrow := times(x, a)
	u := scaled(s, narrow[0])
	y := plus(times(x, w)[0], 1, times([][]float64{u}, b)[0])
	du := scaled(s, times(dy, transposed(b))[0])
	dx := plus(times(dy, transposed(w))[0], 1, times([][]float64{du}, transposed(a))[0])
	product := times(b, transposed(a)) // B·A: times multiplies with the transposed of its second
	var merged [][]float64
	for i, row := range w {
		merged = append(merged, plus(row, s, product[i]))
	}

	layer := wire.Values{"x": tensor(x), "w": tensor(w), "a": tensor(a), "b": tensor(b),
		"alpha": wire.Float(s * float64(r))}
	forward := d.ask("lora.forward", layer)
	turns := wire.Values{"turns": wire.Ints([]int64{1}, 1)}
	for name, v := range layer {
		turns[name] = v
	}
	after := d.ask("lora.merged", turns)
	layer["dy"], layer["dw_before"] = tensor(dy), zeros(2, 2)
	layer["da_before"], layer["db_before"] = zeros(r, 2), zeros(2, r)
	back := d.ask("lora.backward", layer)
	if d.err != nil {
		return
	}
	d.set("W", w)
	d.set("A", a)
	d.set("B", b)
	d.set("alpha", s*float64(r))
	d.set("r", r)
	d.set("s", s)
	d.set("x", x[0])
	d.set("dy", dy[0])
	d.set("u", u)
	d.set("du", du)
	d.set("plain", times(x, w)[0])
	d.set("lost", times(dy, transposed(w))[0])
	d.answer("y", y, reals(forward["y"]))
	d.answer("dB", times(transposed(dy), transposed([][]float64{u})), reals(back["db"]))
	d.answer("dA", times(transposed([][]float64{du}), transposed(x)), reals(back["da"]))
	d.answer("dx", dx, reals(back["dx"]))
	d.answer("merged", merged, reals(after["weight"]))
}

// loraExample draws a prompt and its answer, whose end is a token of the prompt too, and
// a second example, in a row with the first.
func loraExample(d *draw) {
	p, n, q, m := d.int(2, 4), d.int(2, 3), d.int(1, 3), d.int(1, 2)
	end := d.int(1, 9)
	some := func(k int) []int {
		ids := make([]int, k)
		for i := range ids {
			ids[i] = d.int(10, 99)
		}
		return ids
	}
	prompt, answer, second, other := some(p), some(n), some(q), some(m)
	prompt[0] = end
	length := p + n + q + m + d.int(1, 3)
	flags := func(prompt, answer int) []float64 {
		all := make([]float64, prompt+answer)
		for t := prompt - 1; t < len(all); t++ {
			all[t] = 1
		}
		return all
	}
	allowed := (p+n)*(p+n+1)/2 + (q+m)*(q+m+1)/2 + length - (p + n + q + m)

	one := d.ask("example.one", wire.Values{"question": whole(prompt, p), "answer": whole(answer, n),
		"end": wire.Int(end)})
	packed := d.ask("example.pack", wire.Values{"questions": whole(slices.Concat(prompt, second), p+q),
		"question_lengths": whole([]int{p, q}, 2), "answers": whole(slices.Concat(answer, other), n+m),
		"answer_lengths": whole([]int{n, m}, 2), "end": wire.Int(end), "pad": wire.Int(end),
		"length": wire.Int(length)})
	if d.err != nil {
		return
	}
	text := slices.Concat(prompt, answer, []int{end})
	d.set("prompt", said(prompt))
	d.set("answer", said(answer))
	d.set("end", end)
	d.set("ids", said(text[:len(text)-1]))
	d.set("targets", said(text[1:]))
	d.set("first", p-1)
	d.set("last", p+n-1)
	d.set("counts", n+1)
	d.set("q", q)
	d.set("m", m)
	d.set("one", p+n)
	d.set("two", q+m)
	d.set("T", length)
	d.set("from", p+n)
	d.set("until", p+n+q+m-1)
	d.set("pads", length-(p+n+q+m))
	d.set("plain", length*(length+1)/2)
	d.answer("counted", flags(p, n), truths(one["counted"].Bool))
	sum := 0.0
	for _, may := range truths(packed["attend"].Bool) {
		sum += may
	}
	d.answer("allowed", allowed, []float64{sum})
}

// truths are 1 for true and 0 for false.
func truths(all []bool) []float64 {
	out := make([]float64, len(all))
	for i, is := range all {
		if is {
			out[i] = 1
		}
	}
	return out
}

// loraLoss draws the probabilities that a model gives to the targets of two answers, of
// three tokens and of one: one half, one quarter, one eighth.
func loraLoss(d *draw) {
	powers := []float64{d.pick(1, 2, 3), d.pick(1, 2), d.pick(1, 2, 3), d.pick(4, 5, 6)}
	probabilities := make([]float64, 4)
	logits := make([]float64, 0, 2*2*3*2)
	for i, n := range powers {
		probabilities[i] = math.Pow(2, -n)
	}
	counted := []bool{true, true, true, false, true, false}
	for i := range counted { // two numbers a token: of the target, which is 0, and of the rest
		at := min(i, 3)
		logits = append(logits, 0, math.Log(math.Pow(2, powers[at])-1))
	}
	mean := total(powers) / 4 * math.Ln2
	each := (total(powers[:3])/3 + powers[3]) / 2 * math.Ln2
	in := wire.Values{"logits": shaped(logits, 2, 3, 2), "targets": whole(make([]int, 6), 2, 3),
		"counted": wire.Bools(counted, 2, 3)}
	loss := d.ask("answer_loss.forward", in)
	back := d.ask("answer_loss.backward", in)
	if d.err != nil {
		return
	}
	d.set("p", probabilities[:3])
	d.set("q", probabilities[3])
	d.set("n", total(powers))
	d.set("means", each)
	d.set("over", total(powers)/6*math.Ln2)
	d.set("part", 25)
	d.answer("loss", mean, reals(loss["loss"]))
	d.answer("d", (probabilities[0]-1)/4, reals(back["dlogits"])[:1])
	d.answer("e", (probabilities[3]-1)/4, reals(back["dlogits"])[8:9])
}
