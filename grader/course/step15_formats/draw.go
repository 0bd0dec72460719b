package formats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// anyBits is how many float32s of arbitrary bits are drawn.
const anyBits = 1 << 16

// boundaries draws, in any order and of any sign, the three float32s around the middle
// between every two neighbouring codes of a 16-bit format below infinity, and floats of
// arbitrary bits. A function that rounds is constant between two middles. dropped is
// how many bits of a mantissa the format drops.
func boundaries(infinity, dropped int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		var x []float32
		for code := range infinity {
			middle := middleAfter(uint32(code), dropped)
			for _, bits := range []uint32{middle - 1, middle, middle + 1} {
				x = append(x, math.Float32frombits(bits|rng.Uint32()&(1<<31)))
			}
		}
		for range anyBits {
			x = append(x, math.Float32frombits(rng.Uint32()))
		}
		rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		return wire.Values{"x": wire.Float32s(x, len(x))}
	}
}

// middleAfter is the code of the float32 halfway from a 16-bit code to the next.
func middleAfter(code uint32, dropped int) uint32 {
	const rebias = 112 << 23 // between the exponents of float16 and float32
	switch {
	case dropped == 16:
		return code<<16 | 1<<15
	case code < 1<<10: // subnormal: multiples of 2^-24
		return math.Float32bits((float32(code) + 0.5) / (1 << 24))
	}
	return code<<13 + rebias + 1<<12
}

// allCodes draws all 65,536 codes, in any order.
func allCodes(rng *rand.Rand) wire.Values {
	code := make([]int64, 1<<16)
	for i, n := range rng.Perm(len(code)) {
		code[i] = int64(n)
	}
	return wire.Values{"code": wire.Ints(code, len(code))}
}

// drawDotBF16 draws a sum of a thousand terms and more, of one sign.
func drawDotBF16(rng *rand.Rand) wire.Values {
	n := course.Between(rng, 1000, 1500)
	code, x := course.IDs(rng, 0x80, n), course.Normal(rng, 1, n)
	for i := range x.F32 {
		code.I64[i] += 0x3f80 // from 1 to 2
		x.F32[i] = 1 + float32(math.Abs(float64(x.F32[i])))
	}
	return wire.Values{"code": code, "x": x}
}

// rowsOfSizes draws an array whose rows, and the parts of a row, are of different size.
func rowsOfSizes(rng *rand.Rand, shape ...int) wire.Value {
	v := course.Normal(rng, 1, shape...)
	cols := shape[len(shape)-1]
	for i := range v.F32 {
		v.F32[i] *= float32(1+i/cols) * float32(1+i%cols/3)
	}
	return v
}

// levels draws rows of groups whose numbers, in units of a scale drawn for each group,
// lie well beside the middles between two whole numbers, so that no rounding of a
// quotient decides. One of each group is the largest, edge units with the given signs.
func levels(rng *rand.Rand, group int, edge float64, signs []float64, shape ...int) wire.Value {
	x := wire.Float32s(nil, shape...)
	x.F32 = make([]float32, x.Len())
	cols := shape[len(shape)-1]
	for row := range slices.Chunk(x.F32, cols) {
		for part := range slices.Chunk(row, group) {
			scale := math.Exp(2*rng.Float64() - 3)
			for i := range part {
				part[i] = float32(scale * (float64(course.Between(rng, 1-int(edge), int(edge)-1)) + 0.9*rng.Float64() - 0.45))
			}
			part[rng.IntN(len(part))] = float32(scale * edge * signs[rng.IntN(len(signs))])
		}
	}
	return x
}

func levels8(rng *rand.Rand, group int, shape ...int) wire.Value {
	return levels(rng, group, 127, []float64{-1, 1}, shape...)
}

func levels4(rng *rand.Rand, shape ...int) wire.Value {
	x := levels(rng, 32, 8, []float64{-1, 1}, shape...)
	for row := range slices.Chunk(x.F32, shape[len(shape)-1]) {
		for part := range slices.Chunk(row, 32) { // nearly as large as the largest, of the other sign
			if at := slices.MaxFunc(part, bySize); len(part) > 1 {
				part[(slices.Index(part, at)+1)%len(part)] = -0.98 * at
			}
		}
	}
	return x
}

func bySize(x, y float32) int { return cmp.Compare(max(x, -x), max(y, -y)) }

func drawInt8(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 2, 2, 6)
	group := course.Between(rng, 3, 9)
	return wire.Values{"x": levels8(rng, group, n[0], n[1], 4*group+course.Between(rng, 1, group-1)), "group": wire.Int(group)}
}

