package llama

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// The kinds of tokenizers of llama.cpp that stand for the course's. A model of
// characters is written as one of RWKV's, which takes the longest token with which the
// rest of the text begins, and is the only one that needs no token that ends a text.
const (
	asCharacters = "rwkv"
	asLearned    = "gpt2"  // step 14
	asPieces     = "llama" // llama2.c
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

// What a token is.
const (
	normal  int32 = 1
	unknown int32 = 2
	control int32 = 3
	oneByte int32 = 6
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
		return nil, lang.Errorf("the tokenizer has %d tokens, but the model has %d", len(tokens), size)
	}
	return map[string]any{keyModel: asCharacters, keyTokens: tokens, keyTypes: slices.Repeat([]int32{normal}, size),
		keyUnknown: uint32(max(0, slices.Index(tokens, " "))), keyAddBOS: false}, nil
}

// learned is the tokenizer of step 14, in the two files of which its tokens are written
// as llama.cpp wants them. A text of such a model has no end; llama.cpp wants a token
// for it: a special one if there is one, and else the byte 255, which no text holds.
func learned(size int, vocab, merges []byte) (map[string]any, error) {
	var ids map[string]int
	if err := json.Unmarshal(vocab, &ids); err != nil {
		return nil, lang.Errorf("%s: not a vocabulary, which is a JSON object from every token to its id: %w", tokenizer.VocabFile, err)
	}
	tokens, types := make([]string, size), slices.Repeat([]int32{normal}, size)
	end, special := ids["ÿ"], []int{}
	for token, id := range ids {
		if id < 0 || id >= size || len(ids) != size {
			return nil, lang.Errorf("the tokenizer has %d tokens, and %q the id %d, but the model has %d", len(ids), token, id, size)
		}
		tokens[id] = token
		if tokenizer.IsSpecial(token) {
			types[id], special = control, append(special, id)
		}
	}
	if len(special) > 0 {
		end = slices.Min(special)
	}
	var pairs []string
	for i, line := range strings.Split(string(merges), "\n") {
		if line != "" && (i > 0 || !strings.HasPrefix(line, "#version")) {
			pairs = append(pairs, line)
		}
	}
	return map[string]any{keyModel: asLearned, keySplit: learnedSplit, keyTokens: tokens, keyTypes: types, keyMerges: pairs,
		keyBOS: uint32(end), keyEOS: uint32(end), keyAddBOS: false}, nil
}

// space is how a space is written in a token of pieces.
const space = "▁"

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
			return nil, lang.Errorf("the tokens %d and %d are both written as %q, which a GGUF file cannot hold", first, id, tokens[id])
		}
		seen[tokens[id]] = id
	}
	return map[string]any{keyModel: asPieces, keyTokens: tokens, keyScores: scores, keyTypes: types,
		keyBOS: uint32(p.Stop()), keyEOS: uint32(p.Stop()), keyAddBOS: true, keySpace: true}, nil
}

// pieceName returns how a token of llama2.c is written in a GGUF file, and what it is.
func pieceName(id int, text string) (string, int32) {
	switch b := id - tokenizer.FirstByte; {
	case id == 0:
		return "<unk>", unknown
	case id == 1:
		return "<s>", control
	case id == 2:
		return "</s>", control
	case b < 256:
		return fmt.Sprintf("<0x%02X>", b), oneByte
	}
	return strings.ReplaceAll(text, " ", space), normal
}

// tokenFiles returns the files of the tokenizer in a GGUF file.
func tokenFiles(f gguf.File, size int) (map[string][]byte, error) {
	kind, err := gguf.Get[string](f, keyModel)
	if err != nil {
		return nil, err
	}
	tokens, err := gguf.Get[[]string](f, keyTokens)
	if err != nil {
		return nil, err
	}
	if len(tokens) != size {
		return nil, lang.Errorf("the tokenizer has %d tokens, but the model has %d", len(tokens), size)
	}
	switch kind {
	case asCharacters:
		return alphabetFile(tokens)
	case asLearned:
		return learnedFiles(f, tokens)
	case asPieces:
		return piecesFile(f, tokens)
	}
	return nil, lang.Errorf("the tokenizer is of the kind %q; %s, %s and %s are read",
		kind, lang.Raw(asPieces), lang.Raw(asLearned), lang.Raw(asCharacters))
}

