// Command teach is what an instructor does with many students.
package main

import (
	"github.com/stubformer/stubformer/cmd/command/tree"
)

func main() {
	tree.Main(tree.Root(newClass(), newLikeness(), newQuiz(), newRelease(), newSlides(), newTimes()))
}
