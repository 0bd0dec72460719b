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
	err = looked(ctx, binary, "pace", dir, prints, &all)
	return all, err
}

// Route finds which experts take which tokens, with the parameters of each snapshot of
// a run. Its errors are those of Run.
func Route(ctx context.Context, binary, dir string, prints io.Writer) (all []run.Routing, err error) {
	err = looked(ctx, binary, "route", dir, prints, &all)
	return all, err
}

// looked reads what the program writes about the model of a folder when it is given a verb.
func looked(ctx context.Context, binary, verb, dir string, prints io.Writer, into any) (err error) {
	if err := HasModel(dir); err != nil {
		return err
	}
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tmp.Remove()) }()
	file := filepath.Join(tmp.Path, verb+".json")
	if err := Run(ctx, binary, []string{verb, dir, file}, prints, func(run.Event) {}); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
