// Check compares notebooks that were just executed with those that are kept.
//
//	check DIR NOTEBOOK...            the executed ones lie in DIR, the kept ones here
//	check --write DIR NOTEBOOK...    the executed ones become the kept ones
//
// It fails when a cell ended in an error or wrote to its standard error, when a
// kept notebook lacks its outputs, when the two differ in their cells or in the
// kinds of their outputs, when a notebook is too large, and when its prose claims
// a number that no cell prints. Pictures and printed numbers are not compared:
// their last digits depend on the processor, and times on everything.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/host/whole"
)

func main() {
	write := flag.Bool("write", false, "keep the executed notebooks")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: check [--write] DIR NOTEBOOK...")
		os.Exit(2)
	}
	if err := check(flag.Arg(0), flag.Args()[1:], *write); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d notebooks are sound.\n", flag.NArg()-1)
}

// check checks notebooks whose executed copies lie in dir, and returns everything
// that is wrong.
func check(dir string, names []string, write bool) error {
	var problems []error
	for _, name := range names {
		executed, err := read(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		found := executed.failures()
		kept := executed
		if !write {
			if kept, err = read(name); err != nil {
				return err
			}
			found = append(found, kept.differences(executed)...)
		}
		found = append(found, kept.faults()...)
		for _, f := range found {
			problems = append(problems, fmt.Errorf("%s: %s", name, f))
		}
		if write && len(found) == 0 {
			if err := whole.Write(name, kept.raw); err != nil {
				return err
			}
		}
	}
	return errors.Join(problems...)
}
