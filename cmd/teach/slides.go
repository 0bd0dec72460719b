package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/reference/newline"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/teach/slides"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newSlides() *cobra.Command {
	var out, which string
	cmd := &cobra.Command{
		Use: "slides --out DIR",
		Long: `Slides writes a deck for each lesson to DIR: Markdown that Marp, Slidev and reveal.js
show. What a lesson displays is on the slides, and what it says in the notes.`,
		Example: `  go run ./cmd/grade slides --out ../slides
  go run ./cmd/grade slides --steps 01-07 --out ../slides --lang zh`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return lang.Errorf("--out is missing: name a folder for the slides")
			}
			steps, err := command.StepRange(which)
			if err != nil {
				return err
			}
			return command.Failed(writeSlides(cmd, steps, out))
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "the folder `DIR` for the slides")
	f.StringVar(&which, "steps", "all", "which steps: 01-07, or 01,02,05, or a track such as core, or all")
	return cmd
}

// writeSlides writes a deck for each step to a folder, and says which.
func writeSlides(cmd *cobra.Command, steps []*course.Step, out string) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	p := command.Speaker(cmd)
	for _, s := range steps {
		folder := filepath.Join(kit.Root, "steps", s.Folder)
		page := p.Say("README.md") // in this language
		lesson, err := os.ReadFile(filepath.Join(folder, page))
		if err != nil {
			return err
		}
		root, err := filepath.Rel(out, folder)
		if err != nil {
			return err
		}
		name := filepath.Join(out, s.ID+strings.TrimPrefix(page, "README"))
		if err := whole.Write(name, slides.Of(newline.Unix(lesson), filepath.ToSlash(root))); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), name)
	}
	return nil
}
