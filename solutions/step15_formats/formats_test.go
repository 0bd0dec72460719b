package formats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step15_formats/README.md.
func TestWorkedExample(t *testing.T) {
	t.Run("16 bits", func(t *testing.T) {
		for _, c := range []struct {
			x          float32
			bf16, fp16 string
		}{
			{1.00390625, "0x3f80 1", "0x3c04 1.00390625"},
			{1.01171875, "0x3f82 1.015625", "0x3c0c 1.01171875"},
			{math.Nextafter32(2, 0), "0x4000 2", "0x4000 2"},
			{0.1, "0x3dcd 0.10009765625", "0x2e66 0.0999755859375"},
			{65519, "0x4780 65536", "0x7bff 65504"},
			{65520, "0x4780 65536", "0x7c00 +Inf"},
			{1e-7, "0x33d7 1.0011717677116394e-07", "0x0002 1.1920928955078125e-07"},
		} {
			b, h := RoundBF16(c.x), RoundFP16(c.x)
			require.Equal(t, c.bf16, fmt.Sprintf("0x%04x %v", uint16(b), float64(b.Float32())), "%v", c.x)
			require.Equal(t, c.fp16, fmt.Sprintf("0x%04x %v", uint16(h), float64(h.Float32())), "%v", c.x)
		}
		require.Equal(t, FP16(0x3c01), RoundFP16(math.Float32frombits(0x3f801001)))
		require.Equal(t, FP16(0x3c00), RoundFP16(RoundBF16(math.Float32frombits(0x3f801001)).Float32()))
	})
	t.Run("int8", func(t *testing.T) {
		W := tensor.NewParam("w", tensor.From([]float32{1, -0.5, 0.25, 3}, 2, 2))
		m := QuantizeInt8(nil, W.Value, 2)
		require.Equal(t, []int8{127, -64, 11, 127}, m.Q)
		require.Equal(t, "[0.00787 0.02362]", fmt.Sprintf("%.5f", m.Scale))
		require.Equal(t, "[1.0000 -0.5039 0.2598 3.0000]", fmt.Sprintf("%.4f", m.Dequantize().Data))
		x := tensor.From([]float32{2, -1}, 2)
		require.Equal(t, []int8{127, -64}, QuantizeInt8(nil, x, 2).Q)
		require.EqualValues(t, 20225, DotInt8([]int8{127, -64}, []int8{127, -64}))
		require.EqualValues(t, -6731, DotInt8([]int8{127, -64}, []int8{11, 127}))
		require.Equal(t, "[2.5079 -2.5039]", fmt.Sprintf("%.4f", NewInt8(W, 2).Forward(x).Data))
	})
	t.Run("int4", func(t *testing.T) {
		m := QuantizeInt4(tensor.From([]float32{0.5, -2, 1.9}, 1, 3))
		require.Equal(t, []float32{0.25}, m.Scale)
		require.Equal(t, []byte{0x8a, 0x80, 0x8f, 0x88}, m.Q[:4])
		require.Equal(t, []float32{0.5, -2, 1.75}, m.Dequantize().Data)
	})
	t.Run("sums", func(t *testing.T) {
		ones, x := make([]BF16, 1_000_000), make([]float32, 1_000_000)
		rounded := float32(0)
		for i := range ones {
			ones[i], x[i] = 0x3f80, 1
			rounded = RoundBF16(rounded + 1).Float32()
		}
		require.EqualValues(t, 1_000_000, DotBF16(ones, x))
		require.EqualValues(t, 256, rounded)
	})
	t.Run("original and copy", func(t *testing.T) {
		m := &Master{Value: []float32{1}, Scale: 1024, Every: 1000}
		copies, gradient := []FP16{0x3c00}, []FP16{RoundFP16(1024 * 0.01)}
		alone := float32(1)
		for range 10 {
			require.True(t, m.Update(copies, gradient, 0.01, 1))
			alone = RoundFP16(alone - 0.01*0.01).Float32()
		}
		require.Equal(t, "0.9990 0.99902344 1", fmt.Sprintf("%.4f %v %v", m.Value[0], copies[0].Float32(), alone))
	})
}

// TestExperiment holds the numbers of the lesson's experiment.
func TestExperiment(t *testing.T) {
	want := map[string]string{
		"bf16": "bf16 8192 bytes 0.0016 0.0018", "fp16": "fp16 8192 bytes 0.0002 0.0002",
		"int8": "int8 4352 bytes 0.0058 0.0131", "int4": "int4 2560 bytes 0.0840 0.1518",
	}
	for format, line := range want {
		rng := rand.New(rand.NewPCG(15, 0))
		got := format
		for _, outliers := range []bool{false, true} {
			w := tensor.New(64, 64)
			for i := range w.Data {
				w.Data[i] = float32(rng.NormFloat64())
				if outliers && i%64 == 0 {
					w.Data[i] *= 8
				}
			}
			p := tensor.NewParam("w", w.Clone())
			bytes, err := Shrink([]*tensor.Param{p}, format)
			require.NoError(t, err)
			wrong, all := 0.0, 0.0
			for i, x := range w.Data {
				wrong += math.Pow(float64(x-p.Value.Data[i]), 2)
				all += float64(x * x)
			}
			if !outliers {
				got += fmt.Sprintf(" %d bytes", bytes)
			}
			got += fmt.Sprintf(" %.4f", math.Sqrt(wrong/all))
		}
		require.Equal(t, line, got)
	}
}
