package quiz

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws06 are those of step 06.
func draws06() map[string]func(*draw) {
	return map[string]func(*draw){
		"rope.forward":  ropeForward,
		"rope.score":    ropeScore,
		"rope.backward": ropeBackward,
		"rope.hands":    ropeHands,
	}
}

// turned returns a pair turned by an angle.
func turned(pair []float64, angle float64) []float64 {
	sin, cos := math.Sincos(angle)
	return []float64{pair[0]*cos - pair[1]*sin, pair[0]*sin + pair[1]*cos}
}

// rope and ropeBack ask for a row at a position, turned forth and back.
func (d *draw) rope(x []float64, theta float64, position int) []float64 {
	return d.turnedRow("rope.forward", "x", "y", x, theta, position)
}

func (d *draw) ropeBack(dy []float64, theta float64, position int) []float64 {
	return d.turnedRow("rope.backward", "dy", "dx", dy, theta, position)
}

func (d *draw) turnedRow(function, from, to string, x []float64, theta float64, position int) []float64 {
	y := reals(d.ask(function, wire.Values{from: shaped(x, 1, 1, len(x)), "theta": wire.Float(theta),
		"positions": wire.Ints([]int64{int64(position)}, 1, 1), "max_seq_len": wire.Int(200)})[to])
	if len(y) != len(x) { // d.err says why
		return make([]float64, len(x))
	}
	return y
}

// ropeForward draws a row of two pairs, whose angles are whole numbers.
func ropeForward(d *draw) {
	of := [][2]int{{16, 4}, {16, 8}, {81, 9}}[d.rng.IntN(3)]
	theta, p := float64(of[0]), of[1]
	root := math.Sqrt(theta) // pair 1 turns by p/√Θ
	x := d.vector(4)
	for x[1] == x[2] {
		x = d.vector(4)
	}
	angle := []float64{float64(p), float64(p) / root}
	first, second := turned(x[:2], angle[0]), turned(x[2:], angle[1])
	one, two := turned([]float64{x[0], x[2]}, angle[0]), turned([]float64{x[1], x[3]}, angle[1])
	split := d.rope([]float64{x[0], x[2], x[1], x[3]}, theta, p)
	d.set("theta", theta)
	d.set("root", root)
	d.set("fourth", math.Sqrt(root))
	d.set("p", p)
	d.set("x", x)
	d.set("angle", angle)
	d.set("c", []float64{math.Cos(angle[0]), math.Cos(angle[1])})
	d.set("s", []float64{math.Sin(angle[0]), math.Sin(angle[1])})
	d.set("size", []float64{dot(x[:2], x[:2]), dot(x[2:], x[2:])})
	d.set("wrong", float64(p)/math.Sqrt(root))
	d.answer("y", []float64{first[0], first[1], second[0], second[1]}, d.rope(x, theta, p))
	d.answer("half", []float64{one[0], two[0], one[1], two[1]}, []float64{split[0], split[2], split[1], split[3]})
}

// places draws the positions of a query and of a key before it, whose sum is at most 9.
func (d *draw) places() (query, key int) {
	query = d.int(2, 6)
	return query, d.int(1, min(query-1, 9-query))
}

// ropeScore draws a query and a key of one pair and works out their score from the distance.
func ropeScore(d *draw) {
	m, n := d.places()
	q, k := d.vector(2), d.vector(2)
	real := func() float64 { return dot(q, k) }
	imaginary := func() float64 { return q[0]*k[1] - q[1]*k[0] }
	for real() == 0 || imaginary() == 0 {
		q, k = d.vector(2), d.vector(2)
	}
	a, b := real(), imaginary()
	gap, sum := float64(m-n), float64(m+n)
	truth := func(query, key int) []float64 {
		return []float64{dot(d.rope(q, 10000, query), d.rope(k, 10000, key))}
	}
	d.set("q", q)
	d.set("k", k)
	d.set("m", m)
	d.set("n", n)
	d.set("A", a)
	d.set("B", b)
	d.set("gap", gap)
	d.set("sum", sum)
	d.set("far", sum+200)
	d.set("c", math.Cos(gap))
	d.set("s", math.Sin(gap))
	d.set("cs", math.Cos(sum))
	d.set("ss", math.Sin(sum))
	d.set("squares", a*a+b*b)
	d.answer("score", a*math.Cos(gap)+b*math.Sin(gap), truth(m, n))
	d.answer("score", a*math.Cos(gap)+b*math.Sin(gap), truth(m+100, n+100))
	d.answer("swapped", a*math.Cos(gap)-b*math.Sin(gap), truth(n, m))
	d.answer("other", a*math.Cos(sum)+b*math.Sin(sum), []float64{dot(d.rope(q, 10000, m), d.ropeBack(k, 10000, n))})
	d.answer("most", math.Hypot(a, b), []float64{math.Sqrt(dot(q, q) * dot(k, k))})
}

