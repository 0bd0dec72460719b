// Package slides makes a deck of a lesson: Markdown with a rule between slides, which
// Marp, Slidev and reveal.js show. What is displayed in the lesson (formulas, tables,
// figures, code, the numbered steps of a derivation) is on the slides; what is said there
// stands in the presenter's notes below them.
package slides

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

const (
	rows  = 15  // of a slide, at most, unless one display alone has more
	short = 120 // characters of a sentence that a slide has room for
)

// Of returns the deck of a lesson. Links and pictures stay relative to root, the way from
// the deck's folder to the lesson's.
func Of(lesson []byte, root string) []byte {
	d := deck{source: lesson}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(lesson))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		d.block(n)
	}
	return []byte(strings.ReplaceAll(d.markdown(), "](../../", "]("+root+"/../../"))
}

// slide is what one screen shows, and what is said to it.
type slide struct {
	title       string
	body, notes []string
}

// height is how many rows a slide's body takes.
func (s *slide) height() int {
	n := 0
	for _, b := range s.body {
		for line := range strings.Lines(b) {
			n += 1 + utf8.RuneCountInString(line)/80
		}
		n++
	}
	return n
}

// deck is being made of a lesson.
type deck struct {
	source  []byte
	slides  []*slide
	section string // the heading that the next slides stand below
	answer  bool   // what follows answers a question, and is not for the screen

	announced string // the sentence that says what the next display is
}

// block puts a block of the lesson where it belongs.
func (d *deck) block(n ast.Node) {
	raw := d.raw(n)
	switch n := n.(type) {
	case *ast.Heading:
		d.heading(n.Level, strings.TrimLeft(raw, "# "))
	case *ast.HTMLBlock:
		d.fold(raw)
	case *ast.List:
		d.list(n)
	case *ast.Paragraph:
		d.paragraph(raw, n.NextSibling())
	default: // code, a table: a display
		d.display(raw)
	}
}

// heading begins a slide: the lesson's title has one of its own.
func (d *deck) heading(level int, title string) {
	switch level {
	case 1:
		d.section = title
	case 2:
		d.section = title
	default:
		title = d.section + ": " + title
	}
	d.slides = append(d.slides, &slide{title: title})
}

// last returns the slide that is being filled, or another with its title if it is full.
func (d *deck) last(more string) *slide {
	if len(d.slides) == 0 {
		d.slides = append(d.slides, &slide{})
	}
	s := d.slides[len(d.slides)-1]
	if len(s.body) > 0 && s.height()+strings.Count(more, "\n")+1 > rows {
		s = &slide{title: s.title}
		d.slides = append(d.slides, s)
	}
	return s
}

func (d *deck) display(raw string) {
	if d.answer {
		d.note(raw)
		return
	}
	if utf8.RuneCountInString(d.announced) > 0 && utf8.RuneCountInString(d.announced) <= short {
		raw = d.announced + "\n\n" + raw
	}
	d.announced = ""
	s := d.last(raw)
	s.body = append(s.body, raw)
}

// note adds to what is said to the slide that was filled last.
func (d *deck) note(raw string) {
	if len(d.slides) == 0 {
		d.slides = append(d.slides, &slide{})
	}
	s := d.slides[len(d.slides)-1]
	s.notes = append(s.notes, raw)
}

// paragraph is said; a slide shows a picture, its first words if they are bold, the
// sentence that announces a display, or else the first one.
func (d *deck) paragraph(raw string, next ast.Node) {
	switch {
	case strings.HasPrefix(raw, "[") && strings.HasSuffix(raw, ")") && !strings.Contains(raw, " "):
		return // to the lesson in another language
	case strings.HasPrefix(raw, "!["):
		d.display(raw)
		return
	case d.answer:
		d.note(raw)
		return
	}
	all := sentences(raw)
	switch {
	case len(d.slides) == 1: // the letters, on the title's slide
		d.display(raw)
		return
	case announces(next):
		d.announced = all[len(all)-1]
		if lead := bold(raw); lead != "" {
			d.announced = "**" + lead + "**"
		}
	case bold(raw) != "":
		d.display("- **" + bold(raw) + "**")
	case strings.HasSuffix(raw, ":") || strings.HasSuffix(raw, "："):
		d.display(all[len(all)-1])
	case utf8.RuneCountInString(all[0]) <= short:
		d.display("- " + all[0])
	}
	d.note(raw)
}

