package release

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	markdown "github.com/yuin/goldmark/text"
)

// pruner marks the lines of a Markdown text that are to go.
type pruner struct {
	source  []byte
	there   func(path string) bool
	absent  func(code string) bool // whether code, or a command, speaks of what is not there
	cut     map[int]bool           // lines, counted from 0
	numbers map[int]int            // of the items of ordered lists, by their lines
}

// prune takes out of a Markdown text what speaks of a path that is not there: it
// links to it, or it is a list item or a row of a table that begins with the path
// in code; and what names, in code, a command that is absent.
func prune(source []byte, there, absent func(string) bool) []byte {
	p := pruner{source, there, absent, map[int]bool{}, map[int]int{}}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(markdown.NewReader(source))
	p.visit(doc)
	p.emptySections(doc)
	p.renumber(doc)
	return p.rest()
}

// visit marks a node, or those inside it, that speak of what is not there.
func (p *pruner) visit(n ast.Node) {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, table.KindTableRow:
		if p.linksToMissing(n) || p.namesAbsent(n) || n.Kind() == table.KindTableRow && p.aboutMissing(n.FirstChild()) {
			p.drop(n)
		}
		return
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		if p.absent(string(n.Lines().Value(p.source))) {
			p.drop(n)
		}
		return
	case ast.KindListItem:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if c.Kind() != ast.KindList && (p.linksToMissing(c) || p.namesAbsent(c)) || c == n.FirstChild() && p.aboutMissing(c) {
				p.drop(n)
				return
			}
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.visit(c)
	}
	if n.Kind() == table.KindTable && n.ChildCount() > 1 && p.gone(n.FirstChild().NextSibling(), n.LastChild()) {
		p.drop(n) // nothing but its head is left
	}
}

// linksToMissing reports whether a link inside a node leads to what is not there.
func (p *pruner) linksToMissing(n ast.Node) (missing bool) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			missing = missing || p.missing(n.Destination)
		case *ast.Image:
			missing = missing || p.missing(n.Destination)
		}
		return ast.WalkContinue, nil
	})
	return missing
}

// namesAbsent reports whether code inside a node speaks of what is not there.
func (p *pruner) namesAbsent(n ast.Node) (absent bool) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindCodeSpan && entering {
			absent = absent || p.absent(p.code(n))
		}
		return ast.WalkContinue, nil
	})
	return absent
}

// aboutMissing reports whether a block begins with a path, in code, that is not there.
func (p *pruner) aboutMissing(block ast.Node) bool {
	if block == nil || block.FirstChild() == nil || block.FirstChild().Kind() != ast.KindCodeSpan {
		return false
	}
	return p.missing([]byte(p.code(block.FirstChild())))
}

// code is what stands in a span of code.
func (p *pruner) code(span ast.Node) string {
	var code []byte
	for c := span.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			code = append(code, t.Segment.Value(p.source)...)
		}
	}
	return string(code)
}

// missing reports whether a link leads to a file that is not there.
func (p *pruner) missing(link []byte) bool {
	file, _, _ := strings.Cut(string(link), "#")
	return file != "" && !strings.Contains(file, "://") && !p.there(path.Clean(file))
}

// emptySections marks headings that are followed by nothing, or by one of their
// own level or above.
func (p *pruner) emptySections(doc ast.Node) {
	const deepest = 7
	next := 0 // level of what follows
	for n := doc.LastChild(); n != nil; n = n.PreviousSibling() {
		level := deepest
		if h, ok := n.(*ast.Heading); ok {
			level = h.Level
		}
		switch {
		case p.gone(n, n):
		case level < deepest && next <= level:
			p.drop(n)
		default:
			next = level
		}
	}
}

// number is the one that an item of an ordered list begins with.
var number = regexp.MustCompile(`^(\s*)\d+`)

// renumber counts the items that are left of a list anew.
func (p *pruner) renumber(doc ast.Node) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		list, ok := n.(*ast.List)
		if !ok || !entering || !list.IsOrdered() {
			return ast.WalkContinue, nil
		}
		next := list.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			if first, _ := p.lines(item); first < len(p.source) && !p.cut[first] {
				p.numbers[first] = next
				next++
			}
		}
		return ast.WalkContinue, nil
	})
}

// drop marks the lines of a node.
func (p *pruner) drop(n ast.Node) {
	first, last := p.lines(n)
	for i := first; i <= last; i++ {
		p.cut[i] = true
	}
}

// gone reports whether all lines from a node to another are marked, empty ones
// aside.
func (p *pruner) gone(from, to ast.Node) bool {
	first, _ := p.lines(from)
	_, last := p.lines(to)
	all := bytes.Split(p.source, []byte("\n"))
	for i := first; i <= last; i++ {
		if !p.cut[i] && len(bytes.TrimSpace(all[i])) > 0 {
			return false
		}
	}
	return first <= last
}

// lines returns the first and the last line of a node; of one that has none, such
// as a rule, the last lies before the first.
func (p *pruner) lines(n ast.Node) (first, last int) {
	first, last = len(p.source), -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeInline || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		fence := 0 // lines that the parser does not count
		if n.Kind() == ast.KindFencedCodeBlock {
			fence = 1
		}
		all := n.Lines()
		first = min(first, p.line(all.At(0).Start)-fence)
		last = max(last, p.line(max(all.At(0).Start, all.At(all.Len()-1).Stop-1))+fence)
		return ast.WalkContinue, nil
	})
	return first, last
}

// line returns the number of the line at an offset.
func (p *pruner) line(offset int) int { return bytes.Count(p.source[:offset], []byte("\n")) }

// rest returns the text without the marked lines, and without the empty lines
// behind them where one stands before.
func (p *pruner) rest() []byte {
	if len(p.cut) == 0 {
		return p.source
	}
	var out [][]byte
	after := false // a marked line
	for i, line := range bytes.SplitAfter(p.source, []byte("\n")) {
		empty := len(bytes.TrimSpace(line)) == 0
		switch {
		case p.cut[i]:
			after = true
		case empty && after && (len(out) == 0 || len(bytes.TrimSpace(out[len(out)-1])) == 0):
		default:
			if n, ok := p.numbers[i]; ok {
				line = number.ReplaceAll(line, fmt.Appendf(nil, "${1}%d", n))
			}
			out, after = append(out, line), false
		}
	}
	text := bytes.TrimRight(bytes.Join(out, nil), "\n")
	if len(text) == 0 {
		return nil
	}
	return append(text, '\n')
}
