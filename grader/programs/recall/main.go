// Command program is what `grade train --task recall` runs: the student's own model, and what
// stands in it, learns to recall, on the student's product and optimiser of step 11.
//
//	program train DIR    learn what the run.Recall in DIR says, and write how well
//
// It writes run.Events to standard output, one a line. Learning ends when its standard input
// ends, and then nothing is kept.
package main

import (
	"fmt"

	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

func main() {
	talk.Main(func(l talk.Line, args []string) error {
		if len(args) != 2 || args[0] != "train" {
			return fmt.Errorf("the arguments are %q; want train and a folder", args)
		}
		c, err := run.OpenRecall(args[1])
		if err != nil {
			return err
		}
		tensor.UseProduct(training.MatMul)
		return learn(talk.UntilInputEnds(), l, args[1], c)
	})
}
