package steps

import (
	"bytes"
	"io"
	"os"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/place"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/workspace"
)

// githubSummary is the markdown format, added to the page of a GitHub Actions
// run instead of printed.
const githubSummary = "github-summary"

// forPeople reports whether the report is to be read on the terminal.
func (o *gradeOptions) forPeople() bool { return o.format == report.Text || o.format == "terminal" }

// formatNames lists the formats for the help.
func formatNames() string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ") + " or " + githubSummary
}

// checkFormat looks at --format and what it needs before anything is graded.
func checkFormat(o *gradeOptions) error {
	if o.format == githubSummary {
		if o.out == "" && os.Getenv("GITHUB_STEP_SUMMARY") == "" {
			return lang.Errorf("--format %s adds to the file that GITHUB_STEP_SUMMARY names, and it names none: GitHub sets it in a step of a workflow; elsewhere use --format markdown", githubSummary)
		}
		return nil
	}
	if _, err := report.FormatNamed(o.format); err != nil {
		return lang.Errorf("--format is %q; want %s", o.format, formatNames())
	}
	return nil
}

// write writes the report to the terminal, or whole or not at all to a file.
func write(c *call, o gradeOptions, kit *workspace.Kit, r *report.Report) error {
	name := o.format
	if name == githubSummary {
		name = "markdown"
	}
	format, err := report.FormatNamed(name)
	if err != nil {
		return err
	}
	setting := report.Setting{Env: os.Getenv, Now: time.Now(), Style: report.Style{Lang: command.Speaker(c), Verbose: o.verbose}, Place: o.place(kit)}
	if o.out == "" && o.format != githubSummary {
		setting.Style = command.StyleFor(command.Out(c), o.plain, command.Speaker(c))
		setting.Style.Verbose = o.verbose
		return format.Write(r, command.Out(c), setting)
	}
	var b bytes.Buffer
	if err := format.Write(r, &b, setting); err != nil {
		return err
	}
	if o.out == "" {
		return appendFile(os.Getenv("GITHUB_STEP_SUMMARY"), &b)
	}
	return whole.Write(o.out, b.Bytes())
}

// place finds the line to look at after a check of a step. Of what was handed in, and of
// another program, only what a message names is known.
func (o *gradeOptions) place(kit *workspace.Kit) func(step, check, message string) (string, int) {
	of := map[string]string{"mine": "steps", "solutions": "solutions"}[o.impl]
	if o.dir != "" || o.probe != "" {
		return place.Said(kit, of, registry.Steps())
	}
	return place.In(kit, of, registry.Steps())
}

// appendFile adds to a file: earlier commands of a workflow's step may have
// written to it.
func appendFile(name string, text io.Reader) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
