package engine

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
)

// fold breaks the Chinese prose of a Markdown text into lines of at most width
// columns: the renderer breaks lines at spaces only, and Chinese has few. What
// stands in a fence, a table or a heading is left as it is. It tells whether it
// has broken any.
func fold(markdown string, width int) (folded string, broken bool) {
	var out []string
	fenced := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\r\n")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		if fence || fenced || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || !strings.ContainsFunc(line, lang.Wide) {
			out = append(out, line)
			continue
		}
		lead := leader.FindString(line)
		hang := lead // of a quotation; below an item there are spaces
		if !strings.Contains(lead, ">") {
			hang = strings.Repeat(" ", len(lead))
		}
		for i, part := range foldLine(line[len(lead):], max(2, width-len(lead))) {
			if i > 0 {
				lead, broken = hang, true
			}
			out = append(out, lead+part)
		}
	}
	return strings.Join(out, "\n"), broken
}

// leader matches what stands in front of the text of a line: the sign of an
// item, the sign of a quotation, spaces. opener matches what would begin a block
// of its own if it stood there.
var (
	leader = regexp.MustCompile(`^\s*(?:(?:[-*+]|\d+[.)])\s+|(?:>\s?)+)?`)
	opener = regexp.MustCompile(`^(?:[-+*#=>]|\d+[.)]\s)`)
)

// foldLine breaks a line at the last place that fits.
func foldLine(text string, width int) []string {
	var lines []string
	used, end := 0, 0 // columns so far; where the line may end, 0: nowhere yet
	before := rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if i > 0 && !opener.MatchString(text[i:]) && mayBreak(before, r) {
			end = i
		}
		used += lang.Width(string(r))
		if used > width && end > 0 && r != ' ' {
			lines = append(lines, strings.TrimRight(text[:end], " "))
			text, i, used, end, before = text[end:], 0, 0, 0, 0
			continue
		}
		before, i = r, i+size
	}
	return append(lines, text)
}

// mayBreak tells whether a line may end between two characters: behind a space
// or a Chinese mark of punctuation, and beside a Chinese character unless that
// would part it from its punctuation or from the marks of Markdown.
func mayBreak(before, after rune) bool {
	const marks = "*_`~[]()!\\"
	switch {
	case after == ' ' || strings.ContainsRune(lang.Closing, after) || strings.ContainsRune(lang.Opening, before):
		return false
	case before == ' ' || lang.Wide(before) && strings.ContainsRune(lang.Closing, before):
		return true
	}
	return (lang.Wide(before) || lang.Wide(after)) && !strings.ContainsRune(marks, before) && !strings.ContainsRune(marks, after)
}
