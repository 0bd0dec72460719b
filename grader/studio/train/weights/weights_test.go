package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// sample is a state dictionary with a matrix, a vector, a scalar, an empty
// tensor and numbers that only exact copies keep.
func sample() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{
		"layers.0.ffn.w1.weight": tensor.From([]float32{1, -2, 3.5, math.MaxFloat32, 1e-45, float32(math.Inf(1))}, 3, 2),
		"ln_final.weight":        tensor.From([]float32{0.1, 0.2, 0.3}, 3),
		"scalar":                 tensor.From([]float32{7}),
		"empty":                  tensor.New(0, 4),
	}
}

func TestRoundTrip(t *testing.T) {
	for _, ending := range []string{".safetensors", ".npz"} {
		path := filepath.Join(t.TempDir(), "model"+ending)
		require.NoError(t, os.WriteFile(path, []byte("what was there before"), 0o600))
		require.NoError(t, Write(path, sample()))
		got, err := Read(path)
		require.NoError(t, err)
		require.Len(t, got, len(sample()))
		for name, want := range sample() {
			require.Equal(t, append([]int{}, want.Shape...), append([]int{}, got[name].Shape...), name)
			require.Equal(t, want.Data, got[name].Data, name)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		require.Len(t, entries, 1, "nothing is left behind")
	}
}

func TestUnknownEnding(t *testing.T) {
	_, err := Read("model.pt")
	require.ErrorContains(t, err, "model.pt: want a file that ends in .safetensors or .npz")
	require.ErrorContains(t, Write("model.pt", sample()), "model.pt: want a file that ends in .safetensors or .npz")
}

// file puts a header and data together as a .safetensors file.
func file(header string, data int) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), make([]byte, data)...)
}

