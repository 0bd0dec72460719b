package quiz

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws03 are those of step 03.
func draws03() map[string]func(*draw) {
	return map[string]func(*draw){
		"embedding.forward":  embeddingForward,
		"embedding.backward": embeddingBackward,
		"embedding.update":   embeddingUpdate,
		"embedding.cost":     embeddingCost,
	}
}

// ids draws n tokens of a vocabulary of three, of which one occurs twice or more and one
// perhaps never.
func (d *draw) ids(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = d.int(0, 2)
	}
	ids[n-1] = ids[0]
	return ids
}

func whole(ids []int, shape ...int) wire.Value {
	data := make([]int64, len(ids))
	for i, id := range ids {
		data[i] = int64(id)
	}
	return wire.Ints(data, shape...)
}

// said writes tokens as a list.
func said(ids []int) string {
	list := ""
	for i, id := range ids {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprint(id)
	}
	return list
}

// embeddingForward draws a table and a sequence, and the same as a product with one-hot rows.
func embeddingForward(d *draw) {
	w, ids := d.matrix(3, 2), d.ids(3)
	var y, oneHot [][]float64
	for _, id := range ids {
		row := make([]float64, 3)
		row[id] = 1
		oneHot, y = append(oneHot, row), append(y, w[id])
	}
	d.set("W", w)
	d.set("ids", said(ids))
	d.set("E", oneHot)
	d.answer("y", y, reals(d.ask("embedding.forward", wire.Values{"ids": whole(ids, 1, 3), "w": tensor(w)})["y"]))
}

// embeddingBackward draws four tokens and what arrives at them.
func embeddingBackward(d *draw) {
	ids, dy, before := d.ids(4), d.matrix(4, 2), d.matrix(3, 2)
	grad := make([][]float64, 3)
	last := make([][]float64, 3)
	for v := range grad {
		grad[v] = before[v]
	}
	for n, id := range ids {
		grad[id] = plus(grad[id], 1, dy[n])
		last[id] = dy[n]
	}
	if gap := plus(grad[ids[0]], -1, last[ids[0]]); dot(gap, gap) == 0 {
		embeddingBackward(d) // an assignment would be right by accident
		return
	}
	out := d.ask("embedding.backward", wire.Values{"ids": whole(ids, 1, 4), "w": zeros(3, 2), "dy": shaped(dy, 1, 4, 2), "dw_before": tensor(before)})
	d.set("ids", said(ids))
	d.set("dy", dy)
	d.set("before", before)
	d.answer("dW", grad, reals(out["dw"]))
	d.set("twice", ids[0])
	d.set("lost", last[ids[0]])
}

// embeddingUpdate draws a step of plain descent, and where a token goes.
func embeddingUpdate(d *draw) {
	ids := []int{d.int(0, 1), 2, 2}
	w, dy := d.matrix(3, 2), d.matrix(3, 2)
	for sum := plus(dy[1], 1, dy[2]); dot(sum, sum) == 0; sum = plus(dy[1], 1, dy[2]) {
		dy = d.matrix(3, 2) // token 2 is to move
	}
	rate := d.pick(0.5, 0.25, 0.1)
	out := d.ask("embedding.backward", wire.Values{"ids": whole(ids, 1, 3), "w": tensor(w), "dy": shaped(dy, 1, 3, 2), "dw_before": zeros(3, 2)})
	grad := reals(out["dw"])
	if len(grad) < 6 {
		return
	}
	moved := make([][]float64, 3)
	for v := range moved {
		moved[v] = w[v]
	}
	for n, id := range ids {
		moved[id] = plus(moved[id], -rate, dy[n])
	}
	d.set("W", w)
	d.set("ids", said(ids))
	d.set("dy", dy)
	d.set("rate", rate)
	d.set("once", ids[0])
	d.set("never", 1-ids[0])
	d.set("sum", plus(dy[1], 1, dy[2]))
	d.answer("moved", moved, plus(flat(w), -rate, grad))
}

// embeddingCost draws the sizes of a table, and counts what a look-up and a product take.
func embeddingCost(d *draw) {
	vocab, width, tokens := 1000*d.int(10, 50), 64*d.int(4, 16), 64*d.int(1, 8)
	product := 2 * float64(vocab) * float64(width) * float64(tokens)
	d.set("V", vocab)
	d.set("D", width)
	d.set("N", tokens)
	multiplications := 0 // and as many additions: one of each for each number of the table and token
	for range tokens {
		multiplications += vocab * width
	}
	d.answer("product", product/1e9, []float64{2 * float64(multiplications) / 1e9})
	d.set("copied", 4*width*tokens)
	d.set("params", vocab*width)
	d.set("megabytes", float64(4*vocab*width)/1e6)
	d.set("both", 2*vocab*width)
}
