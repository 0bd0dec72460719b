package report

import "github.com/stubformer/stubformer/grader/lang"

// Style decides how text for people is marked, and its language. Colour is never the only
// signal: every verdict is also a word.
type Style struct {
	Colour  bool
	Lang    lang.Printer
	Verbose bool // say everything at every check, even what was said at one before
}

// Good, Bad, Faint and Bold mark a text.
func (s Style) Good(text string) string  { return s.paint("32", text) }
func (s Style) Bad(text string) string   { return s.paint("31", text) }
func (s Style) Faint(text string) string { return s.paint("2", text) }
func (s Style) Bold(text string) string  { return s.paint("1", text) }

func (s Style) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
