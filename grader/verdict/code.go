package verdict

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// Code is a binary floating-point format. From the highest bit down a code has a
// sign, an exponent and a mantissa.
type Code struct {
	Name               string
	Exponent, Mantissa int // bits
}

// CodeNamed returns the format of the given name, and reports whether there is one.
func CodeNamed(name string) (Code, bool) {
	for _, c := range []Code{{"f32", 8, 23}, {"bf16", 8, 7}, {"fp16", 5, 10}} {
		if c.Name == name {
			return c, true
		}
	}
	return Code{}, false
}

// Value returns the number that a code stands for, or NaN.
func (c Code) Value(code int64) float64 {
	mantissa := float64(code & (1<<c.Mantissa - 1))
	exponent := int(code >> c.Mantissa & (1<<c.Exponent - 1))
	lowest := 2 - 1<<(c.Exponent-1) - c.Mantissa // the exponent of the last bit of a subnormal number
	size := math.Ldexp(mantissa, lowest)
	switch {
	case exponent == 1<<c.Exponent-1 && mantissa != 0:
		return math.NaN()
	case exponent == 1<<c.Exponent-1:
		size = math.Inf(1)
	case exponent > 0:
		size = math.Ldexp(mantissa+math.Ldexp(1, c.Mantissa), lowest+exponent-1)
	}
	if code>>(c.Exponent+c.Mantissa)&1 == 1 {
		size = -size
	}
	return size
}

// text writes a code: "0x3f81 = 0 01111111 0000001 = 1.0078125".
func (c Code) text(code int64) string {
	width := 1 + c.Exponent + c.Mantissa
	if code < 0 || code>>width != 0 {
		return fmt.Sprint(code)
	}
	all := fmt.Sprintf("%0*b", width, code)
	return fmt.Sprintf("0x%0*x = %s %s %s = %.9g", width/4, code, all[:1], all[1:1+c.Exponent], all[1+c.Exponent:], c.Value(code))
}

// wrong says which is the first bit, from the highest down, in which two codes differ.
func (c Code) wrong(got, want int64) lang.Text {
	width := 1 + c.Exponent + c.Mantissa
	if got < 0 || got>>width != 0 {
		return lang.T("a code of %s has %d bits: 0 to %#x", c.Name, width, 1<<width-1)
	}
	switch bit := bits.Len64(uint64(got^want)) - 1; {
	case bit == width-1:
		return lang.T("the sign")
	case bit >= c.Mantissa && got-want == 1:
		return lang.T("the last one, with a carry into the exponent; it is the next number further from 0")
	case bit >= c.Mantissa && want-got == 1:
		return lang.T("the last one, with a carry into the exponent that is missing; it is the next number nearer to 0")
	case bit >= c.Mantissa:
		return lang.T("bit %d of the exponent, of %d from 0", bit-c.Mantissa, c.Exponent)
	case got-want == 1:
		return lang.T("bit %d of the mantissa, of %d from 0; it is the next number further from 0", bit, c.Mantissa)
	case want-got == 1:
		return lang.T("bit %d of the mantissa, of %d from 0; it is the next number nearer to 0", bit, c.Mantissa)
	default:
		return lang.T("bit %d of the mantissa, of %d from 0", bit, c.Mantissa)
	}
}

// ReadAs says that the integers that d compares are codes of a format: its
// description then shows their bits, and those of what was given for them, which is
// the zero Value if there is no such array.
func (d *Difference) ReadAs(c Code, given wire.Value) {
	if d.Kind != WrongValues || d.want.DType != wire.I64 {
		return
	}
	at := 0
	for !d.mask[at] {
		at++
	}
	got, want := d.got.I64[at], d.want.I64[at]
	d.gotText, d.wantText, d.bit = c.text(got), c.text(want), c.wrong(got, want)
	switch {
	case given.Len() != d.Total || held(given) != d.Total:
	case given.DType == wire.F32:
		single, _ := CodeNamed("f32")
		d.given = single.text(int64(math.Float32bits(given.F32[at])))
	case given.DType == wire.I64:
		d.given = fmt.Sprintf("%#x", given.I64[at])
	}
}
