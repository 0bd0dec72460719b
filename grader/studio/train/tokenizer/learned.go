package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// The two files of a tokenizer that step 14 reads and writes, as GPT-2's was published.
const (
	VocabFile  = "vocab.json"
	MergesFile = "merges.txt"
)

// Learned is a tokenizer of step 14. Which tokens a text has only the student's own code
// knows; what they are in bytes stands in TokensFile.
type Learned struct {
	Tokens [][]byte                         // by id
	Ask    func(text string) ([]int, error) // the code that encodes; may be nil
}

// VocabSize returns the number of tokens.
func (l *Learned) VocabSize() int { return len(l.Tokens) }

// Stop is −1: every token may be followed by another.
func (l *Learned) Stop() int { return -1 }

// Prompt returns the ids of text; an empty text becomes a line end.
func (l *Learned) Prompt(text string) ([]int, error) {
	end := slices.IndexFunc(l.Tokens, func(t []byte) bool { return string(t) == "\n" })
	if text == "" && end >= 0 {
		return []int{end}, nil
	}
	if l.Ask == nil {
		return nil, lang.Errorf("the model's tokens were learnt in step 14, whose code cannot be asked here")
	}
	return l.Ask(text)
}

// Decode returns the bytes of ids, which need not be whole characters.
func (l *Learned) Decode(ids []int) (string, error) {
	var out []byte
	for i, id := range ids {
		if id < 0 || id >= len(l.Tokens) {
			return "", lang.Errorf("token %d at position %d is outside the vocabulary of %d", id, i, len(l.Tokens))
		}
		out = append(out, l.Tokens[id]...)
	}
	return string(out), nil
}

// readLearned reads the tokens in a file of a run's folder.
func readLearned(path string, data []byte, vocab int) (*Learned, error) {
	var tokens [][]byte
	if err := json.Unmarshal(data, &tokens); err != nil {
		return nil, lang.Errorf("%s: not a list of tokens: %w", path, err)
	}
	if len(tokens) != vocab {
		return nil, wrongSize(TokensFile, len(tokens), vocab)
	}
	return &Learned{Tokens: tokens}, nil
}

// special matches how a special token is written, in the whole of a vocabulary file.
var special = regexp.MustCompile(`^<\|[^|]+\|>$`)

// IsSpecial reports whether a text is written as special tokens are: <|name|>.
func IsSpecial(text string) bool { return special.MatchString(text) }

// Special returns the special tokens of a folder's vocabulary: those that are written
// as IsSpecial wants.
func Special(dir string) ([]string, error) {
	path := filepath.Join(dir, VocabFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("%s holds no tokenizer: %s is missing", dir, VocabFile)
	}
	if err != nil {
		return nil, err
	}
	var ids map[string]int
	if err := json.Unmarshal(data, &ids); err != nil {
		return nil, lang.Errorf("%s: not a vocabulary, which is a JSON object from every token to its id: %w", path, err)
	}
	var found []string
	for token := range ids {
		if IsSpecial(token) {
			found = append(found, token)
		}
	}
	slices.Sort(found)
	return found, nil
}

// ReadLearned opens the two files of a folder for read.
func ReadLearned(dir string, read func(vocab, merges io.Reader) error) error {
	vocab, err := os.Open(filepath.Join(dir, VocabFile))
	if err != nil {
		return err
	}
	defer vocab.Close()
	merges, err := os.Open(filepath.Join(dir, MergesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return lang.Errorf("%s holds half a tokenizer: %s is missing", dir, MergesFile)
	}
	if err != nil {
		return err
	}
	defer merges.Close()
	return read(vocab, merges)
}

// WriteLearned writes the two files of a folder, which is there, when write has returned.
func WriteLearned(dir string, write func(vocab, merges io.Writer) error) error {
	var vocab, merges bytes.Buffer
	if err := write(&vocab, &merges); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(dir, VocabFile), vocab.Bytes(), 0o644)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, MergesFile), merges.Bytes(), 0o644))
}
