package steps

import (
	"fmt"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDerive() *verb {
	return &verb{
		use: "derive on|off",
		long: `Derive takes the finished derivatives out of the comments of the stubs that you
have not begun, and folds them in the lessons: you find them with pencil and
paper. The last hint of a backward check has the formula. "off" brings all of it
back. Files that you have changed stay as they are.`,
		example: `  go run ./cmd/grade derive on`,
		least:   1, most: 1, options: flags(),
		run: func(c *call, args []string) error {
			if args[0] != "on" && args[0] != "off" {
				return lang.Errorf("derive %q; want on or off", args[0])
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			kept, err := kit.Derive(args[0] == "on")
			if err != nil {
				return command.Failed(err)
			}
			p, out := command.Speaker(c), command.Out(c)
			if args[0] == "on" {
				p.Tell(out, "The derivatives are yours to find. The lessons fold them away, and the last hint of a backward check has them.\n")
			} else {
				p.Tell(out, "The stubs and lessons say the derivatives again.\n")
			}
			if len(kept) > 0 {
				p.Tell(out, "\nChanged by you, and left as they are:\n")
				for _, name := range kept {
					fmt.Fprintf(out, "  %s\n", name)
				}
			}
			return nil
		},
	}
}
