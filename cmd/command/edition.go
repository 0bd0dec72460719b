package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// SourceOf returns whose steps --impl names. It is an error if that is nobody, or the
// solutions and this edition of the kit does not hold all of them.
func SourceOf(kit *workspace.Kit, impl string) (workspace.Source, error) {
	switch impl {
	case "mine":
		return workspace.Own(), nil
	case "solutions":
		folders, err := kit.Folders()
		if err != nil {
			return workspace.Source{}, Failed(err)
		}
		for _, folder := range folders {
			if !kit.HasSolutions(folder) {
				return workspace.Source{}, lang.Errorf("--impl solutions: this edition of the kit holds no solution of %s", folder)
			}
		}
		return workspace.Solutions(), nil
	}
	return workspace.Source{}, lang.Errorf("--impl is %q; want mine or solutions", impl)
}

// suit takes out of the help of a command, and of all below it, what is about the solutions,
// where the kit holds none.
func suit(cmd *cobra.Command) {
	kit, err := workspace.Find(".")
	if err != nil || kit.WithSolutions() {
		return
	}
	visit(cmd, func(cmd *cobra.Command) {
		for _, name := range []string{"impl", "own-stack"} {
			for _, flags := range []interface{ MarkHidden(string) error }{cmd.Flags(), cmd.PersistentFlags()} {
				_ = flags.MarkHidden(name) // an error says that the command has no such flag
			}
		}
		lines := strings.Split(cmd.Example, "\n")
		cmd.Example = strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "--impl") }), "\n")
		cmd.Hidden = cmd.Hidden || cmd.CommandPath() == "grade bench overlay"
	})
}

// describe gives the commands of grade their line in the help.
func describe(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Short == "" {
			c.Short = index.Short(c.Name())
		}
	}
}
