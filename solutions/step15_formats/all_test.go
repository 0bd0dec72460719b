package formats

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// A million float32s with arbitrary bits are rounded as by the definition.
func TestAMillionDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 4))
	x := make([]float32, 1<<20)
	for i := range x {
		x[i] = math.Float32frombits(rng.Uint32())
	}
	for function, round := range rounds() {
		want, err := oracle.Eval(function, wire.Values{"x": wire.Float32s(x, len(x))})
		require.NoError(t, err)
		for i, v := range x {
			if got := int64(round(v)); got != want["code"].I64[i] {
				t.Fatalf("%s of %#x is %#x, want %#x", function, math.Float32bits(v), got, want["code"].I64[i])
			}
		}
	}
}

func rounds() map[string]func(float32) uint16 {
	return map[string]func(float32) uint16{
		"bf16.round": func(x float32) uint16 { return uint16(RoundBF16(x)) },
		"fp16.round": func(x float32) uint16 { return uint16(RoundFP16(x)) },
	}
}

// All 2³² float32s are rounded as PyTorch rounds them: the checksum of all codes, in
// order and little-endian, with one NaN, is the one that fixtures/all_codes.py prints,
// which takes six minutes of a processor, and the test twenty seconds:
//
//	ALL="$(/usr/bin/python3 fixtures/all_codes.py)" go test ./solutions/step15_formats -run TestAllFloats
func TestAllFloats(t *testing.T) {
	sums := strings.Fields(os.Getenv("ALL"))
	if len(sums) == 0 {
		t.Skip("takes minutes; set ALL to what fixtures/all_codes.py prints")
	}
	require.Len(t, sums, 4, "two functions and their checksums")
	want := map[string]string{sums[0]: sums[1], sums[2]: sums[3]}
	block := make([]byte, 2<<16)
	for function, round := range rounds() {
		sum := uint32(0)
		for high := range uint32(1 << 16) {
			for low := range uint32(1 << 16) {
				binary.LittleEndian.PutUint16(block[2*low:], round(math.Float32frombits(high<<16|low)))
			}
			sum = crc32.Update(sum, crc32.IEEETable, block)
		}
		require.Equal(t, want[function], fmt.Sprintf("0x%08x", sum), function)
	}
}
