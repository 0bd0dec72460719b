package main

import (
	"bytes"
	"context"
	"time"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/film"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
)

// The mistake that the session begins with, and where it is.
const (
	filmedStep    = "step08_attention"
	filmedMistake = "no-scale"
)

func newDevFilm() *cobra.Command {
	return &cobra.Command{
		Use:   "film FILE",
		Short: "Record a student's session as a moving picture, FILE.svg: mistake, diagnosis, repair, training, text",
		Long: `Film writes the kit to a folder of its own, puts the solutions into its steps and a
known mistake into one of them, runs there what a student would run, and draws what
the terminal showed. What takes longer than a moment is shown faster than it was.`,
		Example: `  go run ./cmd/grade dev film docs/figures/session.svg`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			scenes, err := filmSession(cmd.Context())
			if err != nil {
				return command.Failed(err)
			}
			var b bytes.Buffer
			err = film.Write(&b, "A session at a terminal: attention is graded, the mistake is named and repaired, the model trained, and it writes", scenes)
			if err != nil {
				return command.Failed(err)
			}
			return command.Failed(whole.Write(args[0], b.Bytes()))
		},
	}
}

// filmSession runs the session in a kit of its own.
func filmSession(ctx context.Context) (scenes []film.Scene, err error) {
	err = inStudio(ctx, registry.Steps(), func(s *studio) (err error) {
		scenes, err = s.session(ctx)
		return err
	})
	return scenes, err
}

// session is what the student does, one command after the other.
func (s *studio) session(ctx context.Context) (scenes []film.Scene, err error) {
	for _, shot := range []struct {
		before  func() error
		command string
		rows    int           // that are shown
		most    time.Duration // that it may take in the film; what takes longer is shown faster
		hold    time.Duration
	}{
		{nil, "go run ./cmd/grade step08", 16, time.Second, 8 * time.Second},
		{s.repair, "git diff", 16, time.Second, 4 * time.Second},
		{nil, "go run ./cmd/grade step08", film.Rows - 2, time.Second, 3 * time.Second},
		{nil, "go run ./cmd/grade train --corpus village", 100, 8 * time.Second, 4 * time.Second},
		{nil, `go run ./cmd/grade generate runs/tiny-village --prompt "Late in the autumn "`, film.Rows - 2, 2 * time.Second, 7 * time.Second},
	} {
		if shot.before != nil {
			if err := shot.before(); err != nil {
				return nil, err
			}
		}
		lines, err := s.run(ctx, shot.command, shot.most)
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, film.Scene{Command: shot.command, Lines: lines[:min(len(lines), shot.rows)], Hold: shot.hold})
	}
	return scenes, nil
}
