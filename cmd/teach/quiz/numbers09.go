package quiz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws09 are those of step 09.
func draws09() map[string]func(*draw) {
	return map[string]func(*draw){
		"block.forward":  blockForward,
		"block.backward": blockBackward,
		"block.stream":   blockStream,
		"block.count":    blockCount,
	}
}

// exchange is the matrix that exchanges two numbers.
var exchange = [][]float64{{0, 1}, {1, 0}}

// rootMean returns 1/√(mean(x²) + ε), with the ε of the lessons.
func rootMean(x []float64) float64 { return 1 / math.Sqrt(dot(x, x)/float64(len(x))+1e-5) }

// backThroughNorm returns what an RMSNorm of x with the gain g sends back for dn.
func backThroughNorm(x, g, dn []float64) []float64 {
	r := rootMean(x)
	h, u := scaled(r, x), each(g, dn)
	return scaled(r, plus(u, -dot(u, h)/float64(len(x)), h))
}

// oneToken are the arguments of a block with one head, D = 2 and F = 1 that reads one token;
// its W_V exchanges the two numbers.
func oneToken(x, g []float64, wo, w1, w2, w3 [][]float64) wire.Values {
	identity := [][]float64{{1, 0}, {0, 1}}
	return wire.Values{"x": shaped(x, 1, 1, 2), "ln1": shaped(g, 2), "ln2": shaped([]float64{1, 1}, 2),
		"wq": tensor(identity), "wk": tensor(identity), "wv": tensor(exchange), "wo": tensor(wo), "w1": tensor(w1), "w2": tensor(w2), "w3": tensor(w3),
		"num_heads": wire.Int(1), "theta": wire.Float(10000), "max_seq_len": wire.Int(1), "positions": wire.Ints([]int64{0}, 1, 1)}
}

// evenSum draws W_O so that both numbers of y = x + W_O·W_V·h have one of the sizes, and
// neither is what it was in x.
func (d *draw) evenSum(x, h []float64, sizes ...float64) (wo [][]float64, y []float64) {
	for range 100_000 {
		wo = [][]float64{{float64(d.int(-3, 3)), float64(d.int(-3, 3))}, {float64(d.int(-3, 3)), float64(d.int(-3, 3))}}
		y = plus(x, 1, times(times([][]float64{h}, exchange), wo)[0])
		moved := math.Abs(y[0]-x[0]) > 0.5 && math.Abs(y[1]-x[1]) > 0.5
		for _, size := range sizes {
			if moved && math.Abs(math.Abs(y[0])-size) < 1e-3 && math.Abs(math.Abs(y[1])-size) < 1e-3 {
				return wo, y
			}
		}
	}
	d.fail(fmt.Errorf("no W_O for x = %v", x))
	return wo, y
}

// blockForward draws one token whose two norms come out even: x is (10, 70) with any
// signs, in any order, and the numbers of y have one size. They are large, so that ε is not seen.
func blockForward(d *draw) {
	x := []float64{d.pick(-10, 10), d.pick(-70, 70)}
	if d.int(0, 1) == 1 {
		x[0], x[1] = x[1], x[0]
	}
	g := [][]float64{{10, 10}, {10, -10}, {-10, 10}, {-10, -10}}[d.int(0, 3)]
	h := each(g, scaled(rootMean(x), x))
	wo, y := d.evenSum(x, h, 20, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50)
	n := scaled(rootMean(y), y)
	var w1, w3 [][]float64
	var gate, up float64
	for {
		w1, w3 = d.matrix(1, 2), d.matrix(1, 2)
		gate, up = dot(n, w1[0]), dot(n, w3[0])
		if size := math.Round(math.Abs(gate)); d.err != nil || 1 <= size && size <= 3 && math.Round(up) != 0 {
			break
		}
	}
	w2 := d.matrix(2, 1)
	hidden := silu(gate) * up
	d.set("x", x)
	d.set("g", g)
	d.set("WO", wo)
	d.set("w1", w1)
	d.set("w2", w2)
	d.set("w3", w3)
	d.set("h", h)
	d.set("v", []float64{h[1], h[0]})
	d.set("attn", plus(y, -1, x))
	d.set("y", y)
	d.set("size", math.Round(math.Abs(y[0])))
	d.set("n", n)
	d.set("gate", math.Round(gate))
	d.set("sigma", sigmoid(math.Round(gate)))
	d.set("act", silu(gate))
	d.set("up", up)
	d.set("hidden", hidden)
	d.set("ffn", scaled(hidden, flat(w2)))
	d.answer("z", plus(y, hidden, flat(w2)), reals(d.ask("block.forward", oneToken(x, g, wo, w1, w2, w3))["z"]))
}

