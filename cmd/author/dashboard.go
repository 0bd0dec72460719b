package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/film"
	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/tui/app"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// The dashboard that is drawn: how large, and how many steps are written in it. The last of
// these has the mistake of the film.
const (
	drawnColumns, drawnRows = 100, 30
	drawnSteps              = 8
)

func newDevDashboard() *cobra.Command {
	return &cobra.Command{
		Use:   "dashboard FILE",
		Short: "Draw the dashboard of a student amid the course as a picture, FILE.svg",
		Long: `Dashboard writes the kit to a folder of its own, puts solutions into its first steps and
a known mistake into the last of them, grades them, and draws what the dashboard shows then.`,
		Example: `  go run ./cmd/grade dev dashboard docs/figures/dashboard.svg`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			screen, err := dashboard(cmd.Context())
			if err != nil {
				return command.Failed(err)
			}
			var b bytes.Buffer
			if err := film.Still(&b, "The dashboard: the map of the course, and of the step under the cursor what is wrong, what to do, and where", screen); err != nil {
				return command.Failed(err)
			}
			return command.Failed(whole.Write(args[0], b.Bytes()))
		},
	}
}

// dashboard returns the lines of the screen.
func dashboard(ctx context.Context) (screen []string, err error) {
	steps := registry.Steps()
	err = inStudio(ctx, steps[:drawnSteps], func(s *studio) error {
		grade := exec.CommandContext(ctx, s.binary, "all", "--plain")
		grade.Dir = s.dir
		if out, err := grade.CombinedOutput(); grade.ProcessState == nil || grade.ProcessState.ExitCode() != command.ExitWrong {
			return fmt.Errorf("grade all: %w\n%s", err, out)
		}
		kit, err := workspace.Find(s.dir)
		if err != nil {
			return err
		}
		e := engine.New(ctx, kit, nil, steps, time.Now)
		defer e.Close()
		screen = strings.Split(app.Still(theme.Named(), lang.Printer{}, e, steps, drawnColumns, drawnRows), "\n")
		return nil
	})
	return screen, err
}
