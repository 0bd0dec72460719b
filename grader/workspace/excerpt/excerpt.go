// Package excerpt shows a line of source code among its neighbours.
package excerpt

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

const (
	around  = 2  // lines before and behind
	columns = 63 // of source code, at most
	tab     = "    "
)

// Of returns a line of a source file, counted from 1, with two lines before it and
// two behind:
//
//	  40 | 	for i := range dst {
//	> 41 | 		dst[i] = x[i+1]
//	     | 		         ^
//	  42 | 	}
//
// The caret stands below a column, counted from 1 in bytes, as compilers do; with
// column 0 there is none. Of is empty if the file has no such line.
func Of(source []byte, line, column int) string {
	lines := bytes.Split(bytes.TrimSuffix(source, []byte("\n")), []byte("\n"))
	if line < 1 || line > len(lines) {
		return ""
	}
	first, last := max(line-around, 1), min(line+around, len(lines))
	margin := len(strconv.Itoa(last))
	var b strings.Builder
	write := func(mark string, number, text string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%s %*s | %s", mark, margin, number, text), " ") + "\n")
	}
	for n := first; n <= last; n++ {
		text := string(lines[n-1])
		if n != line {
			write(" ", strconv.Itoa(n), cut(show(text), 0))
			continue
		}
		before := show(text[:min(max(column-1, 0), len(text))])
		start := max(0, lang.Width(before)-columns*2/3) // of what is shown of a line that is too long
		write(">", strconv.Itoa(n), cut(show(text), start))
		if column > 0 {
			write(" ", "", strings.Repeat(" ", lang.Width(before)-start)+"^")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// show makes a line of somebody's source fit to be shown.
func show(text string) string {
	text = strings.TrimSuffix(text, "\r")
	return strings.ReplaceAll(untrusted.Clean(strings.ReplaceAll(text, "\t", tab)), "\n", " ")
}

// cut returns the columns of a line from start on, as many as are shown.
func cut(text string, start int) string {
	var b strings.Builder
	at := 0
	for _, r := range text {
		switch {
		case at >= start+columns:
			return b.String() + "…"
		case at == start && start > 0:
			b.WriteRune('…')
		case at >= start:
			b.WriteRune(r)
		}
		at += lang.Width(string(r))
	}
	return b.String()
}
