package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Read reads a file of the given size. Tensors of every type that Types names become
// float32; another type is refused by its name, and by that of the tensor.
func Read(r io.ReaderAt, size int64) (File, error) {
	in := &reader{in: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), left: size}
	f := File{Meta: map[string]any{}, Tensors: map[string]*tensor.Tensor{}}
	tensors, keys, err := in.head()
	if err != nil {
		return f, err
	}
	for range keys {
		if err := in.pair(f.Meta); err != nil {
			return f, err
		}
	}
	entries := make([]entry, 0, tensors)
	for range tensors {
		e, err := in.entry()
		if err != nil {
			return f, err
		}
		entries = append(entries, e)
	}
	multiple, err := alignmentOf(f.Meta)
	if err != nil {
		return f, err
	}
	start := (size - in.left + multiple - 1) / multiple * multiple
	for _, e := range entries {
		if f.Tensors[e.name] != nil {
			return f, lang.Errorf("tensor %q stands in the file twice", e.name)
		}
		if f.Tensors[e.name], err = e.read(r, start, size, multiple); err != nil {
			return f, lang.Errorf("tensor %q: %w", e.name, err)
		}
	}
	return f, nil
}

// alignmentOf returns the number of bytes at a multiple of which every tensor begins.
func alignmentOf(meta map[string]any) (int64, error) {
	value, ok := meta[AlignmentKey]
	if !ok {
		return alignment, nil
	}
	n, ok := value.(uint32)
	if !ok || n == 0 || n&(n-1) != 0 || n > 1<<20 {
		return 0, lang.Errorf("%s is %v; want a power of two", lang.Raw(AlignmentKey), value)
	}
	return int64(n), nil
}

// entry is what a file says of a tensor before its elements come.
type entry struct {
	name  string
	shape []int
	as    Type
	at    uint64
}

// read reads the elements of a tensor from a file of the given size, in which elements
// begin at start.
func (e entry) read(r io.ReaderAt, start, size, multiple int64) (*tensor.Tensor, error) {
	numbers, bytes := e.as.layout()
	if numbers == 0 {
		return nil, lang.Errorf("its elements are stored as %s; only f32, f16, bf16 and q8_0 are read", lang.Raw(e.as.String()))
	}
	total := int64(1)
	for _, n := range e.shape {
		if total > math.MaxInt32*16/int64(n) {
			return nil, lang.Errorf("has the impossible shape %v", e.shape)
		}
		total *= int64(n)
	}
	if e.shape[len(e.shape)-1]%numbers != 0 {
		return nil, lang.Errorf("has the shape %v; a row of %s is a multiple of %d", e.shape, lang.Raw(e.as.String()), numbers)
	}
	length, room := total/int64(numbers)*int64(bytes), max(0, size-start)
	if e.at > uint64(room) || length > room-int64(e.at) || e.at%uint64(multiple) != 0 {
		return nil, lang.Errorf("its %d bytes begin at %d of the %d that hold elements: truncated, or damaged", length, e.at, room)
	}
	t := tensor.New(e.shape...)
	in := bufio.NewReaderSize(io.NewSectionReader(r, start+int64(e.at), length), 1<<16)
	block := make([]byte, t.Dim(-1)/numbers*bytes)
	for n := range t.Rows() {
		if _, err := io.ReadFull(in, block); err != nil {
			return nil, err
		}
		e.as.decode(t.Row(n), block)
	}
	return t, nil
}

// reader reads what stands before the elements, and knows how many bytes are left, so
// that no number in a file makes it ask for more memory than the file has bytes.
type reader struct {
	in   io.Reader
	left int64
}

// short is the error of a file that ends where more must come.
func short() error { return lang.Errorf("the file ends in its header: truncated, or damaged") }

// number reads a number of a fixed size.
func number[T any](r *reader) (v T, err error) {
	size := int64(binary.Size(v))
	if r.left < size {
		return v, short()
	}
	r.left -= size
	return v, binary.Read(r.in, binary.LittleEndian, &v)
}

// head reads up to the first key.
func (r *reader) head() (tensors, keys uint64, err error) {
	var start [4]byte
	if start, err = number[[4]byte](r); err != nil || string(start[:]) != magic {
		return 0, 0, lang.Errorf("does not begin with %s: not a GGUF file", lang.Raw(magic))
	}
	v, err := number[uint32](r)
	if err != nil {
		return 0, 0, err
	}
	if v != 2 && v != version { // 2 is 3 without the files of other processors
		return 0, 0, lang.Errorf("is GGUF of version %d; versions 2 and 3 are read, little-endian", v)
	}
	if tensors, err = number[uint64](r); err != nil {
		return 0, 0, err
	}
	if keys, err = number[uint64](r); err != nil {
		return 0, 0, err
	}
	const least = 12 // bytes that each of them has
	if tensors > uint64(r.left)/least || keys > uint64(r.left)/least {
		return 0, 0, short()
	}
	return tensors, keys, nil
}

