package quiz

import (
	"github.com/stubformer/stubformer/reference/wire"
)

// draws02 are those of step 02.
func draws02() map[string]func(*draw) {
	return map[string]func(*draw){
		"linear.forward":  linearForward,
		"linear.backward": linearBackward,
		"linear.nudge":    linearNudge,
		"linear.work":     linearWork,
	}
}

// linearForward draws two rows of three inputs and two outputs, and what a square matrix
// would hide.
func linearForward(d *draw) {
	x, w := d.matrix(2, 3), d.matrix(2, 3)
	d.set("x", x)
	d.set("W", w)
	d.answer("y", times(x, w), reals(d.ask("linear.forward", wire.Values{"x": tensor(x), "w": tensor(w)})["y"]))

	square, other := d.matrix(2, 2), d.matrix(2, 2)
	for same := true; same; { // x·Vᵀ and x·V are to differ
		other = d.matrix(2, 2)
		same = row(flat(times(square, other))) == row(flat(times(square, transposed(other))))
	}
	d.set("u", square)
	d.set("V", other)
	d.answer("right", times(square, other), reals(d.ask("linear.forward", wire.Values{"x": tensor(square), "w": tensor(other)})["y"]))
	d.set("without", times(square, transposed(other)))
}

// linearBackward draws a layer of three inputs and two outputs with two rows, and what its
// gradient already holds.
func linearBackward(d *draw) {
	x, w, dy, before := d.matrix(2, 3), d.matrix(2, 3), d.matrix(2, 2), d.matrix(2, 3)
	out := d.ask("linear.backward", wire.Values{"x": tensor(x), "w": tensor(w), "dy": tensor(dy), "dw_before": tensor(before)})
	d.set("x", x)
	d.set("W", w)
	d.set("dy", dy)
	d.set("before", before)
	d.answer("dx", times(dy, transposed(w)), reals(out["dx"]))
	own := times(transposed(dy), transposed(x))
	var sum [][]float64
	for i := range own {
		sum = append(sum, plus(before[i], 1, own[i]))
	}
	d.set("own", own)
	d.answer("dW", sum, reals(out["dw"]))
}

// linearNudge draws a layer with one output, and moves a weight.
func linearNudge(d *draw) {
	x, w, dy := d.matrix(2, 2), d.matrix(1, 2), d.matrix(2, 1)
	for dy[0][0]*x[0][1]+dy[1][0]*x[1][1] == 0 {
		dy = d.matrix(2, 1)
	}
	y := flat(times(x, w))
	moved := flat(times(x, [][]float64{{w[0][0], w[0][1] + 1}}))
	loss := func(y []float64) float64 { return dot(y, flat(dy)) }
	out := d.ask("linear.backward", wire.Values{"x": tensor(x), "w": tensor(w), "dy": tensor(dy), "dw_before": zeros(1, 2)})
	grad := reals(out["dw"])
	if len(grad) != 2 {
		return
	}
	d.set("x", x)
	d.set("W", w[0])
	d.set("dy", flat(dy))
	d.set("W01", w[0][1]+1)
	d.set("y", y)
	d.set("z", moved)
	d.set("L", loss(y))
	d.set("M", loss(moved))
	d.answer("slope", loss(moved)-loss(y), grad[1:])
}

// linearWork draws the sizes of a layer and a batch.
func linearWork(d *draw) {
	in, out, batch, time := 64*d.int(2, 16), 64*d.int(2, 16), d.int(2, 16), 64*d.int(1, 8)
	for out == in {
		out = 64 * d.int(2, 16)
	}
	rows := batch * time
	d.set("in", in)
	d.set("out", out)
	d.set("B", batch)
	d.set("T", time)
	d.set("N", rows)
	d.set("params", in*out)
	forward := 0.0
	for range rows { // a row of x meets each row of W
		for range out {
			forward += 2 * float64(in)
		}
	}
	d.answer("forward", 2*float64(rows)*float64(in)*float64(out)/1e6, []float64{forward / 1e6})
	d.set("step", 6*float64(rows)*float64(in)*float64(out)/1e6)
	d.set("kept", float64(4*rows*in)/1e6)
	d.set("weight", float64(4*in*out)/1e6)
}
