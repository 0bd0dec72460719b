package weights

import (
	"encoding/binary"
	"io"
	"slices"
)

// chunk is how many numbers are converted at a time.
const chunk = 16 << 10

// readFloats fills dst with little-endian float32 numbers.
func readFloats(r io.Reader, dst []float32) error {
	for part := range slices.Chunk(dst, chunk) {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return err
		}
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
