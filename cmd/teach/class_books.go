package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/marks"
	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
)

// bookOptions say what is written of the results of a class.
type bookOptions struct {
	roster     string
	scheme     string
	pseudonyms string
	excel      bool

	people *roster.Roster
	marks  *marks.Scheme
	key    marks.Key
	copied []byte // of the roster, to be kept
	lang   lang.Printer
}

func (o *bookOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.roster, "roster", "", "`FILE` with who takes part: a CSV export of Canvas, Moodle, Gradescope or Classroom 50")
	f.StringVar(&o.scheme, "scheme", "", "`FILE` with weights, deadlines and attempts, by which marks.csv is made (default: the points)")
	f.StringVar(&o.pseudonyms, "pseudonyms", "", "write all once more, without names, into OUT/pseudonymous; the key is in `KEYFILE`, made if it is not there")
	f.BoolVar(&o.excel, "excel", false, "begin tables with the mark by which Excel knows UTF-8")
}

// asked reports whether something is to be written, even if nothing is graded.
func (o *bookOptions) asked() bool {
	return o.roster != "" || o.scheme != "" || o.pseudonyms != "" || o.excel
}

// rosterFile is the copy of the roster among the results.
const rosterFile = "roster.csv"

// read reads the files that the flags name, before anything is graded. Without a
// roster it is that of the last run.
func (o *bookOptions) read(out string) error {
	path := o.roster
	if path == "" {
		path = filepath.Join(out, rosterFile)
	}
	data, err := os.ReadFile(path)
	if err != nil && (o.roster != "" || !errors.Is(err, fs.ErrNotExist)) {
		return fmt.Errorf("the roster cannot be read: %w", err)
	}
	if err == nil {
		if o.people, err = roster.Parse(data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		o.copied = data
	}
	o.marks = marks.Plain(out)
	if o.scheme != "" {
		data, err := os.ReadFile(o.scheme)
		if err != nil {
			return fmt.Errorf("the scheme cannot be read: %w", err)
		}
		if o.marks, err = marks.Parse(data, filepath.Dir(o.scheme), out); err != nil {
			return fmt.Errorf("%s: %w", o.scheme, err)
		}
	}
	if err := o.assign(); err != nil {
		return err
	}
	if o.pseudonyms != "" {
		o.key, err = marks.OpenKey(o.pseudonyms)
		return err
	}
	return nil
}

// assign reads the file of the scheme that says whose submissions are.
func (o *bookOptions) assign() error {
	if o.marks.Whose == "" {
		return nil
	}
	if o.people == nil {
		return fmt.Errorf("%s: whose names students of a roster, and there is none: give the --roster", o.scheme)
	}
	data, err := os.ReadFile(o.marks.Whose)
	if err != nil {
		return fmt.Errorf("%s: whose: %w", o.scheme, err)
	}
	if err := o.people.Assign(data); err != nil {
		return fmt.Errorf("%s %w", o.marks.Whose, err)
	}
	return nil
}

// write writes the gradebook and the marks of all that is stored in out, and
// returns what is to be looked at.
func (o *bookOptions) write(out string) (problems []string, err error) {
	if o.copied != nil {
		if err := whole.Write(filepath.Join(out, rosterFile), o.copied); err != nil {
			return nil, err
		}
	}
	store, book := class.Dir(filepath.Join(out, "results")), class.Book{Roster: o.people, Mark: o.excel, Lang: o.lang}
	problems, err = book.Write(out, store)
	if err != nil {
		return nil, err
	}
	table, err := marks.Make(o.marks, o.people)
	if err != nil {
		return nil, err
	}
	for _, p := range table.Problems { // of other collections
		if !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	if err := errors.Join(marks.Remove(out), table.Write(out, book)); err != nil || o.key == nil {
		return problems, err
	}
	book.Alias = o.key.Alias
	hidden := filepath.Join(out, "pseudonymous")
	if _, err := book.Write(hidden, store); err != nil {
		return nil, err
	}
	return problems, table.Write(hidden, book)
}

// onlyBooks writes what there is to write of the stored results, and grades
// nothing.
func (o *classOptions) onlyBooks(cmd *cobra.Command) error {
	if _, err := os.Stat(filepath.Join(o.out, "results")); err != nil {
		return fmt.Errorf("%s holds no results yet: name the submissions to grade, or the --out of a run", o.out)
	}
	unlock, err := lockFolder(o.out)
	if err != nil {
		return command.Failed(err)
	}
	defer unlock()
	problems, err := o.books.write(o.out)
	if err != nil {
		return command.Failed(err)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "Nothing was graded. The gradebook is %s, the marks are %s.\n",
		filepath.Join(o.out, class.GradebookCSV), filepath.Join(o.out, marks.MarksCSV))
	look := attention{lines: problems}
	return look.tell(w)
}
