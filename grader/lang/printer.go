package lang

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
)

// catalogues holds a folder for each language that is not English.
//
//go:embed zh/*.json
var catalogues embed.FS

// Printer says things in one language, laid out for the width of a terminal. The
// zero Printer speaks English, to no terminal.
type Printer struct {
	name      string            // "" is English
	catalogue map[string]string // what each English text is in this language
	columns   int               // of the terminal; 0: there is none
}

// Names are the languages as --lang takes them.
func Names() []string { return []string{"en", "zh"} }

// For returns the printer of a language by its name.
func For(name string) (Printer, error) {
	switch name {
	case "en":
		return Printer{}, nil
	case "zh":
		return read(name)
	}
	return Printer{}, Errorf("there is no language %q; want en or zh", name)
}

// Name is the name of the language.
func (p Printer) Name() string { return cmp.Or(p.name, "en") }

// Locale returns the language that the environment asks for: that of the first
// of LC_ALL, LC_MESSAGES and LANG which is set, if it is known; else en.
func Locale(getenv func(string) string) string {
	for _, variable := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(variable); value != "" {
			if strings.HasPrefix(strings.ToLower(value), "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}

// read reads a language's catalogue.
func read(name string) (Printer, error) {
	files, err := catalogues.ReadDir(name)
	if err != nil {
		return Printer{}, err
	}
	p := Printer{name: name, catalogue: map[string]string{}}
	for _, f := range files {
		text, err := catalogues.ReadFile(path.Join(name, f.Name()))
		if err != nil {
			return Printer{}, err
		}
		if err := json.Unmarshal(text, &p.catalogue); err != nil {
			return Printer{}, fmt.Errorf("the catalogue %s/%s cannot be read: %w", name, f.Name(), err)
		}
	}
	return p, nil
}

// Say formats in the language of p. Arguments that are Sayers are said in it too.
func (p Printer) Say(format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // lets go vet check the arguments
	}
	return p.say(format, args)
}

// Within returns the printer for a terminal of so many columns; 0 for none.
func (p Printer) Within(columns int) Printer {
	p.columns = columns
	return p
}

// Columns is the width that tables are laid out for: 80 where there is no terminal.
func (p Printer) Columns() int {
	if p.columns == 0 {
		return 80
	}
	return p.columns
}

// Room is how many columns are left on a line of the terminal; elsewhere a line has
// no end.
func (p Printer) Room(used int) int {
	if p.columns == 0 {
		return math.MaxInt
	}
	return max(0, p.columns-used)
}

// Measure is the width of prose: that of p, or what is still pleasant to read.
func (p Printer) Measure() int { return min(p.Columns(), 100) }

// Fill lays prose out for the terminal, in lines that leave a margin; see Fill.
// Elsewhere, lines are as long as they are.
func (p Printer) Fill(text string, margin int) string {
	if p.columns == 0 {
		return text
	}
	return Fill(text, p.Measure()-margin)
}

// Tell is Say to a writer, filled. Like fmt.Fprintf it is used
// where errors are looked after by the writer.
func (p Printer) Tell(w io.Writer, format string, args ...any) {
	if false {
		_ = fmt.Sprintf(format, args...)
	}
	fmt.Fprint(w, p.Fill(p.say(format, args), 0))
}

// Row writes a line of a table, which may take the whole width; see Fill.
func (p Printer) Row(w io.Writer, line string) {
	if p.columns > 0 {
		line = Fill(line, p.columns)
	}
	fmt.Fprintln(w, line)
}

// Error says an error in the language of p, as far as it can be said in it.
// Errors that are joined stand below one another.
func (p Printer) Error(err error) string {
	switch e := err.(type) {
	case Sayer:
		return e.In(p)
	case interface{ Unwrap() []error }:
		var english, lines []string
		for _, one := range e.Unwrap() {
			english, lines = append(english, one.Error()), append(lines, p.Error(one))
		}
		if err.Error() == strings.Join(english, "\n") { // of errors.Join, not of fmt.Errorf
			return strings.Join(lines, "\n")
		}
	}
	return err.Error()
}

func (p Printer) say(format string, args []any) string {
	if translated, ok := p.catalogue[format]; ok {
		format = translated
	}
	if len(args) == 0 {
		return format
	}
	said := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case Sayer:
			said[i] = a.In(p)
		case error:
			said[i] = p.Error(a)
		default:
			said[i] = a
		}
	}
	return fmt.Sprintf(strings.ReplaceAll(format, "%w", "%v"), said...)
}
