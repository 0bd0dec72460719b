//go:build mistake

package formats

import "math"

// fp16-truncated: 13 bits of the mantissa are cut off instead of rounded
//
// Why: Cutting off always goes towards zero, and errs twice as much.
//
// Hint: Round them off as for bfloat16: add half, a little less or more, then shift.
func RoundFP16() {
	if right {
		return sign | FP16(shift(size-rebias<<23, 13))
	} else {
		return sign | FP16((size-rebias<<23)>>13)
	}
}

// fp16-ties-away: a number halfway between two float16s always goes away from zero
//
// Why: Halves go to the neighbour whose last bit is 0.
//
// Hint: Add 0xfff, and 1 more only if the last bit that stays is 1.
func RoundFP16() {
	if right {
		return sign | FP16(shift(size-rebias<<23, 13))
	} else {
		return sign | FP16((size-rebias<<23+1<<12)>>13)
	}
}

// fp16-by-bf16: a number is rounded to bfloat16 on its way to float16
//
// Why: A bfloat16 has 8 digits, a float16 has 11: the last three are gone before they are looked at.
// And two roundings are not one: the first may make the half that the second decides by.
//
// Hint: Take the bits of x itself.
func RoundFP16() {
	if right {
		bits := math.Float32bits(x)
	} else {
		bits := math.Float32bits(RoundBF16(x).Float32())
	}
}

// fp16-carry-lost: the carry out of the ten bits of a float16's mantissa is lost
//
// Why: A mantissa of ones that goes up becomes 0 with an exponent that is one higher.
//
// Hint: Round exponent and mantissa together; they lie beside each other.
func RoundFP16() {
	if right {
		return sign | FP16(shift(size-rebias<<23, 13))
	} else {
		return sign | FP16((size-rebias<<23)>>23<<10|shift(size&(1<<23-1), 13)&1023)
	}
}

// fp16-overflow-held: what is too large becomes 65504 and not infinite
//
// Why: From 65520 on the nearest is infinity, and loss scaling lives by seeing it.
//
// Hint: From 65520 on return the code of infinity, 0x7c00, with the sign.
func RoundFP16() {
	if right {
		return sign | 0x7c00
	} else {
		return sign | 0x7bff
	}
}

// fp16-overflow-early: everything above 65504 is infinite
//
// Why: 65504 is the largest float16, and what is nearer to it than to 65536 is rounded to it.
//
// Hint: The first that becomes infinite is 65520, halfway: its bits are 0x477ff000.
func RoundFP16() {
	if right {
		sign, size := FP16(bits>>16&0x8000), bits&0x7fffffff
	} else {
		sign, size := FP16(bits>>16&0x8000), bits&0x7fffffff
		if size > 0x477fe000 && x == x {
			return sign | 0x7c00
		}
	}
}

// fp16-nan-infinite: a NaN becomes infinite
//
// Why: Its exponent is one of ones, and so it looks larger than every number.
//
// Hint: Ask for x != x first, and return 0x7e00.
func RoundFP16() {
	if right {
		return 0x7e00
	} else {
		return sign | 0x7c00
	}
}

// fp16-nan-infinite/payload: a NaN keeps the upper bits of its mantissa, and is infinite where these are 0
func RoundFP16() {
	if right {
		return 0x7e00
	} else {
		return sign | 0x7c00 | FP16(bits>>13&1023)
	}
}

// fp16-sign-lost: the sign is lost where the result is infinite
//
// Why: −0 and −Inf have a sign as all others have.
//
// Hint: Take the sign off first, and put it back in every case.
func RoundFP16() {
	if right {
		return sign | 0x7c00
	} else {
		return 0x7c00
	}
}

// fp16-sign-lost/subnormal: the sign is lost where the result is zero or subnormal
func RoundFP16() {
	if right {
		return sign | FP16(multiples(size))
	} else {
		return FP16(multiples(size))
	}
}

// fp16-subnormal-flushed: numbers below 2⁻¹⁴ become zero
//
// Why: Between 2⁻²⁴ and 2⁻¹⁴ a float16 still has up to ten digits, and most small gradients live there.
//
// Hint: They are multiples of 2⁻²⁴: round x/2⁻²⁴ to a whole number, and that is the code.
func RoundFP16() {
	if right {
		return sign | FP16(multiples(size))
	} else {
		return sign
	}
}

// fp16-subnormal-truncated: below 2⁻¹⁴ bits are cut off instead of rounded
//
// Why: A subnormal number is rounded by the same rule as all others.
//
// Hint: Round off 126 − e bits of the mantissa, with its leading 1.
func multiples() {
	if right {
		return shift(mantissa, 126-exponent)
	} else {
		return mantissa >> (126 - exponent)
	}
}

