package main

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/quiz"
	"github.com/stubformer/stubformer/cmd/teach/quiz/own"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// usualOwn is how many questions there are about a submission, if nothing else is said.
const usualOwn = 3

// askOwn writes a paper about the code of every submission.
func askOwn(cmd *cobra.Command, o quizOptions, steps []*course.Step) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	folders, err := kit.Folders()
	if err != nil {
		return command.Failed(err)
	}
	found, err := class.Find([]string{o.from}, folders)
	if err != nil {
		return err
	}
	box, err := command.OpenBox("", o.require)
	if err != nil {
		return command.Failed(err)
	}
	fence, err := kit.Fence(cmd.Context(), box)
	if err != nil {
		return command.Failed(err)
	}
	if o.Questions == 0 {
		o.Questions = usualOwn
	}
	p, look := command.Speaker(cmd), attention{lines: found.Skipped}
	asker := own.Asker{Kit: kit, Fence: fence, Seed: o.Seed}
	for _, source := range found.Sources {
		s, err := source.Read(source.Name)
		if err != nil {
			return command.Failed(err)
		}
		paper, notes, err := o.about(cmd.Context(), p, asker, s, steps)
		if err != nil {
			return command.Failed(err)
		}
		for _, note := range notes {
			look.lines = append(look.lines, s.Name+": "+note)
		}
		if len(paper.Items) == 0 {
			continue
		}
		if err := o.write(cmd, paper, "quiz-"+s.Name); err != nil {
			return err
		}
	}
	return look.tell(cmd.OutOrStdout())
}

// about makes the paper about a submission: its steps in an order that is drawn, and of
// each as many questions as spread them. Notes say what was not asked about, and why.
func (o quizOptions) about(ctx context.Context, p lang.Printer, a own.Asker, s *class.Submission, steps []*course.Step) (*quiz.Paper, []string, error) {
	paper := &quiz.Paper{Options: o.Options, Name: s.Name}
	if s.Refused != "" {
		return paper, []string{s.Refused}, nil
	}
	handed := slices.DeleteFunc(slices.Clone(steps), func(step *course.Step) bool {
		f := s.Folders[step.Folder]
		return f == nil || f.Refused != nil || len(f.Files) == 0
	})
	if len(handed) == 0 {
		return paper, without(s, steps[0], p), nil
	}
	h := fnv.New64a()
	h.Write([]byte(s.Name))
	rng := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	rng.Shuffle(len(handed), func(i, j int) { handed[i], handed[j] = handed[j], handed[i] })
	var notes []string
	for i, step := range handed {
		left := o.Questions - len(paper.Items)
		if left == 0 {
			break
		}
		share := (left + len(handed) - i - 1) / (len(handed) - i)
		questions, err := a.Questions(ctx, step, s.Folders[step.Folder], share)
		var wrong *own.NotPassedError
		switch {
		case errors.As(err, &wrong):
			notes = append(notes, wrong.Text().In(p))
		case err != nil:
			return nil, nil, err
		}
		paper.Items = append(paper.Items, questions...)
	}
	slices.SortStableFunc(paper.Items, func(a, b quiz.Question) int { return strings.Compare(a.Step, b.Step) })
	return paper, notes, nil
}
