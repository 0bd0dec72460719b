package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/teach/quiz"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
)

// quizOptions are the flags of `grade quiz`.
type quizOptions struct {
	quiz.Options
	steps, out, from string
	require          bool
}

func newQuiz() *cobra.Command {
	var o quizOptions
	cmd := &cobra.Command{
		Use: "quiz --steps 01-05 --seed N | quiz --from DIR|FILE",
		Long: `Quiz makes a sheet of questions about the steps, OUT/quiz-N.md, and the key to
it, OUT/quiz-N-key.md, with a rubric and a worked answer for each question. What
is to be computed by hand has other numbers for every seed; the same seed makes
the same sheet.

A step has ten questions, if it has any yet: derivations, numbers by hand, what would break if,
and cards for an oral examination, which --oral prints in place of the others.

With --from the questions are about code that was handed in, three for each submission
in OUT/quiz-NAME-N.md: what a line of it is for, and what would be wrong without it or with
another operator. What stands in the key the grader found out, by grading the code so
changed. Submissions are found as "grade class" finds them; only a step with all points is
asked about, and its code runs in a sandbox.

Where pandoc is installed, with a program that it can make PDF files with, both
are written as PDF too. The questions are in English.`,
		Example: `  go run ./cmd/grade quiz --steps 01-05 --seed 7 --questions 6
  go run ./cmd/grade quiz --steps core --seed 7 --oral --out exam
  go run ./cmd/grade quiz --from submissions --steps 02-08 --seed 7 --out exam`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return makeQuiz(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.steps, "steps", "all", "which steps: 01-07, or 01,02,05, or a track such as core, or all")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the numbers, and of the choice of questions")
	f.IntVar(&o.Questions, "questions", 0, "how many questions; 0 for all, or with --from for three")
	f.BoolVar(&o.Oral, "oral", false, "the cards for an oral examination in place of the written questions")
	f.StringVar(&o.out, "out", ".", "the folder `OUT` for the two files")
	f.StringVar(&o.from, "from", "", "ask about the code in `DIR|FILE`: a submission, or a folder of them")
	f.BoolVar(&o.require, "require-sandbox", false, "with --from: refuse to run what was handed in with limits alone")
	return cmd
}

// makeQuiz writes the sheet and its key.
func makeQuiz(cmd *cobra.Command, o quizOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	chosen, err := command.StepRange(o.steps)
	if err != nil {
		return err
	}
	if o.from != "" {
		return askOwn(cmd, o, chosen)
	}
	banks, err := quiz.Load()
	if err != nil {
		return command.Failed(err)
	}
	questions, without, err := questionsOf(chosen, banks)
	if err != nil {
		return err
	}
	if len(without) > 0 {
		command.SayError(command.Speaker(cmd), lang.Errorf("there are no questions yet about %s", strings.Join(without, ", ")))
	}
	paper, err := quiz.Make(questions, o.Options)
	if err != nil {
		return err
	}
	name := "quiz"
	if o.Oral {
		name = "oral"
	}
	return o.write(cmd, paper, name)
}

func (o quizOptions) check() error {
	if o.Questions < 0 {
		return lang.Errorf("--questions is %d; want a number from 1 on, or 0 for all", o.Questions)
	}
	if o.Oral && o.from != "" {
		return lang.Errorf("--oral is for questions of the banks; those about code that was handed in, --from, can be put either way")
	}
	if info, err := os.Stat(o.out); err == nil && !info.IsDir() {
		return lang.Errorf("--out is %s, which is a file; name a folder", o.out)
	}
	return nil
}

// write writes a paper and its key, and says so.
func (o quizOptions) write(cmd *cobra.Command, paper *quiz.Paper, name string) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return command.Failed(err)
	}
	p, w := command.Speaker(cmd), cmd.OutOrStdout()
	sheet := filepath.Join(o.out, fmt.Sprintf("%s-%d.md", name, o.Seed))
	key := filepath.Join(o.out, fmt.Sprintf("%s-%d-key.md", name, o.Seed))
	if err := errors.Join(whole.Write(sheet, paper.Sheet(p)), whole.Write(key, paper.Key(p))); err != nil {
		return command.Failed(err)
	}
	p.Tell(w, "questions: %d, points: %d; the sheet is %s, the key %s\n", len(paper.Items), paper.Points(), sheet, key)
	switch err := asPDF(cmd.Context(), sheet, key); {
	case errors.Is(err, exec.ErrNotFound):
		p.Tell(w, "There is no PDF: for that, install pandoc and one of its PDF programs, such as weasyprint.\n")
	case err != nil:
		p.Tell(w, "There is no PDF: %v\n", err)
	default:
		p.Tell(w, "Both are there as PDF too.\n")
	}
	return nil
}

// questionsOf returns the questions of steps, in order, and the steps about which there are
// none yet. That no step has any is an error.
func questionsOf(chosen []*course.Step, banks map[string][]quiz.Question) (all []quiz.Question, without []string, err error) {
	for _, s := range chosen {
		all = append(all, banks[s.Folder]...)
		if len(banks[s.Folder]) == 0 {
			without = append(without, s.ID)
		}
	}
	if len(all) == 0 {
		return nil, nil, lang.Errorf("there are no questions yet about %s; there are some about %s", strings.Join(without, ", "),
			strings.Join(slices.Sorted(maps.Keys(banks)), ", "))
	}
	return all, without, nil
}

// engines are the programs that pandoc makes PDF files with, those first that find a
// glyph in another font where one has none.
var engines = []string{"weasyprint", "wkhtmltopdf", "typst", "tectonic", "lualatex", "xelatex"}

// asPDF writes each Markdown file as PDF too. It is exec.ErrNotFound where a program for
// that is missing.
func asPDF(ctx context.Context, files ...string) error {
	pandoc, err := exec.LookPath("pandoc")
	if err != nil {
		return exec.ErrNotFound
	}
	engine := ""
	for _, name := range engines {
		if path, err := exec.LookPath(name); err == nil && engine == "" {
			engine = path
		}
	}
	if engine == "" {
		return exec.ErrNotFound
	}
	for _, file := range files {
		if err := convert(ctx, pandoc, engine, file); err != nil {
			return err
		}
	}
	return nil
}

// convert writes a Markdown file as PDF beside it, whole or not at all.
func convert(ctx context.Context, pandoc, engine, file string) error {
	tmp, err := os.MkdirTemp(filepath.Dir(file), ".grade-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	name := filepath.Base(file[:len(file)-len(".md")]) + ".pdf"
	made := filepath.Join(tmp, name)
	out, err := exec.CommandContext(ctx, pandoc, "--from=gfm", "--pdf-engine="+engine, "--output="+made, file).CombinedOutput()
	if err != nil {
		return lang.Errorf("pandoc has failed on %s: %w\n%s", file, err, out)
	}
	data, err := os.ReadFile(made)
	if err != nil {
		return err
	}
	return whole.Write(filepath.Join(filepath.Dir(file), name), data)
}
