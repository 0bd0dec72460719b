package training_test

import (
	"runtime"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

// describe returns the state dictionary among the arguments and the shape of
// its model.
func describe(in subject.Args) (map[string]*tensor.Tensor, lm.Config) {
	state := map[string]*tensor.Tensor{}
	cfg := lm.Config{ContextLength: in.Int("context_length"), NumHeads: in.Int("num_heads"),
		RopeTheta: in.Float("rope_theta")}
	for _, name := range in.Names() {
		if !strings.HasSuffix(name, ".weight") {
			continue
		}
		t := in.Tensor(name)
		state[name] = t
		switch {
		case name == "token_embeddings.weight":
			cfg.VocabSize, cfg.DModel = t.Dim(0), t.Dim(1)
		case strings.HasSuffix(name, ".ln1.weight"):
			cfg.NumLayers++
		case strings.HasSuffix(name, ".ffn.w1.weight"):
			cfg.DFF = t.Dim(0)
		}
	}
	return state, cfg
}

func modelOf(in subject.Args) (*lm.LM, error) {
	state, cfg := describe(in)
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	model := lm.New(cfg, 0)
	return model, model.LoadState(state)
}

// trajectory makes one step for each of the batches in ids and targets
// (S, B, T), from the given parameters. If rows is not nil, step s takes only the
// first rows[s] sequences of its batch.
func trajectory(in subject.Args, shards int, rows []int) (wire.Values, error) {
	state, cfg := describe(in)
	ids, targets := in.Batches("ids"), in.Batches("targets")
	t, err := NewTrainer(cfg, Options{Batch: len(ids[0]), Context: len(ids[0][0]), Shards: shards, Steps: len(ids),
		MaxNorm: in.Float("max_norm"),
		Beta1:   in.Float("beta1"), Beta2: in.Float("beta2"), Eps: in.Float("eps"),
		WeightDecay: in.Float("weight_decay")})
	if err != nil {
		return nil, err
	}
	if err := t.Model.LoadState(state); err != nil {
		return nil, err
	}
	losses := make([]float64, len(ids))
	for s, lr := range in.Float64s("lr") {
		n := len(ids[s])
		if rows != nil {
			n = rows[s]
		}
		update, err := t.Step(ids[s][:n], targets[s][:n], lr)
		if err != nil {
			return nil, err
		}
		losses[s] = update.Loss
	}
	return final(wire.Values{"losses": wire.Floats(losses, len(losses))}, t), nil
}

// final adds the parameters of a trainer's model to out.
func final(out wire.Values, t *Trainer) wire.Values {
	for _, p := range t.Model.Params() {
		out["final."+p.Name] = wire.Tensor(p.Value)
	}
	return out
}

// configure returns a small model and the options among the arguments.
func configure(in subject.Args) (lm.Config, Options) {
	cfg := lm.Config{VocabSize: in.Int("vocab_size"), ContextLength: in.Int("context"), DModel: 16, NumLayers: 1,
		NumHeads: 2, DFF: 24, RopeTheta: 10000}
	o := Options{Batch: in.Int("batch"), Context: in.Int("context"), Shards: in.Int("shards"),
		Seed:  uint64(in.Int("seed")),
		Steps: in.Int("steps"), Warmup: in.Int("warmup"), LRMax: in.Float("lr_max"), LRMin: in.Float("lr_min"),
		Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, WeightDecay: 0.1, MaxNorm: 1}
	if in.Has("context_length") { // of the model; else that of the training
		cfg.ContextLength = in.Int("context_length")
	}
	if in.Has("beta2") {
		o.Beta2, o.Eps = in.Float("beta2"), in.Float("eps")
	}
	return cfg, o
}

// restore puts states to a trainer that it must turn down, one after the other:
// of another model, without one of AdamW's means, with a mean of another shape,
// with a generator that cannot be read, and without a parameter. It returns which
// were refused and with which words, a line for each, and after which the
// trainer's own state was another one.
func restore(in subject.Args) (wire.Values, error) {
	cfg, o := configure(in)
	states := []func(s *State){
		func(s *State) { s.Config.RopeTheta++ },
		func(s *State) { delete(s.M, "lm_head.weight") },
		func(s *State) { delete(s.V, "layers.0.ln1.weight") },
		func(s *State) { s.V["lm_head.weight"] = tensor.New(2, 3) },
		func(s *State) { s.RNG = s.RNG[:len(s.RNG)-1] },
		func(s *State) { delete(s.Params, "ln_final.weight") },
	}
	var refusals, changed []int
	var messages []string
	t, err := NewTrainer(cfg, o)
	if err != nil {
		return nil, err
	}
	before, err := valuesOf(t.State())
	if err != nil {
		return nil, err
	}
	before = before.Clone()
	for _, spoil := range states {
		o.Seed++
		other, err := NewTrainer(cfg, o)
		if err != nil {
			return nil, err
		}
		s := other.State()
		s.Step = 7
		for _, mean := range []map[string]*tensor.Tensor{s.M, s.V} {
			mean["token_embeddings.weight"].Data[0] = 1
		}
		spoil(s)
		refused, message := refusal(t.Restore(s))
		after, err := valuesOf(t.State())
		if err != nil {
			return nil, err
		}
		different := 0
		for name, value := range before {
			if !slices.Equal(value.F32, after[name].F32) || !slices.Equal(value.I64, after[name].I64) {
				different = 1
			}
		}
		refusals, changed = append(refusals, int(refused.I64[0])), append(changed, different)
		messages = append(messages, strings.ReplaceAll(message.Text, "\n", " "))
	}
	return wire.Values{"refused": integers(refusals), "changed": integers(changed),
		"messages": wire.String(strings.Join(messages, "\n"))}, nil
}

// overfit makes every step from the same batch.
func overfit(in subject.Args) (wire.Values, error) {
	cfg, o := configure(in)
	t, err := NewTrainer(cfg, o)
	if err != nil {
		return nil, err
	}
	losses := make([]float64, o.Steps)
	for s := range losses {
		update, err := t.Step(in.IDs("ids"), in.IDs("targets"), o.LRMax)
		if err != nil {
			return nil, err
		}
		losses[s] = update.Loss
	}
	return wire.Values{"losses": wire.Floats(losses, len(losses))}, nil
}

// steady returns how many bytes of new memory a step takes once training is
// under way, the median of several, and the bytes of one model's parameters to
// compare them with.
func steady(in subject.Args) (wire.Values, error) {
	cfg, o := configure(in)
	t, err := NewTrainer(cfg, o)
	if err != nil {
		return nil, err
	}
	taken := make([]float64, o.Steps)
	for s := range taken {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := t.Step(in.IDs("ids"), in.IDs("targets"), o.LRMax); err != nil {
			return nil, err
		}
		runtime.ReadMemStats(&after)
		taken[s] = float64(after.TotalAlloc - before.TotalAlloc)
	}
	slices.Sort(taken)
	size := 0
	for _, p := range t.Model.Params() {
		size += 4 * p.Value.Len()
	}
	return wire.Values{"bytes": wire.Float(taken[len(taken)/2]), "model": wire.Float(float64(size))}, nil
}
