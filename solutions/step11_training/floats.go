package training

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// floatsOf returns how many numbers a tensor of a shape has, or −1 if they are more than
// most or a dimension is negative.
func floatsOf(shape []int, most int64) int64 {
	if slices.ContainsFunc(shape, func(d int) bool { return d < 0 }) {
		return -1
	}
	if slices.Contains(shape, 0) { // then the others may be of any size
		return 0
	}
	floats := int64(1)
	for _, d := range shape {
		if int64(d) > most/floats {
			return -1
		}
		floats *= int64(d)
	}
	return floats
}

// floatsAtOnce is how many numbers pass through the buffer of writeFloats and
// readFloats at a time.
const floatsAtOnce = 16 << 10

// writeFloats writes numbers as little-endian float32.
func writeFloats(w io.Writer, x []float32) error {
	buffer := make([]byte, 0, 4*min(floatsAtOnce, len(x)))
	for part := range slices.Chunk(x, floatsAtOnce) {
		buffer = buffer[:0]
		for _, f := range part {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
	}
	return nil
}

// readFloats reads len(x) little-endian float32.
func readFloats(r io.Reader, x []float32) error {
	buffer := make([]byte, 4*min(floatsAtOnce, len(x)))
	for part := range slices.Chunk(x, floatsAtOnce) {
		if _, err := io.ReadFull(r, buffer[:4*len(part)]); err != nil {
			return err
		}
		for i := range part {
			part[i] = math.Float32frombits(binary.LittleEndian.Uint32(buffer[4*i:]))
		}
	}
	return nil
}
