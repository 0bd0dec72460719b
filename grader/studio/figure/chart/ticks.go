package chart

import (
	"math"
	"strconv"
	"strings"
)

// slack is how far a tick may lie outside of an axis, as a share of the step:
// the sums of a few roundings.
const slack = 1e-9

// Ticks returns ticks at multiples of 1, 2 or 5 times a power of ten: about
// count of them, and at most two more.
func Ticks(low, high float64, count int) []Tick {
	wanted := float64(max(count, 1))
	step := math.Pow(10, math.Floor(math.Log10((high-low)/wanted)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) <= wanted+1 {
			step *= m
			break
		}
	}
	var out []Tick
	for i := math.Ceil(low/step - slack); i*step <= high+slack*step; i++ {
		out = append(out, Tick{At: i * step, Label: number(i*step, step)})
	}
	return out
}

// LogTicks returns at most count ticks of a logarithmic axis, but two if it can:
// at powers of ten, at 2 and 5 times them if there is room, and at fewer powers
// if there is little. Between two of all these it is as good as a linear one, and has its
// ticks.
func LogTicks(low, high float64, count int) []Tick {
	count = max(count, 2)
	fine := times(low, high, 1, 2, 5)
	switch {
	case len(fine) < 2:
		return Ticks(low, high, max(1, min(count, 6)-2)) // which may be two more
	case len(fine) <= count:
		return fine
	}
	coarse := times(low, high, 1)
	if len(coarse) < 2 {
		coarse = fine
	}
	stride := (len(coarse) + count - 1) / count
	var out []Tick
	for i := 0; i < len(coarse); i += stride {
		out = append(out, coarse[i])
	}
	return out
}

// times returns ticks at some multiples of the powers of ten.
func times(low, high float64, of ...float64) []Tick {
	var out []Tick
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high)+slack; e++ {
		for _, n := range of {
			if v := n * math.Pow(10, e); v >= low*(1-slack) && v <= high*(1+slack) {
				out = append(out, Tick{At: v, Label: number(v, v)})
			}
		}
	}
	return out
}

// number writes a number of an axis with as many digits as a step needs: 0.05,
// 20, 50k, 2M.
func number(x, step float64) string {
	for _, unit := range []struct {
		least, size float64
		name        string
	}{{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}} {
		if math.Abs(x) >= unit.least && math.Mod(x, unit.size/10) == 0 {
			return minus(strconv.FormatFloat(x/unit.size, 'f', -1, 64) + unit.name)
		}
	}
	digits := max(0, int(math.Ceil(-math.Log10(step)-slack)))
	if digits > 4 && math.Abs(x) > step/2 {
		return minus(strconv.FormatFloat(x, 'g', 4, 64))
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return minus(s)
}

// minus writes a minus sign as printers do.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
