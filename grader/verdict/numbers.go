package verdict

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/reference/wire"
)

func floating(v wire.Value) bool { return v.DType == wire.F32 || v.DType == wire.F64 }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// held returns how many elements v really holds.
func held(v wire.Value) int {
	switch v.DType {
	case wire.F32:
		return len(v.F32)
	case wire.F64:
		return len(v.F64)
	case wire.I64:
		return len(v.I64)
	case wire.Bool:
		return len(v.Bool)
	}
	return len(v.Text)
}

// number returns element i of v; true is 1.
func number(v wire.Value, i int) float64 {
	switch v.DType {
	case wire.F32:
		return float64(v.F32[i])
	case wire.F64:
		return v.F64[i]
	case wire.I64:
		return float64(v.I64[i])
	case wire.Bool:
		if v.Bool[i] {
			return 1
		}
	}
	return 0
}

// Numbers returns the elements of v as float64: true is 1, and a text is zeros.
func Numbers(v wire.Value) []float64 {
	x := make([]float64, held(v))
	for i := range x {
		x[i] = number(v, i)
	}
	return x
}

// rms returns √(mean(x²)) over the finite x, and 1 if that is 0 or there are
// none. Scaling by the largest keeps the squares in range.
func rms(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		if finite(v) {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return 1
	}
	sum, n := 0.0, 0
	for _, v := range x {
		if finite(v) {
			sum += (v / largest) * (v / largest)
			n++
		}
	}
	return largest * math.Sqrt(sum/float64(n))
}

// index returns where element i of an array of the given shape stands.
func index(shape []int, i int) []int {
	at := make([]int, len(shape))
	for a := len(shape) - 1; a >= 0; a-- {
		at[a] = i % shape[a]
		i /= shape[a]
	}
	return at
}

// indexString writes an index as [0, 2, 1].
func indexString(at []int) string {
	parts := make([]string, len(at))
	for a, i := range at {
		parts[a] = strconv.Itoa(i)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// pair writes element i of got and of want with enough digits that the two
// visibly differ, one above the other.
func pair(got, want wire.Value, i int) (string, string) {
	switch want.DType {
	case wire.I64:
		return strconv.FormatInt(got.I64[i], 10), strconv.FormatInt(want.I64[i], 10)
	case wire.Bool:
		return strconv.FormatBool(got.Bool[i]), strconv.FormatBool(want.Bool[i])
	}
	return decimals(number(got, i), number(want, i))
}

// decimals writes two floating-point numbers for pair.
func decimals(g, w float64) (string, string) {
	digits := 4
	for digits < 17 && brief(g, digits) == brief(w, digits) {
		digits++
	}
	if digits > 4 && digits < 17 {
		digits++ // one more, so that the error shows two digits
	}
	gs, ws := brief(g, digits), brief(w, digits)
	if strings.ContainsAny(gs[:1]+ws[:1], "+-") {
		gs, ws = signed(gs), signed(ws)
	}
	return gs, ws
}

// significant writes x with at most the given number of significant digits;
// adding 0 turns −0 into 0.
func significant(x float64, digits int) string { return strconv.FormatFloat(x+0, 'g', digits, 64) }

// brief is significant, but whole numbers of up to six digits stay whole.
func brief(x float64, digits int) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		digits = max(digits, 6)
	}
	return significant(x, digits)
}

// signed leaves room for a sign, so that two numbers stand aligned.
func signed(s string) string {
	if strings.ContainsAny(s[:1], "+-") {
		return s
	}
	return " " + s
}

// times writes how many times larger something is: "12.3", "1740", "2.1·10⁷".
func times(x float64) string {
	if x < 999.5 {
		return significant(x, 3)
	}
	if x < 9999.5 {
		return significant(x, 4)
	}
	return powers(strconv.FormatFloat(x, 'e', 1, 64))
}

// multiple writes a factor that is not 1 with enough digits to tell.
func multiple(f float64) string {
	digits := 4
	for digits < 9 && significant(f, digits) == "1" {
		digits++
	}
	return powers(significant(f, digits))
}

// powers writes a number of Go's with a power of ten as one writes it: "2.1·10⁷".
func powers(number string) string {
	digits, exponent, found := strings.Cut(number, "e")
	n, err := strconv.Atoi(exponent)
	if !found || err != nil {
		return number
	}
	raised := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	return digits + "·10" + raised.Replace(strconv.Itoa(n))
}

// shorten cuts a text to what fits on a line.
func shorten(s string) string {
	const most = 50
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
