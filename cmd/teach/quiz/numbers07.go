package quiz

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws07 are those of step 07.
func draws07() map[string]func(*draw) {
	return map[string]func(*draw){
		"softmax.shift":    softmaxShift,
		"softmax.backward": softmaxBackward,
		"crossentropy":     crossEntropy,
	}
}

// logits returns the logarithms of whole numbers, whose softmax is their shares.
func logits(weights []float64) []float64 {
	x := make([]float64, len(weights))
	for i, w := range weights {
		x[i] = math.Log(w)
	}
	return x
}

// logs writes logits as they are said: "0", "ln 3".
func logs(weights []float64) []string {
	said := make([]string, len(weights))
	for i, w := range weights {
		if said[i] = "ln " + number(w); w == 1 {
			said[i] = "0"
		}
	}
	return said
}

// parts are weights that add up to a number by which one divides easily.
func (d *draw) parts() []float64 {
	all := [][]float64{{1, 2, 1}, {1, 1, 2}, {1, 3, 4}, {2, 1, 5}, {1, 2, 5}, {5, 1, 4}, {2, 1, 7}, {1, 3, 6}, {3, 5, 2}, {4, 1, 3}}
	return all[d.int(0, len(all)-1)]
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// softmaxShift draws a row of large logits whose differences are logarithms.
func softmaxShift(d *draw) {
	c, a, b := 100*float64(d.int(2, 9)), float64(d.int(2, 4)), float64(d.int(5, 8))
	sum := 1 + a + b
	x := []float64{c, c + math.Log(a), c + math.Log(b)}
	in := wire.Values{"x": wire.Floats(x, 3), "axis": wire.Int(-1)}
	d.set("c", c)
	d.set("a", a)
	d.set("b", b)
	d.set("S", sum)
	d.set("u", []float64{1 / b, a / b, 1})
	d.set("Su", sum/b)
	d.answer("y", []float64{1 / sum, a / sum, b / sum}, reals(d.ask("softmax.forward", in)["y"]))
	d.answer("lse", c+math.Log(sum), reals(d.ask("logsumexp", in)["y"]))
	d.set("lnS", math.Log(sum))
}

// softmaxBackward draws probabilities of one row, and a gradient.
func softmaxBackward(d *draw) {
	w, dy := d.parts(), d.vector(3)
	for dot(dy, w) == 0 || dy[0] == dy[1] && dy[1] == dy[2] { // with a mean of 0 nothing would be seen of it
		dy = d.vector(3)
	}
	y := scaled(1/total(w), w)
	mean := dot(dy, y)
	d.set("y", y)
	d.set("dy", dy)
	d.set("dot", mean)
	d.set("apart", plus(dy, -mean, []float64{1, 1, 1}))
	out := d.ask("softmax.backward", wire.Values{"x": wire.Floats(logits(w), 3), "axis": wire.Int(-1), "dy": wire.Floats(dy, 3)})
	d.answer("dx", each(y, plus(dy, -mean, []float64{1, 1, 1})), reals(out["dx"]))
}

// crossEntropy draws the logits of two tokens out of a vocabulary of three, and what came.
func crossEntropy(d *draw) {
	rows := [][]float64{d.parts(), d.parts()}
	for total(rows[0]) == total(rows[1]) {
		rows[1] = d.parts()
	}
	var loss float64
	var x, p, grad [][]float64
	var targets []int64
	for t, w := range rows {
		target := d.int(0, 2)
		share := scaled(1/total(w), w)
		slope := scaled(0.5, share)
		slope[target] -= 0.5
		x, p, grad, targets = append(x, logits(w)), append(p, share), append(grad, slope), append(targets, int64(target))
		each := math.Log(total(w) / w[target])
		loss += each / 2
		said := logs(w)
		d.set(fmt.Sprint("row", t), fmt.Sprintf("(%s, %s, %s)", said[0], said[1], said[2]))
		d.set(fmt.Sprint("target", t), target)
		d.set(fmt.Sprint("odds", t), fmt.Sprintf("%s/%s", number(w[target]), number(total(w))))
		d.set(fmt.Sprint("each", t), each)
	}
	in := wire.Values{"logits": shaped(x, 1, 2, 3), "targets": wire.Ints(targets, 1, 2)}
	d.set("P", p)
	d.answer("loss", loss, reals(d.ask("cross_entropy.forward", in)["loss"]))
	d.answer("G", grad, reals(d.ask("cross_entropy.backward", in)["dlogits"]))
}
