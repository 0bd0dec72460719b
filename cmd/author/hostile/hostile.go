// Package hostile is a corpus of submissions that mean harm, or look as if they
// did, with what must become of each: its verdict, its points, and that it
// leaves nothing behind and its neighbours alone.
//
// Most are a step's solution with something added, each in one archive of
// corpus/. Those that cannot lie in a repository (links, bombs, names that no
// file system likes) are made when they are needed, see made.go.
package hostile

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/newline"
)

//go:embed corpus/*.txtar
var corpus embed.FS

// Case is one hostile submission and what must become of it.
type Case struct {
	Name     string
	About    string
	Step     string         // the step that is judged
	With     string         // one that is handed in and graded too, and is its solution; "" for none
	Verdicts []verdict.Kind // of the step: one of these
	Min, Max int            // points
	Says     string         // the step's message holds this
	Boxed    bool           // holds where files are fenced in, see sandbox.Box.FencesFiles
	Slow     bool           // takes seconds of time or computing

	write func(solutions, path string) (written string, err error)
}

// Cases returns the whole corpus.
func Cases() ([]Case, error) {
	names, err := fs.Glob(corpus, "corpus/*.txtar")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, name := range names {
		data, err := fs.ReadFile(newline.FS{FS: corpus}, name)
		if err != nil {
			return nil, err
		}
		c, err := parse(strings.TrimSuffix(filepath.Base(name), ".txtar"), txtar.Parse(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cases = append(cases, c)
	}
	return append(cases, made()...), nil
}

// parse reads a case: a sentence, a blank line, "name: value" lines, the files.
func parse(name string, a *txtar.Archive) (Case, error) {
	about, rest, _ := strings.Cut(string(a.Comment), "\n\n")
	c := Case{Name: name, About: about}
	base := ""
	for line := range strings.Lines(strings.TrimSpace(rest)) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch field {
		case "step":
			c.Step = value
		case "with":
			c.With = value
		case "base":
			base = value
		case "verdict":
			for v := range strings.FieldsSeq(value) {
				c.Verdicts = append(c.Verdicts, verdict.Kind(v))
			}
		case "points":
			if err := c.points(value); err != nil {
				return c, err
			}
		case "says":
			c.Says = value
		case "slow":
			c.Slow = true
		default:
			return c, fmt.Errorf("there is no field %q", field)
		}
	}
	c.write = func(solution, path string) (string, error) {
		if err := c.writeWith(filepath.Dir(solution), path); err != nil {
			return "", err
		}
		return path, write(solution, filepath.Join(path, filepath.Base(solution)), base, a.Files)
	}
	return c, nil
}

// writeWith writes the step that is handed in too. It has a file more than the solution:
// what the neighbour hands in as well might be graded with theirs, and apart.
func (c Case) writeWith(solutions, path string) error {
	if c.With == "" {
		return nil
	}
	step, err := course.Find(registry.Steps(), c.With)
	if err != nil {
		return err
	}
	more := txtar.File{Name: "more.go", Data: fmt.Appendf(nil, "package %s\n", step.Name)}
	return write(filepath.Join(solutions, step.Folder), filepath.Join(path, step.Folder), "solution", []txtar.File{more})
}

// points reads "0", "<=60" or "100 boxed".
func (c *Case) points(text string) error {
	text, c.Boxed = strings.CutSuffix(text, " boxed")
	most, upTo := strings.CutPrefix(text, "<=")
	n, err := strconv.Atoi(most)
	c.Min, c.Max = n, n
	if upTo {
		c.Min = 0
	}
	return err
}

// write writes a submission: the step's solution, its stub (which is what the
// kit fills in when nothing is handed in) or nothing, and files on top.
func write(solution, dir, base string, files []txtar.File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	from := map[string]string{"solution": solution, "stub": filepath.Join(solution, "..", "..", "steps", filepath.Base(solution))}[base]
	sources, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if base != "" && from != "" && !strings.HasSuffix(source, "_test.go") {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(source)), data, 0o644); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Judge says what is wrong with a case's result; "" if it is as it must be.
func (c Case) Judge(s report.Step) string {
	fits := false
	for _, v := range c.Verdicts {
		fits = fits || s.Verdict == v
	}
	said := s.Message
	for _, check := range s.Checks {
		said += "\n" + check.Message
	}
	flat := strings.Join(strings.Fields(said), " ")
	switch {
	case !fits:
		return fmt.Sprintf("the verdict is %s, want %s:\n%s", s.Verdict, c.Verdicts, said)
	case s.Score == nil || *s.Score < c.Min || *s.Score > c.Max:
		return fmt.Sprintf("the score is %s, want %d to %d:\n%s", s.Points(), c.Min, c.Max, said)
	case !strings.Contains(flat, strings.Join(strings.Fields(c.Says), " ")):
		return fmt.Sprintf("the message does not hold %q:\n%s", c.Says, said)
	case said != untrusted.Clean(said):
		return fmt.Sprintf("the message could deceive a terminal or a reader: %q", said)
	case largest(s) > untrusted.MaxMessage+100:
		return fmt.Sprintf("a message of %d bytes came through", largest(s))
	case strings.Contains(said, "escaped:"):
		return "it got out:\n" + said
	}
	return ""
}

// largest is the size of the longest message of a step.
func largest(s report.Step) int {
	n := len(s.Message)
	for _, c := range s.Checks {
		n = max(n, len(c.Message))
	}
	return n
}

// Write writes the submission to path, to which the ending of an archive is
// added if it is one. root is that of the kit.
func (c Case) Write(root, path string) error {
	s, err := course.Find(registry.Steps(), c.Step)
	if err != nil {
		return err
	}
	_, err = c.write(filepath.Join(root, "solutions", s.Folder), path)
	return err
}
