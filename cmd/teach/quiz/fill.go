package quiz

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var placeholder = regexp.MustCompile(`\{\{(.*?)\}\}`)

// fill puts values in the places of their names.
func fill(text string, values map[string]string) (string, error) {
	var filled []string
	for line := range strings.SplitSeq(text, "\n") {
		line, err := fillLine(line, values)
		if err != nil {
			return "", err
		}
		filled = append(filled, line)
	}
	return strings.Join(filled, "\n"), nil
}

// fillLine fills one line, which takes as many as the tallest value in it.
func fillLine(line string, values map[string]string) (string, error) {
	var box []string
	from := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(line, -1) {
		value, err := lookUp(line[m[2]:m[3]], values)
		if err != nil {
			return "", err
		}
		box = beside(beside(box, []string{line[from:m[0]]}), strings.Split(value, "\n"))
		from = m[1]
	}
	box = beside(box, []string{line[from:]})
	for i := range box {
		box[i] = strings.TrimRight(box[i], " ")
	}
	return strings.Join(box, "\n"), nil
}

// lookUp returns the value of "x", of "(x)" or of "+x".
func lookUp(name string, values map[string]string) (string, error) {
	bare := strings.Trim(name, "()+")
	value, ok := values[bare]
	size, negative := strings.CutPrefix(value, "−")
	switch {
	case !ok:
		return "", fmt.Errorf("nothing is drawn for the placeholder {{%s}}", name)
	case name == "("+bare+")" && negative:
		return "(" + value + ")", nil
	case name == "+"+bare && negative:
		return "− " + size, nil
	case name == "+"+bare:
		return "+ " + value, nil
	}
	return value, nil
}

// beside puts two boxes of lines side by side, their first lines at one height.
func beside(left, right []string) []string {
	width, height := 0, max(len(left), len(right))
	for _, line := range left {
		width = max(width, utf8.RuneCountInString(line))
	}
	box := make([]string, height)
	for i := range box {
		if i < len(left) {
			box[i] = left[i]
		}
		if i < len(right) && right[i] != "" {
			box[i] += strings.Repeat(" ", width-utf8.RuneCountInString(box[i])) + right[i]
		}
	}
	return box
}

// number writes x with at most four decimals, and commas from 10,000 on.
func number(x float64) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', 4, 64)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	whole, _, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && len(whole) > 4; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	if x < 0 && text != "0" {
		return "−" + text
	}
	return text
}

// row writes (1, −2).
func row(x []float64) string {
	parts := make([]string, len(x))
	for i, v := range x {
		parts[i] = number(v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// matrix writes a line for each row, its columns one below the other.
func matrix(x [][]float64) string {
	lines := make([]string, len(x))
	for j := range x[0] {
		width := 0
		for i := range x {
			width = max(width, utf8.RuneCountInString(number(x[i][j])))
		}
		for i := range x {
			entry := number(x[i][j])
			lines[i] += strings.Repeat(" ", width-utf8.RuneCountInString(entry)) + entry + "  "
		}
	}
	for i := range lines {
		lines[i] = "( " + strings.TrimSuffix(lines[i], "  ") + " )"
	}
	return strings.Join(lines, "\n")
}