// drawTies draws rows with scales that are powers of two, so that every quotient is
// exact: half of them lie in the middle of two whole numbers. One group is zero.
func drawTies(rng *rand.Rand) wire.Values {
	group := course.Between(rng, 5, 11)
	cols := 3*group + 2
	x := wire.Float32s(make([]float32, 4*cols), 4, cols)
	for r := range 4 {
		for from := 0; from < cols; from += group {
			part := x.F32[r*cols+from : r*cols+min(from+group, cols)]
			scale := math.Ldexp(1, course.Between(rng, -6, 3))
			for i := range part {
				part[i] = float32(scale * float64(course.Between(rng, -253, 253)) / 2)
			}
			part[rng.IntN(len(part))] = float32(scale * float64(127-254*rng.IntN(2)))
		}
	}
	clear(x.F32[group : 2*group])
	return wire.Values{"x": x, "group": wire.Int(group)}
}

// halves draws rows whose numbers are as near as float32 comes to k + ½ scales, k from
// least to most, or beside that: the quotient in float32 and the true one then often lie on
// two sides of the half, and so do the sums of both with another number. One of each
// group is the largest, edge units of either sign.
func halves(rng *rand.Rand, group int, edge float32, least, most int, shape ...int) wire.Value {
	x := wire.Float32s(nil, shape...)
	x.F32 = make([]float32, x.Len())
	for row := range slices.Chunk(x.F32, shape[len(shape)-1]) {
		for part := range slices.Chunk(row, group) {
			largest := float32(math.Exp(2*rng.Float64()+1)) * float32(1-2*rng.IntN(2))
			scale := largest / edge // as the formats have it, in float32
			for i := range part {
				near := float32((float64(course.Between(rng, least, most)) + 0.5) * float64(scale))
				part[i] = math.Float32frombits(math.Float32bits(near) + uint32(rng.IntN(4)) - 2)
			}
			part[rng.IntN(len(part))] = largest
		}
	}
	return x
}

// drawHalves8 draws quotients in, above and below the middle of two int8s.
func drawHalves8(rng *rand.Rand) wire.Values {
	group := course.Between(rng, 30, 50)
	return wire.Values{"x": halves(rng, group, 127, -126, 125, 4, 3*group), "group": wire.Int(group)}
}

// drawHalves4 draws quotients in, above and below the middle of two int4s.
func drawHalves4(rng *rand.Rand) wire.Values {
	return wire.Values{"x": halves(rng, 32, -8, -8, 6, 5, 96)}
}

func drawValues8(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 2, 2, 6)
	group := course.Between(rng, 3, 9)
	q := course.IDs(rng, 255, n[0], n[1]*group+1)
	for i := range q.I64 {
		q.I64[i] -= 127
	}
	return wire.Values{"q8": q, "scale": course.Normal(rng, 1, n[0], n[1]+1), "group": wire.Int(group)}
}

func drawDotInt8(rng *rand.Rand) wire.Values {
	a, b := course.IDs(rng, 255, 71), course.IDs(rng, 100, 71)
	for i := range a.I64 {
		a.I64[i] -= 127
		b.I64[i] += 28 // of one sign, so that the sum grows
		if rng.IntN(3) > 0 {
			a.I64[i] = int64(course.Between(rng, 100, 127))
		}
	}
	return wire.Values{"a8": a, "b8": b}
}

// drawLowestDot draws neighbours that are the lowest int8 in both vectors: a sum of two such
// products is the first that an int16 has no room for.
func drawLowestDot(rng *rand.Rand) wire.Values {
	n := course.Between(rng, 65, 99)
	a, b := course.IDs(rng, 256, n), course.IDs(rng, 256, n)
	for i := range n {
		if a.I64[i], b.I64[i] = a.I64[i]-128, b.I64[i]-128; i/8%3 == 0 {
			a.I64[i], b.I64[i] = -128, -128
		}
	}
	return wire.Values{"a8": a, "b8": b}
}

// drawLongDot draws thousands of products near the largest, all of one sign. Their sum is
// odd and beyond 2²⁴: float32 has no bit for its last digit.
func drawLongDot(rng *rand.Rand) wire.Values {
	n, sign := course.Between(rng, 4000, 5000), int64(1-2*rng.IntN(2))
	a, b := wire.Ints(make([]int64, n), n), wire.Ints(make([]int64, n), n)
	sum := int64(0)
	for i := 1; i < n; i++ {
		a.I64[i], b.I64[i] = sign*int64(course.Between(rng, 120, 127)), int64(course.Between(rng, 120, 127))
		sum += a.I64[i] * b.I64[i]
	}
	a.I64[0], b.I64[0] = sign*(126+(sum+1)&1), 127
	return wire.Values{"a8": a, "b8": b}
}

