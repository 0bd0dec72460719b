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

// What a token is.
const (
	normal  int32 = 1
	unknown int32 = 2
	control int32 = 3
	oneByte int32 = 6
)

// tokens is a tokenizer as a file has it.
type tokens struct {
	kind   string
	names  []string  // as GPT-2's vocabulary writes them, or SentencePiece
	scores []float32 // of pieces
	merges []string  // of learned tokens: the names of two, with a space between
}

// files returns the files of the tokenizer of a model of so many tokens.
func (t tokens) files(size int) (map[string][]byte, error) {
	if len(t.names) != size {
		return nil, wrongSize(len(t.names), size)
	}
	switch t.kind {
	case asCharacters:
		return alphabetFile(t.names)
	case asLearned:
		return t.learnedFiles()
	case asPieces:
		return t.piecesFile()
	}
	return nil, lang.Errorf("the tokenizer is of the kind %q; %s, %s and %s are read",
		t.kind, lang.Raw(asPieces), lang.Raw(asLearned), lang.Raw(asCharacters))
}

func wrongSize(tokens, size int) error {
	return lang.Errorf("the tokenizer has %d tokens, but the model has %d", tokens, size)
}

func noSpace() error {
	return lang.Errorf("the tokenizer puts no space before a text; llama2.c's does")
}

// space is how a space is written in a token of pieces.
const space = "▁"

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
func (t tokens) learnedFiles() (map[string][]byte, error) {
	ids, chars := map[string]int{}, bytesOfCharacters()
	var texts [][]byte
	for id, token := range t.names {
		if first, twice := ids[token]; twice {
			return nil, lang.Errorf("the tokens %d and %d are both %q", first, id, token)
		}
		ids[token] = id
		text, err := textOf(token, chars)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	vocab, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(texts)
	return map[string][]byte{tokenizer.VocabFile: vocab, tokenizer.TokensFile: list,
		tokenizer.MergesFile: []byte("#version: 0.2\n" + strings.Join(append(slices.Clone(t.merges), ""), "\n"))}, err
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
func (t tokens) piecesFile() (map[string][]byte, error) {
	if len(t.scores) != len(t.names) || len(t.names) < tokenizer.FirstByte+256 {
		return nil, lang.Errorf("the tokenizer has %d tokens and %d scores; want as many, and at least %d",
			len(t.names), len(t.scores), tokenizer.FirstByte+256)
	}
	var out bytes.Buffer
	longest := slices.MaxFunc(t.names, func(a, b string) int { return len(a) - len(b) })
	binary.Write(&out, binary.LittleEndian, int32(len(longest))) // into memory, as all that follows
	for id, token := range t.names {
		if want, kind := pieceName(id, ""); kind != normal && token != want {
			return nil, lang.Errorf("token %d is %q; in llama2.c's tokenizer it is %q", id, token, want)
		}
		token = strings.ReplaceAll(token, space, " ")
		binary.Write(&out, binary.LittleEndian, t.scores[id])
		binary.Write(&out, binary.LittleEndian, int32(len(token)))
		out.WriteString(token)
	}
	return map[string][]byte{tokenizer.PiecesFile: out.Bytes()}, nil
}
