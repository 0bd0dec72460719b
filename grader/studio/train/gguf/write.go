package gguf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Write writes a file, keys and tensors in the order of their names. Matrices are
// stored as the type t; vectors, which are small, and matrices whose rows are no whole
// number of blocks, as float32. The error names the tensor that holds what cannot be
// stored.
func Write(w io.Writer, f File, t Type) error {
	var head bytes.Buffer
	head.WriteString(magic)
	put(&head, uint32(version), uint64(len(f.Tensors)), uint64(len(f.Meta)))
	for _, key := range slices.Sorted(maps.Keys(f.Meta)) {
		if err := putValue(&head, key, f.Meta[key]); err != nil {
			return err
		}
	}
	names, at := slices.Sorted(maps.Keys(f.Tensors)), 0
	for _, name := range names {
		x := f.Tensors[name]
		stored := storedAs(x, t)
		if err := stored.holds(x.Data); err != nil {
			return lang.Errorf("tensor %q: %w", name, err)
		}
		putString(&head, name)
		put(&head, uint32(len(x.Shape)))
		for _, n := range slices.Backward(x.Shape) {
			put(&head, uint64(n))
		}
		put(&head, uint32(stored), uint64(at))
		at += aligned(size(x, stored))
	}
	out := bufio.NewWriterSize(w, 1<<16)
	head.Write(make([]byte, aligned(head.Len())-head.Len()))
	out.Write(head.Bytes())
	for _, name := range names {
		x := f.Tensors[name]
		stored := storedAs(x, t)
		for n := range x.Rows() {
			out.Write(stored.encode(nil, x.Row(n)))
		}
		out.Write(make([]byte, aligned(size(x, stored))-size(x, stored)))
	}
	return out.Flush()
}

// storedAs returns the type in which a tensor is stored in a file of matrices of type t.
func storedAs(x *tensor.Tensor, t Type) Type {
	numbers, _ := t.layout()
	if len(x.Shape) < 2 || x.Dim(-1)%numbers != 0 {
		return F32
	}
	return t
}

// size returns how many bytes a tensor has in a type.
func size(x *tensor.Tensor, t Type) int {
	numbers, bytes := t.layout()
	return x.Len() / numbers * bytes
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		binary.Write(b, binary.LittleEndian, v) // numbers of a fixed size, into memory
	}
}

func putString(b *bytes.Buffer, s string) {
	put(b, uint64(len(s)))
	b.WriteString(s)
}

// putValue writes a key and its value. It is an error if no file can hold the value.
func putValue(b *bytes.Buffer, key string, value any) error {
	putString(b, key)
	switch v := value.(type) {
	case uint32:
		put(b, kindUint32, v)
	case float32:
		put(b, kindFloat32, v)
	case bool:
		put(b, kindBool, v)
	case string:
		put(b, kindString)
		putString(b, v)
	case []int32:
		put(b, kindArray, kindInt32, uint64(len(v)), v)
	case []float32:
		put(b, kindArray, kindFloat32, uint64(len(v)), v)
	case []string:
		put(b, kindArray, kindString, uint64(len(v)))
		for _, s := range v {
			putString(b, s)
		}
	default:
		return fmt.Errorf("gguf: %s is a %T, which is not written", key, value)
	}
	return nil
}
