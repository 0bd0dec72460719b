package course

import (
	"math"
	"strconv"

	"github.com/stubformer/stubformer/reference/wire"
)

// rounder makes numbers round: whole arrays at first, and then one number after another.
func (s *search) rounder() {
	for _, name := range s.args(wire.I64, false) {
		s.roundInts(name)
	}
	for _, name := range s.args(wire.Bool, false) {
		s.replace(name, func(v *wire.Value, i int) { v.Bool[i] = true })
	}
	for _, to := range []func(x float64) float64{
		func(float64) float64 { return 0 },
		func(float64) float64 { return 1 },
		func(float64) float64 { return 2 },
		func(x float64) float64 { return max(-3, min(3, math.RoundToEven(x))) },
		func(x float64) float64 { return math.RoundToEven(2*x) / 2 },
		digit,
	} {
		for _, name := range s.args(wire.F32, false) {
			s.round32(name, to)
		}
	}
}

// roundInts makes integers 0, or else their own places, or else 0 and 1, unless they are the one
// or the other.
func (s *search) roundInts(name string) {
	for _, to := range []func(x int64, i int) int64{
		func(int64, int) int64 { return 0 },
		func(_ int64, i int) int64 { return int64(i) },
		func(x int64, _ int) int64 { return x & 1 },
	} {
		if s.replace(name, func(v *wire.Value, i int) { v.I64[i] = to(v.I64[i], i) }) || s.are(name, to) {
			return
		}
	}
}

// are reports whether the integers of an array are what they would be made.
func (s *search) are(name string, to func(x int64, i int) int64) bool {
	for i, x := range s.in[name].I64 {
		if x != to(x, i) {
			return false
		}
	}
	return true
}

// round32 rounds the numbers of an array, all of them or else those that can be.
func (s *search) round32(name string, to func(x float64) float64) {
	rounded := func(x float32) float32 {
		if simple := float32(to(float64(x))); roundness(simple) < roundness(x) {
			return simple
		}
		return x
	}
	if s.replace(name, func(v *wire.Value, i int) { v.F32[i] = rounded(v.F32[i]) }) || s.in[name].Len() > handy {
		return
	}
	for at, x := range s.in[name].F32 {
		if rounded(x) != x {
			s.replace(name, func(v *wire.Value, i int) {
				if i == at {
					v.F32[i] = rounded(x)
				}
			})
		}
	}
}

// digit keeps one decimal digit of a number.
func digit(x float64) float64 {
	one, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 0, 64), 64)
	if err != nil {
		return x
	}
	return one
}

// roundness is how far a number is from 0, the roundest.
func roundness(x float32) int {
	switch y := float64(x); {
	case x == 0:
		return 0
	case x == 1:
		return 1
	case x == 2:
		return 2
	case y == math.Trunc(y) && x >= -3 && x <= 3:
		return 3
	case 2*y == math.Trunc(2*y) && x >= -3 && x <= 3:
		return 4
	case x == float32(digit(y)):
		return 5
	}
	return 6
}

// replace tries a call with other numbers in an array.
func (s *search) replace(name string, with func(v *wire.Value, i int)) bool {
	v := wire.Values{name: s.in[name]}.Clone()[name]
	for i := range v.Len() {
		with(&v, i)
	}
	return s.try(With(s.in, name, v))
}
