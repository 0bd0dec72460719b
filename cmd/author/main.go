// Command author proves the kit, for those who work on the course: `grade dev`.
package main

import (
	"github.com/stubformer/stubformer/cmd/command/tree"
)

func main() {
	tree.Main(tree.Root(newDev()))
}
