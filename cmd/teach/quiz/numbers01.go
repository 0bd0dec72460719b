package quiz

import (
	"math"
	"slices"
)

// draws01 are those of step 01.
func draws01() map[string]func(*draw) {
	return map[string]func(*draw){
		"init.sigma": initSigma,
		"init.signs": initSigns,
		"init.again": initAgain,
		"init.depth": initDepth,
	}
}

// initSigma draws the sizes of a layer whose σ is one over a whole number.
func initSigma(d *draw) {
	k := float64(d.int(4, 16))
	in := 2 * float64(d.int(3, int(k*k)-3))
	out := 2*k*k - in
	for in == out {
		in = 2 * float64(d.int(3, int(k*k)-3))
		out = 2*k*k - in
	}
	d.set("in", in)
	d.set("out", out)
	d.set("sum", in+out)
	d.set("k2", k*k)
	d.set("cut", 3/k)
	d.set("forward", in/(k*k))
	d.set("backward", out/(k*k))
	low, high := 0.0, 1.0 // the σ for which the mean of both factors is 1, by halving
	for range 100 {
		if middle := (low + high) / 2; (in*middle*middle+out*middle*middle)/2 < 1 {
			low = middle
		} else {
			high = middle
		}
	}
	d.answer("sigma", 1/k, []float64{low})
}

// initSigns draws an input of two numbers, for weights that are +s or −s.
func initSigns(d *draw) {
	x := d.vector(2)
	for math.Abs(x[0]) == math.Abs(x[1]) {
		x = d.vector(2)
	}
	s := d.pick(0.5, 1, 2)
	mean := 0.0 // of y², over the four equally likely weights
	for _, a := range []float64{s, -s} {
		for _, b := range []float64{s, -s} {
			mean += (a*x[0] + b*x[1]) * (a*x[0] + b*x[1]) / 4
		}
	}
	d.set("x", x)
	d.set("s", s)
	d.set("plus", s*math.Abs(x[0]+x[1]))
	d.set("minus", s*math.Abs(x[0]-x[1]))
	d.set("size", dot(x, x)/2)
	d.set("var", s*s)
	d.answer("mean", 2*s*s*dot(x, x)/2, []float64{mean})
}

// initAgain draws numbers from N(0, 1) as they might come, of which one or two are outside,
// at least one of them among those that clamping would take.
func initAgain(d *draw) {
	const n = 4
	var z []float64
	outside, early := 0, false
	for !early || outside > 2 {
		z, outside, early = nil, 0, false
		for i := range n + 2 {
			v := math.Round(100*d.rng.NormFloat64()*1.6) / 100
			if z = append(z, v); math.Abs(v) > 2 {
				outside++
				early = early || i < n
			}
		}
	}
	sigma := d.pick(0.5, 0.1, 0.2)
	inside := slices.DeleteFunc(slices.Clone(z), func(v float64) bool { return v < -2 || v > 2 })
	var again, clamped []float64 // one by one: the next that fits
	at := 0
	for len(again) < n {
		for math.Abs(z[at]) > 2 {
			at++
		}
		again = append(again, sigma*z[at])
		at++
	}
	for _, v := range z[:n] {
		clamped = append(clamped, sigma*min(max(v, -2), 2))
	}
	d.set("z", z)
	d.set("sigma", sigma)
	d.set("limit", 2*sigma)
	d.answer("w", again, scaled(sigma, inside[:n]))
	d.set("clamped", clamped)
	d.set("used", at)
}

// initDepth draws layers that multiply a signal's size by a simple number.
func initDepth(d *draw) {
	half := d.int(2, 6)
	width := math.Pow(4, float64(half)) // its root is 2^half
	change := d.pick(0.5, 2)
	layers := d.int(4, 8)
	sigma := change / math.Pow(2, float64(half))
	d.set("width", width)
	d.set("sigma", "1/"+number(1/sigma))
	d.set("layers", layers)
	d.set("each", change)
	d.set("right", "1/"+number(math.Sqrt(width)))
	size := 1.0
	for range layers {
		size *= math.Sqrt(width * sigma * sigma)
	}
	d.answer("after", math.Pow(change, float64(layers)), []float64{size})
}