func drawLinear8(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 4, 2, 9)
	group := course.Between(rng, 5, 19)
	if rng.IntN(2) == 0 {
		group = 64 // that of a model
	}
	in := 2*group + course.Between(rng, 1, group-1)
	return wire.Values{"x": rowsOfSizes(rng, n[0], n[1], in), "w": rowsOfSizes(rng, n[2], in), "group": wire.Int(group)}
}

// groupsOfOne draws a layer in which every number has a scale of its own.
func groupsOfOne(rng *rand.Rand) wire.Values {
	return wire.Values{"x": rowsOfSizes(rng, 2, 5), "w": rowsOfSizes(rng, 3, 5), "group": wire.Int(1)}
}

func emptyLinear8() wire.Values {
	rng := rand.New(rand.NewPCG(15, 1))
	return wire.Values{"x": wire.Float32s([]float32{}, 0, 6), "w": course.Normal(rng, 1, 7, 6), "group": wire.Int(4)}
}

func drawInt4(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 2, 2, 6)
	return wire.Values{"x": levels4(rng, n[0], n[1], 32*course.Between(rng, 1, 2)+course.Between(rng, 1, 31))}
}

func drawValues4(rng *rand.Rand) wire.Values {
	rows, groups := course.Between(rng, 2, 5), course.Between(rng, 2, 3)
	return wire.Values{"q4": course.IDs(rng, 256, rows, groups, 16), "scale": course.Normal(rng, 1, rows, groups),
		"cols": wire.Int(32*groups - course.Between(rng, 1, 31))}
}

func drawLinear4(rng *rand.Rand) wire.Values {
	n, in := course.Distinct(rng, 3, 2, 9), 32+course.Between(rng, 1, 31)
	return wire.Values{"x": rowsOfSizes(rng, n[0], n[1], in), "w": rowsOfSizes(rng, n[2], in)}
}

// drawMaster draws updates of which two at most have a gradient that is not finite.
func drawMaster(rng *rand.Rand) wire.Values {
	n, steps := course.Between(rng, 3, 9), 8
	w := course.Normal(rng, 1, n)
	code := course.IDs(rng, 1<<12, steps, n) // the lower bits of an exponent, and the mantissa
	for i := range code.I64 {
		code.I64[i] += 0x2c00 + int64(rng.IntN(2))<<15 // from 2^-4 to 1
	}
	for range 2 {
		code.I64[rng.IntN(steps*n)] = []int64{0x7c00, 0xfc00, 0x7e01}[rng.IntN(3)]
	}
	return wire.Values{"w": w, "code": code, "scale": wire.Float(math.Ldexp(1, course.Between(rng, 2, 9))),
		"every": wire.Int(course.Between(rng, 2, 3)), "lr": wire.Float(0.01 + rng.Float64()/10), "max_norm": wire.Float(0.01 + rng.Float64()/20)}
}

// drawSmall draws gradients whose norm is about 1e-3 and less, so that the 1e-6 beside
// it counts, and a learning rate with which they move the weights all the same.
func drawSmall(rng *rand.Rand) wire.Values {
	in := drawMaster(rng)
	in["scale"], in["lr"], in["max_norm"] = wire.Float(2048), wire.Float(2000), wire.Float(2e-5)
	return in
}

// learnsFresh checks master.run on fresh cases in which no weight comes close to the
// middle of two float16s: there rounding decides which of the two is its copy.
func learnsFresh(draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	return func(e *course.Exam) error {
		solve := e.Solve("master.run")
		clear := func(rng *rand.Rand) wire.Values {
			for {
				in := draw(rng)
				want, err := solve(in)
				if err != nil || !slices.ContainsFunc(want["value"].F64, inTheMiddle) {
					return in
				}
			}
		}
		return course.AgreesFresh("master.run", clear)(e)
	}
}

// inTheMiddle reports whether a weight is nearer to the middle of two float16s than
// eight updates of float32 can carry it.
func inTheMiddle(x float64) bool {
	size := math.Abs(x)
	_, exponent := math.Frexp(max(size, 0x1p-14))
	gap := math.Ldexp(1, exponent-11) // between the float16s beside it
	_, place := math.Modf(size / gap)
	return math.Abs(place-0.5)*gap < 0x1p-20*max(size, 0.25)
}
