package formats

import "github.com/stubformer/stubformer/grader/course"

func hints() []course.Hint {
	return []course.Hint{
		{For: "bf16.round", Text: "A bfloat16 is the upper half of a float32: 16 bits stay, and the 16 below them decide whether the upper half goes up by one."},
		{For: "bf16.round", Text: "More than half (above 0x8000): up. Less: down. Exactly half: to the even one, so up only if the last bit that stays is 1. Adding 0x7fff and that last bit before the shift does all three."},
		{For: "bf16.round", Text: "Add to the whole 32 bits, so that a carry out of the mantissa goes on into the exponent: 1.9999 becomes 2, and the largest numbers become infinite. A NaN is asked for first: with its low bits it would lose what makes it one."},
		{For: "bf16.value", Text: "Nothing is computed: the 16 bits are the upper half, the lower half is zero. math.Float32frombits makes a number of them."},
		{For: "bf16.dot", Text: "One bfloat16 at a time becomes a float32. The sum is a float32 all along, and x is not rounded."},
		{For: "fp16.round", Text: "Three cases by the size of |x|: from 65520 on infinite; below 2⁻¹⁴ a multiple of 2⁻²⁴; in between the exponent's bias goes from 127 to 15, and 13 bits of the mantissa are rounded off."},
		{For: "fp16.round", Text: "Between: take 112<<23 from the 31 bits of |x|, then round 13 bits off as with bfloat16, the carry included. The sign is put back at the end."},
		{For: "fp16.round", Text: "Below 2⁻¹⁴: the mantissa with its leading 1 has 24 bits and stands for m·2^(e−150), e the exponent's bits. In multiples of 2⁻²⁴ that is m·2^(e−126): round 126 − e bits off; from 25 bits on nothing is left. Do not go by way of bfloat16: two roundings are not one."},
		{For: "fp16.value", Text: "Exponent bits of 31 are infinity or NaN, 0 is a multiple m·2⁻²⁴; every other exponent moves from bias 15 to 127, and the mantissa up by 13 bits."},
		{For: "fp16.value", Text: "math.Float32frombits(sign | (exponent+112)<<23 | mantissa<<13) for the ordinary ones; sign is bit 15, moved to bit 31, for zeros too."},
		{For: "int8.quantize", Text: "Go along one row at a time, cut off min(group, what is left) numbers, and treat each piece by itself. A row's last piece may be short; the next row begins a new one."},
		{For: "int8.quantize", Text: "s is max|x|/127, not /128 and without an offset; q = math.Round(float64(x/s)), which rounds halves away from zero. Where s is 0 all q are 0: do not divide."},
		{For: "int8.value", Text: "Column i of row n has the scale n·Groups() + i/Group, and Groups() rounds up."},
		{For: "int8.dot", Text: "127·127 = 16129 fits 16 bits, three of them do not: int32(a)·int32(b), added in an int32."},
		{For: "int8.linear", Text: "Make int8s of the weight once and of x in every call, in the same groups. For each output and each group: scale of x times scale of W times the whole-number sum."},
		{For: "int8.linear", Text: "The scales leave the inner sum, because they are the same within a group, and only there: a sum over the whole row with one scale is another number."},
		{For: "int8.again", Text: "The int8s of x, the scales and y are written anew in every call, with the sizes of this call: begin with Q[:0] and Scale[:0], and take y from tensor.ReuseLead."},
		{For: "int4.quantize", Text: "v keeps its sign: the number with the largest |x|, the first of several. d = v/−8, so v itself becomes q = 0, which stands for d·(0 − 8) = v."},
		{For: "int4.quantize", Text: "q = ⌊x/d + 8.5⌋, at most 15: a number as large as v with the other sign would be 16. Where d is 0 all q are 8."},
		{For: "int4.quantize", Text: "Byte j of a group holds elements j and j + 16, not 2j and 2j + 1: q[j] | q[j+16]<<4. Fill a short last group with zeros first."},
		{For: "int4.value", Text: "Element i of a group is in byte i mod 16: the lower four bits for i < 16, the upper four for the rest. Its number is d·(q − 8)."},
		{For: "int4.linear", Text: "q − 8 lies between −8 and 7 and fits an int8: unpacked once, the weight goes through the same loop as int8, with d as its scale and groups of 32."},
		{For: "bad_input", Text: "Begin each function with its checks: tensor.CheckShape(\"…\", x, tensor.Lead, tensor.Any) for an array, and a ShapeError of your own where lengths differ or a group is not positive."},
		{For: "shrink", Text: "A matrix is a parameter whose value has two dimensions. Store it, read it back, and copy the numbers into Value.Data. A gain has one dimension and stays, with 4 bytes a number."},
		{For: "shrink", Text: "int8 in groups of 64: one byte a number and 4 a group, of which each row has ⌈I/64⌉. int4: 20 bytes for each group of 32, also for one that is not full."},
		{For: "master.run", Text: "In this order: divide by Scale, look whether all are finite, the norm, clip, update Value, round Value into copies. Clipping what is still multiplied clips nearly everything."},
		{For: "master.run", Text: "An update with an infinite gradient or a NaN changes Scale and the count, and nothing else. A Scale that changed, up or down, begins the count anew."},
	}
}
