// Command program is what `grade train` and `grade generate` run: the student's
// own model and training loop, and around them no more than is needed to start
// them, to report and to stop. The grader builds it with the code that it was
// asked for behind the import paths of the steps.
//
//	program train DIR              start the run in DIR, or go on with it
//	program generate DIR OPTIONS   write tokens; OPTIONS is a run.Generation as JSON
//	program export DIR FILE        write the parameters as .safetensors or .npz
//	program attend DIR IDS FILE    write what each token of a text attends to; IDS is JSON
//	program pace DIR FILE          write how fast the model reads, by position, as JSON
//	program route DIR FILE         write which experts take which tokens after each snapshot, as JSON
//	program eval DIR TOKENS N      report the mean loss of the tokens of a file, read in pieces of N
//	program begin DIR OUT          write what the run begins with: first weights and batches
//	program explore DIR            answer the inside.Questions on standard input, as JSON
//
// It writes run.Events to standard output, one a line. It saves and ends when
// its standard input ends.
package main

import (
	"fmt"
	"strconv"

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
	f := folder{args[1], c}
	if len(args) == 2 && args[0] == "explore" {
		return p.explore(f)
	}
	ctx := talk.UntilInputEnds()
	switch {
	case len(args) == 2 && args[0] == "train":
		return p.train(ctx, f)
	case len(args) == 3 && args[0] == "generate":
		return p.generate(ctx, f, []byte(args[2]))
	case len(args) == 3 && args[0] == "export":
		return export(f, args[2])
	case len(args) == 4 && args[0] == "attend":
		return attend(f, []byte(args[2]), args[3])
	case len(args) == 3 && args[0] == "pace":
		return pace(f, args[2])
	case len(args) == 3 && args[0] == "route":
		return route(f, args[2])
	case len(args) == 4 && args[0] == "eval":
		length, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		return p.evaluate(ctx, f, args[2], length)
	case len(args) == 3 && args[0] == "begin":
		return begin(f, args[2])
	}
	return fmt.Errorf("the arguments are %q; there is no such verb", args)
}
