//go:build unlisted

package formats

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// subnormals-rounded-twice: a number below 2⁻¹⁴ is rounded to eleven significant bits before it is rounded to a multiple of 2⁻²⁴
//
// Why: what lies just beside the middle of two multiples is moved onto it first, and then goes to the even one, which may be the farther.
func multiples() {
	if right {
		return shift(mantissa, 126-exponent)
	} else {
		return shift(shift(mantissa, 13), 126-13-exponent)
	}
}

// a-group-of-zeros-keeps-what-was-there: QuantizeInt8 passes over a group without any number but 0
//
// Why: dst is overwritten, whatever it held. In a dst that was used before, such a group keeps its old scale and integers, and is not 0.
func QuantizeInt8() {
	if right {
		dst.Q, dst.Scale = dst.Q[:0], dst.Scale[:0]
	} else {
		dst.Q, dst.Scale = dst.Q[:0], dst.Scale[:0]
		if size := dst.Rows * dst.Groups(); cap(dst.Q) < dst.Rows*dst.Cols || cap(dst.Scale) < size {
			dst.Q, dst.Scale = make([]int8, 0, dst.Rows*dst.Cols), make([]float32, 0, size)
		}
	}
}

func (*Int8) append() {
	if right {
		m.Scale = append(m.Scale, s)
	} else {
		if s == 0 {
			m.Scale, m.Q = m.Scale[:len(m.Scale)+1], m.Q[:len(m.Q)+len(part)]
			return
		}
		m.Scale = append(m.Scale, s)
	}
}

// not-held-to-127: the rounded number becomes an int8 as it is
//
// Why: where the scale is so small that float32 has few bits left for it, x/s goes beyond 127: with a maximum of 190 times the least subnormal it is 190, and as an int8 negative.
func (*Int8) append() {
	if right {
		q = int8(min(max(rounded, -127), 127))
	} else {
		q = int8(int(rounded))
	}
}

// int4-sum-in-float64: 8.5 is added in float64
//
// Why: the sum is float32. Where x/d is just below a half, the float32 sum is the next whole number, and here q is one less.
func level() {
	if right {
		return byte(min(max(math.Floor(float64(x/d+8.5)), 0), 15))
	} else {
		return byte(min(max(math.Floor(float64(x/d)+8.5), 0), 15))
	}
}

// the-fill-is-0: behind the end of a row the integers of the last group are 0
//
// Why: the group is filled with zeros, for which q is 8. Dequantize does not show it, the bytes of Q do.
func QuantizeInt4() {
	if right {
		var group [Int4Group]float32
		row = row[copy(group[:], row):]
		m.append(group)
	} else {
		var group [Int4Group]float32
		n := copy(group[:], row)
		row = row[n:]
		m.append(group)
		for q := m.Q[len(m.Q)-Int4Group/2:]; n < Int4Group; n++ {
			if n < Int4Group/2 {
				q[n] &= 0xf0
			} else {
				q[n-Int4Group/2] &= 0x0f
			}
		}
	}
}

// integers-summed-in-float32: DotInt8 adds up in float32
//
// Why: beyond 2²⁴, from about a thousand products of 127·127 on, a float32 has no bit for the last digit; an int32 sum is exact.
func DotInt8() {
	if right {
		sum := int32(0)
		for i, x := range a {
			sum += int32(x) * int32(b[i])
		}
		return sum
	} else {
		sum := float32(0)
		for i, x := range a {
			sum += float32(x) * float32(b[i])
		}
		return int32(sum)
	}
}

// same-tensor-same-numbers: Forward makes integers of x only if x is another tensor than in the last call
//
// Why: layers use their memory again. The same tensor with other numbers, or another shape, gets the y of the earlier ones.
func (*Linear) Forward() {
	if right {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
	} else {
		if l.x != x || l.x8.Rows != x.Rows() {
			l.x8 = QuantizeInt8(l.x8, x, l.group)
		}
		l.x = x
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	product product
	w8      *Int8
	x       *tensor.Tensor
	x8      *Int8
	y       *tensor.Tensor
}

// counts-on-after-a-halving: a gradient that is not finite halves Scale and leaves the count of good updates as it is
//
// Why: Scale doubles after Every good updates since it last changed, in a row. Here it doubles again too soon.
func (*Master) Update() {
	if right {
		m.Scale, m.good = m.Scale/2, 0
	} else {
		m.Scale /= 2
	}
}

// format-asked-for-by-the-first-matrix: Shrink looks the format up when it meets a matrix
//
// Why: another format is an error. With gains alone, or without any parameter, it is accepted.
func Shrink() {
	if right {
		store, ok := formats()[format]
		if !ok {
			return 0, fmt.Errorf("there is no format %q; want f32, bf16, fp16, int8 or int4", format)
		}
	} else {
	}
	if right {
		bytes += store(p.Value)
	} else {
		store, ok := formats()[format]
		if !ok {
			return 0, fmt.Errorf("there is no format %q; want f32, bf16, fp16, int8 or int4", format)
		}
		bytes += store(p.Value)
	}
}
