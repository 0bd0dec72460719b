package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
)

// findStep resolves a step's name as course.Find does, and by the part of its
// folder's name behind the underscore: "init". A name that cannot be found is
// answered with the nearest one, of the steps and of what else may stand there.
func findStep(name string, others ...string) (*course.Step, error) {
	all, known := registry.Steps(), others
	found, err := course.Find(all, name)
	if err == nil {
		return found, nil
	}
	for _, s := range all {
		_, short, _ := strings.Cut(s.Folder, "_")
		if name == short {
			return s, nil
		}
		known = append(known, s.ID, s.Name, s.Folder, short)
	}
	return nil, lang.DidYouMean(err, name, known...)
}

// findPart is findStep for a part of a step as well: step11a.
func findPart(name string, others ...string) (*course.Step, error) {
	if found, err := course.FindPart(registry.Steps(), name); err == nil {
		return found, nil
	}
	return findStep(name, others...)
}

// commandNames are the names of the commands below one.
func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// subcommand runs a command that is nothing without one of those below it.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	known := commandNames(cmd)
	return lang.DidYouMean(lang.Errorf("there is no %s %s; want one of %s", cmd.CommandPath(), args[0], strings.Join(known, ", ")), args[0], known...)
}
