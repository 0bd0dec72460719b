package weights

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/x448/float16"
)

// chunk is how many numbers are converted at a time.
const chunk = 16 << 10

// Float is what a number is stored as, by its name in a .safetensors file.
type Float string

// The floats that become float32 as they are, all little-endian.
const (
	F32  Float = "F32"
	F16  Float = "F16"
	BF16 Float = "BF16"
)

// Size returns how many bytes a number has, or 0 for a float that is not known.
func (f Float) Size() int {
	switch f {
	case F32:
		return 4
	case F16, BF16:
		return 2
	}
	return 0
}

// Decode fills dst with the numbers of data, which holds as many.
func (f Float) Decode(dst []float32, data []byte) {
	le := binary.LittleEndian
	switch f {
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(le.Uint32(data[4*i:]))
		}
	case F16:
		for i := range dst {
			dst[i] = float16.Frombits(le.Uint16(data[2*i:])).Float32()
		}
	case BF16: // the upper half of a float32
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(le.Uint16(data[2*i:])) << 16)
		}
	}
}

// read fills dst with numbers.
func (f Float) read(r io.Reader, dst []float32) error {
	buffer := make([]byte, f.Size()*min(len(dst), chunk))
	for part := range slices.Chunk(dst, chunk) {
		data := buffer[:f.Size()*len(part)]
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		f.Decode(part, data)
	}
	return nil
}

// writeFloats writes src as little-endian float32 numbers.
func writeFloats(w io.Writer, src []float32) error {
	for part := range slices.Chunk(src, chunk) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}
