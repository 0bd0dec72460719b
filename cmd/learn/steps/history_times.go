package steps

import (
	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/progress/times"
	"github.com/stubformer/stubformer/grader/workspace"
)

// writeTimes writes how long the steps took to a file, and shows what stands in it.
func writeTimes(c *call, args []string, path string) error {
	if len(args) > 0 {
		return lang.Errorf("--times is about all steps; leave out %s", args[0])
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
	if err != nil {
		return command.Failed(err)
	}
	text, err := times.Of(registry.Steps(), attempts).Text()
	if err != nil {
		return command.Failed(err)
	}
	if err := whole.Write(path, text); err != nil {
		return command.Failed(err)
	}
	command.Speaker(c).Tell(command.Out(c), "%s holds this and no more:\n", path)
	_, err = command.Out(c).Write(text)
	return err
}
