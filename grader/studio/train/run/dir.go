package run

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/reference/corpus"
)

// What a run's folder holds, besides its tokenizer.
const (
	ConfigFile     = "config.json"         // Config
	TrainFile      = "train.bin"           // tokens to learn from, 16 bits each, little-endian
	ValidationFile = "validation.bin"      // tokens kept back
	CheckpointFile = "checkpoint"          // what a run goes on from
	PendingFile    = "checkpoint.new"      // written by the student's code; see Log
	WeightsFile    = "weights.safetensors" // of a model that came from elsewhere
	LogFile        = "log.jsonl"           // one Step a line
	lockFile       = "lock"
)

// Schema is the version of Config.
const Schema = "stubformer/run/v1"

// trainFraction is how much of a text is learnt from.
const trainFraction = 0.9

// Config is all that decides how a run goes.
type Config struct {
	Schema    string `json:"schema"`
	Corpus    string `json:"corpus,omitempty"` // "" for a model that came from elsewhere
	Seed      uint64 `json:"seed,omitempty"`
	VocabSize int    `json:"vocab_size"`
	Data      Data   `json:"data,omitempty"` // that the run was made with
	Settings
	Trained []Stretch `json:"trained,omitempty"` // by whose code
}

// Text is what a run learns from.
type Text struct {
	Corpus string // its name
	Text   string
	Tokens Tokens // nil: each of its characters is one
}

// Tokens cuts texts into tokens.
type Tokens interface {
	VocabSize() int
	Encode(text string) ([]int, error)
	Files() (map[string][]byte, error) // by which a folder's tokenizer is opened again
}

// characters are the tokens of a text of which no others are asked for.
type characters struct{ *corpus.Tokenizer }

func (c characters) Files() (map[string][]byte, error) {
	return map[string][]byte{tokenizer.AlphabetFile: []byte(c.Alphabet())}, nil
}

// Create makes the folder of a new run. A folder that is there is refused.
func Create(dir string, t Text, seed uint64, s Settings) error {
	c, err := New(dir)
	if err != nil {
		return err
	}
	return c.Fill(t, seed, s)
}

// Fill splits the text, gives it its tokens, and writes all that a run begins with.
// The configuration is written last, so that a folder with one is whole. If that
// fails, the folder is removed again.
func (c *Claim) Fill(t Text, seed uint64, s Settings) error {
	if t.Tokens == nil {
		t.Tokens = characters{corpus.NewTokenizer(t.Text)}
	}
	if err := t.fill(c.Dir, seed, s); err != nil {
		return errors.Join(err, c.Undo())
	}
	return nil
}

// Validation returns the part of a text that training keeps back.
func Validation(text string) string {
	_, validation := corpus.Split(text, trainFraction)
	return validation
}

func (t Text) fill(dir string, seed uint64, s Settings) error {
	if n := t.Tokens.VocabSize(); n > math.MaxUint16+1 {
		return lang.Errorf("the corpus %s has %d different tokens; at most %d fit a token file", t.Corpus, n, math.MaxUint16+1)
	}
	files, err := t.Tokens.Files()
	if err != nil {
		return err
	}
	train, validation := corpus.Split(t.Text, trainFraction)
	for _, part := range []struct{ file, text string }{{TrainFile, train}, {ValidationFile, validation}} {
		ids, err := t.Tokens.Encode(part.text)
		if err != nil {
			return err
		}
		if len(ids) <= s.Model.ContextLength {
			return lang.Errorf("the corpus %s is too short: %s would hold %d tokens, and a context of %d needs more",
				t.Corpus, part.file, len(ids), s.Model.ContextLength)
		}
		for _, id := range ids {
			files[part.file] = binary.LittleEndian.AppendUint16(files[part.file], uint16(id))
		}
	}
	data := Data{}
	for name, content := range files {
		if err := whole.Write(filepath.Join(dir, name), content); err != nil {
			return err
		}
		data[name] = fingerprint(content)
	}
	return Config{Schema: Schema, Corpus: t.Corpus, Seed: seed, VocabSize: t.Tokens.VocabSize(), Data: data, Settings: s}.Write(dir)
}

// Write writes the configuration of a folder.
func (c Config) Write(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(dir, ConfigFile), append(data, '\n'))
}

// Open returns the configuration of a folder.
func Open(dir string) (Config, error) {
	var c Config
	path := filepath.Join(dir, ConfigFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		switch info, err := os.Stat(dir); {
		case err != nil:
			return c, lang.Errorf("there is no folder %s", dir)
		case !info.IsDir():
			return c, lang.Errorf("%s is no folder; want one that holds a model, such as runs/tiny", dir)
		}
		return c, lang.Errorf("%s holds no run: %s is missing", dir, ConfigFile)
	}
	if err != nil {
		return c, err
	}
	switch schemaOf(data) {
	case RecallSchema:
		return c, lang.Errorf("%s holds a model that has learnt to recall, whose tokens are no text; to draw what it recalls: "+
			"go run ./cmd/grade plot recall --run %s", dir, lang.Argument(dir))
	case PairsSchema:
		return c, lang.Errorf("%s holds a model that writes a text for another; let it write with: "+
			"go run ./cmd/grade translate %s", dir, lang.Argument(dir))
	}
	if err := decode(data, &c); err != nil {
		return c, lang.Errorf("%s: %w", path, err)
	}
	if c.Schema != Schema {
		return c, lang.Errorf("%s: its schema is %q; this version reads %q", path, c.Schema, Schema)
	}
	errs := append(c.Model.wrong(), atLeast(1, field{"vocab_size", c.VocabSize})...)
	if c.Corpus != "" {
		errs = append(errs, c.Recipe.wrong()...)
	}
	if err := errors.Join(errs...); err != nil {
		return c, lang.Errorf("%s: %w", path, err)
	}
	return c, nil
}
