package steps

import (
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
			command.Speaker(c).Tell(command.Out(c), "steps/%s is the stub again.\nYour files are kept in %s\n", step.Folder, copies)
			return nil
		},
	}
}
