package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/reference/newline"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress/times"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newTimes() *cobra.Command {
	write := false
	cmd := &cobra.Command{
		Use: "times FILE|DIR...",
		Long: `Times reads what students wrote with "grade history --times FILE", or folders of such
files, and prints for each step the hours that CURRICULUM.md estimates and those that
were measured: the median and the middle half of those who passed the step. What was
read before the first attempt, and pauses of more than half an hour, are not in them.

With --write the medians are put behind the estimates in CURRICULUM.md and its
translations.`,
		Example: `  go run ./cmd/grade times handed-over
  go run ./cmd/grade times handed-over --write`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return classTimes(cmd, args, write) },
	}
	cmd.Flags().BoolVar(&write, "write", false, "put the medians into CURRICULUM.md")
	return cmd
}

// classTimes prints a class's times, and writes them into the curriculum if asked.
func classTimes(cmd *cobra.Command, args []string, write bool) error {
	steps := registry.Steps()
	files, err := readTimes(args, steps)
	if err != nil {
		return command.Failed(err)
	}
	rows := times.Collect(steps, files)
	if len(rows) == 0 {
		return lang.Errorf("nobody in these files has passed a step; there is nothing to measure")
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	pages, err := filepath.Glob(filepath.Join(kit.Root, "CURRICULUM*.md"))
	if err != nil {
		return command.Failed(err)
	}
	if len(pages) == 0 {
		return command.Failed(lang.Errorf("there is no CURRICULUM.md in %s, which has the estimates", kit.Root))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return command.Failed(err)
		}
		measured, err := times.Measure(newline.Unix(string(text)), rows)
		if err == nil && write {
			err = whole.Write(page, []byte(measured))
		}
		if err != nil {
			return command.Failed(err)
		}
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), times.Table(rows))
	return err
}

// readTimes reads the files, and those in the folders.
func readTimes(paths []string, steps []*course.Step) ([]times.File, error) {
	var files []times.File
	for _, path := range paths {
		names := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if info.IsDir() {
			if names, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			f, err := times.Read(name, steps)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	return files, nil
}
