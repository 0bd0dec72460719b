// Command program is what `grade finetune`, `grade chat` and `grade generate --adapter` run:
// the student's own model, and around it the student's step 17. Where adapters are wanted
// the grader builds it with the layer of step 17 in the place of that of step 02.
//
//	program learn DIR JOB    learn from the examples of a run.Job, a file with JSON
//	program answer DIR       answer the run.Asks on standard input, as JSON
//
// It writes run.Events to standard output, one a line. Learning ends, without a result, when
// its standard input ends.
package main

import (
	"fmt"

	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

func main() {
	talk.Main(func(l talk.Line, args []string) error { return program{l}.do(args) })
}

// program is one run of this command.
type program struct{ talk.Line }

func (p program) do(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("the arguments are %q; want a verb and a folder", args)
	}
	c, err := run.Open(args[1])
	if err != nil {
		return err
	}
	m, err := model.Load(args[1], c)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 3 && args[0] == "learn":
		return p.learn(talk.UntilInputEnds(), m, args[2])
	case len(args) == 2 && args[0] == "answer":
		return p.answer(m)
	}
	return fmt.Errorf("the arguments are %q; there is no such verb", args)
}
