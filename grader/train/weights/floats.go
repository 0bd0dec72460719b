package weights

import (
	"encoding/binary"
	"io"
	"math"
)

// chunk is how many numbers are converted at a time.
const chunk = 16 << 10

// readFloats fills dst with little-endian float32 numbers.
func readFloats(r io.Reader, dst []float32) error {
	buf := make([]byte, 4*min(chunk, len(dst)))
	for len(dst) > 0 {
		n := min(chunk, len(dst))
		if _, err := io.ReadFull(r, buf[:4*n]); err != nil {
			return err
		}
		for i := range n {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(buf[4*i:]))
		}
		dst = dst[n:]
	}
	return nil
}

// writeFloats writes src as little-endian float32 numbers.
func writeFloats(w io.Writer, src []float32) error {
	buf := make([]byte, 0, 4*min(chunk, len(src)))
	for len(src) > 0 {
		n := min(chunk, len(src))
		buf = buf[:0]
		for _, x := range src[:n] {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		src = src[n:]
	}
	return nil
}
