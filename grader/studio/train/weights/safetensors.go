package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
)

// LastNorm is the name of the parameter of a model's last norm.
const LastNorm = "ln_final.weight"

// A .safetensors file is
//
//	8 bytes    length N of the header, little-endian
//	N bytes    JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …}
//	the rest   the elements, row-major, little-endian; offsets count from here
//
// The tensors cover the rest without gaps or overlaps. The header may hold
// texts under "__metadata__". See github.com/huggingface/safetensors.
const (
	headerLimit = 16 << 20 // bytes; a header has about a hundred for each tensor
	metadata    = "__metadata__"
)

// entry is what the header says of one tensor.
type entry struct {
	DType   Float   `json:"dtype"`
	Shape   []int   `json:"shape"`
	Offsets []int64 `json:"data_offsets"` // of the first byte, and of the first byte after it
}

// ReadSafetensors returns the tensors of a .safetensors file of the given size.
// Elements of F16 and BF16 become float32; another type is an error, which names the tensor.
func ReadSafetensors(r io.ReaderAt, size int64) (map[string]*tensor.Tensor, error) {
	return ReadSafetensorsBut(r, size, func(string) bool { return false })
}

// ReadSafetensorsBut is ReadSafetensors without the tensors whose names are to be skipped,
// which may be of any type.
func ReadSafetensorsBut(r io.ReaderAt, size int64, skip func(name string) bool) (map[string]*tensor.Tensor, error) {
	var prefix [8]byte
	if size < int64(len(prefix)) {
		return nil, lang.Errorf("%d bytes are too few for a .safetensors file", size)
	}
	if _, err := r.ReadAt(prefix[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > headerLimit || int64(n) > size-int64(len(prefix)) {
		return nil, lang.Errorf("says that its header has %d bytes; the file has %d, and a header at most %d: "+
			"truncated, or not a .safetensors file", n, size, headerLimit)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, int64(len(prefix))); err != nil {
		return nil, err
	}
	entries, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	start := int64(len(prefix)) + int64(n)
	names, err := layout(entries, size-start, skip)
	if err != nil {
		return nil, err
	}
	state := make(map[string]*tensor.Tensor, len(names))
	for _, name := range names {
		if skip(name) {
			continue
		}
		e := entries[name]
		t := tensor.New(e.Shape...)
		if err := e.DType.read(io.NewSectionReader(r, start+e.Offsets[0], e.Offsets[1]-e.Offsets[0]), t.Data); err != nil {
			return nil, lang.Errorf("tensor %q: %w", name, err)
		}
		state[name] = t
	}
	return state, nil
}

// parseHeader decodes the header. encoding/json keeps the last of two equal
// names; here a name that stands twice is an error.
func parseHeader(header []byte) (map[string]entry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, lang.Errorf("the header is not a JSON object")
	}
	entries := map[string]entry{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, lang.Errorf("the header: %w", err)
		}
		name, _ := t.(string) // a key is a string
		if name == metadata {
			var texts map[string]string
			if err := d.Decode(&texts); err != nil {
				return nil, lang.Errorf("the header's %s: %w", metadata, err)
			}
			continue
		}
		if _, twice := entries[name]; twice {
			return nil, lang.Errorf("tensor %q stands in the header twice", name)
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, lang.Errorf("tensor %q: %w", name, err)
		}
		if e.Shape == nil || len(e.Offsets) != 2 {
			return nil, lang.Errorf("tensor %q: want a shape and two data_offsets", name)
		}
		entries[name] = e
	}
	if _, err := d.Token(); err != nil {
		return nil, lang.Errorf("the header: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, lang.Errorf("the header goes on after its JSON object")
	}
	return entries, nil
}

// layout checks that the tensors cover size bytes without gaps or overlaps and
// returns their names in the order of the file.
func layout(entries map[string]entry, size int64, skip func(string) bool) ([]string, error) {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return slices.Compare(entries[a].Offsets, entries[b].Offsets)
	})
	var at int64
	for _, name := range names {
		e := entries[name]
		if first, end := e.Offsets[0], e.Offsets[1]; skip(name) && first == at && first <= end && end <= size {
			at = end
			continue
		}
		if e.DType.Size() == 0 {
			return nil, lang.Errorf("tensor %q has type %q; only F32, F16 and BF16 are read", name, string(e.DType))
		}
		bytes, ok := sizeOf(e.Shape, e.DType)
		if !ok {
			return nil, lang.Errorf("tensor %q has the impossible shape %v", name, e.Shape)
		}
		if e.Offsets[0] != at || e.Offsets[1]-e.Offsets[0] != bytes || e.Offsets[1] > size {
			return nil, lang.Errorf("tensor %q of shape %v has the offsets %v; want [%d %d] within %d bytes of data: "+
				"truncated, or damaged", name, e.Shape, e.Offsets, at, at+bytes, size)
		}
		at = e.Offsets[1]
	}
	if at != size {
		return nil, lang.Errorf("%d bytes of data, but the tensors have %d: the file is too long", size, at)
	}
	return names, nil
}

// sizeOf returns how many bytes a tensor has, and whether a tensor can have that shape
// at all.
func sizeOf(shape []int, as Float) (bytes int64, ok bool) {
	bytes = int64(as.Size())
	for _, n := range shape {
		if n < 0 || n > 0 && bytes > math.MaxInt32*64/int64(n) {
			return 0, false
		}
		bytes *= int64(n)
	}
	return bytes, true
}

// WriteSafetensors writes tensors in the order of their names.
func WriteSafetensors(w io.Writer, state map[string]*tensor.Tensor) error {
	entries, names, at := map[string]entry{}, slices.Sorted(maps.Keys(state)), int64(0)
	for _, name := range names {
		if name == metadata {
			return lang.Errorf("a tensor cannot be called %s", metadata)
		}
		t := state[name]
		bytes := 4 * int64(t.Len())
		entries[name] = entry{F32, append([]int{}, t.Shape...), []int64{at, at + bytes}}
		at += bytes
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	for len(header)%8 != 0 {
		header = append(header, ' ') // so that the elements are aligned
	}
	prefix := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	if _, err := w.Write(append(prefix, header...)); err != nil {
		return err
	}
	for _, name := range names {
		if err := writeFloats(w, state[name].Data); err != nil {
			return err
		}
	}
	return nil
}