// blockBackward draws one token with a gate at 0, so that no exponential is needed, and norms
// that divide by 2 or by 4.
func blockBackward(d *draw) {
	x, g := []float64{d.pick(-2, 2), d.pick(-2, 2)}, []float64{1, 1}
	h := scaled(rootMean(x), x)
	var wo, w1, w2, w3 [][]float64
	var y, n, dz, ffn, dy, dh, attn []float64
	var gate, up, dHidden, dGate float64
	for d.err == nil && (dGate == 0 || math.Abs(dHidden) > 3 || math.Abs(dGate) > 6.1 || math.Abs(attn[0]) < 0.01) {
		wo, y = d.evenSum(x, h, 2, 4)
		n = scaled(rootMean(y), y)
		b := d.pick(-1, 1)
		w1 = [][]float64{{b, -b * math.Round(n[0]) * math.Round(n[1])}} // gate = 0, but for what ε does
		w3 = [][]float64{{d.pick(-3, -1, 1, 3), d.pick(-3, -1, 1, 3)}}
		w2, dz = d.matrix(2, 1), d.vector(2)
		gate, up, dHidden = dot(n, w1[0]), dot(n, w3[0]), dot(dz, flat(w2))
		if dGate = 0; math.Round(up) == 0 || d.err != nil {
			continue
		}
		dGate = dHidden * up * siluPrime(gate)
		ffn = backThroughNorm(y, g, plus(scaled(dGate, w1[0]), dHidden*silu(gate), w3[0]))
		dy = plus(dz, 1, ffn)
		dh = times(times([][]float64{dy}, transposed(wo)), transposed(exchange))[0]
		attn = backThroughNorm(x, g, dh)
	}
	in := oneToken(x, g, wo, w1, w2, w3)
	d.set("x", x)
	d.set("WO", wo)
	d.set("w1", w1)
	d.set("w2", w2)
	d.set("w3", w3)
	d.set("dz", dz)
	d.set("h", h)
	d.set("y", y)
	d.set("n", n)
	d.set("size", math.Round(math.Abs(y[0])))
	d.set("up", up)
	d.set("dHidden", dHidden)
	d.set("dGate", dGate)
	d.set("dn", scaled(dGate, w1[0]))
	d.set("ffn", ffn)
	d.set("dy", dy)
	d.set("dv", times([][]float64{dy}, transposed(wo))[0])
	d.set("dh", dh)
	d.set("mean", dot(dh, h)/2)
	d.set("attn", attn)
	d.answer("z", plus(y, silu(gate)*up, flat(w2)), reals(d.ask("block.forward", in)["z"]))
	in["dz"] = shaped(dz, 1, 1, 2)
	for name, shape := range map[string][2]int{"wq": {2, 2}, "wk": {2, 2}, "wv": {2, 2}, "wo": {2, 2}, "w1": {1, 2}, "w2": {2, 1}, "w3": {1, 2}} {
		in["d"+name+"_before"] = zeros(shape[0], shape[1])
	}
	in["dln1_before"], in["dln2_before"] = shaped([]float64{0, 0}, 2), shaped([]float64{0, 0}, 2)
	d.answer("dx", plus(dy, 1, attn), reals(d.ask("block.backward", in)["dx"]))
}

// blockStream draws a depth and the size of the branches' contributions, for which the size of
// the stream is a whole number.
func blockStream(d *draw) {
	deep := [][3]float64{{4, 1, 3}, {12, 1, 5}, {24, 1, 7}, {40, 1, 9}, {6, 0.5, 2}, {16, 0.5, 3}, {30, 0.5, 4}, {48, 0.5, 5}, {70, 0.5, 6}}[d.int(0, 8)]
	layers, branch, size := int(deep[0]), deep[1], deep[2]
	variance, even := 1.0, 1.0
	for range 2 * layers { // branch by branch
		variance += branch * branch
		even += branch * branch / float64(2*layers)
	}
	d.set("L", layers)
	d.set("branches", 2*layers)
	d.set("b", branch)
	d.set("b2", branch*branch)
	d.set("variance", size*size)
	d.set("late", branch/size)
	d.set("block", 1/(1+branch*branch))
	d.set("sum", 1+branch*branch)
	d.set("direct", powerOfTen(math.Pow(1+branch*branch, -float64(layers))))
	d.answer("size", size, []float64{math.Sqrt(variance)})
	d.answer("even", math.Sqrt(1+branch*branch), []float64{math.Sqrt(even)})
}

// powerOfTen writes 1.5·10⁻⁵.
func powerOfTen(x float64) string {
	digits, power, _ := strings.Cut(strconv.FormatFloat(x, 'e', 1, 64), "e")
	n, _ := strconv.Atoi(power)
	raised := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	return fmt.Sprintf("%s·10%s", digits, raised.Replace(strconv.Itoa(n)))
}

// blockCount draws the sizes of a block and counts its parameters, and what it keeps of a token.
func blockCount(d *draw) {
	heads := d.int(2, 6)
	dim := 16 * heads * d.int(1, 2)
	f, seq := 64*((8*dim/3+32)/64), 50*d.int(2, 8)
	params := func(layers int) float64 {
		got := reals(d.ask("lm.accounting", wire.Values{"vocab_size": wire.Int(1), "context_length": wire.Int(seq), "d_model": wire.Int(dim),
			"num_layers": wire.Int(layers), "num_heads": wire.Int(heads), "d_ff": wire.Int(f), "batch": wire.Int(1), "seq": wire.Int(seq)})["params"])
		return flat(append(got, 0))[0]
	}
	attention, ffn := 4*dim*dim, 3*dim*f
	kept := 0 // of one token, number by number
	for _, n := range []int{dim, dim, dim, dim, dim, heads * seq, dim, dim, dim, f, f, f, f} {
		kept += n
	}
	d.set("D", dim)
	d.set("F", f)
	d.set("H", heads)
	d.set("T", seq)
	d.set("attention", attention)
	d.set("ffn", ffn)
	d.set("gains", 2*dim)
	d.set("share", math.Round(100*float64(ffn)/float64(attention+ffn+2*dim)))
	d.set("pairs", heads*seq)
	d.answer("params", attention+ffn+2*dim, []float64{params(2) - params(1)})
	d.answer("kept", 8*dim+4*f+heads*seq, []float64{float64(kept)})
}
