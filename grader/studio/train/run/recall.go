package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/corpus"
)

// RecallSchema is the version of Recall.
const RecallSchema = "stubformer/recall/v1"

// Recall is all that decides how a model learns corpus.Recalls, and how well it does: the
// configuration of such a model's folder.
type Recall struct {
	Schema  string       `json:"schema"`
	Seed    uint64       `json:"seed"`
	Model   Model        `json:"model"`
	Recipe  RecallRecipe `json:"recipe"`
	Trained []Stretch    `json:"trained,omitempty"`

	Scores []RecallScore `json:"scores,omitempty"` // once it is trained
}

// RecallRecipe says how it is trained.
type RecallRecipe struct {
	Pairs       []int   `json:"pairs"`   // how many a text may have; each update has texts of one of these
	Answers     int     `json:"answers"` // in an update: texts of more pairs are fewer
	Steps       int     `json:"steps"`   // updates
	Warmup      int     `json:"warmup"`  // of them, until lr_max is reached
	LRMax       float64 `json:"lr_max"`
	LRMin       float64 `json:"lr_min"` // at the end
	Beta1       float64 `json:"beta1"`  // AdamW
	Beta2       float64 `json:"beta2"`  // AdamW
	Eps         float64 `json:"eps"`    // AdamW
	WeightDecay float64 `json:"weight_decay"`
	MaxNorm     float64 `json:"max_norm"` // a longer gradient is clipped to this length
	Asked       int     `json:"asked"`    // answers at the end, for each number of pairs
}

// RecallScore is how many answers were right in texts of so many pairs that were kept back.
type RecallScore struct {
	Pairs int `json:"pairs"`
	Right int `json:"right"`
	Asked int `json:"asked"`
}

// Accuracy is the part that was right.
func (s RecallScore) Accuracy() float64 { return float64(s.Right) / float64(s.Asked) }

// NewRecall returns how a model learns that electives stand in.
func NewRecall(seed uint64, with []string) Recall {
	return Recall{Schema: RecallSchema, Seed: seed,
		Model: Model{ContextLength: 3 * 32, DModel: 64, NumLayers: 2, NumHeads: 1, DFF: 128, RopeTheta: 10000, With: with},
		Recipe: RecallRecipe{Pairs: []int{4, 8, 16, 32}, Answers: 256, Steps: 2000, Warmup: 100, LRMax: 5e-3, LRMin: 5e-4,
			Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, WeightDecay: 0.1, MaxNorm: 1, Asked: 4096}}
}

// HeldOut returns the texts of so many pairs that are asked at the end, the same ones always.
func (c Recall) HeldOut(pairs int) []corpus.Recall {
	return corpus.Recalls(heldSeed, (c.Recipe.Asked+pairs-1)/pairs, pairs, true)
}

// Config is what the model is made of, in the terms of other runs.
func (c Recall) Config() Config {
	return Config{VocabSize: corpus.RecallKeys + corpus.RecallValues, Settings: Settings{Model: c.Model}}
}

// usualWindow is W of a Window of step 21 whose W nobody has set.
const usualWindow = 32

// Window is how many tokens a layer of the model sees, or 0 if it sees all.
func (c Recall) Window() int {
	if slices.Contains(c.Model.With, "window") {
		return usualWindow
	}
	return 0
}

// Reach is how many tokens decide an answer at most: each layer looks W − 1 further back than
// the one below.
func (c Recall) Reach() int {
	if w := c.Window(); w > 0 {
		return c.Model.NumLayers*(w-1) + 1
	}
	return c.Model.ContextLength
}

// Write writes the configuration of a folder.
func (c Recall) Write(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(dir, ConfigFile), append(data, '\n'))
}

// OpenRecall returns the configuration of a folder in which such a model is.
func OpenRecall(dir string) (Recall, error) {
	var c Recall
	path := filepath.Join(dir, ConfigFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = Open(dir) // which says what is missing
	}
	if err != nil {
		return c, err
	}
	if schema := schemaOf(data); schema != RecallSchema {
		return c, lang.Errorf("%s: its schema is %q; want a model that has learnt to recall, %q, which is made by: "+
			"go run ./cmd/grade train --task recall", path, schema, RecallSchema)
	}
	if err := decode(data, &c); err != nil {
		return c, lang.Errorf("%s: %w", path, err)
	}
	if err := errors.Join(c.wrong()...); err != nil {
		return c, lang.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// wrong returns an error for every field that is.
func (c Recall) wrong() []error {
	errs, r := c.Model.wrong(), c.Recipe
	errs = append(errs, atLeast(1, field{"answers", r.Answers}, field{"steps", r.Steps}, field{"warmup", r.Warmup},
		field{"asked", r.Asked}, field{"pairs", len(r.Pairs)})...)
	for _, pairs := range r.Pairs {
		errs = append(errs, inRange("pairs", float64(pairs), 1, float64(min(corpus.RecallKeys, c.Model.ContextLength/3)))...)
	}
	if len(c.Scores) != 0 && len(c.Scores) != len(r.Pairs) {
		errs = append(errs, lang.Errorf("scores has %d entries; want one for each of the %d numbers of pairs", len(c.Scores), len(r.Pairs)))
	}
	for _, s := range c.Scores {
		errs = append(errs, atLeast(1, field{"asked", s.Asked})...)
		errs = append(errs, inRange("right", float64(s.Right), 0, float64(s.Asked))...)
	}
	return errs
}
