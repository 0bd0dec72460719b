// Command author proves the kit, for those who work on the course: `grade dev`.
package main

import (
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
)

func main() {
	command.Main(func() *cobra.Command {
		return command.Root(newDev())
	})
}