// bold returns the words with which a text begins, if they are bold.
func bold(text string) string {
	if rest, found := strings.CutPrefix(text, "**"); found {
		lead, _, _ := strings.Cut(rest, "**")
		return lead
	}
	return ""
}

// sentence matches what ends a sentence, in English and in Chinese.
var sentence = regexp.MustCompile(`[.?!] |[。？！]`)

// sentences cuts a paragraph.
func sentences(text string) []string {
	var all []string
	for {
		end := sentence.FindStringIndex(text)
		if end == nil || end[1] == len(text) {
			return append(all, text)
		}
		all, text = append(all, strings.TrimSpace(text[:end[1]])), text[end[1]:]
	}
}

// announces reports whether what follows a paragraph is a display.
func announces(next ast.Node) bool {
	switch next.(type) {
	case nil, *ast.Paragraph, *ast.Heading, *ast.HTMLBlock, *ast.List:
		return false
	}
	return true
}

// list shows what is numbered, item by item, and of other items the words in bold at their
// beginning, or the first sentence.
func (d *deck) list(l *ast.List) {
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		raw := d.raw(item)
		switch {
		case d.answer:
			d.note(raw)
		case l.IsOrdered():
			d.display(fmt.Sprintf("%d. %s", number, raw))
			number++
		case bold(raw) != "":
			d.display("- **" + bold(raw) + "**")
			d.note(raw)
		default:
			d.display("- " + sentences(raw)[0])
			d.note(raw)
		}
	}
}

// fold shows the question of a folded answer, on a slide of its own.
func (d *deck) fold(raw string) {
	if _, rest, found := strings.Cut(raw, "<summary>"); found {
		question, _, _ := strings.Cut(rest, "</summary>")
		d.slides = append(d.slides, &slide{title: d.section, body: []string{question}})
		d.answer = true
	}
	if strings.Contains(raw, "</details>") {
		d.answer = false
	}
}

// raw returns a block as it is written, without the marks of a heading or an item.
func (d *deck) raw(n ast.Node) string {
	if code, ok := n.(*ast.FencedCodeBlock); ok {
		return "```" + string(code.Language(d.source)) + "\n" + string(code.Lines().Value(d.source)) + "```"
	}
	from, to := -1, 0
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // its only error would be ours
		if entering && c.Type() == ast.TypeBlock && c.Lines() != nil {
			for i := range c.Lines().Len() {
				segment := c.Lines().At(i)
				if from < 0 {
					from = segment.Start
				}
				to = max(to, segment.Stop)
			}
		}
		return ast.WalkContinue, nil
	})
	if from < 0 {
		return ""
	}
	switch n := n.(type) {
	case *ast.HTMLBlock:
		if n.HasClosure() {
			to = max(to, n.ClosureLine.Stop)
		}
	case *table.Table: // its cells know nothing of the bars around them
		from = bytes.LastIndexByte(d.source[:from], '\n') + 1
		if end := bytes.IndexByte(d.source[to:], '\n'); end >= 0 {
			to += end
		}
	}
	return strings.TrimSpace(string(d.source[from:to]))
}

// markdown writes the deck, without headings below which there is nothing.
func (d *deck) markdown() string {
	var all []*slide
	for _, s := range d.slides {
		if len(s.body)+len(s.notes) > 0 {
			all = append(all, s)
		}
	}
	var b strings.Builder
	b.WriteString("---\nmarp: true\npaginate: true\n---\n\n")
	for i, s := range all {
		if i > 0 {
			b.WriteString("---\n\n")
		}
		mark := "##"
		if i == 0 {
			mark = "#"
		}
		fmt.Fprintf(&b, "%s %s\n\n", mark, s.title)
		for _, text := range s.body {
			b.WriteString(text + "\n\n")
		}
		if len(s.notes) > 0 {
			fmt.Fprintf(&b, "<!--\n%s\n-->\n\n", strings.ReplaceAll(strings.Join(s.notes, "\n\n"), "--", "–"))
		}
	}
	return b.String()
}
