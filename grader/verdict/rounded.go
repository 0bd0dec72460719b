package verdict

import (
	"math"
	"math/bits"

	"github.com/stubformer/stubformer/grader/lang"
)

// format is a 16-bit format of numbers, by the bits of its significand.
type format struct {
	bits int
	name lang.Text
}

// rounding finds values that are right as far as they go, and go only as far as
// a 16-bit format.
func (c *evidence) rounding() []Structure {
	for _, f := range []format{{8, lang.Raw("bfloat16")}, {11, lang.T("half precision (float16)")}} {
		if c.rounded(f) {
			return []Structure{*claim("rounded", lang.T("Your output is right but rounded: it looks like %s, where float32 is expected.", f.name),
				func(c *evidence) bool { return c.rounded(f) })}
		}
	}
	return nil
}

// rounded reports whether the longest significand is as long as that of the format,
// and every value is within two roundings of what is expected.
func (c *evidence) rounded(f format) bool {
	most := 0
	for _, x := range c.raw.F32 {
		if !finite(float64(x)) {
			return false
		}
		most = max(most, significantBits(x))
	}
	within := measure{math.Ldexp(1, 1-f.bits), c.fit.rms, nil}
	for i := range c.want {
		if most != f.bits || !within.agrees(c.got[i], c.want[i]) {
			return false
		}
	}
	return true
}

// significantBits returns how many bits of x's significand are in use, from the
// leading 1 to the last one that is set.
func significantBits(x float32) int {
	significand := math.Float32bits(x) & (1<<23 - 1)
	return 24 - min(bits.TrailingZeros32(significand), 23)
}
