package verdict

import (
	"math"
	"math/bits"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// rounding finds values that are right as far as they go, and go only as far as
// a 16-bit format: the longest significand is as long as that of bfloat16 (8
// bits) or float16 (11), and every value is within two roundings of what is
// expected.
func (c *evidence) rounding(got wire.Value) []Structure {
	if got.DType != wire.F32 {
		return nil
	}
	most := 0
	for _, x := range got.F32 {
		if !finite(float64(x)) {
			return nil
		}
		most = max(most, significantBits(x))
	}
	formats := []struct {
		bits int
		name lang.Text
	}{{8, lang.Raw("bfloat16")}, {11, lang.T("half precision (float16)")}}
	for _, f := range formats {
		if most != f.bits {
			continue
		}
		within := measure{math.Ldexp(1, 1-f.bits), c.fit.rms, nil}
		for i := range c.want {
			if !within.agrees(c.got[i], c.want[i]) {
				return nil
			}
		}
		return []Structure{{"rounded", lang.T("Your output is right but rounded: it looks like %s, where float32 is expected.", f.name)}}
	}
	return nil
}

// significantBits returns how many bits of x's significand are in use, from the
// leading 1 to the last one that is set.
func significantBits(x float32) int {
	significand := math.Float32bits(x) & (1<<23 - 1)
	return 24 - min(bits.TrailingZeros32(significand), 23)
}
