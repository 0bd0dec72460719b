package steps

import (
	"os"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/workspace"
)

func newReset() *verb {
	return &verb{
		use:   "reset STEP",
		least: 1, most: 1, options: flags(),
		run: func(c *call, args []string) error {
			step, err := command.FindStep(args[0])
			if err != nil {
				return err
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			if kit.Untouched(step.Folder) {
				command.Speaker(c).Tell(command.Out(c), "steps/%s is the stub already; nothing to do.\n", step.Folder)
				return nil
			}
			copies := filepath.Join(".stubformer", "backup", time.Now().Format("2006-01-02T15-04-05.000")+"-"+step.Folder)
			if err := kit.Reset(step.Folder, filepath.Join(kit.Root, copies)); err != nil {
				return command.Failed(err)
			}
			p, out := command.Speaker(c), command.Out(c)
			p.Tell(out, "steps/%s is the stub again.\n", step.Folder)
			if there(kit, copies) {
				p.Tell(out, "Your files are kept in %s\n", copies)
			}
			if !there(kit, "steps", step.Folder, "README.md") {
				p.Tell(out, "Its lesson, README.md, is missing: take it from the kit as you downloaded it.\n")
			}
			return nil
		},
	}
}

// there reports whether something is at a path in the kit.
func there(kit *workspace.Kit, path ...string) bool {
	_, err := os.Stat(filepath.Join(append([]string{kit.Root}, path...)...))
	return err == nil
}
