package report

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Format is a form in which a report can be written.
type Format struct {
	Name  string // as --format takes it: "junit"
	About string // for whom, in a few words
	write func(*Report, io.Writer, Setting) error
}

// Setting is what a report does not know by itself and some formats need.
type Setting struct {
	Style Style               // of the text format
	Env   func(string) string // the environment, os.Getenv; Classroom 50 names its submission there
	Now   time.Time           // when the report is written
	// Place returns the file, from the kit's root, and the line to look at after a check of a
	// step, for the formats of people; nil if they do not say it.
	Place func(step, check, message string) (file string, line int)
}

// Text is the name of the format that people read on a terminal.
const Text = "text"

// Formats returns all formats, in the order in which a person is told of them.
func Formats() []Format {
	return []Format{
		{Text, "for a terminal", (*Report).WriteText},
		{"editor", "for an editor: the text, and FILE:LINE of what did not pass", (*Report).WriteEditor},
		{"json", "everything, for programs", plainly((*Report).WriteJSON)},
		{"junit", "JUnit XML, for CI systems", plainly((*Report).WriteJUnit)},
		{"gradescope", "Gradescope's results.json", plainly((*Report).WriteGradescope)},
		{"prairielearn", "PrairieLearn's results.json", plainly((*Report).WritePrairieLearn)},
		{"classroom50", "Classroom 50's result.json", (*Report).WriteClassroom50},
		{"csv", "one row a check, for a spreadsheet", plainly((*Report).WriteCSV)},
		{"markdown", "for an issue or a page", plainly((*Report).WriteMarkdown)},
	}
}

// plainly adapts a format that needs nothing but the report.
func plainly(write func(*Report, io.Writer) error) func(*Report, io.Writer, Setting) error {
	return func(r *Report, w io.Writer, _ Setting) error { return write(r, w) }
}

// FormatNamed returns the format of that name; "terminal" is the text format,
// too. Its error lists the names.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name || f.Name == Text && name == "terminal" {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("--format is %q; want %s", name, strings.Join(names, ", "))
}

// Write writes the report in this format.
func (f Format) Write(r *Report, w io.Writer, s Setting) error { return f.write(r, w, s) }
