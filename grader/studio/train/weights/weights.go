// There are no files in a browser.

//go:build !js

// Package weights reads and writes a model's state dictionary: its tensors by
// name, such as layers.0.attn.q_proj.weight. It knows the two formats in which
// Python programs exchange them, .safetensors and .npz, and reads the
// checkpoints of llama2.c. Whatever is not exactly the format is refused, with
// an error that says what was found and what was wanted.
package weights

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/fixtures/npz"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Read returns the tensors of a .safetensors or .npz file; its ending decides.
func Read(path string) (map[string]*tensor.Tensor, error) {
	format := readNPZ
	switch filepath.Ext(path) {
	case ".safetensors":
		format = ReadSafetensors
	case ".npz":
	default:
		return nil, unknownEnding(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	state, err := format(f, info.Size())
	if err != nil {
		return nil, lang.Errorf("%s: %w", path, err)
	}
	return state, nil
}

// Write writes tensors to a .safetensors or .npz file; its ending decides. The
// file is written whole or not at all.
func Write(path string, state map[string]*tensor.Tensor) error {
	format := writeNPZ
	switch filepath.Ext(path) {
	case ".safetensors":
		format = WriteSafetensors
	case ".npz":
	default:
		return unknownEnding(path)
	}
	return whole.Replace(path, func(w io.Writer) error { return format(w, state) })
}

func unknownEnding(path string) error {
	return lang.Errorf("%s: want a file that ends in .safetensors or .npz", path)
}

func readNPZ(r io.ReaderAt, size int64) (map[string]*tensor.Tensor, error) {
	values, err := npz.Read(r, size)
	if err != nil {
		return nil, err
	}
	state := make(map[string]*tensor.Tensor, len(values))
	for name, v := range values {
		if v.DType != wire.F32 {
			return nil, lang.Errorf("array %q has type %s, want f32", name, v.DType)
		}
		state[name] = tensor.From(v.F32, v.Shape...)
	}
	return state, nil
}

func writeNPZ(w io.Writer, state map[string]*tensor.Tensor) error {
	values := wire.Values{}
	for name, t := range state {
		if name == "" || strings.ContainsAny(name, "/\\") {
			return lang.Errorf("a tensor cannot be called %q in an .npz file", name)
		}
		values[name] = wire.Tensor(t)
	}
	return npz.Write(w, values)
}
