package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/teach/release"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newRelease() *cobra.Command {
	var steps, platform string
	var o release.Options
	cmd := &cobra.Command{
		Use: "release DIR",
		Long: `Release writes an edition of the kit to DIR, which must be new or empty: the
chosen steps, with the stubs as they are handed out, whatever stands in steps/.
What differs there is named at the end, with the command that takes it over.

With --without-solutions it is the student edition: no solutions, no oracle, no
sources of the known mistakes. Without it, the edition is for those who grade:
give both the same --steps and --forward-only, so that they award the same points.

With --for the edition is packed for a platform: DIR is then Gradescope's
autograder.zip, or the folder of an autograder of Classroom 50.`,
		Example: `  go run ./cmd/grade release ../students --steps 01-07 --forward-only --without-solutions
  go run ./cmd/grade release ../grading --steps 01-07 --forward-only
  go run ./cmd/grade release ../autograder.zip --for gradescope`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Steps, err = command.StepRange(steps); err != nil {
				return err
			}
			pack, known := map[string]release.Packer{"": release.Write, "gradescope": release.Gradescope, "classroom50": release.Classroom50}[platform]
			if !known {
				return fmt.Errorf("--for is %q; want gradescope or classroom50", platform)
			}
			o.WithoutSolutions = o.WithoutSolutions || platform == "classroom50" // which publishes it
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			if err := upToDate(kit, o.Steps); err != nil {
				return command.Failed(err)
			}
			if err := pack(cmd.Context(), kit, args[0], o); err != nil {
				return command.Failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s holds %s; it compiles.\n", args[0], release.Describe(o))
			return command.Failed(tellChanged(cmd.OutOrStdout(), kit, o.Steps))
		},
	}
	f := cmd.Flags()
	f.StringVar(&steps, "steps", "all", "which steps: 01-07, or 01,02,05, or a track such as core, or all")
	f.BoolVar(&o.ForwardOnly, "forward-only", false, "leave the checks of backward passes out of the points")
	f.BoolVar(&o.WithoutSolutions, "without-solutions", false, "the student edition: no solutions, no oracle, no sources of mistakes")
	f.BoolVar(&o.WithoutAgents, "without-agents", false, "no AGENTS.md in the student edition, which asks coding agents to tutor and to write no answers")
	f.BoolVar(&o.Derive, "derive", false, "leave the derivatives out of the stubs, fold them in the lessons, and give them as the last hint")
	f.StringVar(&platform, "for", "", "pack it as an autograder: gradescope or classroom50")
	return cmd
}

// upToDate holds the stubs that are compiled into this program against those that are
// stored, which may be newer.
func upToDate(kit *workspace.Kit, steps []*course.Step) error {
	for _, s := range steps {
		outdated, err := kit.Outdated(s.Folder)
		if err != nil {
			return err
		}
		if outdated {
			return fmt.Errorf("the stub of %s was corrected after this program was built, so it would hand out the old one; "+
				"build it again, or run: go run ./cmd/grade release …", s.ID)
		}
	}
	return nil
}

// tellChanged names the files in steps/ that the edition holds otherwise, and the
// command that takes them over: a correction is easily thought to be sent out.
func tellChanged(w io.Writer, kit *workspace.Kit, steps []*course.Step) error {
	var folders []string
	for _, s := range steps {
		folders = append(folders, s.Folder)
	}
	changed, err := kit.Changed(folders...)
	if err != nil || len(changed) == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "\nThese differ from what is handed out; the edition holds what is handed out:\n  %s\n"+
		"If this is a correction, take it over and release again:\n  go run ./cmd/grade dev pristine\n", strings.Join(changed, "\n  "))
	return err
}
