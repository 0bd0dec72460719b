package bpe

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// PreToken returns how many bytes the first pre-token of text has, 0 if text is empty.
// It is what GPT-2's pattern matches, whose alternatives are tried from left to right:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// \p{L} is a letter (unicode.IsLetter), \p{N} a number (unicode.IsNumber), \s a space
// (unicode.IsSpace). A byte that is part of no UTF-8 character counts as a character
// of its own, and is none of the three.
func PreToken(text []byte) int {
	if n := contraction(text); n > 0 {
		return n
	}
	// " ?\p{L}+" and the two below it: a space belongs to the run that follows.
	lead := 0
	if len(text) > 1 && text[0] == ' ' {
		lead = 1
	}
	if c, _ := classify(text[lead:]); c != space {
		n, _ := run(text[lead:], c)
		return lead + n
	}
	// "\s+(?!\S)": not the last space of a run, if text follows; it may belong to that.
	n, last := run(text, space)
	if n < len(text) && n > last {
		return n - last
	}
	return n // "\s+"
}

// contraction returns the length of the one that text begins with, or 0.
func contraction(text []byte) int {
	if len(text) == 0 || text[0] != '\'' {
		return 0
	}
	for _, c := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if bytes.HasPrefix(text, []byte(c)) {
			return len(c)
		}
	}
	return 0
}

// class is what the pattern knows of a character.
type class int

const (
	space class = iota
	letter
	number
	other
)

// classify returns the class of the first character of text and its size in bytes. The
// end of the text counts as a space of size 0.
func classify(text []byte) (class, int) {
	if len(text) == 0 {
		return space, 0
	}
	r, size := rune(text[0]), 1
	if r >= utf8.RuneSelf {
		r, size = utf8.DecodeRune(text) // (RuneError, 1) for a broken byte, which is none of the three
	}
	switch {
	case unicode.IsLetter(r):
		return letter, size
	case unicode.IsNumber(r):
		return number, size
	case unicode.IsSpace(r):
		return space, size
	}
	return other, size
}

// run returns how many bytes at the beginning of text belong to characters of a class, and
// how many of these bytes are the last such character's.
func run(text []byte, of class) (n, last int) {
	for n < len(text) {
		c, size := classify(text[n:])
		if c != of {
			break
		}
		n, last = n+size, size
	}
	return n, last
}
