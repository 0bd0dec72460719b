package gguf

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
)

// group is how many numbers share a scale in Q8_0.
const group = 32

// floats are the types that store each number by itself.
var floats = map[Type]weights.Float{F32: weights.F32, F16: weights.F16, BF16: weights.BF16}

// layout returns how many numbers of a row a type stores together, and in how many bytes.
func (t Type) layout() (numbers, bytes int) {
	if t == Q8_0 {
		return group, 2 + group
	}
	if as, ok := floats[t]; ok {
		return 1, as.Size()
	}
	return 0, 0
}

// encode appends numbers, which fill whole blocks, to out.
func (t Type) encode(out []byte, row []float32) []byte {
	le := binary.LittleEndian
	switch t {
	case F32:
		for _, x := range row {
			out = le.AppendUint32(out, math.Float32bits(x))
		}
	case F16:
		for _, x := range row {
			out = le.AppendUint16(out, float16.Fromfloat32(x).Bits())
		}
	case BF16:
		for _, x := range row {
			out = le.AppendUint16(out, bf16(x))
		}
	case Q8_0:
		for ; len(row) > 0; row = row[group:] {
			out = appendQ8(out, row[:group])
		}
	}
	return out
}

// bf16 rounds a number to the nearest bfloat16, to the even one of two.
func bf16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 1<<6 // rounding must not make an infinity of it
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// appendQ8 appends a block of Q8_0. With m the largest absolute value,
//
//	d = m/127 as a float16,  q = x/(m/127) rounded, half away from zero
//
// The scale that q was found with is not the rounded one: so does llama.cpp.
func appendQ8(out []byte, x []float32) []byte {
	largest := float32(0)
	for _, v := range x {
		largest = max(largest, v, -v)
	}
	d := largest / 127
	out = binary.LittleEndian.AppendUint16(out, float16.Fromfloat32(d).Bits())
	for _, v := range x {
		q := 0.0
		if d != 0 {
			q = math.Round(float64(v * (1 / d)))
		}
		out = append(out, byte(int8(q)))
	}
	return out
}

// decode fills dst with the numbers of data, which holds as many whole blocks.
func (t Type) decode(dst []float32, data []byte) {
	if as, ok := floats[t]; ok {
		as.Decode(dst, data)
		return
	}
	for i := range dst {
		block := data[i/group*(2+group):]
		dst[i] = float16.Frombits(binary.LittleEndian.Uint16(block)).Float32() * float32(int8(block[2+i%group]))
	}
}

// holds returns an error if a row of numbers cannot be stored in a type.
func (t Type) holds(row []float32) error {
	const half = 65520 // the least number that float16 rounds to infinity
	for _, x := range row {
		switch largest := math.Abs(float64(x)); {
		case math.IsNaN(largest) || math.IsInf(largest, 0):
			return lang.Errorf("holds %v, which is no number that a model can be stored with", x)
		case t == F16 && largest >= half || t == Q8_0 && largest >= half*127:
			return lang.Errorf("holds %g, which is too large for %s", x, lang.Raw(t.String()))
		}
	}
	return nil
}
