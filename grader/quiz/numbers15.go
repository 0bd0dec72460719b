package quiz

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws15 are those of step 15.
func draws15() map[string]func(*draw) {
	return map[string]func(*draw){
		"bf16.round":   bf16Round,
		"int8.row":     int8Row,
		"int8.product": int8Product,
		"int4.group":   int4Group,
		"bytes.pace":   bytesPace,
	}
}

// singles returns the numbers of which an answer has the bits in float32.
func singles(v wire.Value) []float64 {
	x := make([]float64, len(v.I64))
	for i, bits := range v.I64 {
		x[i] = float64(math.Float32frombits(uint32(bits)))
	}
	return x
}

// bf16Round draws numbers from 1 to 2 with two bits more than a bfloat16 has: a quarter, a half
// and three quarters beyond a neighbour, and a half beyond the next one.
func bf16Round(d *draw) {
	const neighbours, one = 128, 0x3f80 // from 1 to 2, and the code of 1
	n := d.int(3, 120)
	quarters := []int{4*n + 1, 4*n + 2, 4*n + 3, 4*(n+1) + 2}
	var x, codes, values []float64
	for i, q := range quarters {
		x = append(x, 1+float64(q)/(4*neighbours))
		r := q / 4
		if rest := q % 4; rest == 3 || rest == 2 && r%2 == 1 {
			r++
		}
		codes, values = append(codes, float64(one+r)), append(values, 1+float64(r)/neighbours)
		d.set(fmt.Sprint("above", i), q)
		d.set(fmt.Sprint("r", i), r)
		d.set(fmt.Sprint("hex", i), fmt.Sprintf("0x%x", one+r))
	}
	d.set("n", n)
	d.set("next", n+1)
	d.set("even", map[bool]string{true: "even", false: "odd"}[n%2 == 0])
	d.set("other", map[bool]string{true: "odd", false: "even"}[n%2 == 0])
	d.answer("codes", codes, reals(d.ask("bf16.round", wire.Values{"x": wire.Floats(x, 4)})["code"]))
	code := make([]int64, 4)
	for i, c := range codes {
		code[i] = int64(c)
	}
	d.answer("values", values, singles(d.ask("bf16.value", wire.Values{"code": wire.Ints(code, 4)})["x"]))
}

// int8Row draws a group of four whose largest number is 127 times a handy scale.
func int8Row(d *draw) {
	s := d.pick(0.25, 0.5, 2, 4)
	q := []float64{127 * d.pick(1, -1), float64(d.int(-90, -20)), float64(d.int(10, 40)), float64(d.int(50, 100))}
	off := []float64{0, -0.25, 0.5, 0.25} // the half is rounded away from zero
	x := scaled(s, plus(q, 1, off))
	q[2]++
	in := wire.Values{"x": shaped(x, 1, 4), "group": wire.Int(4)}
	d.set("x", x)
	d.set("s", s)
	d.set("exact", scaled(1/s, x))
	d.answer("q", q, reals(d.ask("int8.quantize", in)["q"]))
	whole := make([]int64, 4)
	for i := range q {
		whole[i] = int64(q[i])
	}
	back := wire.Values{"q8": wire.Ints(whole, 1, 4), "scale": wire.Floats([]float64{s}, 1, 1), "group": wire.Int(4)}
	d.answer("back", scaled(s, q), singles(d.ask("int8.value", back)["x"]))
	d.set("half", s/2)
}

// int8Product draws two rows of four in groups of two, that are quantised without an error.
func int8Product(d *draw) {
	var x, w, qx, qw, sx, sw, sums []float64
	for len(sums) == 0 || sums[0]*sums[1] == 0 || sx[0]*sw[0] == sx[1]*sw[1] {
		sx, sw = []float64{d.pick(0.5, 1, 2), d.pick(0.5, 1, 2)}, []float64{d.pick(0.5, 1, 2), d.pick(0.5, 1, 2)}
		qx, qw = []float64{127, 10 * d.small(), 127, 10 * d.small()}, []float64{10 * d.small(), -127, 10 * d.small(), -127}
		sums = []float64{dot(qx[:2], qw[:2]), dot(qx[2:], qw[2:])}
	}
	for i := range qx {
		x, w = append(x, sx[i/2]*qx[i]), append(w, sw[i/2]*qw[i])
	}
	d.set("qx", qx)
	d.set("qw", qw)
	d.set("sx", sx)
	d.set("sw", sw)
	d.set("sum", sums)
	d.set("scale", []float64{sx[0] * sw[0], sx[1] * sw[1]})
	d.answer("y", sx[0]*sw[0]*sums[0]+sx[1]*sw[1]*sums[1],
		reals(d.ask("int8.linear", wire.Values{"x": shaped(x, 1, 4), "w": shaped(w, 1, 4), "group": wire.Int(2)})["y"]))
	d.set("wrong", sums[0]+sums[1])
}

// int4Group draws a group that begins with three numbers and is zero otherwise.
func int4Group(d *draw) {
	step := d.pick(-0.5, -0.25, 0.25, 0.5) // d: the number of the largest magnitude is −8·d
	q := []float64{float64(d.int(9, 13)), 0, 15}
	x := []float64{step*(q[0]-8) + step/4, -8 * step, 8 * step}
	x[2] -= step / 8 // 16.4, held to 15
	in := wire.Values{"x": shaped(append(x, make([]float64, 29)...), 1, 32)}
	truth := reals(d.ask("int4.quantize", in)["q"])
	if len(truth) < 3 {
		return
	}
	for i := range 3 {
		truth[i] -= 8 << 4 // the element above is zero
	}
	x = x[:3]
	d.set("x", x)
	d.set("v", -8*step)
	d.set("d", step)
	d.set("exact", []float64{x[0]/step + 8.5, 0.5, x[2]/step + 8.5})
	d.answer("q", q, truth[:3])
	d.set("back", scaled(step, plus(q, -8, []float64{1, 1, 1})))
	d.set("misread", []float64{step * (q[0] - 16), -8 * step, 0})
	for i := range 3 {
		d.set(fmt.Sprint("byte", i), fmt.Sprintf("0x8%x", int(q[i])))
	}
}

// bytesPace draws a model and a memory, and works out how fast it can write.
func bytesPace(d *draw) {
	billions, speed := float64(d.int(2, 12)), 10*float64(d.int(3, 20))
	var pace, size []float64
	for _, bits := range []float64{32, 16, 8.5, 5} {
		size = append(size, billions*bits/8)
		pace = append(pace, speed/(billions*bits/8))
	}
	d.set("P", billions)
	d.set("speed", speed)
	d.set("size", size)
	seconds := []float64{4 * billions / speed, 2 * billions / speed, (billions + billions/16) / speed, (billions/2 + billions/8) / speed}
	for i, s := range seconds { // a group's scale is 4 bytes for 64 or for 32 weights
		seconds[i] = 1 / s
	}
	d.answer("pace", pace, seconds)
	d.set("times", 32/8.5)
	d.set("ms", math.Round(1000/pace[0]))
}
