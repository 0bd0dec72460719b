// Package tokenizer turns text into the token ids of a trained model and back.
// A model of the course knows characters; an imported llama2.c model knows the
// pieces of byte-pair encoding.
package tokenizer

import (
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

// Where a folder keeps its tokenizer.
const (
	AlphabetFile = "alphabet.txt"  // the characters, in the order of their ids
	PiecesFile   = "tokenizer.bin" // of llama2.c
)

// Open returns the tokenizer of a folder, for a model of vocab tokens.
func Open(dir string, vocab int) (Tokenizer, error) {
	alphabet, err := os.ReadFile(filepath.Join(dir, AlphabetFile))
	if err == nil {
		return checked(Characters{corpus.NewTokenizer(string(alphabet))}, AlphabetFile, vocab)
	}
	f, err := os.Open(filepath.Join(dir, PiecesFile))
	if err != nil {
		return nil, lang.Errorf("%s holds no tokenizer: neither %s nor %s is there", dir, AlphabetFile, PiecesFile)
	}
	defer f.Close()
	pieces, err := ReadPieces(f, vocab)
	if err != nil {
		return nil, lang.Errorf("%s: %w", f.Name(), err)
	}
	return pieces, nil
}

func checked(t Tokenizer, file string, vocab int) (Tokenizer, error) {
	if t.VocabSize() != vocab {
		return nil, lang.Errorf("%s has %d tokens, but the model has %d", file, t.VocabSize(), vocab)
	}
	return t, nil
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
