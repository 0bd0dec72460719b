package engine

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/stubformer/stubformer/grader/lang"
)

// fold breaks the Chinese prose of a Markdown text into lines of at most width
// columns: the renderer breaks lines at spaces only, and Chinese has few. It
// reports whether it has broken any.
func fold(markdown string, width int) (folded string, broken bool) {
	source := []byte(markdown)
	var out strings.Builder
	done := 0 // of the source
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		prose := []ast.NodeKind{ast.KindParagraph, ast.KindTextBlock, ast.KindHTMLBlock} // HTML: questions that unfold
		if !entering || !slices.Contains(prose, n.Kind()) {
			return ast.WalkContinue, nil
		}
		for _, segment := range n.Lines().Sliced(0, n.Lines().Len()) {
			line := strings.TrimRight(string(segment.Value(source)), "\r\n")
			if !strings.ContainsFunc(line, lang.Wide) {
				continue
			}
			lead := string(source[bytes.LastIndexByte(source[:segment.Start], '\n')+1 : segment.Start])
			lines := foldLine(line, max(2, width-len(lead)))
			out.Write(source[done:segment.Start])
			out.WriteString(strings.Join(lines, "\n"+hang(lead)))
			done, broken = segment.Start+len(line), broken || len(lines) > 1
		}
		return ast.WalkContinue, nil
	})
	out.Write(source[done:])
	return out.String(), broken
}

// hang returns what stands in front of a line that goes on: the signs of
// quotations, and spaces below those of items.
func hang(lead string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' {
			return r
		}
		return ' '
	}, lead)
}

// opener matches what would begin a block of its own at the beginning of a line.
var opener = regexp.MustCompile(`^(?:[-+*#=>]|\d+[.)]\s)`)

// foldLine breaks a line at the last place that fits.
func foldLine(text string, width int) []string {
	lines, used := []string{""}, 0
	for _, unit := range units(text) {
		last := &lines[len(lines)-1]
		if *last != "" && used+lang.Width(strings.TrimRight(unit, " ")) > width {
			*last = strings.TrimRight(*last, " ")
			lines, used = append(lines, ""), 0
			last = &lines[len(lines)-1]
		}
		*last += unit
		used += lang.Width(unit)
	}
	return lines
}

// units cuts a line of Markdown where it may be broken.
func units(text string) []string {
	var all []string
	for _, piece := range lang.Pieces(text) {
		if last := len(all) - 1; last >= 0 && !mayBreak(all[last], piece) {
			all[last] += piece
		} else {
			all = append(all, piece)
		}
	}
	return all
}

// mayBreak reports whether a line may end between two pieces of Markdown: not
// where the next line would begin a block, and not beside a mark of emphasis,
// code or a link, which belongs to its words.
func mayBreak(before, after string) bool {
	const marks = "*_`~[]()!\\"
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	if opener.MatchString(after) {
		return false
	}
	return last == ' ' || !strings.ContainsRune(marks, last) && !strings.ContainsRune(marks, first)
}
