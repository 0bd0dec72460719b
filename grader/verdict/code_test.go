package verdict

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// The codes of float32 stand for what the processor takes them for.
func TestCodeValue(t *testing.T) {
	single, ok := CodeNamed("f32")
	require.True(t, ok)
	for _, x := range []float32{0, 1, -1.5, 65504, 1e-45, -3e-39, math.MaxFloat32, float32(math.Inf(-1))} {
		require.Equal(t, float64(x), single.Value(int64(math.Float32bits(x))))
	}
	require.True(t, math.IsNaN(single.Value(0x7f800001)))
	half, _ := CodeNamed("fp16")
	brain, _ := CodeNamed("bf16")
	for _, tt := range []struct {
		c    Code
		code int64
		want float64
	}{
		{half, 0x3c00, 1}, {half, 0x7bff, 65504}, {half, 1, math.Ldexp(1, -24)}, {half, 0xfc00, inf * -1},
		{brain, 0x3f80, 1}, {brain, 0x4049, 3.140625}, {brain, 1, math.Ldexp(1, -133)},
	} {
		require.Equal(t, tt.want, tt.c.Value(tt.code), "%s %#x", tt.c.Name, tt.code)
	}
	_, ok = CodeNamed("f8")
	require.False(t, ok)
}

// A wrong code is described by its bits, in the highest of which the fault lies.
func TestReadAs(t *testing.T) {
	for name, tt := range map[string]struct {
		format    string
		got, want int64
		given     wire.Value
		says      []string
	}{
		"sign": {"fp16", 0x0000, 0x8000, wire.Value{}, []string{"got 0x0000 = 0 00000 0000000000 = 0", "want 0x8000 = 1 00000 0000000000 = -0", "wrong bit the sign"}},
		"exponent": {"bf16", 0x3f00, 0x3f80, wire.Float32s([]float32{7, 0.99999994}, 2),
			[]string{"given 0x3f7fffff = 0 01111110 11111111111111111111111 =", "got 0x3f00 = 0 01111110 0000000 = 0.5", "want 0x3f80 = 0 01111111 0000000 = 1",
				"wrong bit bit 0 of the exponent, of 8 from 0"}},
		"one too low":  {"bf16", 0x3f81, 0x3f82, wire.Value{}, []string{"wrong bit bit 1 of the mantissa, of 7 from 0; it is the next number nearer to 0"}},
		"one too high": {"fp16", 0x3c01, 0x3c00, wire.Ints([]int64{1, 0x3c}, 2), []string{"given 0x3c", "bit 0 of the mantissa, of 10 from 0; it is the next number further from 0"}},
		"a carry":      {"bf16", 0x3f7f, 0x3f80, wire.Value{}, []string{"wrong bit the last one, with a carry into the exponent that is missing; it is the next number nearer to 0"}},
		"no carry":     {"bf16", 0x3f80, 0x3f7f, wire.Value{}, []string{"wrong bit the last one, with a carry into the exponent; it is the next number further from 0"}},
		"a float32":    {"f32", 0x3f800000, 0x3fc00000, wire.Value{}, []string{"wrong bit bit 22 of the mantissa, of 23 from 0"}},
		"no code":      {"bf16", -1, 0x3f80, wire.Value{}, []string{"got -1", "a code of bf16 has 16 bits: 0 to 0xffff"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := Compare("code", wire.Ints([]int64{5, tt.got}, 2), wire.Ints([]int64{5, tt.want}, 2), 0)
			c, ok := CodeNamed(tt.format)
			require.True(t, ok)
			d.ReadAs(c, tt.given)
			f := Wrong(lang.T("a call"), d, Given{})
			require.Equal(t, Unexplained, f.Diagnosis.Kind)
			text := ""
			_, facts := d.Facts()
			for _, fact := range facts {
				text += fact.Label.String() + " " + fact.Text.String() + "\n"
			}
			for _, want := range tt.says {
				require.Contains(t, text, want)
			}
		})
	}
}