func (r *reader) text() (string, error) {
	n, err := number[uint64](r)
	if err != nil {
		return "", err
	}
	if n > uint64(r.left) {
		return "", short()
	}
	b := make([]byte, n)
	r.left -= int64(n)
	_, err = io.ReadFull(r.in, b)
	return string(b), err
}

// pair reads a key and its value into meta.
func (r *reader) pair(meta map[string]any) error {
	key, err := r.text()
	if err != nil {
		return err
	}
	if _, twice := meta[key]; twice {
		return lang.Errorf("the key %q stands in the file twice", key)
	}
	k, err := number[kind](r)
	if err != nil {
		return err
	}
	meta[key], err = r.value(k)
	if err != nil {
		return lang.Errorf("the key %q: %w", key, err)
	}
	return nil
}

func (r *reader) value(k kind) (any, error) {
	switch k {
	case kindUint8:
		return number[uint8](r)
	case kindInt8:
		return number[int8](r)
	case kindUint16:
		return number[uint16](r)
	case kindInt16:
		return number[int16](r)
	case kindUint32:
		return number[uint32](r)
	case kindInt32:
		return number[int32](r)
	case kindFloat32:
		return number[float32](r)
	case kindBool:
		return number[bool](r)
	case kindString:
		return r.text()
	case kindArray:
		return r.array()
	case kindUint64:
		return number[uint64](r)
	case kindInt64:
		return number[int64](r)
	case kindFloat64:
		return number[float64](r)
	}
	return nil, lang.Errorf("is of kind %d, which GGUF does not have: damaged", uint32(k))
}

func (r *reader) array() (any, error) {
	k, err := number[kind](r)
	if err != nil {
		return nil, err
	}
	n, err := number[uint64](r)
	if err != nil {
		return nil, err
	}
	switch k {
	case kindString:
		return elements(r, n, 8, (*reader).text)
	case kindUint8:
		return elements(r, n, 1, number[uint8])
	case kindInt8:
		return elements(r, n, 1, number[int8])
	case kindBool:
		return elements(r, n, 1, number[bool])
	case kindUint32:
		return elements(r, n, 4, number[uint32])
	case kindInt32:
		return elements(r, n, 4, number[int32])
	case kindFloat32:
		return elements(r, n, 4, number[float32])
	}
	return nil, lang.Errorf("is an array of kind %d, which is not read", uint32(k))
}

// elements reads n values of at least the given number of bytes each.
func elements[T any](r *reader, n uint64, least int64, read func(*reader) (T, error)) ([]T, error) {
	if n > uint64(r.left/least) {
		return nil, short()
	}
	all := make([]T, n)
	for i := range all {
		var err error
		if all[i], err = read(r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// entry reads what the file says of a tensor.
func (r *reader) entry() (e entry, err error) {
	if e.name, err = r.text(); err != nil {
		return e, err
	}
	dims, err := number[uint32](r)
	if err != nil {
		return e, err
	}
	const most = 4 // of ggml
	if dims < 1 || dims > most {
		return e, lang.Errorf("tensor %q has %d dimensions; want 1 to %d", e.name, dims, most)
	}
	e.shape = make([]int, dims)
	for i := range e.shape {
		n, err := number[uint64](r)
		if err != nil {
			return e, err
		}
		if n < 1 || n > math.MaxInt32 {
			return e, lang.Errorf("tensor %q has an axis of %d", e.name, n)
		}
		e.shape[len(e.shape)-1-i] = int(n)
	}
	as, err := number[uint32](r)
	if err != nil {
		return e, err
	}
	e.as = Type(as)
	e.at, err = number[uint64](r)
	return e, err
}

// Get returns the value of a key that a file must have. Whole numbers are int, whatever
// their size in the file.
func Get[T any](f File, key string) (T, error) {
	var want T
	got, ok := f.Meta[key]
	if !ok {
		return want, lang.Errorf("the key %q is missing", key)
	}
	if n, ok := whole(got); ok {
		got = n
	}
	if v, ok := got.(T); ok {
		return v, nil
	}
	return want, lang.Errorf("the key %q holds %s; want %s", key, lang.Raw(fmt.Sprintf("%T", got)), lang.Raw(fmt.Sprintf("%T", want)))
}

func whole(value any) (int, bool) {
	switch n := value.(type) {
	case uint8:
		return int(n), true
	case int8:
		return int(n), true
	case uint16:
		return int(n), true
	case int16:
		return int(n), true
	case uint32:
		return int(n), true
	case int32:
		return int(n), true
	case int64:
		return int(n), true
	case uint64:
		return int(min(n, math.MaxInt64)), true
	}
	return 0, false
}
