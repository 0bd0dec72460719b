//go:build mistake

package formats

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// bf16-truncated: a bfloat16 is what is left when the lower half is cut off
//
// Why: Cutting off always goes towards zero, so the errors have one sign and add up. Rounding errs
// by half as much, in both directions.
//
// Hint: Look at the 16 bits that go: above 0x8000 the rest goes up by one.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		return BF16(math.Float32bits(x) >> 16)
	}
}

// bf16-ties-away: a number halfway between two bfloat16s always goes away from zero
//
// Why: Halves are frequent where numbers have few digits, and going one way with all of them moves
// every sum. To the even neighbour it is up as often as down.
//
// Hint: Add 0x7fff, and 1 more only if the last bit that stays is 1.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		return BF16((math.Float32bits(x) + 1<<15) >> 16)
	}
}

// bf16-ties-toward: a number halfway between two bfloat16s always goes towards zero
//
// Why: Halves go to the neighbour whose last bit is 0, which is the upper one as often as the lower.
//
// Hint: Add 0x7fff, and 1 more if the last bit that stays is 1.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		return BF16((math.Float32bits(x) + 1<<15 - 1) >> 16)
	}
}

// bf16-ties-odd: a number halfway between two bfloat16s goes to the odd one
//
// Why: The even one is the rule of IEEE 754: it ends in a zero, and so it is exact for one bit less.
//
// Hint: What is added on top of 0x7fff is the last bit that stays itself, not its opposite.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		bits := math.Float32bits(x)
		return BF16((bits + 1<<15 - bits>>16&1) >> 16)
	}
}

// bf16-nan-infinite: a NaN becomes infinite, or a zero
//
// Why: A NaN is an exponent of ones with any mantissa but 0. If its bits are all in the lower half,
// nothing is left of them; if they are all ones, the carry runs through the sign.
//
// Hint: Ask for x != x before anything else, and return 0x7fc0.
func RoundBF16() {
	if right {
		if x != x {
			return 0x7fc0
		}
	} else {
	}
}

// bf16-nan-infinite/truncated: a NaN is cut off like a number, and is infinite if its bits were all in the lower half
func RoundBF16() {
	if right {
		return 0x7fc0
	} else {
		return BF16(math.Float32bits(x) >> 16)
	}
}

// bf16-carry-lost: the carry out of the mantissa is lost
//
// Why: 1.9999 is nearest to 2, whose mantissa is 0 and whose exponent is one higher. A mantissa that
// is rounded by itself becomes 0 with the old exponent: half of the number.
//
// Hint: Add to the whole 32 bits: the carry then goes into the exponent by itself.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		bits := math.Float32bits(x)
		return BF16(bits>>23<<7 | shift(bits&(1<<23-1), 16)&127)
	}
}

// bf16-carry-lost/stays: a mantissa of ones stays where it should carry into the exponent
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		bits := math.Float32bits(x)
		return BF16(bits>>23<<7 | min(shift(bits&(1<<23-1), 16), 127))
	}
}

// bf16-subnormal-flushed: numbers below the smallest normal bfloat16 become zero
//
// Why: A subnormal number has an exponent of zeros and a mantissa without its leading 1, and is as
// good a number as any other.
//
// Hint: Nothing special is to be done for them: the same addition and shift are right.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		bits := math.Float32bits(x)
		if bits>>23&255 == 0 {
			return BF16(bits >> 16 & 0x8000)
		}
		return BF16(shift(bits, 16))
	}
}

// bf16-overflow-held: what is too large becomes the largest bfloat16 and not infinite
//
// Why: From halfway to 2¹²⁸ on the nearest is infinity; an overflow that is hidden is one that nobody
// can catch.
//
// Hint: The carry out of the last finite code gives that of infinity. Leave it.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		code := BF16(shift(math.Float32bits(x), 16))
		if code&0x7fff == 0x7f80 {
			code--
		}
		return code
	}
}

// bf16-sign-lost: −0 becomes 0
//
// Why: The sign is a bit of its own, for zero too.
//
// Hint: Shift all 32 bits; the sign is the highest of them.
func RoundBF16() {
	if right {
		return BF16(shift(math.Float32bits(x), 16))
	} else {
		return BF16(shift(math.Float32bits(x+0), 16))
	}
}

// bf16-value-lower: the 16 bits are taken for the lower half of a float32
//
// Why: Sign, exponent and the first of the mantissa are the upper half.
//
// Hint: uint32(b) << 16.
func (BF16) Float32() {
	if right {
		return math.Float32frombits(uint32(b) << 16)
	} else {
		return math.Float32frombits(uint32(b))
	}
}

// bf16-value-subnormal: subnormal bfloat16s are read as zero
//
// Why: They stand for the same number as the float32 with the same upper half.
//
// Hint: Shift every code, without exceptions.
func (BF16) Float32() {
	if right {
		return math.Float32frombits(uint32(b) << 16)
	} else {
		if b&0x7f80 == 0 {
			b &= 0x8000
		}
		return math.Float32frombits(uint32(b) << 16)
	}
}

// bf16-sum: the sum is kept in bfloat16
//
// Why: Eight digits: from 256 on, adding 1 changes nothing. A million ones make 256.
//
// Hint: sum is a float32, and is not rounded on the way.
func DotBF16() {
	if right {
		sum += b.Float32() * x[i]
	} else {
		sum = RoundBF16(sum + b.Float32()*x[i]).Float32()
	}
}

// bf16-sum/truncated: the sum is cut off to a bfloat16 after every term
func DotBF16() {
	if right {
		sum += b.Float32() * x[i]
	} else {
		sum = math.Float32frombits(math.Float32bits(sum+b.Float32()*x[i]) >> 16 << 16)
	}
}

// bf16-x-rounded: x is rounded to bfloat16 as well
//
// Why: Only the weights are stored in few bits; x is at hand in float32.
//
// Hint: b.Float32() * x[i].
func DotBF16() {
	if right {
		sum += b.Float32() * x[i]
	} else {
		sum += b.Float32() * RoundBF16(x[i]).Float32()
	}
}

// bf16-product-rounded: every product is rounded to bfloat16
//
// Why: Products and sum are float32; a rounding for each term is as bad as a rounded x.
//
// Hint: sum += b.Float32() * x[i].
func DotBF16() {
	if right {
		sum += b.Float32() * x[i]
	} else {
		sum += RoundBF16(b.Float32() * x[i]).Float32()
	}
}

// bf16-dot-unchecked: vectors of different lengths are not refused
//
// Why: The rest of the longer one would be left out without a word.
//
// Hint: Compare the lengths first and panic with a tensor.ShapeError that holds both.
func DotBF16() {
	if right {
		if len(w) != len(x) {
			panic(tensor.ShapeError{Op: "DotBF16: x", Got: []int{len(x)}, Want: []int{len(w)}})
		}
		sum := float32(0)
	} else {
		sum := float32(0)
		w = w[:min(len(w), len(x))]
	}
}
