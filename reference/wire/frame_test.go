package wire_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

func every() wire.Values {
	return wire.Values{
		"f32":    wire.Float32s([]float32{1.5, -0, float32(math.Inf(1)), math.SmallestNonzeroFloat32, math.MaxFloat32, -3}, 2, 3),
		"f64":    wire.Floats([]float64{math.Pi, math.Inf(-1)}, 1, 2, 1),
		"i64":    wire.Ints([]int64{math.MinInt64, -1, math.MaxInt64}, 3),
		"bool":   wire.Bools([]bool{true, false}, 2),
		"text":   wire.String("größer, 大きい"),
		"none":   wire.Float32s([]float32{}, 5, 0, 7),
		"silent": wire.String(""),
		"number": wire.Float(0.5),
		"whole":  wire.Int(-7),
		"tensor": wire.Tensor(tensor.New(2, 2)),
		"long":   wire.Float32s(make([]float32, 30_001), 30_001), // more than one chunk
	}
}

func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name string
		m    wire.Message
	}{
		{"hello", wire.Message{Protocol: wire.Protocol}},
		{"request", wire.Message{ID: 1 << 60, Call: "f", Values: every()}},
		{"reply", wire.Message{ID: 2, Status: wire.Panic, Message: "é<&>\n", What: "x", Detail: "goroutine 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, wire.Write(&b, c.m))
			require.NoError(t, wire.Write(&b, c.m))
			r := iotest.OneByteReader(&b)
			for range 2 {
				got, err := wire.Read(r, wire.DefaultLimits())
				require.NoError(t, err)
				if c.m.Values == nil {
					c.m.Values = wire.Values{}
				}
				require.Equal(t, c.m, got)
			}
			_, err := wire.Read(r, wire.DefaultLimits())
			require.Equal(t, io.EOF, err)
		})
	}
}

func TestNaNKeepsItsBits(t *testing.T) {
	for _, bits := range []uint32{0x7fc00000, 0xffc00001, 0x80000000} {
		var b bytes.Buffer
		require.NoError(t, wire.Write(&b, wire.Message{Values: wire.Values{"x": wire.Float32s([]float32{math.Float32frombits(bits)})}}))
		got, err := wire.Read(&b, wire.DefaultLimits())
		require.NoError(t, err)
		require.Equal(t, bits, math.Float32bits(got.Values["x"].F32[0]))
	}
}

// raw is a frame with this header and payload, whatever they are.
func raw(header, payload string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(header)))) + header + payload
}

