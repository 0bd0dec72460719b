package steps

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
)

func newDescribe() *verb {
	var format string
	set := flags()
	set.StringVar(&format, "format", "text", "text or json")
	return &verb{
		use:   "describe STEP",
		least: 1, most: 1, options: set,
		run: func(c *call, args []string) error {
			step, err := command.FindPart(args[0])
			if err != nil {
				return err
			}
			switch format {
			case "text":
				describeText(command.Out(c), command.Speaker(c), step)
				return nil
			case "json":
				return describeJSON(command.Out(c), step)
			}
			return lang.Errorf("--format is %q; want text or json", format)
		},
	}
}

// describeNotes is what holds for every function.
const describeNotes = `A shape lists dimensions by letter; … is any number of leading dimensions, and
…1 is any number of others.
Dimensions of size 0, empty batches among them, are valid input.
Bad input is turned down: a wrong shape with status shape_error and a message
that names the sizes, an id, position or target outside its range with status
error and a message that names the value, its place as [b][t], and the limit.
Gradients are added to the …_before arguments. Sums are to be accurate: squares
of numbers up to 1e25 must not overflow.
`

func describeText(w io.Writer, p lang.Printer, step *course.Step) {
	p.Row(w, fmt.Sprintf("%s (%s): %s\n", step.ID, step.Name, step.Title))
	p.Tell(w, "%s", lang.Join(describeNotes))
	for _, f := range step.Functions {
		p.Row(w, fmt.Sprintf("\n%s\n  %s", f.Name, f.Formula))
		for _, a := range f.In {
			describeArg(w, p, "in ", a)
		}
		for _, a := range f.Out {
			describeArg(w, p, "out", a)
		}
	}
	fmt.Fprint(w, "\nChecks\n")
	id := 0
	for _, c := range step.Checks {
		id = max(id, len(c.ID))
	}
	for _, c := range step.Checks {
		p.Row(w, fmt.Sprintf("  %3d  %-*s  %s", c.Points, id, c.ID, c.Title))
	}
}

func describeArg(w io.Writer, p lang.Printer, direction string, a fixtures.Arg) {
	line := fmt.Sprintf("  %s  %-20s %-4s  %-14s  %s", direction, a.Name, a.DType, shapeText(a), aboutText(a))
	p.Row(w, strings.TrimRight(line, " "))
}

// aboutText says what an array holds, and what its integers are codes of.
func aboutText(a fixtures.Arg) string {
	switch {
	case a.Code == "":
		return a.About
	case a.About == "":
		return "codes of " + a.Code
	}
	return "codes of " + a.Code + ": " + a.About
}

func shapeText(a fixtures.Arg) string {
	if a.Shape == "" {
		return "scalar"
	}
	return fixtures.Sizes{}.Describe(a.Shape)
}

func describeJSON(w io.Writer, step *course.Step) error {
	type arg struct {
		Name  string `json:"name"`
		DType string `json:"dtype"`
		Shape string `json:"shape"`
		About string `json:"about,omitempty"`
	}
	type function struct {
		Name    string `json:"name"`
		Formula string `json:"formula"`
		In      []arg  `json:"in"`
		Out     []arg  `json:"out"`
	}
	list := func(args []fixtures.Arg) []arg {
		out := make([]arg, len(args))
		for i, a := range args {
			out[i] = arg{a.Name, string(a.DType), a.Shape, aboutText(a)}
		}
		return out
	}
	doc := struct {
		ID        string     `json:"id"`
		Name      string     `json:"name"`
		Functions []function `json:"functions"`
	}{ID: step.ID, Name: step.Name}
	for _, f := range step.Functions {
		doc.Functions = append(doc.Functions, function{f.Name, f.Formula, list(f.In), list(f.Out)})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}
