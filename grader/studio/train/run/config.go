// Package run is the folder that a training run lives in: its settings, the
// tokens it learns from, its log. The grader makes the folder; the training
// program, which holds the student's code, works in it.
package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"reflect"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Model is the shape of a model.
type Model struct {
	ContextLength int     `json:"context_length"`         // T, the longest sequence
	DModel        int     `json:"d_model"`                // D
	NumLayers     int     `json:"num_layers"`             // L
	NumHeads      int     `json:"num_heads"`              // H; D/H must be even
	NumKVHeads    int     `json:"num_kv_heads,omitempty"` // H_kv, a divisor of H; 0: H
	DFF           int     `json:"d_ff"`                   // F
	RopeTheta     float64 `json:"rope_theta"`             // Θ

	Experts

	With []string `json:"with,omitempty"` // electives that stand in it, by the names of their packages or parts

	// Portable is set for a model that is computed in plain Go alone, on every processor
	// with the same bits.
	Portable bool `json:"portable,omitempty"`
}

// Experts says of what a model has several for its feed-forward network. The zero value: one.
type Experts struct {
	NumExperts      int     `json:"num_experts,omitempty"`       // E, each of d_ff
	ExpertsPerToken int     `json:"experts_per_token,omitempty"` // k
	BalanceLoss     float64 `json:"balance_loss,omitempty"`      // α, its weight in training
	ZLoss           float64 `json:"z_loss,omitempty"`            // β
	TokensPerUpdate int     `json:"tokens_per_update,omitempty"` // of which a call sees a part; 0: all
}

// UsualExperts are those of a model for which nobody has asked for others.
func UsualExperts() Experts {
	return Experts{NumExperts: 8, ExpertsPerToken: 2, BalanceLoss: 0.01, ZLoss: 0.001}
}

// KVHeads returns how many heads of keys and values there are.
func (m Model) KVHeads() int { return cmp.Or(m.NumKVHeads, m.NumHeads) }

// Recipe says how a model is trained.
type Recipe struct {
	Batch       int     `json:"batch"`        // B, sequences in an update
	Shards      int     `json:"shards"`       // parts that a batch is cut into, a core each; what cores are left divide the products
	Steps       int     `json:"steps"`        // updates in all
	Warmup      int     `json:"warmup"`       // updates until lr_max is reached
	LRMax       float64 `json:"lr_max"`       // the largest learning rate
	LRMin       float64 `json:"lr_min"`       // the learning rate at the end
	Beta1       float64 `json:"beta1"`        // AdamW
	Beta2       float64 `json:"beta2"`        // AdamW
	Eps         float64 `json:"eps"`          // AdamW
	WeightDecay float64 `json:"weight_decay"` // AdamW
	MaxNorm     float64 `json:"max_norm"`     // a longer gradient is clipped to this length
	EvalEvery   int     `json:"eval_every"`   // updates between two looks at the validation text
	EvalBatches int     `json:"eval_batches"` // batches in each
	SaveEvery   int     `json:"save_every"`   // updates between two checkpoints

	// Precision is BF16, for products of numbers rounded to bfloat16, or "" for float32.
	Precision string `json:"precision,omitempty"`
}

// BF16 is the precision of products whose numbers are rounded to bfloat16, and whose
// sums, as the parameters, are float32 (Micikevicius et al., Mixed Precision Training,
// 2018; Kalamkar et al., A Study of BFLOAT16, 2019).
const BF16 = "bf16"

// Settings are what a configuration file holds.
type Settings struct {
	Model  Model  `json:"model"`
	Recipe Recipe `json:"recipe,omitzero"` // not for a model that came from elsewhere
}

// Named returns the settings of a name: tiny, small or base.
func Named(name string) (Settings, bool) {
	small := Settings{
		Model{ContextLength: 64, DModel: 128, NumLayers: 4, NumHeads: 4, DFF: 344, RopeTheta: 10000},
		Recipe{Batch: 12, Shards: 4, Steps: 2000, Warmup: 100, LRMax: 1e-3, LRMin: 1e-4, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8,
			WeightDecay: 0.1, MaxNorm: 1, EvalEvery: 250, EvalBatches: 20, SaveEvery: 100},
	}
	switch name {
	case "tiny": // less than a minute on two cores
		tiny := small
		tiny.Model.DModel, tiny.Model.NumLayers, tiny.Model.DFF = 64, 2, 192
		r := &tiny.Recipe
		r.Steps, r.LRMax, r.LRMin, r.EvalEvery = 800, 3e-3, 3e-4, 100
		return tiny, true
	case "small": // nanoGPT's recipe for a CPU: config/train_shakespeare_char.py and its README
		return small, true
	case "base": // the TinyStories model of CS336, assignment 1, section 7
		base := small
		base.Model = Model{ContextLength: 256, DModel: 512, NumLayers: 4, NumHeads: 16, DFF: 1344, RopeTheta: 10000}
		r := &base.Recipe
		r.Batch, r.Shards, r.Steps, r.Warmup, r.Beta2, r.SaveEvery = 32, 8, 5000, 250, 0.95, 25
		return base, true
	}
	return Settings{}, false
}

