// Command teach is what an instructor does with many students.
package main

import (
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
)

func main() {
	command.Main(func() *cobra.Command {
		return command.Root(newClass(), newLikeness(), newQuiz(), newRelease(), newSlides(), newTimes())
	})
}