// ropeBackward draws a query and a key of one pair and the gradient of their score.
func ropeBackward(d *draw) {
	m, n := d.places()
	q, k, g := d.vector(2), d.vector(2), d.pick(-2, 2)
	for dot(q, k) == 0 || q[0]*k[1] == q[1]*k[0] {
		q, k = d.vector(2), d.vector(2)
	}
	gap := float64(m - n)
	keyThere, queryThere := d.rope(k, 10000, n), d.rope(q, 10000, m)
	dq, dk := d.ropeBack(scaled(g, keyThere), 10000, m), d.ropeBack(scaled(g, queryThere), 10000, n)
	d.set("q", q)
	d.set("k", k)
	d.set("g", g)
	d.set("m", m)
	d.set("n", n)
	d.set("gap", gap)
	d.set("sum", m+n)
	d.set("sent", scaled(g, turned(k, float64(n))))
	d.set("c", math.Cos(gap))
	d.set("s", math.Sin(gap))
	d.answer("there", turned(k, float64(n)), keyThere)
	d.answer("dq", scaled(g, turned(k, -gap)), dq)
	d.answer("dk", scaled(g, turned(q, gap)), dk)
	d.answer("check", g*dot(q, turned(k, -gap)), []float64{dot(q, dq)})
	d.answer("check", g*dot(turned(q, gap), k), []float64{dot(k, dk)})
	d.answer("on", scaled(g, turned(k, float64(m+n))), d.rope(scaled(g, keyThere), 10000, m))
}

// ropeHands draws a head each of whose pairs turns r times as slowly as the one before.
func ropeHands(d *draw) {
	n, r, t, seq := d.int(3, 4), d.pick(3, 4, 5, 10), d.pick(2, 3), int(d.pick(512, 1024, 2048))
	theta, slower := math.Pow(r, float64(n)), math.Pow(t, float64(n-1))
	tables := func(theta float64, length int) wire.Values {
		return d.ask("rope.tables", wire.Values{"theta": wire.Float(theta), "d_k": wire.Int(2 * n), "max_seq_len": wire.Int(length)})
	}
	now, then := tables(theta, seq), tables(math.Pow(r*t, float64(n)), 2)
	if d.err != nil {
		return
	}
	// perRadian reads how many tokens a radian takes off the row of position 1.
	perRadian := func(tables wire.Values, pair int) float64 {
		return 1 / math.Atan2(reals(tables["sin"])[n+pair], reals(tables["cos"])[n+pair])
	}
	var tokens, turns, truth, fullTurns []float64
	for pair := range n {
		tokens = append(tokens, math.Pow(r, float64(pair)))
		turns = append(turns, 2*math.Pi*tokens[pair])
		truth = append(truth, perRadian(now, pair))
		fullTurns = append(fullTurns, 2*math.Pi*truth[pair])
	}
	d.set("K", 2*n)
	d.set("n", n)
	d.set("theta", theta)
	d.set("r", r)
	d.set("T", seq)
	d.set("half", 44/r)
	d.set("halfTurns", 44/r/(2*math.Pi))
	d.set("t", t)
	d.set("slower", slower)
	d.set("rt", r*t)
	d.set("slow", tokens[n-1])
	d.set("neighbours", 1/slower)
	d.set("newTheta", math.Pow(r*t, float64(n)))
	d.answer("tokens", tokens, truth)
	d.answer("turn", turns, fullTurns)
	d.answer("table", seq*2*n, []float64{float64(now["cos"].Len() + now["sin"].Len())})
	d.answer("new", tokens[n-1]*slower, []float64{perRadian(then, n-1)})
}
