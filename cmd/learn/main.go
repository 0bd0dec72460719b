// Command learn is what a student does with the steps: grade them, ask for hints, see how
// far one is. `go run ./cmd/grade` builds and runs it.
package main

import (
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/cmd/command/launch"
	"github.com/stubformer/stubformer/grader/workspace"
)

func main() { command.Main(newRoot) }

func newRoot() *cobra.Command {
	var opts gradeOptions
	root := &cobra.Command{
		Use:   "grade [STEP...]",
		Short: "Check your steps: what is right, what is wrong and why",
		Long: `Grade checks your steps and tells you what is right, what is wrong and why.

Without arguments it shows the course at a glance. A STEP is step05, 05, 5,
swiglu or its folder; "all" is every step.

Exit status: 0 full marks, 1 something did not pass, 2 wrong usage, 3 the
grader itself failed, 130 interrupted.`,
		Example: `  go run ./cmd/grade step01
  go run ./cmd/grade 5 6 --plain
  go run ./cmd/grade all --impl solutions --format json --out report.json`,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return overview(cmd, opts)
			}
			return grade(cmd, opts, args)
		},
	}
	opts.register(root)
	root.AddCommand(newDescribe(), newHint(), newReset(), newDerive(), newHistory())
	addOthers(root)
	return root
}

// addOthers shows the commands of the other programs that this edition of the kit holds in
// the help.
func addOthers(root *cobra.Command) {
	kit, err := workspace.Find(".")
	for _, g := range index.Groups() {
		root.AddGroup(&cobra.Group{ID: string(g), Title: string(g) + ":"})
	}
	for _, c := range index.Commands() {
		switch own, _, _ := root.Find([]string{c.Name}); {
		case c.Program == index.Learn:
			own.GroupID = string(c.Group)
		case err != nil || launch.Holds(kit.Root, c.Program):
			root.AddCommand(&cobra.Command{Use: c.Name, GroupID: string(c.Group), DisableFlagParsing: true, Run: func(*cobra.Command, []string) {}})
		}
	}
}
