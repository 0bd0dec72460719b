package llama

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// learnedSplit is llama.cpp's name of the pattern by which step 14 splits a text.
const learnedSplit = "gpt-2"

// The keys of a tokenizer.
const (
	keyModel   = "tokenizer.ggml.model"
	keySplit   = "tokenizer.ggml.pre"
	keyTokens  = "tokenizer.ggml.tokens"
	keyTypes   = "tokenizer.ggml.token_type"
	keyScores  = "tokenizer.ggml.scores"
	keyMerges  = "tokenizer.ggml.merges"
	keyUnknown = "tokenizer.ggml.unknown_token_id"
	keyBOS     = "tokenizer.ggml.bos_token_id"
	keyEOS     = "tokenizer.ggml.eos_token_id"
	keyAddBOS  = "tokenizer.ggml.add_bos_token"
	keySpace   = "tokenizer.ggml.add_space_prefix"
)

// vocabulary returns the keys of a tokenizer that consists of files.
func vocabulary(size int, files map[string][]byte) (map[string]any, error) {
	if _, ok := files[tokenizer.TokensFile]; ok {
		return learned(size, files[tokenizer.VocabFile], files[tokenizer.MergesFile])
	}
	if pieces, ok := files[tokenizer.PiecesFile]; ok {
		return piecesOf(size, pieces)
	}
	return characters(size, string(files[tokenizer.AlphabetFile]))
}

// characters is the tokenizer of an alphabet. Where a prompt has another character,
// llama.cpp, which has no way to refuse it, reads a space, or else the first character.
func characters(size int, alphabet string) (map[string]any, error) {
	var tokens []string
	for _, r := range alphabet {
		tokens = append(tokens, strings.ReplaceAll(string(r), `\`, `\\`))
	}
	if len(tokens) != size {
		return nil, wrongSize(len(tokens), size)
	}
	return map[string]any{keyModel: asCharacters, keyTokens: tokens, keyTypes: slices.Repeat([]int32{normal}, size),
		keyUnknown: uint32(max(0, slices.Index(tokens, " "))), keyAddBOS: false}, nil
}

// learned is the tokenizer of step 14, in the two files of which its tokens are written
// as llama.cpp wants them. A text of such a model has no end; llama.cpp wants a token
// for it: a special one if there is one, and else the byte 255, which no text holds.
func learned(size int, vocab, merges []byte) (map[string]any, error) {
	t, special, err := learnedTokens(size, vocab, merges)
	if err != nil {
		return nil, err
	}
	types, end := slices.Repeat([]int32{normal}, size), max(0, slices.Index(t.names, "ÿ"))
	for _, id := range special {
		types[id] = control
	}
	if len(special) > 0 {
		end = special[0]
	}
	return map[string]any{keyModel: asLearned, keySplit: learnedSplit, keyTokens: t.names, keyTypes: types, keyMerges: t.merges,
		keyBOS: uint32(end), keyEOS: uint32(end), keyAddBOS: false}, nil
}

// learnedTokens returns step 14's tokenizer from its two files, and the ids of the special
// tokens, the smallest first.
func learnedTokens(size int, vocab, merges []byte) (t tokens, special []int, err error) {
	var ids map[string]int
	if err := json.Unmarshal(vocab, &ids); err != nil {
		return t, nil, lang.Errorf("%s: not a vocabulary, which is a JSON object from every token to its id: %w",
			tokenizer.VocabFile, err)
	}
	t = tokens{kind: asLearned, names: make([]string, size)}
	for token, id := range ids {
		if id < 0 || id >= size || len(ids) != size {
			return t, nil, lang.Errorf("the tokenizer has %d tokens, and %q the id %d, but the model has %d",
				len(ids), token, id, size)
		}
		t.names[id] = token
		if tokenizer.IsSpecial(token) {
			special = append(special, id)
		}
	}
	slices.Sort(special)
	for i, line := range strings.Split(string(merges), "\n") {
		if line != "" && (i > 0 || !strings.HasPrefix(line, "#version")) {
			t.merges = append(t.merges, line)
		}
	}
	return t, special, nil
}

// piecesOf is the tokenizer of llama2.c. A text ends where the next one begins.
func piecesOf(size int, data []byte) (map[string]any, error) {
	p, err := tokenizer.ReadPieces(bytes.NewReader(data), size)
	if err != nil {
		return nil, lang.Errorf("%s: %w", tokenizer.PiecesFile, err)
	}
	tokens, scores, types := make([]string, size), make([]float32, size), make([]int32, size)
	seen := map[string]int{}
	for id := range size {
		var text string
		text, scores[id] = p.Piece(id)
		tokens[id], types[id] = pieceName(id, text)
		if first, twice := seen[tokens[id]]; twice {
			return nil, lang.Errorf("the tokens %d and %d are both written as %q, which a GGUF file cannot hold",
				first, id, tokens[id])
		}
		seen[tokens[id]] = id
	}
	return map[string]any{keyModel: asPieces, keyTokens: tokens, keyScores: scores, keyTypes: types,
		keyBOS: uint32(p.Stop()), keyEOS: uint32(p.Stop()), keyAddBOS: true, keySpace: true}, nil
}

// ggufTokens returns the tokenizer in a GGUF file.
func ggufTokens(f gguf.File) (tokens, error) {
	var t tokens
	var err error
	if t.kind, err = gguf.Get[string](f, keyModel); err != nil {
		return t, err
	}
	if t.names, err = gguf.Get[[]string](f, keyTokens); err != nil {
		return t, err
	}
	switch t.kind {
	case asLearned:
		split, err := gguf.Get[string](f, keySplit)
		if err != nil {
			return t, err
		}
		if split != learnedSplit {
			return t, lang.Errorf("the tokenizer splits texts by the pattern %q; step 14 by %q", split, learnedSplit)
		}
		t.merges, err = gguf.Get[[]string](f, keyMerges)
		return t, err
	case asPieces:
		if value, ok := f.Meta[keySpace]; ok && value != true {
			return t, noSpace()
		}
		t.scores, err = gguf.Get[[]float32](f, keyScores)
	}
	return t, err
}
