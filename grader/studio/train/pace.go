package train

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// Pace measures how fast the model of a folder reads its next token, by position.
// What the student's code prints goes to prints. Its errors are those of Run.
func Pace(ctx context.Context, binary, dir string, prints io.Writer) (all []run.Pace, err error) {
	if err := HasModel(dir); err != nil {
		return nil, err
	}
	tmp, err := scratch.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tmp.Remove()) }()
	file := filepath.Join(tmp.Path, "pace.json")
	if err := Run(ctx, binary, []string{"pace", dir, file}, prints, func(run.Event) {}); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}