func TestSafetensorsRefuses(t *testing.T) {
	const good = `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}`
	edit := func(old, new string) []byte {
		require.Contains(t, good, old)
		return file(strings.Replace(good, old, new, 1), 12)
	}
	for name, c := range map[string]struct {
		data []byte
		want string // "" if the file is good
	}{
		"good":                {file(good, 12), ""},
		"padded":              {file(good+"   ", 12), ""},
		"with texts":          {edit(`{"a"`, `{"__metadata__":{"format":"pt"},"a"`), ""},
		"not quite texts":     {edit(`{"a"`, `{"__metadata__":{"format":1},"a"`), "__metadata__"},
		"too small":           {[]byte("PK"), "2 bytes are too few"},
		"another format":      {[]byte("PK\x03\x04 and so on, which is a large number"), "not a .safetensors file"},
		"header beyond end":   {file(good, 12)[:50], "truncated"},
		"not an object":       {file("[1]", 0), "not a JSON object"},
		"header breaks off":   {file(`{"a":`, 0), `tensor "a"`},
		"header goes on":      {file(good+"{}", 12), "goes on after its JSON object"},
		"unknown field":       {edit(`"shape":[2]`, `"shape":[2],"stride":[1]`), `tensor "a": json: unknown field "stride"`},
		"a name twice":        {edit(`"b"`, `"a"`), `tensor "a" stands in the header twice`},
		"other numbers":       {edit("F32", "F8_E4M3"), `tensor "a" has type "F8_E4M3"; only F32, F16 and BF16 are read`},
		"half as many bytes":  {edit("F32", "BF16"), `tensor "a" of shape [2] has the offsets [0 8]; want [0 4]`},
		"no shape":            {edit(`"shape":[2],`, ""), `tensor "a": want a shape and two data_offsets`},
		"three offsets":       {edit("[0,8]", "[0,8,9]"), `tensor "a": want a shape and two data_offsets`},
		"negative size":       {edit("[2]", "[-2]"), "impossible shape [-2]"},
		"enormous":            {edit("[2]", "[4294967296,4294967296,2]"), "impossible shape"},
		"gap":                 {edit("[8,12]", "[9,13]"), `tensor "b" of shape [] has the offsets [9 13]; want [8 12]`},
		"overlap":             {edit("[8,12]", "[4,8]"), `tensor "b" of shape [] has the offsets [4 8]; want [8 12]`},
		"offsets and shape":   {edit("[2]", "[3]"), `tensor "a" of shape [3] has the offsets [0 8]; want [0 12]`},
		"data breaks off":     {file(good, 11), "truncated"},
		"data goes on":        {file(good, 13), "too long"},
		"a fraction of a row": {edit("[2]", "[2.5]"), `tensor "a"`},
	} {
		_, err := ReadSafetensors(bytes.NewReader(c.data), int64(len(c.data)))
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
}

// TestHalves reads numbers whose bits are those of IEEE 754-2008, table 3.5, and of the
// upper half of a float32.
func TestHalves(t *testing.T) {
	data := file(`{"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]}}`, 0)
	for _, bits := range []uint16{0x3c00, 0xc000, 0x0001, 0x7bff, 0x3f80, 0xc2fe, 0x0080} {
		data = binary.LittleEndian.AppendUint16(data, bits)
	}
	state, err := ReadSafetensors(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Equal(t, []float32{1, -2, 1.0 / (1 << 24), 65504}, state["a"].Data)
	require.Equal(t, []float32{1, -127, 0x1p-126}, state["b"].Data)
}

func TestNPZRefuses(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, Write(filepath.Join(dir, "a.npz"), map[string]*tensor.Tensor{"../x": tensor.New(1)}), `cannot be called "../x"`)
	require.NoFileExists(t, filepath.Join(dir, "a.npz"))
	path := filepath.Join(dir, "b.npz")
	require.NoError(t, os.WriteFile(path, []byte("no zip archive at all, only text"), 0o600))
	_, err := Read(path)
	require.ErrorContains(t, err, "b.npz: npz: does not begin with a zip record")
}

// checkpoint returns the header and the elements 0, 1, 2, … of a llama2.c file.
func checkpoint(words [7]int32) []byte {
	h := Llama2c{int(words[0]), int(words[1]), int(words[2]), int(words[3]), int(words[4]), int(max(words[5], -words[5])), int(words[6]), words[5] > 0}
	size, _ := h.size()
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, words)
	for i := range (int(size) - b.Len()) / 4 {
		binary.Write(&b, binary.LittleEndian, float32(i))
	}
	return b.Bytes()
}

func TestReadLlama2c(t *testing.T) {
	for name, words := range map[string][7]int32{
		"shared head": {4, 6, 2, 2, 2, 5, 3},
		"untied head": {4, 6, 2, 2, 2, -5, 3},
		"grouped":     {8, 6, 2, 4, 2, 5, 3},
		"one for all": {8, 6, 2, 4, 1, -5, 3},
	} {
		t.Run(name, func(t *testing.T) {
			data := checkpoint(words)
			h, state, err := ReadLlama2c(bytes.NewReader(data), int64(len(data)))
			require.NoError(t, err)
			d, e := int(words[0]), int(words[0]/words[3]*words[4])
			require.Equal(t, Llama2c{d, 6, 2, int(words[3]), int(words[4]), 5, 3, words[5] > 0}, h)
			at := 0 // elements run through the file in this order
			check := func(format string, layers int, shape ...int) {
				for layer := range layers {
					tensorName := strings.Replace(format, "N", fmt.Sprint(layer), 1)
					got := state[tensorName]
					require.NotNil(t, got, tensorName)
					require.Equal(t, shape, got.Shape, tensorName)
					require.Equal(t, float32(at), got.Data[0], tensorName)
					require.Equal(t, float32(at+got.Len()-1), got.Data[got.Len()-1], tensorName)
					at += got.Len()
				}
			}
			check("token_embeddings.weight", 1, 5, d)
			check("layers.N.ln1.weight", 2, d)
			check("layers.N.attn.q_proj.weight", 2, d, d)
			check("layers.N.attn.k_proj.weight", 2, e, d)
			check("layers.N.attn.v_proj.weight", 2, e, d)
			check("layers.N.attn.output_proj.weight", 2, d, d)
			check("layers.N.ln2.weight", 2, d)
			check("layers.N.ffn.w1.weight", 2, 6, d)
			check("layers.N.ffn.w2.weight", 2, d, 6)
			check("layers.N.ffn.w3.weight", 2, 6, d)
			check("ln_final.weight", 1, d)
			at += 2 * 3 * (d / h.Heads / 2) // the tables of RoPE
			if h.Shared {
				at = 0
			}
			check("lm_head.weight", 1, 5, d)
			require.Len(t, state, 1+2*9+1+1)
		})
	}
}