// fp16-subnormal-ties: below 2⁻¹⁴ a half always goes away from zero
//
// Why: A subnormal number is rounded by the same rule as all others: to the even neighbour.
//
// Hint: Round off 126 − e bits with the same function as elsewhere.
func multiples() {
	if right {
		return shift(mantissa, 126-exponent)
	} else {
		return (mantissa>>(125-exponent) + 1) >> 1
	}
}

// fp16-subnormal-one: below 2⁻¹⁴ the leading 1 of the mantissa is forgotten
//
// Why: The number is still normal as a float32: its first digit is not stored.
//
// Hint: mantissa | 1<<23.
func multiples() {
	if right {
		exponent, mantissa := int(size>>23), size&(1<<23-1)|1<<23
	} else {
		exponent, mantissa := int(size>>23), size&(1<<23-1)
	}
}

// fp16-smallest-lost: what lies between 2⁻²⁵ and 2⁻²⁴ becomes zero
//
// Why: Above 2⁻²⁵ the nearest is 2⁻²⁴; only 2⁻²⁵ itself is a half, and goes to the even 0.
//
// Hint: Zero is what has an exponent, as stored, below 102.
func multiples() {
	if right {
		if exponent < 102 {
			return 0
		}
	} else {
		if exponent < 103 {
			return 0
		}
	}
}

// fp16-value-subnormal: subnormal float16s are read as normal ones
//
// Why: An exponent of zeros means that there is no leading 1, and that the unit is 2⁻²⁴.
//
// Hint: With an exponent of 0 the number is mantissa·2⁻²⁴.
func (FP16) Float32() {
	if right {
		sign, exponent, mantissa := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&(1<<10-1))
	} else {
		sign, exponent, mantissa := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&(1<<10-1))
		if exponent == 0 && mantissa != 0 {
			return math.Float32frombits(sign | rebias<<23 | mantissa<<13)
		}
	}
}

// fp16-value-subnormal/zero: subnormal float16s are read as zero
func (FP16) Float32() {
	if right {
		size := float32(mantissa) * (1.0 / (1 << 24))
	} else {
		size := float32(0)
	}
}

// fp16-value-subnormal/unit: subnormal float16s are read as multiples of 2⁻²⁵, half as large as they are
func (FP16) Float32() {
	if right {
		size := float32(mantissa) * (1.0 / (1 << 24))
	} else {
		size := float32(mantissa) * (1.0 / (1 << 25))
	}
}

// fp16-value-infinite: infinity and NaN are read as numbers from 65536 on
//
// Why: An exponent of ones is no exponent: it stands for infinity, and with a mantissa for NaN.
//
// Hint: An exponent of 31 becomes the exponent 255 of a float32, the mantissa moves up as it is.
func (FP16) Float32() {
	if right {
		sign, exponent, mantissa := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&(1<<10-1))
	} else {
		sign, exponent, mantissa := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&(1<<10-1))
		if exponent == 31 {
			return math.Float32frombits(sign | (exponent+rebias)<<23 | mantissa<<13)
		}
	}
}

// fp16-value-nan: a NaN is read as infinite
//
// Why: The mantissa is what makes it a NaN.
//
// Hint: Keep the mantissa: 0x7f800000 | mantissa<<13.
func (FP16) Float32() {
	if right {
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	} else {
		return math.Float32frombits(sign | 0x7f800000)
	}
}

// fp16-value-sign: the sign of zero and of subnormal numbers is lost when they are read
//
// Why: It is bit 15, whatever the other bits are.
//
// Hint: Put the sign back by its bit; a product with 0 has none.
func (FP16) Float32() {
	if right {
		return math.Float32frombits(sign | math.Float32bits(size))
	} else {
		return size
	}
}

// fp16-value-bias: the exponent is taken over with the bias of float16
//
// Why: A stored exponent is the real one plus 15; in a float32 it is plus 127.
//
// Hint: Add 112 to the exponent.
func (FP16) Float32() {
	if right {
		return math.Float32frombits(sign | (exponent+rebias)<<23 | mantissa<<13)
	} else {
		return math.Float32frombits(sign | exponent<<23 | mantissa<<13)
	}
}

// fp16-value-bias/one-off: the exponent of a float16 is read as one too large
func (FP16) Float32() {
	if right {
		return math.Float32frombits(sign | (exponent+rebias)<<23 | mantissa<<13)
	} else {
		return math.Float32frombits(sign | (exponent+rebias+1)<<23 | mantissa<<13)
	}
}
