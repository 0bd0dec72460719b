// Package untrusted makes text from a submission fit to be shown: what a program
// printed or panicked with, what a compiler says of it, the names of files.
//
// Such text is cleaned and cut once, where a failure is made of it. From there
// on it may go to a terminal, a page, JSON or a platform as it is.
package untrusted

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long text from a submission may be, in bytes.
const (
	// MaxMessage is the longest message of one check, and of a step as a whole.
	MaxMessage = 8 << 10
	// MaxDetail is the longest stack trace or excerpt of prints in a message.
	MaxDetail = 6 << 10
	// MaxArg is the longest piece of text inside a sentence.
	MaxArg = 2 << 10
	// MaxName is the longest name of something.
	MaxName = 200
)

// maxList is how many elements of a list a sentence may hold.
const maxList = 64

// maxStack is how many marks without a width of their own may follow each other:
// more than any script needs on one letter.
const maxStack = 8

// Text cleans a text of several lines and cuts it to a number of bytes, to
// which a line is added that says so.
func Text(text string, limit int) string {
	whole := len(text)
	text = Clean(head(text, 4*limit)) // cleaning can shorten a text, but seldom so much
	if len(text) <= limit && whole <= 4*limit {
		return text
	}
	text = head(text, limit)
	return fmt.Sprintf("%s\n… (%d more bytes)", text, whole-min(len(text), whole))
}

// Line cleans a text of one line and cuts it to a number of bytes.
func Line(text string, limit int) string {
	text = strings.Join(strings.Fields(Clean(head(text, 4*limit))), " ")
	if len(text) <= limit {
		return text
	}
	return head(text, limit) + "…"
}

// Arg makes an argument of a sentence fit to be shown: a text or an error is
// cleaned and cut, a long list is cut. Anything else is what it was.
func Arg(arg any) any {
	switch v := arg.(type) {
	case string:
		return Text(v, MaxArg)
	case error:
		return Text(v.Error(), MaxArg)
	}
	v := reflect.ValueOf(arg)
	if v.Kind() == reflect.String {
		return Text(v.String(), MaxArg)
	}
	if v.Kind() == reflect.Slice && v.Len() > maxList {
		shown := fmt.Sprint(v.Slice(0, maxList).Interface())
		return fmt.Sprintf("%s … %d more]", Text(strings.TrimSuffix(shown, "]"), MaxArg), v.Len()-maxList)
	}
	return arg
}

// head returns the first bytes of a text, up to the end of a character.
func head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// sequence matches what a terminal takes for an order, as ECMA-48 has it: a control sequence;
// a string of commands, which ends with ST, CAN or SUB, that for the title and the clipboard
// with BEL too, or not at all; any other escape.
var sequence = regexp.MustCompile(`\x1b(?:\[[ -?]*[@-~]?|` +
	`\][^\x07\x18\x1a\x1b]*(?:[\x07\x18\x1a]|\x1b\\)?|` +
	`[PX^_][^\x18\x1a\x1b]*(?:[\x18\x1a]|\x1b\\)?|` +
	`[ -/]*[0-~]?)`)

// Clean removes terminal sequences from a text and puts U+FFFD for what could
// still deceive a reader or break a file: control characters, those that turn
// the direction of writing or have no width, and broken UTF-8. Line ends become
// "\n". Letters, signs and emoji of all scripts are kept.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	text = sequence.ReplaceAllString(text, "")
	var before rune
	stack := 0
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me) || joins(r) {
			stack++
		} else {
			stack = 0
		}
		last := before
		before = r
		switch {
		case r == '\n' || r == '\t':
			return r
		case stack > maxStack, joins(r) && !carries(last, r), unicode.IsControl(r), !joins(r) && hidden(r):
			before = 0
			return utf8.RuneError
		}
		return r
	}, text)
}

// joins reports whether a character that is not seen itself has its place
// within an emoji or a word: joiners, and selectors of a variant.
func joins(r rune) bool {
	return r == 0x200c || r == 0x200d || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

// carries reports whether a joiner or selector may follow a character.
func carries(r, joiner rune) bool {
	const emoji, join = 0xfe0f, 0x200d
	if joins(r) {
		return r == emoji && joiner == join
	}
	return r > 0x7f || joiner == emoji && strings.ContainsRune("0123456789#*", r)
}

// hidden reports whether a character is not seen, or turns the direction of
// writing.
func hidden(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0xfffe, 0xffff:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co) && !joins(r)
}
