// Package tokenizer turns text into the token ids of a trained model and back.
// A model of the course knows characters, or the tokens that step 14 has learnt; an
// imported llama2.c model knows the pieces of its own byte-pair encoding.
package tokenizer

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Tokenizer is what a model's tokens mean.
type Tokenizer interface {
	// Prompt returns the ids that a text to be continued begins with. It is an
	// error if a part of the text has none.
	Prompt(text string) ([]int, error)
	// Decode returns the text of ids. It is an error if an id is outside the
	// vocabulary.
	Decode(ids []int) (string, error)
	// Stop is the id that ends a text, or −1.
	Stop() int
	VocabSize() int
}

// Where a folder keeps its tokenizer: one of these three.
const (
	AlphabetFile = "alphabet.txt"  // the characters, in the order of their ids
	PiecesFile   = "tokenizer.bin" // of llama2.c
	TokensFile   = "tokens.json"   // the bytes of every learned token, with VocabFile and MergesFile
)

// AllFiles are the names that a file of a tokenizer may have.
func AllFiles() []string {
	return []string{AlphabetFile, PiecesFile, TokensFile, VocabFile, MergesFile}
}

// Files returns the files of a folder's tokenizer, by name.
func Files(dir string) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, name := range AllFiles() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			found[name] = data
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, none(dir)
	}
	return found, nil
}

func none(dir string) error {
	return lang.Errorf("%s holds no tokenizer: neither %s nor %s nor %s is there", dir, AlphabetFile, TokensFile, PiecesFile)
}

// Open returns the tokenizer of a folder, for a model of vocab tokens. A *Learned one
// knows what its tokens mean, and asks Encode for those of a text.
func Open(dir string, vocab int) (Tokenizer, error) {
	files, err := Files(dir)
	if err != nil {
		return nil, err
	}
	return Of(dir, files, vocab)
}

// Of returns the tokenizer that the files of a folder, as Files returns them, describe.
func Of(dir string, files map[string][]byte, vocab int) (Tokenizer, error) {
	if alphabet, ok := files[AlphabetFile]; ok {
		c := Characters{corpus.NewTokenizer(string(alphabet))}
		if c.VocabSize() != vocab {
			return nil, wrongSize(AlphabetFile, c.VocabSize(), vocab)
		}
		return c, nil
	}
	if tokens, ok := files[TokensFile]; ok {
		return readLearned(filepath.Join(dir, TokensFile), tokens, vocab)
	}
	data, ok := files[PiecesFile]
	if !ok {
		return nil, none(dir)
	}
	pieces, err := ReadPieces(bytes.NewReader(data), vocab)
	if err != nil {
		return nil, lang.Errorf("%s: %w", filepath.Join(dir, PiecesFile), err)
	}
	return pieces, nil
}

func wrongSize(file string, tokens, vocab int) error {
	return lang.Errorf("%s has %d tokens, but the model has %d", file, tokens, vocab)
}

// Characters is the tokenizer of the course's own models.
type Characters struct{ *corpus.Tokenizer }

// Prompt returns the ids of text. An empty text becomes a line end, or else the
// first character there is: the model needs something to continue.
func (c Characters) Prompt(text string) ([]int, error) {
	if text == "" {
		if ids, err := c.Encode("\n"); err == nil {
			return ids, nil
		}
		return []int{0}, nil
	}
	return c.Encode(text)
}

// Stop is −1: every character may be followed by another.
func (Characters) Stop() int { return -1 }
