package bpe

import (
	"unicode"
	"unicode/utf8"
)

// char is a character of a text, or a byte that is part of none.
type char struct {
	r    rune // −1 for such a byte
	size int
}

func (c char) letter() bool { return c.r >= 0 && unicode.Is(unicode.L, c.r) }
func (c char) number() bool { return c.r >= 0 && unicode.Is(unicode.N, c.r) }
func (c char) space() bool  { return c.r >= 0 && unicode.Is(unicode.White_Space, c.r) }
func (c char) other() bool  { return !c.letter() && !c.number() && !c.space() }

func chars(text []byte) []char {
	var all []char
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			r = -1
		}
		all = append(all, char{r, size})
		text = text[size:]
	}
	return all
}

// PreTokens cuts a text by GPT-2's pattern, whose alternatives are tried in their
// order:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func PreTokens(text []byte) [][]byte {
	alternatives := []func([]char) int{
		literal("'s"), literal("'t"), literal("'re"), literal("'ve"), literal("'m"), literal("'ll"), literal("'d"),
		spaced(char.letter), spaced(char.number), spaced(char.other),
		beforeNoText, func(c []char) int { return run(c, char.space) },
	}
	var all [][]byte
	for rest := chars(text); len(rest) > 0; {
		n := 0
		for i := 0; n == 0; i++ {
			n = alternatives[i](rest)
		}
		size := 0
		for _, c := range rest[:n] {
			size += c.size
		}
		all, text, rest = append(all, text[:size]), text[size:], rest[n:]
	}
	return all
}

// literal matches these characters.
func literal(s string) func([]char) int {
	return func(c []char) int {
		for i, r := range s {
			if i >= len(c) || c[i].r != r {
				return 0
			}
		}
		return len(s)
	}
}

// run returns how many characters from the first one are of a class.
func run(c []char, class func(char) bool) int {
	n := 0
	for n < len(c) && class(c[n]) {
		n++
	}
	return n
}

// spaced matches characters of a class, with or without a space before them.
func spaced(class func(char) bool) func([]char) int {
	return func(c []char) int {
		if c[0].r == ' ' {
			if n := run(c[1:], class); n > 0 {
				return 1 + n
			}
		}
		return run(c, class)
	}
}

// beforeNoText matches as many spaces as there can be without text right behind them.
func beforeNoText(c []char) int {
	for n := run(c, char.space); n > 0; n-- {
		if n == len(c) || c[n].space() {
			return n
		}
	}
	return 0
}
