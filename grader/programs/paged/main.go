// Command program is what `grade generate --draft`, `grade bench draft` and `grade serve`
// run: the student's own model, and around it the student's step 22.
//
//	program speculate DIR DRAFT OPTIONS   write with a draft; OPTIONS is a run.Speculation as JSON
//	program serve DIR OPTIONS             answer the run.Requests on standard input, one a line;
//	                                      OPTIONS is a run.Serving as JSON
//
// It writes run.Events to standard output, one a line, and ends when its standard input ends.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	paged "github.com/stubformer/stubformer/steps/step22_paged"
)

func main() { talk.Main(do) }

// do does what the arguments say.
func do(l talk.Line, args []string) error {
	switch {
	case len(args) == 4 && args[0] == "speculate":
		large, err := open(args[1])
		if err != nil {
			return err
		}
		draft, err := open(args[2])
		if err != nil {
			return err
		}
		return speculate(talk.UntilInputEnds(), l, large, draft, []byte(args[3]))
	case len(args) == 3 && args[0] == "serve":
		var s run.Serving
		if err := json.Unmarshal([]byte(args[2]), &s); err != nil {
			return err
		}
		m, err := open(args[1])
		if err != nil {
			return err
		}
		return serve(l, m, s, requests(os.Stdin))
	}
	return fmt.Errorf("the arguments are %q; there is no such verb", args)
}

// open returns the model of a folder.
func open(dir string) (*lm.LM, error) {
	c, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	return model.Load(dir, c)
}

// reader returns a reader that has pages for one text of the whole context.
func reader(m *lm.LM) *paged.Reader {
	return paged.New(m, (m.Config.ContextLength+run.PageTokens-1)/run.PageTokens, run.PageTokens)
}

// requests returns what is asked for, until the input ends or holds something else.
func requests(input io.Reader) <-chan run.Request {
	all := make(chan run.Request)
	go func() {
		defer close(all)
		for d := json.NewDecoder(input); ; {
			var r run.Request
			if d.Decode(&r) != nil {
				return
			}
			all <- r
		}
	}()
	return all
}
