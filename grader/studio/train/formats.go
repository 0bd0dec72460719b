package train

import (
	"context"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/lang"
)

// Formats are what a model can be stored in, from the most bits to the fewest.
func Formats() []string { return []string{"f32", "bf16", "fp16", "int8", "int4"} }

// Shrunk is what became of a model in a format: how well it foretells, and how fast it
// writes.
type Shrunk struct {
	Format string
	Bytes  int // that its parameters take
	Params int // how many they are
	Evaluation
	TokensPerSecond float64 // at the end of its context
	Cached          bool    // it writes with its cache
}

// Bits returns how many bits a parameter takes.
func (s Shrunk) Bits() float64 { return 8 * float64(s.Bytes) / float64(s.Params) }

// Compare stores the model of a run in every format, one after the other, and calls each
// with what became of it. program is the training program that is built for the model,
// and work a folder for files on the way.
func (q Quantizer) Compare(ctx context.Context, program, dir, work string, each func(Shrunk)) error {
	if err := HasModel(dir); err != nil {
		return err
	}
	if _, err := ofRun(dir, dir); err != nil {
		return err
	}
	params := 0
	for _, format := range Formats() {
		s, err := q.shrunk(ctx, program, dir, filepath.Join(work, format), format)
		if err != nil {
			return lang.Errorf("%s: %w", lang.Raw(format), err)
		}
		if format == "f32" {
			params = s.Bytes / 4
		}
		s.Params = params
		each(s)
	}
	return nil
}

func (q Quantizer) shrunk(ctx context.Context, program, dir, work, format string) (Shrunk, error) {
	if err := os.Mkdir(work, 0o755); err != nil {
		return Shrunk{}, err
	}
	out := filepath.Join(work, "model")
	made, err := q.Quantize(ctx, program, dir, format, out, work)
	if err != nil {
		return Shrunk{}, err
	}
	binary, err := Build(ctx, q.Kit, q.Source, made.Config.Model, work)
	if err != nil {
		return Shrunk{}, err
	}
	e, err := Evaluate(ctx, binary, out, Reading{On: dir}, q.Prints)
	if err != nil {
		return Shrunk{}, err
	}
	pace, err := Pace(ctx, binary, out, q.Prints)
	if err != nil {
		return Shrunk{}, err
	}
	end := pace[len(pace)-1]
	return Shrunk{Format: format, Bytes: made.Bytes, Evaluation: e, TokensPerSecond: max(end.With, end.Without), Cached: end.With > 0}, nil
}
