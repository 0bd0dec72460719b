// Package hf reads the folder in which Hugging Face's transformers keeps a model.
// It consists of
//
//	config.json                    its architecture and shape
//	tokenizer.json                 its tokenizer, as the library tokenizers writes it
//	model.safetensors              its tensors by name, or, where these are in several files,
//	model.safetensors.index.json   {"weight_map": {"name of a tensor": "file", …}}
//
// In place of tokenizer.json there may be what GPT-2 was published with, vocab.json and
// merges.txt.
//
// Whatever is not of that form is refused, with an error that names the file, what was
// found and what was wanted. What a model and a tokenizer of that form compute is for the
// caller to say. See transformers' PreTrainedModel.save_pretrained, and tokenizers'
// Tokenizer.save.
package hf

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// The files of a folder.
const (
	ConfigFile    = "config.json"
	TokenizerFile = "tokenizer.json"
	vocabFile     = "vocab.json"
	mergesFile    = "merges.txt"
	tensorsFile   = "model.safetensors"
	indexFile     = "model.safetensors.index.json"
)

// Folder is what a folder holds.
type Folder struct {
	Config    Config
	GPT2      *GPT2 // of a model of that type, of which Config says the type alone
	Tokenizer Tokenizer
	Tensors   map[string]*tensor.Tensor
}

// Read reads a folder. Numbers in F16 and BF16 become float32.
func Read(dir fs.FS) (Folder, error) {
	f := Folder{Config: defaults()}
	if err := readJSON(dir, ConfigFile, &f.Config); err != nil {
		return f, err
	}
	skip := func(string) bool { return false }
	if f.Config.ModelType == gpt2Type {
		f.GPT2, skip = gpt2Defaults(), isMask
		if err := readJSON(dir, ConfigFile, f.GPT2); err != nil {
			return f, err
		}
	}
	var err error
	if f.Tokenizer, err = readTokenizer(dir); err != nil {
		return f, err
	}
	f.Tensors, err = readTensors(dir, skip)
	return f, err
}

// isMask reports whether a tensor of GPT-2 is the causal mask of a layer, or the number
// that is written where it hides: older files hold both, of any type, and nobody reads them.
func isMask(name string) bool {
	return strings.HasSuffix(name, ".attn.bias") || strings.HasSuffix(name, ".attn.masked_bias")
}

// readJSON reads a file that holds one JSON value, of which fields that v lacks are left out.
func readJSON(dir fs.FS, name string, v any) error {
	data, err := fs.ReadFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return lang.Errorf("%s is missing: not a folder of a model that transformers has saved", name)
	}
	if err != nil {
		return err
	}
	err = json.Unmarshal(data, v)
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return lang.Errorf("%s: not JSON: %w", name, err)
	case errors.As(err, &kind):
		err = run.Plain(err)
	}
	if err != nil {
		return lang.Errorf("%s: %w", name, err)
	}
	return nil
}

// readTensors reads the one file of tensors, or all that the index names, but for those
// that are to be skipped.
func readTensors(dir fs.FS, skip func(name string) bool) (map[string]*tensor.Tensor, error) {
	if _, err := fs.Stat(dir, tensorsFile); err == nil {
		return readFile(dir, tensorsFile, skip)
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if _, err := fs.Stat(dir, indexFile); errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("neither %s nor %s is there; save_pretrained of transformers writes one of them",
			tensorsFile, indexFile)
	}
	if err := readJSON(dir, indexFile, &index); err != nil {
		return nil, err
	}
	maps.DeleteFunc(index.WeightMap, func(name, _ string) bool { return skip(name) })
	all := map[string]*tensor.Tensor{}
	for _, file := range slices.Compact(slices.Sorted(maps.Values(index.WeightMap))) {
		found, err := readFile(dir, file, skip)
		if err != nil {
			return nil, err
		}
		for name, t := range found {
			if index.WeightMap[name] != file {
				return nil, lang.Errorf("tensor %q is in %s; %s says that it is in %q",
					name, file, indexFile, index.WeightMap[name])
			}
			all[name] = t
		}
	}
	for _, name := range slices.Sorted(maps.Keys(index.WeightMap)) {
		if all[name] == nil {
			return nil, lang.Errorf("%s holds no tensor %q; %s says that it does",
				index.WeightMap[name], name, indexFile)
		}
	}
	return all, nil
}

// readFile reads a file of tensors, which lies in the folder itself.
func readFile(dir fs.FS, name string, skip func(string) bool) (map[string]*tensor.Tensor, error) {
	if !fs.ValidPath(name) || strings.ContainsAny(name, `/\`) || name == "." {
		return nil, lang.Errorf("%s names the file %q, which is not one of the folder", indexFile, name)
	}
	f, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("%s names the file %s, which is missing", indexFile, name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	at, ok := f.(io.ReaderAt)
	if !ok || !info.Mode().IsRegular() {
		return nil, lang.Errorf("%s is not a file", name)
	}
	tensors, err := weights.ReadSafetensorsBut(at, info.Size(), skip)
	if err != nil {
		return nil, lang.Errorf("%s: %w", name, err)
	}
	return tensors, nil
}