// Load returns the settings of a name or, if the name is not known, of a JSON
// file. A field that the file leaves out is as in small. An error names the
// field that is unknown or wrong.
func Load(name string) (Settings, error) {
	if s, ok := Named(name); ok {
		return s, nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = lang.Errorf("there is no configuration %q; want tiny, small, base or the path of a JSON file", name)
		return Settings{}, lang.DidYouMean(err, name, "tiny", "small", "base")
	}
	if err != nil {
		return Settings{}, err
	}
	s, _ := Named("small")
	if err := decode(data, &s); err != nil {
		return Settings{}, lang.Errorf("%s: %w", name, err)
	}
	if err := s.Validate(); err != nil {
		return Settings{}, lang.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// decode reads exactly one JSON object without unknown fields into v.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return Plain(err)
	}
	if d.More() {
		return lang.Errorf("goes on after its JSON object")
	}
	return nil
}

// Plain puts what encoding/json says into the words of a configuration.
func Plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		field := kind.Field[strings.LastIndex(kind.Field, ".")+1:]
		want := map[reflect.Kind]string{reflect.Int: "a whole number", reflect.Uint64: "a whole number of at least 0",
			reflect.Float64: "a number", reflect.String: "a text", reflect.Slice: "a list", reflect.Struct: "an object",
			reflect.Map: "an object", reflect.Bool: "true or false"}[kind.Type.Kind()]
		return lang.Errorf("%s is a %s; want %s", field, kind.Value, want)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return lang.Errorf("there is no field %s", name)
	}
	return lang.Errorf("not the JSON of a configuration: %w", err)
}

// Validate returns an error that names every field that is wrong, or nil.
func (s Settings) Validate() error {
	return errors.Join(append(s.Model.wrong(), s.Recipe.wrong()...)...)
}

// Validate returns an error that names every field that is wrong, or nil.
func (m Model) Validate() error { return errors.Join(m.wrong()...) }

func (m Model) wrong() []error {
	errs := atLeast(1, field{"context_length", m.ContextLength}, field{"d_model", m.DModel},
		field{"num_layers", m.NumLayers}, field{"num_heads", m.NumHeads}, field{"d_ff", m.DFF})
	if m.DModel > 0 && m.NumHeads > 0 && m.DModel%(2*m.NumHeads) != 0 {
		errs = append(errs, lang.Errorf("d_model is %d and num_heads is %d; d_model must be a multiple of %d, "+
			"so that each head has an even size", m.DModel, m.NumHeads, 2*m.NumHeads))
	}
	if m.NumHeads > 0 && (m.KVHeads() < 1 || m.NumHeads%m.KVHeads() != 0) {
		errs = append(errs, lang.Errorf("num_kv_heads is %d and num_heads is %d; want a number that divides it", m.NumKVHeads, m.NumHeads))
	}
	errs = append(errs, m.Experts.wrong()...)
	return append(errs, inRange("rope_theta", m.RopeTheta, 1, math.MaxFloat64)...)
}

func (x Experts) wrong() []error {
	errs := atLeast(0, field{"num_experts", x.NumExperts}, field{"tokens_per_update", x.TokensPerUpdate})
	if x.ExpertsPerToken < min(1, x.NumExperts) || x.ExpertsPerToken > max(0, x.NumExperts) {
		errs = append(errs, lang.Errorf("experts_per_token is %d and num_experts is %d; want at least one, and no more than there are",
			x.ExpertsPerToken, x.NumExperts))
	}
	errs = append(errs, inRange("balance_loss", x.BalanceLoss, 0, math.MaxFloat64)...)
	return append(errs, inRange("z_loss", x.ZLoss, 0, math.MaxFloat64)...)
}

func (r Recipe) wrong() []error {
	errs := atLeast(1, field{"batch", r.Batch}, field{"shards", r.Shards}, field{"steps", r.Steps},
		field{"eval_every", r.EvalEvery}, field{"eval_batches", r.EvalBatches}, field{"save_every", r.SaveEvery})
	errs = append(errs, atLeast(0, field{"warmup", r.Warmup})...)
	if r.Precision != "" && r.Precision != BF16 {
		errs = append(errs, lang.Errorf("precision is %q; want %q, or nothing for float32", r.Precision, BF16))
	}
	below := math.Nextafter(1, 0)
	for _, f := range []struct {
		name      string
		got       float64
		low, high float64
	}{
		{"lr_max", r.LRMax, 0, 1}, {"lr_min", r.LRMin, 0, max(r.LRMax, 0)}, {"beta1", r.Beta1, 0, below}, {"beta2", r.Beta2, 0, below},
		{"eps", r.Eps, 1e-30, 1}, {"weight_decay", r.WeightDecay, 0, math.MaxFloat64}, {"max_norm", r.MaxNorm, 1e-30, math.MaxFloat64},
	} {
		errs = append(errs, inRange(f.name, f.got, f.low, f.high)...)
	}
	return errs
}

type field struct {
	name string
	got  int
}

// atLeast and inRange say of each number that is outside its range what it is
// and what it should be.
func atLeast(least int, fields ...field) []error {
	var errs []error
	for _, f := range fields {
		if f.got < least || f.got > math.MaxInt32 {
			errs = append(errs, lang.Errorf("%s is %d; want at least %d and at most %d", f.name, f.got, least, math.MaxInt32))
		}
	}
	return errs
}

func inRange(name string, got, low, high float64) []error {
	if got >= low && got <= high {
		return nil
	}
	if high == math.MaxFloat64 {
		return []error{lang.Errorf("%s is %g; want at least %g", name, got, low)}
	}
	return []error{lang.Errorf("%s is %g; want a number from %g to %g", name, got, low, high)}
}
