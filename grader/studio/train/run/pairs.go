package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/corpus"
)

// PairsSchema is the version of Pairs.
const PairsSchema = "stubformer/pairs/v1"

// firstWord is the token of the first character of an alphabet: before it are padding, begin
// and end, as in step 20.
const firstWord = 3

// Pairs is all that decides how an encoder and decoder learn to write one text for another:
// the configuration of such a model's folder.
type Pairs struct {
	Schema  string      `json:"schema"`
	Task    string      `json:"task"` // one of corpus.TaskNames
	Seed    uint64      `json:"seed"`
	Source  Alphabet    `json:"source"`
	Target  Alphabet    `json:"target"`
	Model   PairsModel  `json:"model"`
	Recipe  PairsRecipe `json:"recipe"`
	Trained []Stretch   `json:"trained,omitempty"`
}

// Alphabet is what the texts on one side of the pairs are made of.
type Alphabet struct {
	Characters string `json:"characters"` // each is a token, in this order
	Longest    int    `json:"longest"`    // tokens of the longest text that is learnt from
}

// PairsModel is the shape of an encoder and decoder.
type PairsModel struct {
	DModel    int `json:"d_model"`    // D
	NumLayers int `json:"num_layers"` // of the encoder, and as many of the decoder
	NumHeads  int `json:"num_heads"`  // H
	DFF       int `json:"d_ff"`       // F
}

// PairsRecipe says how it is trained.
type PairsRecipe struct {
	Examples  int     `json:"examples"`  // pairs to learn from
	Batch     int     `json:"batch"`     // pairs in an update
	Steps     int     `json:"steps"`     // updates
	Warmup    int     `json:"warmup"`    // of them, until the rate of 2017 falls
	Smoothing float64 `json:"smoothing"` // of the labels
	Beta1     float64 `json:"beta1"`     // AdamW
	Beta2     float64 `json:"beta2"`     // AdamW
	Eps       float64 `json:"eps"`       // AdamW
	MaxNorm   float64 `json:"max_norm"`  // a longer gradient is clipped to this length
	SaveEvery int     `json:"save_every"`
}

// NewPairs returns what a task is learnt with. It is an error if there is no such task.
func NewPairs(task string, seed uint64) (Pairs, error) {
	c := Pairs{Schema: PairsSchema, Task: task, Seed: seed,
		Model: PairsModel{DModel: 64, NumLayers: 2, NumHeads: 4, DFF: 128},
		Recipe: PairsRecipe{Examples: 40_000, Batch: 32, Steps: 750, Warmup: 400, Smoothing: 0.1,
			Beta1: 0.9, Beta2: 0.98, Eps: 1e-9, MaxNorm: 1, SaveEvery: 25}}
	switch task {
	case corpus.ReversalName:
		c.Model.NumLayers, c.Model.NumHeads = 1, 2
		c.Recipe.Steps, c.Recipe.SaveEvery = 3000, 50
	case corpus.TranslationName:
	default:
		err := lang.Errorf("there is no task %q; want %s, %s or %s", task, corpus.ReversalName, corpus.TranslationName, corpus.RecallName)
		return c, lang.DidYouMean(err, task, append(corpus.TaskNames(), corpus.RecallName)...)
	}
	var sources, targets []string
	for _, p := range c.Learnt() {
		sources, targets = append(sources, p.Source), append(targets, p.Target)
	}
	c.Source, c.Target = alphabetOf(sources), alphabetOf(targets)
	return c, nil
}

// Learnt returns the pairs to learn from.
func (c Pairs) Learnt() []corpus.Pair { return c.draw(c.Seed, c.Recipe.Examples, false) }

// heldSeed draws the pairs that are asked for at the end: the same ones always.
const heldSeed = 1

// HeldOut returns n of the pairs that are kept back, the same ones always.
func (c Pairs) HeldOut(n int) []corpus.Pair { return c.draw(heldSeed, n, true) }

func (c Pairs) draw(seed uint64, n int, heldOut corpus.HeldOut) []corpus.Pair {
	if c.Task == corpus.ReversalName {
		return corpus.Reversals(seed, n, heldOut)
	}
	return corpus.Translations(seed, n, heldOut)
}

// VocabSize is how many tokens there are.
func (a Alphabet) VocabSize() int { return firstWord + len([]rune(a.Characters)) }

func alphabetOf(texts []string) Alphabet {
	a := Alphabet{Characters: corpus.NewTokenizer(strings.Join(texts, "")).Alphabet()}
	for _, text := range texts {
		a.Longest = max(a.Longest, utf8.RuneCountInString(text))
	}
	return a
}