func TestLlama2cRefuses(t *testing.T) {
	good := checkpoint([7]int32{4, 6, 1, 2, 2, 5, 3})
	header := func(words ...int32) []byte {
		out, _ := binary.Append(nil, binary.LittleEndian, words)
		return append(out, good[28:]...)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"too small":            {good[:20], "20 bytes are too few"},
		"truncated":            {good[:len(good)-4], fmt.Sprintf("has %d bytes, but a model with the header [4 6 1 2 2 5 3] has %d: truncated", len(good)-4, len(good))},
		"too long":             {append(bytes.Clone(good), 0, 0, 0, 0), "damaged, or not version 0"},
		"no groups":            {header(12, 6, 1, 3, 2, 5, 3), "3 heads and 2 key and value heads, which do not divide them into groups"},
		"more keys than heads": {header(4, 6, 1, 2, 4, 5, 3), "2 heads and 4 key and value heads"},
		"grouped, cut short":   {checkpoint([7]int32{8, 6, 1, 4, 2, 5, 3})[:100], "truncated"},
		"of an ungrouped size": {append(header(8, 6, 1, 4, 2, 5, 3), make([]byte, 4096)...), "damaged, or not version 0"},
		"a later version":      {header(llama2cMagic, 1, 4, 6, 1, 2, 2), "checkpoint of version 1; only version 0"},
		"zero layers":          {header(4, 6, 0, 2, 2, 5, 3), "not a llama2.c checkpoint"},
		"negative width":       {header(-4, 6, 1, 2, 2, 5, 3), "not a llama2.c checkpoint"},
		"the smallest number":  {header(4, 6, 1, 2, 2, math.MinInt32, 3), "not a llama2.c checkpoint"},
		"odd heads":            {header(6, 6, 1, 2, 2, 5, 3), "dim 6 does not divide into 2 heads of an even size"},
		"a text":               {[]byte(strings.Repeat("some text ", 9)), "not a llama2.c checkpoint"},
		"larger than any":      {header(1<<24, 1<<24, 1<<24, 2, 2, 5, 3), "larger than any file"},
		"large":                {header(4, 6, 1<<24, 2, 2, 5, 3), "truncated"},
	} {
		_, state, err := ReadLlama2c(bytes.NewReader(c.data), int64(len(c.data)))
		require.ErrorContains(t, err, c.want, name)
		require.Nil(t, state, name)
	}
}

// Whatever bytes come, a reader returns an error or what it writes again.
func FuzzSafetensors(f *testing.F) {
	var good bytes.Buffer
	require.NoError(f, WriteSafetensors(&good, sample()))
	f.Add(good.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		state, err := ReadSafetensors(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		var again bytes.Buffer
		require.NoError(t, WriteSafetensors(&again, state))
		_, err = ReadSafetensors(bytes.NewReader(again.Bytes()), int64(again.Len()))
		require.NoError(t, err)
	})
}

func FuzzLlama2c(f *testing.F) {
	f.Add(checkpoint([7]int32{4, 6, 1, 2, 2, 5, 3}))
	f.Add(checkpoint([7]int32{4, 6, 1, 2, 2, -5, 3}))
	f.Add(checkpoint([7]int32{8, 6, 1, 4, 2, 5, 3}))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, _, err := ReadLlama2c(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			size, _ := h.size()
			require.Equal(t, int64(len(data)), size)
		}
	})
}