// alphabetFile is the file of a model of characters, in the order of Unicode.
func alphabetFile(tokens []string) (map[string][]byte, error) {
	var alphabet strings.Builder
	last := rune(-1)
	for id, token := range tokens {
		token = strings.ReplaceAll(token, `\\`, `\`)
		r, n := utf8.DecodeRuneInString(token)
		if n != len(token) || r <= last {
			return nil, lang.Errorf("token %d is %q; of this kind only tokenizers of single characters, in the order of Unicode, are read", id, token)
		}
		last = r
		alphabet.WriteString(token)
	}
	return map[string][]byte{tokenizer.AlphabetFile: []byte(alphabet.String())}, nil
}

// learnedFiles are the files of step 14's tokenizer.
func learnedFiles(f gguf.File, names []string) (map[string][]byte, error) {
	if split, err := gguf.Get[string](f, keySplit); err != nil {
		return nil, err
	} else if split != learnedSplit {
		return nil, lang.Errorf("the tokenizer splits texts by the pattern %q; step 14 by %q", split, learnedSplit)
	}
	merges, err := gguf.Get[[]string](f, keyMerges)
	if err != nil {
		return nil, err
	}
	ids, chars := map[string]int{}, bytesOfCharacters()
	var tokens [][]byte
	for _, token := range names {
		if first, twice := ids[token]; twice {
			return nil, lang.Errorf("the tokens %d and %d are both %q", first, len(tokens), token)
		}
		ids[token] = len(tokens)
		text, err := textOf(token, chars)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, text)
	}
	vocab, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(tokens)
	return map[string][]byte{tokenizer.VocabFile: vocab, tokenizer.TokensFile: list,
		tokenizer.MergesFile: []byte("#version: 0.2\n" + strings.Join(append(merges, ""), "\n"))}, err
}

// textOf returns the bytes that a token of GPT-2's published form stands for.
func textOf(token string, chars map[rune]byte) ([]byte, error) {
	if tokenizer.IsSpecial(token) {
		return []byte(token), nil
	}
	text := []byte{}
	for _, char := range token {
		known, ok := chars[char]
		if !ok {
			return nil, lang.Errorf("in the token %q the character %q stands for no byte", token, char)
		}
		text = append(text, known)
	}
	return text, nil
}

// bytesOfCharacters returns the byte that a character of GPT-2's published vocabulary
// stands for: those that print stand for themselves, and the others, in their order,
// are written as the characters from 256 on.
func bytesOfCharacters() map[rune]byte {
	chars, beyond := map[rune]byte{}, rune(256)
	for value := range 256 {
		char := rune(value)
		if !strconv.IsPrint(char) || char == ' ' {
			char, beyond = beyond, beyond+1
		}
		chars[char] = byte(value)
	}
	return chars
}

// piecesFile is the tokenizer.bin of a model with SentencePiece's pieces.
func piecesFile(f gguf.File, tokens []string) (map[string][]byte, error) {
	scores, err := gguf.Get[[]float32](f, keyScores)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(tokens) || len(tokens) < tokenizer.FirstByte+256 {
		return nil, lang.Errorf("the tokenizer has %d tokens and %d scores; want as many, and at least %d", len(tokens), len(scores), tokenizer.FirstByte+256)
	}
	if value, ok := f.Meta[keySpace]; ok && value != true {
		return nil, lang.Errorf("the tokenizer puts no space before a text; llama2.c's does")
	}
	var out bytes.Buffer
	longest := slices.MaxFunc(tokens, func(a, b string) int { return len(a) - len(b) })
	binary.Write(&out, binary.LittleEndian, int32(len(longest))) // into memory, as all that follows
	for id, token := range tokens {
		if want, kind := pieceName(id, ""); kind != normal && token != want {
			return nil, lang.Errorf("token %d is %q; in llama2.c's tokenizer it is %q", id, token, want)
		}
		token = strings.ReplaceAll(token, space, " ")
		binary.Write(&out, binary.LittleEndian, scores[id])
		binary.Write(&out, binary.LittleEndian, int32(len(token)))
		out.WriteString(token)
	}
	return map[string][]byte{tokenizer.PiecesFile: out.Bytes()}, nil
}
