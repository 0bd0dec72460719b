package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/stubformer/stubformer/cmd/author/mutate"
	"github.com/stubformer/stubformer/cmd/author/rules"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// storeOf is the file that holds what is known about the mistakes of a step.
func storeOf(kit *workspace.Kit, folder string) string {
	return filepath.Join(kit.Root, "fixtures", folder, "mistakes.json")
}

// storeWords stores what is said about the mistakes of some steps, and leaves
// their answers as they are.
func storeWords(kit *workspace.Kit, steps []*course.Step) error {
	for _, s := range steps {
		mistakes, err := mistake.Load(kit.Root, s.Folder)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(storeOf(kit, s.Folder))
		if err != nil {
			return err
		}
		old, err := diagnose.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w; grade dev mutate %s --store makes it anew", storeOf(kit, s.Folder), err, s.ID)
		}
		if err := whole.Write(storeOf(kit, s.Folder), mutate.Reword(old, mistakes).Format()); err != nil {
			return err
		}
	}
	return nil
}

// storeRules stores the mistakes that are made from the formulas of some steps.
func storeRules(steps []*course.Step, kit *workspace.Kit) error {
	set, err := fixtures.Load()
	if err != nil {
		return err
	}
	for _, s := range steps {
		known, err := diagnose.Load(fixtures.Mistakes, s.Folder)
		if err != nil {
			return err
		}
		made, err := rules.Store(s.FunctionNames(), set, known.Answers)
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		if len(made.Rules) == 0 {
			continue
		}
		if err := whole.Write(filepath.Join(kit.Root, "fixtures", s.Folder, "rules.json"), made.Format()); err != nil {
			return err
		}
	}
	return nil
}

// showMistake prints a mistake of one of the steps: what is said about it, and
// what every version changes in the solution.
func showMistake(w io.Writer, kit *workspace.Kit, steps []*course.Step, id string) error {
	solutions, err := mistake.Solutions(kit.Root)
	if err != nil {
		return err
	}
	id, _, _ = strings.Cut(id, "/")
	found := false
	for _, s := range steps {
		mistakes, err := mistake.Load(kit.Root, s.Folder)
		if err != nil {
			return err
		}
		for _, m := range mistakes {
			if m.ID != id {
				continue
			}
			found = true
			fmt.Fprintf(w, "%s, %s: %s\nWhy: %s\nHint: %s\n", s.ID, m.ID, m.Title, m.Why, m.Hint)
			if m.Invisible != "" {
				fmt.Fprintf(w, "Invisible: %s\n", m.Invisible)
			}
			if err := showVersions(w, m, solutions); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("no mistake of these steps is called %s; grade dev mutate lists them, and grader/course/*/mistakes holds them", id)
	}
	return nil
}

func showVersions(w io.Writer, m mistake.Mistake, solutions map[string][]byte) error {
	for _, v := range m.Versions {
		changed, err := v.Apply(solutions)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(changed)) {
			fmt.Fprintf(w, "\n%s", diff.Diff("solutions/"+name, solutions[name], v.ID, changed[name]))
		}
	}
	return nil
}
