package quiz

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/reference/newline"
)

//go:embed banks/*.md
var banks embed.FS

// Kind says what a question asks for.
type Kind string

const (
	Derivation Kind = "derivation"
	Numbers    Kind = "numbers"
	Break      Kind = "break" // what would break if
	Oral       Kind = "oral"  // a card for an oral examination
	Explain    Kind = "explain"
	Own        Kind = "own" // about somebody's own code, and in no bank
)

var kinds = []Kind{Derivation, Numbers, Break, Oral, Explain}

// Question is one of a bank, with its placeholders.
type Question struct {
	Step    string // "step05"
	Number  int    // in its bank, from 1; 0 if it is in none
	Title   string
	Kind    Kind
	Points  int
	Numbers string // the name of what draws its numbers; "" if it has none
	Text    string
	Rubric  []Criterion
	Answer  string
	place   string // of its heading: "step05_swiglu.md:3"
}

// Criterion is a line of a rubric. Points is 0 for a common wrong answer.
type Criterion struct {
	Points int
	Text   string
}

// Load reads all banks, by the names of the steps' folders.
func Load() (map[string][]Question, error) {
	files, err := banks.ReadDir("banks")
	if err != nil {
		return nil, err
	}
	all := map[string][]Question{}
	for _, file := range files {
		data, err := banks.ReadFile(path.Join("banks", file.Name()))
		if err != nil {
			return nil, err
		}
		questions, err := parse(file.Name(), string(data))
		if err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(file.Name(), ".md")] = questions
	}
	return all, nil
}

// reader goes through a bank line by line.
type reader struct {
	file  string
	lines []string
	at    int // the line to be read next, from 0
}

// errorf is an error about the line that was read last.
func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.file, r.at, fmt.Sprintf(format, args...))
}

// until returns the lines before the first for which stop is true, and that line,
// which is read too; ok is false where the file ends before.
func (r *reader) until(stop func(string) bool) (before []string, line string, ok bool) {
	for r.at < len(r.lines) {
		line = strings.TrimRight(r.lines[r.at], " ")
		r.at++
		if stop(line) {
			return before, line, true
		}
		before = append(before, line)
	}
	return before, "", false
}

func isHeading(line string) bool { return strings.HasPrefix(line, "## ") }

// parse reads a bank. Errors begin with the file and the line.
func parse(file, text string) ([]Question, error) {
	r := &reader{file: file, lines: strings.Split(strings.TrimSpace(newline.Unix(text)), "\n")}
	step, _, _ := strings.Cut(strings.TrimSuffix(file, ".md"), "_")
	_, heading, more := r.until(isHeading)
	var questions []Question
	for more {
		q := Question{Step: step, place: fmt.Sprintf("%s:%d", file, r.at)}
		var err error
		if heading, more, err = q.read(r, heading); err != nil {
			return nil, err
		}
		if q.Number != len(questions)+1 {
			return nil, fmt.Errorf("%s: question %d stands where question %d is wanted", q.place, q.Number, len(questions)+1)
		}
		questions = append(questions, q)
	}
	if len(questions) == 0 {
		return nil, fmt.Errorf("%s:1: no question; one begins with a line such as ## 1. Title", file)
	}
	return questions, nil
}

// read reads a question behind its heading, and returns the heading of the next one.
func (q *Question) read(r *reader, heading string) (next string, more bool, err error) {
	number, title, ok := strings.Cut(strings.TrimPrefix(heading, "## "), ". ")
	if q.Number, err = strconv.Atoi(number); err != nil || !ok || title == "" {
		return "", false, r.errorf("%q; want a heading such as ## 1. Title", heading)
	}
	q.Title = title
	if err := q.readHead(r); err != nil {
		return "", false, err
	}
	text, err := q.section(r, "Rubric:")
	if err != nil {
		return "", false, err
	}
	first := r.at
	rubric, err := q.section(r, "Answer:")
	if err == nil {
		err = q.readRubric(&reader{r.file, slices.Concat(r.lines[:first], rubric), first})
	}
	if err != nil {
		return "", false, err
	}
	answer, next, more := r.until(isHeading)
	q.Text, q.Answer = joined(text), joined(answer)
	if q.Text == "" || q.Answer == "" {
		return "", false, fmt.Errorf("%s: question %d has no text or no answer", q.place, q.Number)
	}
	return next, more, nil
}

// section returns the lines up to the one with a name.
func (q *Question) section(r *reader, name string) ([]string, error) {
	lines, found, _ := r.until(func(line string) bool { return line == name || isHeading(line) })
	if found != name {
		return nil, fmt.Errorf("%s: question %d has no line %q", q.place, q.Number, name)
	}
	return lines, nil
}

func joined(lines []string) string { return strings.TrimSpace(strings.Join(lines, "\n")) }

// readHead reads the lines "Key: value" up to the first empty one.
func (q *Question) readHead(r *reader) error {
	for r.at < len(r.lines) && r.lines[r.at] != "" {
		key, value, _ := strings.Cut(r.lines[r.at], ": ")
		r.at++
		switch key {
		case "Kind":
			if q.Kind = Kind(value); !slices.Contains(kinds, q.Kind) {
				return r.errorf("Kind is %q; want one of %v", value, kinds)
			}
		case "Points":
			var err error
			if q.Points, err = strconv.Atoi(value); err != nil || q.Points < 1 {
				return r.errorf("Points is %q; want a whole number of at least 1", value)
			}
		case "Numbers":
			if q.Numbers = value; draws()[value] == nil {
				return r.errorf("nothing draws the numbers %q; see draws", value)
			}
		default:
			return r.errorf("%q; want Kind, Points or Numbers, and an empty line before the text", r.lines[r.at-1])
		}
	}
	switch {
	case q.Kind == "" || q.Points == 0:
		return fmt.Errorf("%s: question %d has no Kind or no Points", q.place, q.Number)
	case q.Kind == Numbers && q.Numbers == "":
		return fmt.Errorf("%s: question %d is by numbers and does not say who draws them", q.place, q.Number)
	}
	return nil
}

// readRubric reads items such as "- 2: the gate" and "- Wrong: …".
func (q *Question) readRubric(r *reader) error {
	total := 0
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		r.at++
		worth, text, found := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		points, err := strconv.Atoi(worth)
		switch {
		case line == "":
		case strings.HasPrefix(line, "  ") && len(q.Rubric) > 0:
			q.Rubric[len(q.Rubric)-1].Text += " " + strings.TrimSpace(line)
		case found && strings.HasPrefix(line, "- ") && (worth == "Wrong" || err == nil && points > 0):
			q.Rubric = append(q.Rubric, Criterion{points, text})
			total += points
		default:
			return r.errorf("%q; want an item such as - 2: what earns two points, or - Wrong: a common wrong answer", line)
		}
	}
	if total != q.Points {
		return fmt.Errorf("%s: the rubric of question %d gives %d points; the question has %d", q.place, q.Number, total, q.Points)
	}
	return nil
}
