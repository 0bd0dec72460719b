// Command program is what `grade train --task` and `grade translate` run: the student's own
// encoder and decoder of step 20, on the student's product and optimiser of step 11.
//
//	program train DIR     learn the task of the run.Pairs in DIR
//	program answer DIR    answer each run.Translate on standard input, as JSON
//
// It writes run.Events to standard output, one a line. Learning ends when its standard input
// ends, and keeps what was learnt.
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
		if len(args) != 2 {
			return fmt.Errorf("the arguments are %q; want a verb and a folder", args)
		}
		c, err := run.OpenPairs(args[1])
		if err != nil {
			return err
		}
		tensor.UseProduct(training.MatMul)
		switch args[0] {
		case "train":
			return learn(talk.UntilInputEnds(), l, args[1], c)
		case "answer":
			m, err := load(args[1], c)
			if err != nil {
				return err
			}
			return talk.Serve(l, func(t run.Translate) (any, error) { return translate(m, t) })
		}
		return fmt.Errorf("the arguments are %q; there is no such verb", args)
	})
}
