package oracle

import (
	"math"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

// binary is a floating-point format by its definition: a number of it is m·2^e with a
// whole number m of less than 2^digits.
type binary struct {
	digits  int // significant ones
	lowest  int // the exponent of the smallest number
	largest float64
	nan     int64
}

func bf16() binary {
	return binary{digits: 8, lowest: -133, largest: math.Ldexp(255, 120), nan: 0x7fc0}
}

func fp16() binary { return binary{digits: 11, lowest: -24, largest: 65504, nan: 0x7e00} }

// code returns the code of the number that is nearest to x, ties to even.
func (f binary) code(x float64) int64 {
	if math.IsNaN(x) {
		return f.nan
	}
	sign := int64(0)
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	unit := f.lowest
	if _, e := math.Frexp(x); x != 0 && !math.IsInf(x, 1) { // x < 2^e
		unit = max(e-f.digits, f.lowest)
	}
	m := math.RoundToEven(math.Ldexp(x, -unit)) // at most 2^digits
	if math.Ldexp(m, unit) > f.largest {
		return sign | f.infinity()
	}
	// From 0 up every m·2^lowest has a code; each later exponent adds half as many.
	return sign | int64(m) + int64(unit-f.lowest)<<(f.digits-1)
}

// infinity is the code of +Inf: a NaN is more.
func (f binary) infinity() int64 { return f.nan &^ (1 << (f.digits - 2)) }

// value returns the number of a code.
func (f binary) value(code int64) float64 {
	size, sign := code&0x7fff, 1.0
	if code&0x8000 != 0 {
		sign = -1
	}
	if size > f.infinity() {
		return math.NaN()
	}
	if size == f.infinity() {
		return math.Inf(int(sign))
	}
	half := int64(1) << (f.digits - 1)
	m, unit := size, f.lowest
	if size >= 2*half {
		m, unit = size%half+half, f.lowest+int(size/half)-1
	}
	return sign * math.Ldexp(float64(m), unit) // −0 too
}

// bits32 is the code of a float32, any NaN the same.
func bits32(x float64) int64 {
	if math.IsNaN(x) {
		return 0x7fc00000
	}
	return int64(math.Float32bits(float32(x)))
}

func (f binary) round(c *call) (wire.Values, error) {
	return wire.Values{"code": coded(widen(c.in["x"]), c.in["x"].Shape, f.code)}, nil
}

func (f binary) read(c *call) (wire.Values, error) {
	code := c.in["code"]
	x := make([]float64, len(code.I64))
	for i, n := range code.I64 {
		x[i] = f.value(n)
	}
	return wire.Values{"x": coded(x, code.Shape, bits32)}, nil
}

// coded returns the codes of numbers.
func coded(x []float64, shape []int, code func(float64) int64) wire.Value {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = code(v)
	}
	return wire.Ints(out, shape...)
}

func bf16Dot(c *call) (wire.Values, error) {
	sum, x := 0.0, c.tensor("x").Data
	for i, code := range c.in["code"].I64 {
		sum += bf16().value(code) * x[i]
	}
	return wire.Values{"y": wire.Float(sum)}, nil
}

func int8Dot(c *call) (wire.Values, error) {
	sum, b := 0, c.in["b8"].I64
	for i, a := range c.in["a8"].I64 {
		sum += int(a * b[i])
	}
	return wire.Values{"y": wire.Int(sum)}, nil
}

// grouped is a matrix of whole numbers, of which a group in a row shares a scale.
type grouped struct {
	rows, cols, group int
	q                 []int     // (rows, cols)
	scale             []float64 // (rows, groups), float32s
}

func (m grouped) groups() int { return (m.cols + m.group - 1) / m.group }

// each calls a function for every group: the index of its scale, and where it begins
// and ends in q.
func (m grouped) each(do func(g, from, to int)) {
	for n := range m.rows {
		for g := range m.groups() {
			do(n*m.groups()+g, n*m.cols+g*m.group, n*m.cols+min((g+1)*m.group, m.cols))
		}
	}
}

// quantized returns the rows of x (…, I) as whole numbers; level gives a group's scale
// and the number for each of its elements. Scales and quotients are float32 by
// definition.
func quantized(x *autodiff.Tensor, group int, level func(part []float64) (scale float64, q func(x float64) float64)) grouped {
	last := len(x.Shape) - 1
	m := grouped{rows: 1, cols: x.Shape[last], group: group, q: make([]int, len(x.Data))}
	for _, n := range x.Shape[:last] {
		m.rows *= n
	}
	m.scale = make([]float64, m.rows*m.groups())
	m.each(func(g, from, to int) {
		scale, q := level(x.Data[from:to])
		m.scale[g] = scale
		for i, v := range x.Data[from:to] {
			m.q[from+i] = int(q(v))
		}
	})
	return m
}

// single rounds to float32. A quotient or a sum of two float32s in float64, rounded
// once more, is that of float32.
func single(x float64) float64 { return float64(float32(x)) }

// int8s is q = x/s, rounded half away from zero, with s = max|x|/127, which is NaN if one
// x is. Then q is any number, here 0.
func int8s(part []float64) (float64, func(float64) float64) {
	s := 0.0
	for _, x := range part {
		s = max(s, math.Abs(x))
	}
	s = single(s / 127)
	return s, func(x float64) float64 {
		if s == 0 || math.IsNaN(s) {
			return 0
		}
		return min(max(math.Round(single(x/s)), -127), 127)
	}
}

// int4s is q = ⌊x/d + 8.5⌋ − 8 with d = v/−8, v the first of the largest magnitude, or NaN
// if one x is. Then q is any number, here 0.
func int4s(part []float64) (float64, func(float64) float64) {
	v := 0.0
	for _, x := range part {
		if math.Abs(x) > math.Abs(v) || math.IsNaN(x) {
			v = x
		}
	}
	d := single(v/-8) + 0
	return d, func(x float64) float64 {
		if d == 0 || math.IsNaN(d) {
			return 0
		}
		return min(max(math.Floor(single(single(x/d)+8.5)), 0), 15) - 8
	}
}

// values are the numbers that m stands for, float32s.
func (m grouped) values() []float64 {
	x := make([]float64, len(m.q))
	m.each(func(g, from, to int) {
		for i := from; i < to; i++ {
			x[i] = single(float64(m.q[i])*m.scale[g]) + 0
		}
	})
	return x
}

// dot is the product of row n of a and row i of b, Σ_g s_a·s_b·Σ_j q_a·q_b.
func dot(a grouped, n int, b grouped, i int) float64 {
	sum := 0.0
	for j := range a.cols {
		g := j / a.group
		sum += a.scale[n*a.groups()+g] * b.scale[i*b.groups()+g] * float64(a.q[n*a.cols+j]*b.q[i*b.cols+j])
	}
	return sum
}
