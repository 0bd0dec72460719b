package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws06 are those of step 06.
func draws06() map[string]func(*draw) {
	return map[string]func(*draw){
		"rope.turn":   ropeTurn,
		"rope.score":  ropeScore,
		"rope.back":   ropeBack,
		"rope.clocks": ropeClocks,
	}
}

// turned is a pair, turned by an angle.
func turned(x []float64, angle float64) []float64 {
	return []float64{x[0]*math.Cos(angle) - x[1]*math.Sin(angle), x[0]*math.Sin(angle) + x[1]*math.Cos(angle)}
}

// rope asks for rows of one head, each at its position, to be turned.
func (d *draw) rope(function, name string, rows [][]float64, positions ...int) []float64 {
	in := wire.Values{name: shaped(rows, 1, 1, len(rows), len(rows[0])), "positions": whole(positions, 1, len(rows)),
		"theta": wire.Float(10000), "max_seq_len": wire.Int(20)}
	if function == "rope.backward" {
		return reals(d.ask(function, in)["dx"])
	}
	return reals(d.ask(function, in)["y"])
}

// circle gives cosine and sine of an angle a placeholder each.
func (d *draw) circle(name string, angle float64) {
	d.set("cos"+name, math.Cos(angle))
	d.set("sin"+name, math.Sin(angle))
}

// ropeTurn draws a row of one pair, and a position.
func ropeTurn(d *draw) {
	x, p := d.vector(2), d.int(1, 6)
	d.set("x", x)
	d.set("p", p)
	d.circle("", float64(p))
	y := turned(x, float64(p))
	d.answer("y", y, d.rope("rope.forward", "x", [][]float64{x}, p))
	d.set("squares", dot(x, x))
	d.set("ysquares", dot(y, y))
}

// ropeScore draws a query and a key of one pair, a distance apart.
func ropeScore(d *draw) {
	q, k := d.vector(2), d.vector(2)
	for math.Abs(q[0]*k[1]-q[1]*k[0]) < 2 { // the direction of the turn matters
		k = d.vector(2)
	}
	apart, m := d.int(1, 3), d.int(4, 9)
	n := m - apart
	d.set("q", q)
	d.set("k", k)
	d.set("m", m)
	d.set("n", n)
	d.set("apart", apart)
	d.circle("", float64(apart))
	straight, across := dot(q, k), q[0]*k[1]-q[1]*k[0]
	d.set("straight", straight)
	d.set("across", across)
	both := d.rope("rope.forward", "x", [][]float64{q, k}, m, n)
	if len(both) < 4 {
		return
	}
	// q̄·k·e^(i(n−m)) has the real part (q·k)·cos(n−m) − (q×k)·sin(n−m).
	d.answer("score", straight*math.Cos(float64(apart))+across*math.Sin(float64(apart)), []float64{dot(both[:2], both[2:])})
	far := d.rope("rope.forward", "x", [][]float64{q, k}, m+5, n+5)
	if len(far) < 4 {
		return
	}
	d.set("m5", m+5)
	d.set("n5", n+5)
	d.set("again", dot(far[:2], far[2:]))
}

// ropeBack draws a gradient at the place of a key that was turned.
func ropeBack(d *draw) {
	dy, p := d.vector(2), d.int(1, 6)
	d.set("dy", dy)
	d.set("p", p)
	d.circle("", float64(p))
	d.answer("dx", turned(dy, -float64(p)), d.rope("rope.backward", "dy", [][]float64{dy}, p))
	d.set("same", turned(dy, float64(p)))
}

// ropeClocks draws a position for a head of eight numbers, whose hands turn by powers of ten.
func ropeClocks(d *draw) {
	p := d.int(2, 19)
	angles := []float64{float64(p), float64(p) / 10, float64(p) / 100, float64(p) / 1000}
	tables := d.ask("rope.tables", wire.Values{"theta": wire.Float(10000), "d_k": wire.Int(8), "max_seq_len": wire.Int(20)})
	cos, sin := reals(tables["cos"]), reals(tables["sin"])
	if len(cos) < 80 || len(sin) < 80 {
		return
	}
	var truth []float64 // the angle of each hand, up to full turns
	for k := range 4 {
		angle := math.Atan2(sin[4*p+k], cos[4*p+k])
		truth = append(truth, angle+2*math.Pi*math.Round((angles[k]-angle)/(2*math.Pi)))
	}
	d.set("p", p)
	d.answer("angles", angles, truth)
	d.set("turns", []float64{2 * math.Pi, 20 * math.Pi, 200 * math.Pi, 2000 * math.Pi})
	d.set("rounds", angles[0]/(2*math.Pi))
}
