package quiz

import (
	"fmt"
	"math"
)

// draws11 are those of step 11.
func draws11() map[string]func(*draw) {
	return map[string]func(*draw){
		"train.clip":     trainClip,
		"train.adamw":    trainAdamW,
		"train.schedule": trainSchedule,
		"train.tile":     trainTile,
	}
}

// trainClip draws two gradients whose lengths are whole numbers, alone and together. The
// clipped ones are held to the length and the direction that they should have.
func trainClip(d *draw) {
	all := [][]float64{{3, 4, 12}, {6, 8, 24}, {9, 12, 8}, {9, 12, 20}, {12, 16, 15}, {12, 16, 21}}
	g := all[d.int(0, len(all)-1)]
	g = each(g, []float64{d.pick(-1, 1), d.pick(-1, 1), d.pick(-1, 1)})
	norm := math.Sqrt(dot(g, g))
	share := d.pick(0.5, 0.2, 0.1)
	bound, first, second := share*norm, math.Hypot(g[0], g[1]), math.Abs(g[2])
	d.set("g", g[:2])
	d.set("h", g[2])
	d.set("c", bound)
	d.set("above", norm+d.pick(1, 2, 5))
	d.answer("norm", norm, []float64{math.Hypot(first, second)})
	d.set("share", share)
	unit := []float64{g[0] / norm, g[1] / norm, g[2] / norm}
	d.answer("clipped", scaled(share, g), scaled(bound, unit))
	alone := []float64{min(1, bound/first), min(1, bound/second)}
	d.set("firstNorm", first)
	d.set("secondNorm", second)
	d.set("alone", []float64{alone[0] * g[0], alone[0] * g[1], alone[1] * g[2]})
	d.set("before", second/first)
	d.set("after", min(bound, second)/min(bound, first))
}

// trainAdamW draws two updates with β1 = β2 = ½, for which every root is a whole number:
// a² + 2b² = 3c². They are held to means with weights, which the recursion is.
func trainAdamW(d *draw) {
	all := [][]float64{{1, 1, 1}, {5, 1, 3}, {1, 11, 9}}
	which := all[d.int(0, len(all)-1)]
	size := d.pick(0.5, 1, 2)
	a, b := size*which[0]*d.pick(-1, 1), size*which[1]*d.pick(-1, 1)
	p0, rate, decay := d.pick(-3, -2, 2, 3), d.pick(0.1, 0.2), 0.5
	for a+decay*p0 == 0 { // has no sign
		p0 = d.pick(-3, -2, 2, 3)
	}
	m1, v1 := a/2, a*a/2
	m2, v2 := m1/2+b/2, v1/2+b*b/2
	q1, q2 := (m1/0.5)/math.Sqrt(v1/0.5), (m2/0.75)/math.Sqrt(v2/0.75)
	p1 := p0*(1-rate*decay) - rate*q1
	p2 := p1*(1-rate*decay) - rate*q2
	d.set("p", p0)
	d.set("g1", a)
	d.set("g2", b)
	d.set("lr", rate)
	d.set("lambda", decay)
	d.set("m1", m1)
	d.set("v1", v1)
	d.set("m2", m2)
	d.set("v2", v2)
	d.set("mhat", m2/0.75)
	d.set("vhat", v2/0.75)
	d.set("root", size*which[2])
	d.answer("q1", q1, []float64{a / math.Abs(a)})
	d.answer("q2", q2, []float64{(a + 2*b) / 3 / (size * which[2])})
	d.set("shrunk0", p0*(1-rate*decay))
	d.set("shrunk1", p1*(1-rate*decay))
	d.set("keep", 1-rate*decay)
	decayed := p0*math.Pow(1-rate*decay, 2) - rate*(1-rate*decay)*q1 - rate*q2
	d.answer("p1", p1, []float64{p0 - rate*decay*p0 - rate*math.Copysign(1, a)})
	d.answer("p2", p2, []float64{decayed})
	d.set("l2", p0-rate*math.Copysign(1, a+decay*p0))
	d.set("mixed", a+decay*p0)
}

// trainSchedule draws a schedule and asks for the rates at sixths, whose cosines are known
// by heart. They are held to cos²(πx/2), which is (1 + cos(πx))/2.
func trainSchedule(d *draw) {
	top := d.pick(4, 6, 8, 12)
	low, warmup, third := top/10, 100*d.int(1, 4), 100*d.int(2, 9)
	end := warmup + 3*third
	rate := func(progress float64) float64 {
		half := math.Cos(math.Pi * progress / 2)
		return low + half*half*(top-low)
	}
	d.set("top", top)
	d.set("low", low)
	d.set("warmup", warmup)
	d.set("end", end)
	early := warmup / 4
	d.set("early", early)
	d.set("one", warmup+third)
	d.set("two", warmup+2*third)
	d.set("late", end+50)
	d.answer("rates", []float64{top / 4, low + 0.75*(top-low), low + 0.25*(top-low), low},
		[]float64{top * float64(early) / float64(warmup), rate(1.0 / 3), rate(2.0 / 3), rate(1)})
	d.set("span", top-low)
	d.set("mean", (top+low)/2)
	d.set("width", 3*third)
}

// trainTile draws a processor and a tile of a product, and counts. The tiles are held to
// a walk over the product.
func trainTile(d *draw) {
	registers, width := 32, 16
	tiles := [][2]int{{14, 32}, {8, 48}, {12, 32}, {6, 64}, {16, 32}, {30, 16}}
	if d.int(0, 1) == 1 {
		registers, width = 16, 8
		tiles = [][2]int{{6, 16}, {4, 24}, {12, 8}, {8, 16}, {4, 16}, {3, 32}}
	}
	tile := tiles[d.int(0, len(tiles)-1)]
	r, c := tile[0], tile[1]
	m, n := 10*d.int(3, 12), 10*d.int(5, 20)
	sums := r * c / width
	needed := sums + c/width + 1
	d.set("registers", registers)
	d.set("width", width)
	d.set("r", r)
	d.set("c", c)
	d.set("sums", sums)
	d.set("row", c/width)
	d.set("needed", needed)
	verdict := "they suffice"
	if needed > registers {
		verdict = fmt.Sprintf("%d too many: some sums are stored and loaded again in every step", needed-registers)
	}
	d.set("fit", verdict)
	d.set("products", r*c)
	d.set("loaded", r+c)
	d.set("bytes", 4*(r+c))
	d.answer("intensity", float64(2*r*c)/float64(4*(r+c)), []float64{1 / (2/float64(r) + 2/float64(c))})
	d.set("m", m)
	d.set("n", n)
	down, right := (m+r-1)/r, (n+c-1)/c
	walked := 0
	for i := 0; i < m; i += r {
		for j := 0; j < n; j += c {
			walked++
		}
	}
	d.set("down", down)
	d.set("right", right)
	d.answer("tiles", down*right, []float64{float64(walked)})
	d.set("padded", down*right*r*c)
	d.set("inside", m*n)
	d.set("useful", 100*float64(m*n)/float64(down*right*r*c))
}
