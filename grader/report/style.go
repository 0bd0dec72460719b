package report

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Style decides how text for people is marked, and its language. Colour is never the only
// signal: every verdict is also a word.
type Style struct {
	Colour  bool
	Signs   bool // ✓ and ✗ in front of words
	Lang    lang.Printer
	Verbose bool // say everything at every check, even what was said at one before
}

// Sign returns the sign of a verdict with a space behind it, or "" where there
// are no signs.
func (s Style) Sign(k verdict.Kind) string {
	if !s.Signs {
		return ""
	}
	return k.Sign() + " "
}

// Good, Bad, Faint and Bold mark a text.
func (s Style) Good(text string) string  { return s.paint("32", text) }
func (s Style) Bad(text string) string   { return s.paint("31", text) }
func (s Style) Warn(text string) string  { return s.paint("33", text) }
func (s Style) Faint(text string) string { return s.paint("2", text) }
func (s Style) Bold(text string) string  { return s.paint("1", text) }

func (s Style) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
