package train

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Quantized is what became of a model.
type Quantized struct {
	Config run.Config
	Bytes  int // that its parameters take in the format
}

// Quantizer stores the model of a folder in a format.
type Quantizer struct {
	Kit    *workspace.Kit
	Source workspace.Source // whose formats
	Prints io.Writer        // where what the code prints goes
}

// formatsStep is the step that Quantize runs.
const formatsStep = "formats"

// Quantize makes the folder out from the model of dir as it is after it was stored
// in a format. program is the training program that is built for that model, and
// work a folder for files on the way. The layers of a model in int8 multiply in
// int8: the elective stands in for the layer.
func (q Quantizer) Quantize(ctx context.Context, program, dir, format, out, work string) (Quantized, error) {
	step, err := stepNamed(formatsStep)
	if err != nil {
		return Quantized{}, err
	}
	before, after := filepath.Join(work, "before.safetensors"), filepath.Join(work, "after.safetensors")
	if err := Export(ctx, program, dir, before, q.Prints); err != nil {
		return Quantized{}, err
	}
	shrinker, err := BuildAround(ctx, q.Kit, q.Source, workspace.Build{Step: step.Folder, Package: "grader/programs/quantize"}, work)
	if err != nil {
		return Quantized{}, err
	}
	var made Quantized
	err = Run(ctx, shrinker, []string{before, format, after}, q.Prints, func(e run.Event) { made.Bytes = e.Bytes })
	if err != nil {
		return Quantized{}, err
	}
	made.Config, err = importState(after, dir, out, func(c *run.Config) error {
		if format != "int8" {
			return nil
		}
		c.Model.With = append(c.Model.With, step.Name)
		_, err := StandIns(c.Model)
		return err
	})
	return made, err
}

// WantsOut returns an error if a folder that is to be made is there already.
func WantsOut(out string) error {
	if _, err := os.Lstat(out); err == nil {
		return lang.Errorf("%s is there already; name a new folder", out)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