func TestReadRefuses(t *testing.T) {
	one := func(a string) string { return `{"arrays":[` + a + `]}` }
	for _, c := range []struct{ name, frame, want string }{
		{"a header beyond the limit", raw(strings.Repeat(" ", 201), ""), "a header of 201 bytes; the limit is 200"},
		{"a header of 4 GiB", "\xff\xff\xff\xff", "a header of 4294967295 bytes; the limit is 200"},
		{"an empty header", raw("", ""), "the header is not what it should be: unexpected end of JSON input"},
		{"no JSON", raw("hello", ""), "the header is not what it should be: invalid character 'h' looking for beginning of value"},
		{"a list", raw("[]", ""), "the header is not what it should be: json: cannot unmarshal array"},
		{"two objects", raw("{}{}", ""), "the header is not what it should be: invalid character '{' after top-level value"},
		{"a header that is not UTF-8", raw("{\"message\":\"\xff\"}", ""), "the header is not UTF-8"},
		{"an id that is no integer", raw(`{"id":1.5}`, ""), "the header is not what it should be: json: cannot unmarshal number 1.5"},
		{"too many arrays", raw(one(`{},{},{},{}`), ""), "4 arrays; the limit is 3"},
		{"no name", raw(one(`{"dtype":"f32","shape":[]}`), "...."), "an array has no name"},
		{"no dtype", raw(one(`{"name":"x","shape":[]}`), "...."), `array "x" has the unknown dtype ""`},
		{"an unknown dtype", raw(one(`{"name":"x","dtype":"f16","shape":[]}`), ".."), `array "x" has the unknown dtype "f16"`},
		{"no shape", raw(one(`{"name":"x","dtype":"f32"}`), "...."), `array "x" has no shape`},
		{"shape null", raw(one(`{"name":"x","dtype":"f32","shape":null}`), "...."), `array "x" has no shape`},
		{"a negative dimension", raw(one(`{"name":"x","dtype":"f32","shape":[2,-1]}`), ""), `array "x" has the negative dimension -1`},
		{"two negative dimensions", raw(one(`{"name":"x","dtype":"f32","shape":[-2,-1]}`), "........"), `array "x" has the negative dimension -2`},
		{"a dimension that is no integer", raw(one(`{"name":"x","dtype":"f32","shape":[1e3]}`), ""), "the header is not what it should be: json: cannot unmarshal number 1e3"},
		{"17 dimensions", raw(one(`{"name":"x","dtype":"f32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}`), "...."), `array "x" has 17 dimensions; the limit is 16`},
		{"an array listed twice", raw(one(`{"name":"x","dtype":"f32","shape":[]},{"name":"x","dtype":"f32","shape":[]}`), "........"), `array "x" is listed twice`},
		{"a text without length", raw(one(`{"name":"s","dtype":"text","shape":[]}`), "."), `text "s" has shape (); the shape of a text is its number of bytes`},
		{"a text with two lengths", raw(one(`{"name":"s","dtype":"text","shape":[2,2]}`), "...."), `text "s" has shape (2, 2); the shape of a text is its number of bytes`},
		{"a text that is not UTF-8", raw(one(`{"name":"s","dtype":"text","shape":[2]}`), "a\xff"), `text "s" is not UTF-8`},
		{"a bool of 2", raw(one(`{"name":"m","dtype":"bool","shape":[3]}`), "\x01\x00\x02"), `byte 2 of array "m" is 2; a bool is 0 or 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := wire.Read(strings.NewReader(c.frame), wire.Limits{Header: 200, Payload: 64, Arrays: 3})
			var format *wire.FormatError
			require.ErrorAs(t, err, &format)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestReadLimitsThePayload(t *testing.T) {
	const list = `{"arrays":[`
	for _, c := range []struct{ name, header, want string }{
		{"one array", `{"name":"x","dtype":"f64","shape":[3,3]}`, `array "x", f64 (3, 3), does not fit into the limit of 64 bytes a frame`},
		{"two arrays", `{"name":"x","dtype":"bool","shape":[64]},{"name":"y","dtype":"bool","shape":[1]}`, `array "y", bool (1), does not fit into the limit of 64 bytes a frame`},
		{"a product beyond 64 bits", `{"name":"x","dtype":"f32","shape":[4294967296,4294967296]}`, `array "x", f32 (4294967296, 4294967296), does not fit into the limit of 64 bytes a frame`},
		{"a product of 0 modulo 2^64", `{"name":"x","dtype":"bool","shape":[2,2,2305843009213693952,2]}`, `array "x", bool (2, 2, 2305843009213693952, 2), does not fit into the limit of 64 bytes a frame`},
		{"too large but for a 0", `{"name":"x","dtype":"f32","shape":[0,4294967296,4294967296]}`, `array "x", f32 (0, 4294967296, 4294967296), does not fit into the limit of 64 bytes a frame`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := wire.Read(strings.NewReader(raw(list+c.header+"]}", "")), wire.Limits{Header: 200, Payload: 64, Arrays: 3})
			var size *wire.SizeError
			require.ErrorAs(t, err, &size)
			require.EqualError(t, err, c.want)
		})
	}
	t.Run("exactly the limit", func(t *testing.T) {
		frame := raw(list+`{"name":"x","dtype":"f32","shape":[16]},{"name":"e","dtype":"f32","shape":[0]}]}`, strings.Repeat(".", 64))
		_, err := wire.Read(strings.NewReader(frame), wire.Limits{Header: 200, Payload: 64, Arrays: 3})
		require.NoError(t, err)
	})
}

// However a frame is cut off, the reader says so and does not mistake it for
// the end of the wire.
func TestReadCutOff(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, wire.Write(&b, wire.Message{ID: 1, Values: wire.Values{"x": wire.Int(1), "y": wire.String("text"), "z": wire.Bools([]bool{true}, 1)}}))
	for n := 1; n < b.Len(); n++ {
		_, err := wire.Read(bytes.NewReader(b.Bytes()[:n]), wire.DefaultLimits())
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
		require.ErrorContains(t, err, "cut off")
	}
}

// A header that promises much costs only what really comes.
func TestReadTakesNoMemoryOnCredit(t *testing.T) {
	frame := raw(`{"arrays":[{"name":"x","dtype":"f32","shape":[67108864]}]}`, "....")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := wire.Read(strings.NewReader(frame), wire.DefaultLimits())
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		value wire.Value
		want  string
	}{
		{"nothing", wire.Value{}, `array "x" is missing: it is nil`},
		{"a nil tensor", wire.Tensor(nil), `array "x" is missing: it is nil`},
		{"an unknown dtype", wire.Value{DType: "f16"}, `array "x" has the unknown dtype "f16"`},
		{"too little data", wire.Float32s(make([]float32, 5), 2, 3), `array "x" has shape (2, 3), which is 6 elements, but holds 5`},
		{"data of another type", wire.Value{DType: wire.F64, Shape: []int{1}, F32: []float32{1}}, `array "x" has shape (1), which is 1 elements, but holds 0`},
		{"a negative dimension", wire.Float32s(make([]float32, 6), -2, -3), `array "x" has the negative dimension -2`},
		{"a text of another length", wire.Value{DType: wire.Text, Shape: []int{2}, Text: "one"}, `array "x" has shape (2), which is 2 elements, but holds 3`},
		{"a text that is not UTF-8", wire.String("\xff"), `text "x" is not UTF-8`},
		{"a shape beyond all measure", wire.Float32s(nil, 1<<40, 1<<40), `array "x", f32 (1099511627776, 1099511627776), does not fit into the limit of 9223372036854775807 bytes a frame`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			err := wire.Write(&b, wire.Message{ID: 1, Values: wire.Values{"x": c.value}})
			var format *wire.FormatError
			require.ErrorAs(t, err, &format)
			require.EqualError(t, err, c.want)
			require.Zero(t, b.Len(), "nothing is written")
		})
	}
	require.EqualError(t, wire.Values{"\xff": wire.Int(1)}.Check(), `the name "\xff" of an array is not UTF-8`)
	require.EqualError(t, wire.Values{"": wire.Int(1)}.Check(), "an array has no name")
}

func TestCloneSharesNothing(t *testing.T) {
	v := every()
	c := v.Clone()
	require.Equal(t, v, c)
	for _, x := range c {
		clear(x.Shape)
		clear(x.F32)
		clear(x.F64)
		clear(x.I64)
		clear(x.Bool)
	}
	require.Equal(t, every(), v)
	require.Nil(t, wire.Values(nil).Clone())
}

// FuzzRead: whatever arrives, the reader returns within its limits, and what it
// accepts can be written and read again.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	v := every()
	delete(v, "long")
	for _, m := range []wire.Message{{Protocol: wire.Protocol}, {ID: 1, Call: "f", Values: v}, {ID: 1, Status: wire.OK}} {
		b.Reset()
		require.NoError(f, wire.Write(&b, m))
		f.Add(b.Bytes())
	}
	f.Add([]byte(raw(`{"arrays":[{"name":"x","dtype":"f32","shape":[2,-1]}]}`, "....")))
	f.Add([]byte(raw(`{"arrays":[{"name":"x","dtype":"text","shape":[3]},{"name":"m","dtype":"bool","shape":[1,1]}]}`, "abc\x01")))
	limits := wire.Limits{Header: 4096, Payload: 4096, Arrays: 16}
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, err := wire.Read(bytes.NewReader(frame), limits)
		if err != nil {
			return
		}
		total := 0
		for _, x := range m.Values {
			total += 4*len(x.F32) + 8*len(x.F64) + 8*len(x.I64) + len(x.Bool) + len(x.Text)
		}
		require.LessOrEqual(t, total, 4096)
		require.LessOrEqual(t, len(m.Values), 16)
		var first, second bytes.Buffer
		require.NoError(t, wire.Write(&first, m))
		again, err := wire.Read(bytes.NewReader(first.Bytes()), wire.Limits{Header: 1 << 16, Payload: 4096, Arrays: 16})
		require.NoError(t, err)
		require.NoError(t, wire.Write(&second, again))
		require.Equal(t, first.Bytes(), second.Bytes())
	})
}
