package quiz

import (
	"fmt"
	"math"
	"strings"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws15 are those of step 15.
func draws15() map[string]func(*draw) {
	return map[string]func(*draw){
		"sum.stops":   sumStops,
		"round.16":    round16,
		"int8.linear": int8Row,
		"int4.group":  int4Few,
		"master.run":  masterSteps,
	}
}

// singles returns the numbers of float32 codes.
func singles(v wire.Value) []float64 {
	x := make([]float64, len(v.I64))
	for i, code := range v.I64 {
		x[i] = float64(math.Float32frombits(uint32(code)))
	}
	return x
}

// in16 returns the codes of numbers in bf16 or fp16, and what these stand for.
func (d *draw) in16(format string, x ...float64) (codes wire.Value, values []float64) {
	codes = d.ask(format+".round", wire.Values{"x": wire.Floats(x, len(x))})["code"]
	if d.err != nil {
		return wire.Ints(make([]int64, len(x)), len(x)), make([]float64, len(x))
	}
	return codes, singles(d.ask(format+".value", wire.Values{"code": codes})["x"])
}

// nearest returns the multiple of step that is nearest to n, of two the even one.
func nearest(n, step int) int {
	q, r := n/step, n%step
	if 2*r > step || 2*r == step && q%2 == 1 {
		q++
	}
	return q * step
}

// exponentOf returns e with 2^e ≤ n < 2^(e+1).
func exponentOf(n int) int {
	e := 0
	for n >= 2<<e {
		e++
	}
	return e
}

// sumStops draws a number that is added again and again.
func sumStops(d *draw) {
	v := d.int(3, 14)
	k := 0
	for 1<<k < v {
		k++
	}
	stop, stop16 := 256<<k, 2048<<k
	sum := 0.0
	for range 2 * stop {
		_, next := d.in16("bf16", sum+float64(v))
		if next[0] == sum || d.err != nil {
			break
		}
		sum = next[0]
	}
	half := float64(stop16) // of float16 only the last two steps: the one that arrives, and the one that does not
	_, last := d.in16("fp16", half-float64(int(1)<<k)+float64(v), half+float64(v))
	if last[0] != last[1] {
		d.fail(fmt.Errorf("a sum of %d in float16 does not end at %d", v, stop16))
	}
	d.set("v", v)
	d.set("k", k)
	d.set("low", 1<<k/2)
	d.set("high", 1<<k)
	d.set("gap", 2<<k)
	d.set("mean", float64(stop)/10000)
	d.answer("stop", stop, []float64{sum})
	d.answer("stop16", stop16, last[1:])
}

// round16 draws whole numbers and rounds them to both formats.
func round16(d *draw) {
	a, b, c, huge := 2*d.int(129, 255)-1, 4*d.int(129, 254)+d.int(1, 3), 2*d.int(1030, 2040)+1, 1000*d.int(66, 129)
	_, values := d.in16("bf16", float64(a), float64(b), float64(c), float64(huge))
	codes, _ := d.in16("bf16", float64(a))
	halfCodes, halves := d.in16("fp16", float64(a), float64(b), float64(c))
	over, _ := d.in16("fp16", float64(huge))
	ra, rc := nearest(a, 2), nearest(c, 2)
	e, eh := exponentOf(ra), exponentOf(rc)
	m, mh := ra>>(e-7)-128, rc>>(eh-10)-1024
	d.set("a", a)
	d.set("b", b)
	d.set("c", c)
	d.set("huge", huge)
	d.set("below", a-1)
	d.set("above", a+1)
	d.set("cBelow", c-1)
	d.set("cAbove", c+1)
	d.set("e", e)
	d.set("E", 127+e)
	d.set("M", m)
	d.set("eh", eh)
	d.set("Eh", 15+eh)
	d.set("Mh", mh)
	d.set("hex", fmt.Sprintf("0x%04x", (127+e)<<7|m))
	d.set("hexh", fmt.Sprintf("0x%04x", (15+eh)<<10|mh))
	d.answer("bf", []float64{float64(ra), float64(nearest(b, 4)), float64(nearest(c, 16)), float64(nearest(huge, 512))}, values)
	d.answer("fp", []float64{float64(a), float64(b), float64(rc)}, halves)
	d.answer("code", (127+e)*128+m, reals(codes))
	d.answer("half", (15+eh)*1024+mh, reals(halfCodes)[2:])
	d.answer("infinity", 31*1024, reals(over))
}

// int8Row draws a row of x and one of W, in groups of two whose scales are powers of two. The
// second group of x has larger numbers.
func int8Row(d *draw) {
	unround := func() float64 { return d.pick(-1, 1)*float64(d.int(2, 20)) + d.pick(-0.25, 0.25, 0.5) }
	small := d.pick(0.25, 0.5)
	s, t := []float64{small, 8 * small}, []float64{d.pick(0.25, 0.5), d.pick(0.5, 1)}
	u := []float64{127, unround(), unround(), -127}
	w := []float64{unround(), 127, 127, unround()}
	var x, weight, qx, qw, one []float64
	for j := range 4 {
		x, weight = append(x, s[j/2]*u[j]), append(weight, t[j/2]*w[j])
		qx, qw = append(qx, math.Round(u[j])), append(qw, math.Round(w[j]))
		one = append(one, math.Round(x[j]/s[1]))
	}
	first, second := qx[0]*qw[0]+qx[1]*qw[1], qx[2]*qw[2]+qx[3]*qw[3]
	quantize := func(x []float64, group int) []float64 {
		return reals(d.ask("int8.quantize", wire.Values{"x": wire.Floats(x, 1, 4), "group": wire.Int(group)})["q"])
	}
	exact := dot(x, weight)
	y := s[0]*t[0]*first + s[1]*t[1]*second
	d.set("x", x)
	d.set("W", weight)
	d.set("s", s)
	d.set("t", t)
	d.set("first", first)
	d.set("second", second)
	d.set("f0", s[0]*t[0])
	d.set("f1", s[1]*t[1])
	d.set("exact", exact)
	d.set("read", scaled(s[1], one[:2]))
	d.answer("qx", qx, quantize(x, 2))
	d.answer("qw", qw, quantize(weight, 2))
	d.answer("one", one, quantize(x, 4))
	d.answer("y", y, reals(d.ask("int8.linear", wire.Values{"x": wire.Floats(x, 1, 4), "w": wire.Floats(weight, 1, 4), "group": wire.Int(2)})["y"]))
}

// int4Few draws a group of which five numbers are not zero.
func int4Few(d *draw) {
	v := d.pick(-8, -4, -2, 2, 4, 8)
	step := v / -8
	unround := func() float64 { return float64(d.int(-6, 6)) + d.pick(-0.25, 0.25, 0.5) }
	at := []int{0, 1, 2, 3, 16}
	u := []float64{unround(), -8, 8, unround(), unround()}
	group := make([]float64, 32)
	var x, q, read []float64
	for i, place := range at {
		group[place] = step * u[i]
		x = append(x, group[place])
		q = append(q, min(math.Floor(u[i]+8.5), 15))
		read = append(read, step*(q[i]-8))
	}
	out := d.ask("int4.quantize", wire.Values{"x": wire.Floats(group, 1, 32)})
	if d.err != nil {
		return
	}
	scale := singles(out["scale"])
	values := singles(d.ask("int4.value", wire.Values{"q4": out["q"], "scale": wire.Floats(scale, 1, 1), "cols": wire.Int(32)})["x"])
	var truth []float64
	for _, place := range at {
		truth = append(truth, values[place])
	}
	d.set("x", x)
	d.set("v", v)
	d.set("q", q)
	d.set("off", math.Abs(step))
	d.set("half", math.Abs(step)/2)
	d.set("quotients", u)
	d.answer("d", step, scale)
	d.answer("read", read, truth)
	d.answer("bytes", []float64{q[0] + 16*q[4], q[1] + 16*8, q[2] + 16*8, q[3] + 16*8}, reals(out["q"])[:4])
}

// masterSteps draws six updates of one weight, of which one has an infinite gradient.
func masterSteps(d *draw) {
	k, often, bad, scale := d.int(1, 3), d.int(2, 3), d.int(1, 4), 256<<d.int(0, 2)
	var arrives []string
	var codes []int64
	var u, c, l, scales, taken []float64
	first, good, done, lone := scale, 0, 0, 1.0
	for i := range 6 {
		code, _ := d.in16("fp16", float64(-k*scale))
		switch {
		case i == bad:
			arrives, codes, taken = append(arrives, "∞"), append(codes, 31*1024), append(taken, 0)
			scale, good = scale/2, 0
		default:
			arrives, codes, taken = append(arrives, number(float64(-k*scale))), append(codes, code.I64[0]), append(taken, 1)
			done++
			_, next := d.in16("fp16", lone+float64(k)/4096)
			lone = next[0]
			if good++; good == often {
				scale, good = 2*scale, 0
			}
		}
		u, c, scales = append(u, float64(done*k)), append(c, float64(nearest(done*k, 4)/4)), append(scales, float64(scale))
		l = append(l, (lone-1)*1024)
	}
	out := d.ask("master.run", wire.Values{"w": wire.Floats([]float64{1}, 1), "code": wire.Ints(codes, 6, 1), "scale": wire.Float(float64(first)),
		"every": wire.Int(often), "lr": wire.Float(1. / 4096), "max_norm": wire.Float(100)})
	if d.err != nil {
		return
	}
	var values []float64
	for _, x := range reals(out["value"]) {
		values = append(values, (x-1)*4096)
	}
	var copied []float64
	copies := out["copy"]
	copies.Shape = []int{6}
	for _, x := range singles(d.ask("fp16.value", wire.Values{"code": copies})["x"]) {
		copied = append(copied, (x-1)*1024)
	}
	var alone []float64 // less than half of a step is lost, and a half too; three quarters are a whole one
	for _, n := range u {
		alone = append(alone, map[bool]float64{true: n / 3}[k == 3])
	}
	d.set("arrives", "("+strings.Join(arrives, ", ")+")")
	d.set("k", k)
	d.set("often", often)
	d.set("scale", first)
	d.set("quarters", map[int]string{1: "a quarter of a step, and is rounded away", 2: "half a step, a tie, which goes to the even neighbour, 1",
		3: "three quarters of a step, which are rounded up to a whole one"}[k])
	d.set("moral", map[bool]string{false: "It has learnt nothing.", true: "It moves four thirds as fast as it should."}[k == 3])
	d.answer("u", u, values)
	d.answer("c", c, copied)
	d.answer("scales", scales, reals(out["scales"]))
	d.answer("taken", taken, reals(out["taken"]))
	d.answer("l", alone, l)
}
