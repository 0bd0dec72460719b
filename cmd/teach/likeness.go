package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/likeness"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// likenessOptions are the flags of `grade likeness`.
type likenessOptions struct {
	out, steps string
	threshold  float64
}

func newLikeness() *cobra.Command {
	var o likenessOptions
	cmd := &cobra.Command{
		Use: "likeness DIR|FILE... --out OUT",
		Long: `Likeness compares submissions with each other and writes OUT/likeness.html, with
the pairs and groups that are alike and their code side by side, and
OUT/likeness.csv, with a row for each pair and step. It runs nothing that was
handed in. Submissions are found as "grade class" finds them.

Names, comments, layout, the order of statements and the form of loops make no
difference. What the stub gave, and what the solution or the lesson writes, does
not count. What it finds is a reason to look and to ask, never a proof.`,
		Example: `  go run ./cmd/grade likeness submissions --out alike
  go run ./cmd/grade likeness submissions --out alike --steps 01-05 --threshold 0.8`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return reportLikeness(cmd, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "the folder `OUT` for the report")
	f.StringVar(&o.steps, "steps", "all", "which steps: 01-07, or 01,02,05, or a track such as core, or all")
	f.Float64Var(&o.threshold, "threshold", likeness.DefaultThreshold, "from which likeness on a pair is reported, above 0 and up to 1")
	return cmd
}

func (o likenessOptions) check(args []string) error {
	switch {
	case o.out == "":
		return lang.Errorf("--out is missing: name a folder for the report")
	case len(args) == 0:
		return lang.Errorf("name the submissions: folders or archives, or a folder that holds them")
	case !(o.threshold > 0 && o.threshold <= 1): // NaN neither
		return lang.Errorf("--threshold is %v; want a number above 0 and up to 1", o.threshold)
	}
	if info, err := os.Stat(o.out); err == nil && !info.IsDir() {
		return lang.Errorf("--out is %s, which is a file; name a folder for the report", o.out)
	}
	return nil
}

// reportLikeness compares the submissions and writes the report.
func reportLikeness(cmd *cobra.Command, o likenessOptions, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	steps, err := command.StepRange(o.steps)
	if err != nil {
		return err
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	for _, s := range steps {
		if !kit.HasSolutions(s.Folder) {
			return command.Failed(lang.Errorf("submissions are compared with the solutions left out, and this edition of the kit has none of %s", s.ID))
		}
	}
	submissions, look, err := handedIn(command.Speaker(cmd), kit, steps, args)
	if err != nil {
		return err
	}
	report, err := compare(kit, steps, submissions, o.threshold)
	if err != nil {
		return command.Failed(err)
	}
	p := command.Speaker(cmd)
	page, err := report.Page(p)
	if err != nil {
		return command.Failed(err)
	}
	table, err := report.CSV()
	if err != nil {
		return command.Failed(err)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return command.Failed(err)
	}
	shown := filepath.Join(o.out, "likeness.html")
	for name, data := range map[string][]byte{shown: page, filepath.Join(o.out, "likeness.csv"): table} {
		if err := whole.Write(name, data); err != nil {
			return command.Failed(err)
		}
	}
	w := cmd.OutOrStdout()
	p.Tell(w, "submissions: %d, pairs that are alike: %d, groups: %d; the report is %s\n", len(submissions), len(report.Pairs), len(report.Clusters), shown)
	p.Tell(w, "It is a reason to look and to ask, never a proof.\n")
	return look.tell(w)
}

// handedIn reads the submissions. What nothing can be read of is to be looked at.
func handedIn(p lang.Printer, kit *workspace.Kit, steps []*course.Step, paths []string) (all []likeness.Submission, look attention, err error) {
	folders, err := kit.Folders()
	if err != nil {
		return nil, look, command.Failed(err)
	}
	found, err := class.Find(paths, folders)
	if err != nil {
		return nil, look, err
	}
	if len(found.Sources) < 2 {
		return nil, look, lang.Errorf("there is one submission in what was named, %s; want at least two, to compare them", found.Sources[0].Name)
	}
	look.lines = found.Skipped
	for _, source := range found.Sources {
		s, err := source.Read(source.Name)
		if err != nil {
			return nil, look, command.Failed(err)
		}
		one := likeness.Submission{Name: s.Name, Steps: map[string]likeness.Code{}}
		for _, step := range steps {
			if f := s.Folders[step.Folder]; f != nil && len(f.Files) > 0 {
				one.Steps[step.ID] = f.Files
			}
		}
		switch {
		case s.Refused != "":
			look.lines = append(look.lines, p.Say("%s: nothing was compared: %s", s.Name, s.Refused))
		case len(one.Steps) == 0:
			look.lines = append(look.lines, p.Say("%s: nothing was compared: %s", s.Name, strings.Join(append(without(s, steps[0], p), s.Notes...), "; ")))
		}
		all = append(all, one)
	}
	return all, look, nil
}

// without says why the code of a step is not there, of a submission that has none.
func without(s *class.Submission, step *course.Step, p lang.Printer) []string {
	if f := s.Whole([]string{step.Folder})[step.Folder]; f.Refused != nil {
		return []string{f.Refused.Reason.In(p)}
	}
	return []string{p.Say("it holds none of the steps")}
}

// compare compares submissions with each other and with what the kit holds.
func compare(kit *workspace.Kit, steps []*course.Step, all []likeness.Submission, threshold float64) (*likeness.Report, error) {
	given, err := likeness.Words(kit, registry.Steps())
	if err != nil {
		return nil, err
	}
	byID := map[string]*course.Step{}
	var ids []string
	for _, s := range steps {
		byID[s.ID], ids = s, append(ids, s.ID)
	}
	return likeness.Compare(all, ids, func(id string) (likeness.Kit, error) { return likeness.OfKit(kit, byID[id]) }, given, threshold)
}
