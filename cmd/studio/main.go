// Command studio is what one does with a model of one's own: train it, let it write, look
// into it, measure it.
package main

import (
	"github.com/stubformer/stubformer/cmd/command/tree"
)

func main() {
	tree.Main(tree.Root(newMilestone(), newTrain(), newCompare(), newGenerate(), newFinetune(), newChat(), newTranslate(), newExplore(), newServe(), newPublish(), newEval(), newQuantize(), newTokenize(), newImport(), newExport(),
		newBench(), newReport(), newDoctor(), newUpdate()))
}