// Encoder returns what turns texts into tokens. Its error names the characters that have
// none.
func (a Alphabet) Encoder() func(text string) ([]int, error) {
	t := corpus.NewTokenizer(a.Characters)
	return func(text string) ([]int, error) {
		ids, err := t.Encode(text)
		for i := range ids {
			ids[i] += firstWord
		}
		return ids, err
	}
}

// Decode returns the text of tokens. Padding and the like, which a model may write too, are
// shown as ▢.
func (a Alphabet) Decode(ids []int) string {
	characters := []rune(a.Characters)
	text := make([]rune, len(ids))
	for i, id := range ids {
		if text[i] = '▢'; id >= firstWord && id < firstWord+len(characters) {
			text[i] = characters[id-firstWord]
		}
	}
	return string(text)
}

// Write writes the configuration of a folder.
func (c Pairs) Write(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(dir, ConfigFile), append(data, '\n'))
}

// OpenPairs returns the configuration of a folder in which such a model is.
func OpenPairs(dir string) (Pairs, error) {
	var c Pairs
	path := filepath.Join(dir, ConfigFile)
	data, err := os.ReadFile(path)
	if err == nil && schemaOf(data) == Schema {
		return c, lang.Errorf("%s holds a model that goes on with a text; want one that writes a text for another, which "+
			"is made by: go run ./cmd/grade train --task translation", dir)
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && schemaOf(data) == RecallSchema {
		_, err = Open(dir) // which says what is missing, or what is there
	}
	if err != nil {
		return c, err
	}
	if err := decode(data, &c); err != nil {
		return c, lang.Errorf("%s: %w", path, err)
	}
	if c.Schema != PairsSchema {
		return c, lang.Errorf("%s: its schema is %q; this version reads %q", path, c.Schema, PairsSchema)
	}
	if err := errors.Join(c.wrong()...); err != nil {
		return c, lang.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// schemaOf returns the schema that a configuration names.
func schemaOf(data []byte) string {
	var c struct {
		Schema string `json:"schema"`
	}
	_ = json.Unmarshal(data, &c) // what is no configuration has none
	return c.Schema
}

// wrong returns an error for every field that is.
func (c Pairs) wrong() (errs []error) {
	if !slices.Contains(corpus.TaskNames(), c.Task) {
		errs = append(errs, lang.Errorf("there is no task %q; want %s or %s", c.Task, corpus.ReversalName, corpus.TranslationName))
	}
	m, r := c.Model, c.Recipe
	errs = append(errs, atLeast(1, field{"d_model", m.DModel}, field{"num_layers", m.NumLayers}, field{"num_heads", m.NumHeads},
		field{"d_ff", m.DFF}, field{"longest", min(c.Source.Longest, c.Target.Longest)}, field{"examples", r.Examples},
		field{"batch", r.Batch}, field{"steps", r.Steps}, field{"warmup", r.Warmup}, field{"save_every", r.SaveEvery})...)
	if m.DModel > 0 && m.NumHeads > 0 && m.DModel%(2*m.NumHeads) != 0 {
		errs = append(errs, lang.Errorf("d_model is %d and num_heads is %d; d_model must be a multiple of %d, "+
			"so that each head has an even size", m.DModel, m.NumHeads, 2*m.NumHeads))
	}
	for _, a := range []Alphabet{c.Source, c.Target} {
		if a.Characters == "" || corpus.NewTokenizer(a.Characters).Alphabet() != a.Characters {
			errs = append(errs, lang.Errorf("characters is %q; want different characters in their order", a.Characters))
		}
	}
	return append(errs, inRange("smoothing", r.Smoothing, 0, 1)...)
}

// Translate asks for what the model writes for a source.
type Translate struct {
	Source    []int   `json:"source"`
	Width     int     `json:"width"`     // of the beam; 1 is greedy
	Alpha     float64 `json:"alpha"`     // of the penalty of lengths
	Tokens    int     `json:"tokens"`    // at most
	Attention bool    `json:"attention"` // say what was looked at, too
}

// Translated is what the model has written.
type Translated struct {
	Tokens []int   `json:"tokens"` // without begin and end
	Score  float64 `json:"score"`  // Σ ln p over the penalty of the length

	// Attention is the weight of token m of the source for the token of the target that is
	// written at t, the last of which is the end: [layer][head][t][m].
	Attention [][][][]float32 `json:"attention,omitempty"`
}
