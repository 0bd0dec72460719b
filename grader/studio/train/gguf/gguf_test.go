package gguf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// row is 32 numbers: those given, and zeros.
func row(x ...float32) []float32 { return append(x, make([]float32, group-len(x))...) }

// What a block of numbers is stored as, from quants.quantize of gguf 0.19.0 of PyPI, by
// llama.cpp's authors. Halves stand between two int8, and are rounded away from zero.
func TestEncode(t *testing.T) {
	drawn := []float32{0.3455841839313507, 0.8216181397438049, 0.3304370641708374, -1.3031572103500366, 0.9053558707237244,
		0.4463745653629303, -0.5369532108306885, 0.581118106842041, 0.3645724058151245, 0.2941325008869171, 0.028422242030501366,
		0.5467129945755005, -0.7364540696144104, -0.16290995478630066, -0.4821193218231201, 0.5988461971282959, 0.03972210735082626,
		-0.2924567461013794, -0.7819084525108337, -0.2571922540664673, 0.008142180740833282, -0.27560290694236755, 1.2940638065338135,
		1.0067243576049805, -2.711162567138672, -1.8890132904052734, -0.17477209866046906, -0.422190397977829, 0.21364299952983856,
		0.0010000000474974513, -2.5, 0}
	halves := row(127, 0.5, 1.5, 2.5, -0.5, -1.5)
	for _, c := range []struct {
		as   Type
		row  []float32
		want string
	}{
		{Q8_0, drawn, "772510260fc32a15e71b110e011adef8e91c02f2dbf400f33d2f81a8f8ec0a008b00"},
		{F16, drawn, "8835933a493536bd3e3b24374cb8a638d535b53447276038e4b937b1b7b7ca381629aeb441ba1db42b2069b42d3d073c6cc18ebf98b1c1b6d632191400c10000"},
		{BF16, drawn, "b13e523fa93ea7bf683fe53e09bf153fbb3e973ee93c0c3f3dbf27bef7be193f233d96be48bf84be053c8dbea63f813f2ec0f2bf33bed8be5b3e833a20c00000"},
		{Q8_0, halves, "003c7f010203fffe" + strings.Repeat("0", 52)},
		{F16, halves, "f0570038003e004100b800be" + strings.Repeat("0", 104)},
		{BF16, halves, "fe42003fc03f204000bfc0bf" + strings.Repeat("0", 104)},
		{Q8_0, row(), strings.Repeat("0", 68)},
	} {
		require.Equal(t, c.want, hex.EncodeToString(c.as.encode(nil, c.row)), c.as)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		as   Type
		x    float64
		want string
	}{
		{F32, math.NaN(), "holds NaN"}, {BF16, math.Inf(1), "holds +Inf"}, {F16, 65520, "too large for f16"},
		{Q8_0, -65520 * 127, "too large for q8_0"}, {F16, 65519, ""}, {Q8_0, 65519 * 127, ""}, {F32, math.MaxFloat32, ""},
	} {
		err := c.as.holds(row(float32(c.x)))
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

// file returns a file with values of every kind that is written, and a few tensors.
func file() File {
	rng := rand.New(rand.NewPCG(1, 2))
	drawn := func(shape ...int) *tensor.Tensor {
		x := tensor.New(shape...)
		for i := range x.Data {
			x.Data[i] = float32(rng.NormFloat64())
		}
		return x
	}
	return File{
		Meta: map[string]any{"a": uint32(7), "b": float32(0.5), "c": true, "d": "träger", "e": []string{"", "x", "水"},
			"f": []int32{-1, 2}, "g": []float32{}},
		Tensors: map[string]*tensor.Tensor{"norm": drawn(64), "matrix": drawn(3, 64), "odd": drawn(5, 7), "experts": drawn(2, 3, 32)},
	}
}

func written(t *testing.T, f File, as Type) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, f, as))
	return out.Bytes()
}

func read(data []byte) (File, error) { return Read(bytes.NewReader(data), int64(len(data))) }

// TestRoundTrip: what is written in float32 comes back as it was, and in a type with
// fewer bits as near as its steps are.
func TestRoundTrip(t *testing.T) {
	steps := map[Type]float64{F32: 0, F16: 1.0 / (1 << 11), BF16: 1.0 / (1 << 8), Q8_0: 0.51 / 127}
	for _, as := range Types() {
		want := file()
		got, err := read(written(t, want, as))
		require.NoError(t, err)
		require.Equal(t, want.Meta, got.Meta)
		require.Len(t, got.Tensors, len(want.Tensors))
		for name, x := range want.Tensors {
			require.Equal(t, x.Shape, got.Tensors[name].Shape)
			near := steps[as] * 4 // of numbers up to 4
			if name == "norm" || name == "odd" && as == Q8_0 {
				near = 0 // vectors stay float32, and so do rows that are no whole blocks
			}
			for i := range x.Data {
				require.InDelta(t, x.Data[i], got.Tensors[name].Data[i], near, "%v %s %d", as, name, i)
			}
		}
	}
}

// TestReadRefuses damages a file: everywhere it is cut off, every byte is changed, and
// whatever numbers stand in it then, nothing is asked for that the file cannot hold.
func TestReadRefuses(t *testing.T) {
	whole := written(t, file(), F32)
	const odd = 4 * 5 * 7
	for n := range len(whole) - (alignment - odd%alignment) { // the zeros behind the last tensor may be missing
		_, err := read(whole[:n])
		require.Error(t, err, "the first %d of %d bytes", n, len(whole))
	}
	header := bytes.Index(whole, []byte("odd")) + 64
	for at := range header {
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			damaged := bytes.Clone(whole)
			damaged[at] = b
			read(damaged) // an error or another model, and no panic
		}
	}
	for _, c := range []struct {
		change func(data []byte)
		want   string
	}{
		{func(d []byte) { copy(d, "GGML") }, "not a GGUF file"},
		{func(d []byte) { d[4] = 1 }, "GGUF of version 1"},
		{func(d []byte) { binary.BigEndian.PutUint32(d[4:], version) }, "little-endian"},
		{func(d []byte) { binary.LittleEndian.PutUint64(d[8:], 1<<60) }, "the file ends in its header"},
		{func(d []byte) { typeOf(d, "matrix")[0] = 12 }, `tensor "matrix": its elements are stored as q4_k; only f32, f16, bf16 and q8_0 are read`},
		{func(d []byte) { typeOf(d, "matrix")[0] = 200 }, "stored as type 200"},
		{func(d []byte) { typeOf(d, "odd")[0] = byte(Q8_0) }, "a row of q8_0 is a multiple of 32"},
		{func(d []byte) { typeOf(d, "odd")[4] = 1 }, "truncated, or damaged"},
	} {
		damaged := bytes.Clone(whole)
		c.change(damaged)
		_, err := read(damaged)
		require.ErrorContains(t, err, c.want)
	}
}

// typeOf returns where the type of a matrix stands, and behind it the place of its elements.
func typeOf(data []byte, name string) []byte {
	return data[bytes.Index(data, []byte(name))+len(name)+4+2*8:]
}

func TestGet(t *testing.T) {
	f := File{Meta: map[string]any{"small": uint8(3), "large": uint64(1 << 40), "text": "x"}}
	for key, want := range map[string]int{"small": 3, "large": 1 << 40} {
		n, err := Get[int](f, key)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	_, err := Get[int](f, "text")
	require.ErrorContains(t, err, `the key "text" holds string; want int`)
	_, err = Get[string](f, "none")
	require.ErrorContains(t, err, `the key "none" is missing`)
}
