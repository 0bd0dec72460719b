package hf

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// object is a JSON object.
type object = map[string]any

// Made is a model for a folder.
type Made struct {
	Config  map[string]any // of config.json, without the ids of special tokens
	Tokens  Tokens
	Tensors map[string]*tensor.Tensor
}

// Tokens is a tokenizer for a folder.
type Tokens struct {
	file object // of tokenizer.json
	end  any    // the id of the token that ends a text, or nil
	name any    // that token, or nil
}

// Characters is a tokenizer whose tokens are single characters. A text with another
// character is refused, as it is in the course.
func Characters(names []string) Tokens {
	return Tokens{file: tokenizerFile(object{"type": "WordLevel", "vocab": ids(names), "unk_token": "no such character"},
		object{"type": "Split", "pattern": object{"Regex": `[\s\S]`}, "behavior": "Isolated", "invert": false},
		object{"type": "Fuse"}, []object{})}
}

// LearnedTokens is step 14's tokenizer, from the names of its tokens and of the two that
// each merge joins, and the ids of its special tokens. The first of these ends a text.
func LearnedTokens(names, merges []string, special []int) Tokens {
	added := []object{}
	for _, id := range special {
		added = append(added, object{"id": id, "content": names[id], "single_word": false, "lstrip": false,
			"rstrip": false, "normalized": false, "special": true})
	}
	level := object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	t := Tokens{file: tokenizerFile(object{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil,
		"end_of_word_suffix": nil, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
		"vocab": ids(names), "merges": merges}, level, level, added)}
	if len(special) > 0 {
		t.end, t.name = special[0], names[special[0]]
	}
	return t
}

func tokenizerFile(model, cut, decoder object, added []object) object {
	return object{"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added, "normalizer": nil,
		"pre_tokenizer": cut, "post_processor": nil, "decoder": decoder, "model": model}
}

// ids returns the id of every token.
func ids(names []string) map[string]int {
	all := map[string]int{}
	for id, name := range names {
		all[name] = id
	}
	return all
}

// Write writes a folder that transformers opens, and Read. It is written whole or not at
// all. It is an error if there is something of its name.
func Write(folder string, m Made) (err error) {
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(lang.Errorf("%s is there already; name a folder that is not", folder), err)
	}
	part, err := os.MkdirTemp(filepath.Dir(folder), "."+filepath.Base(folder)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	m.Config["bos_token_id"], m.Config["eos_token_id"], m.Config["torch_dtype"] = m.Tokens.end, m.Tokens.end, "float32"
	for name, v := range map[string]any{ConfigFile: m.Config, TokenizerFile: m.Tokens.file,
		"tokenizer_config.json": object{"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": m.Tokens.name,
			"clean_up_tokenization_spaces": false}} {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(part, name), append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	if err := weights.Write(filepath.Join(part, tensorsFile), m.Tensors); err != nil {
		return err
	}
	return errors.Join(os.Chmod(part, 0o755), os.Rename(part, folder))
}
