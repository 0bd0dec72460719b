// Package steps is what one does with the steps: grade them, ask for hints, see how far one
// is.
package steps

import (
	"context"
	"os"
	"slices"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Reader reads the step folders of what somebody has handed in, wherever in dir they lie.
type Reader func(kit *workspace.Kit, dir string) (map[string]*workspace.Folder, error)

// Main runs the command line. Without a reader, only the kit's own steps can be graded.
func Main(read Reader) {
	command.Main(func(ctx context.Context, _ lang.Printer, args []string) (called string, err error) {
		verbs := []*verb{newGrade(read), newDescribe(), newHint(), newReset(), newDerive(), newHistory()}
		if slices.Equal(args, []string{command.TreeName}) {
			return "", treeOf(verbs).Write(os.Stdout)
		}
		return execute(ctx, verbs, args)
	})
}

// newGrade is the verb that needs no name.
func newGrade(read Reader) *verb {
	o := gradeOptions{read: read}
	set := flags()
	o.register(set)
	return &verb{
		use:   "grade [STEP...]",
		short: "Check your steps: what is right, what is wrong and why",
		long: `Grade checks your steps and tells you what is right, what is wrong and why.

Without arguments it shows the course at a glance. A STEP is step05, 05, 5,
swiglu or its folder; "all" is every step.

Exit status: 0 full marks, 1 something did not pass, 2 wrong usage, 3 the
grader itself failed, 130 interrupted.`,
		example: `  go run ./cmd/grade step01
  go run ./cmd/grade 5 6 --plain
  go run ./cmd/grade all --impl solutions --format json --out report.json`,
		most:    -1,
		options: set,
		letters: map[string]string{"v": "verbose"},
		run: func(c *call, args []string) error {
			if len(args) == 0 {
				return overview(c, o)
			}
			return grade(c, o, args)
		},
	}
}
