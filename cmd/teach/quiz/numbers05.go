package quiz

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws05 are those of step 05.
func draws05() map[string]func(*draw) {
	return map[string]func(*draw){
		"silu.step":       siluStep,
		"swiglu.forward":  swigluForward,
		"swiglu.backward": swigluBackward,
		"dff":             dff,
	}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func silu(x float64) float64 { return x * sigmoid(x) }

func siluPrime(x float64) float64 { return sigmoid(x) * (1 + x*(1-sigmoid(x))) }

// siluStep draws x = ln n, at which σ is n/(n+1), and −x, at which it is 1/(n+1).
func siluStep(d *draw) {
	n := float64(d.int(2, 5))
	x := math.Log(n)
	d.set("n", n)
	d.set("n1", n+1)
	in := wire.Values{"x": wire.Floats([]float64{x, -x}, 2), "dy": wire.Floats([]float64{1, 1}, 2)}
	d.answer("y", []float64{x * n / (n + 1), -x / (n + 1)}, reals(d.ask("silu.forward", without(in, "dy"))["y"]))
	slope := n/(n+1) + x*n/((n+1)*(n+1))
	d.answer("slope", []float64{slope, 1 - slope}, reals(d.ask("silu.backward", in)["dx"]))
	d.set("ln", x)
	d.set("curve", x*n/((n+1)*(n+1)))
	d.set("sigma", []float64{n / (n + 1), 1 / (n + 1)})
}

// without returns the arguments but one.
func without(in wire.Values, name string) wire.Values {
	left := wire.Values{}
	for n, v := range in {
		if n != name {
			left[n] = v
		}
	}
	return left
}

// network draws a SwiGLU with one row and D = F = 2 whose gate is small.
func (d *draw) network() (x, w1, w2, w3 [][]float64) {
	for {
		x, w1, w2, w3 = d.matrix(1, 2), d.matrix(2, 2), d.matrix(2, 2), d.matrix(2, 2)
		gate := times(x, w1)[0]
		up := times(x, w3)[0]
		if gate[0] != gate[1] && up[0]*up[1] != 0 && math.Max(math.Abs(gate[0]), math.Abs(gate[1])) <= 3 {
			return x, w1, w2, w3
		}
	}
}

// swigluForward draws a network and works out its output.
func swigluForward(d *draw) {
	x, w1, w2, w3 := d.network()
	gate, up := times(x, w1)[0], times(x, w3)[0]
	act := []float64{silu(gate[0]), silu(gate[1])}
	hidden := each(act, up)
	d.set("x", x[0])
	d.set("W1", w1)
	d.set("W2", w2)
	d.set("W3", w3)
	d.set("gate", gate)
	d.set("up", up)
	d.set("act", act)
	d.set("hidden", hidden)
	d.set("s", table(gate))
	out := d.ask("swiglu.forward", wire.Values{"x": tensor(x), "w1": tensor(w1), "w2": tensor(w2), "w3": tensor(w3)})
	d.answer("y", times([][]float64{hidden}, w2)[0], reals(out["y"]))
}

// table gives σ at the points where it is needed.
func table(at []float64) string {
	return fmt.Sprintf("σ(%s) = %s and σ(%s) = %s", number(at[0]), number(sigmoid(at[0])), number(at[1]), number(sigmoid(at[1])))
}

// swigluBackward draws a network with one hidden unit, and a gate at 0, so that no
// exponential is needed: σ(0) = SiLU'(0) = 1/2 and SiLU(0) = 0.
func swigluBackward(d *draw) {
	a := d.small()
	x := [][]float64{{a, a}}
	b := d.small()
	w1 := [][]float64{{b, -b}} // gate = 0
	w3 := [][]float64{{d.pick(1, 2, 3), d.pick(1, 2, 3)}}
	w2, dy := d.matrix(2, 1), d.matrix(1, 2)
	for dot(dy[0], flat(w2)) == 0 {
		dy = d.matrix(1, 2)
	}
	up := times(x, w3)[0][0]
	dHidden := dot(dy[0], flat(w2))
	dGate := dHidden * up / 2
	out := d.ask("swiglu.backward", wire.Values{"x": tensor(x), "w1": tensor(w1), "w2": tensor(w2), "w3": tensor(w3), "dy": tensor(dy),
		"dw1_before": zeros(1, 2), "dw2_before": zeros(2, 1), "dw3_before": zeros(1, 2)})
	d.set("x", x[0])
	d.set("W1", w1)
	d.set("W2", w2)
	d.set("W3", w3)
	d.set("dy", dy[0])
	d.set("up", up)
	d.set("dHidden", dHidden)
	d.set("dGate", dGate)
	d.answer("dx", scaled(dGate, w1[0]), reals(out["dx"]))
	d.answer("dW1", [][]float64{scaled(dGate, x[0])}, reals(out["dw1"]))
	d.answer("dW2", [][]float64{{0}, {0}}, reals(out["dw2"]))
	d.answer("dW3", [][]float64{{0, 0}}, reals(out["dw3"]))
}

// dff draws a width and counts the network's parameters.
func dff(d *draw) {
	width, exact := 0, 0
	for exact%64 == 0 {
		width = 6 * d.int(12, 160)
		exact = 8 * width / 3
	}
	f := 64 * ((exact + 32) / 64)
	d.set("D", width)
	d.set("exact", exact)
	d.set("below", exact/64*64)
	d.set("above", exact/64*64+64)
	d.answer("F", f, reals(d.ask("dff", wire.Values{"d_model": wire.Int(width)})["d_ff"]))
	d.set("params", 3*width*f)
	d.set("old", 8*width*width)
	d.set("ops", 6*width*f)
}
