package bpe

import (
	"regexp"
	"unicode/utf8"
)

// pattern is GPT-2's but for the two alternatives of spaces, of which one looks ahead:
// Go's regular expressions do not, and their \s is ASCII's.
var pattern = regexp.MustCompile(`^(?:'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\t-\r\x{85}\p{Z}\p{L}\p{N}]+|([\t-\r\x{85}\p{Z}]+))`)

// PreToken returns how many bytes the first pre-token of text has, 0 if text is empty.
// It is what GPT-2's pattern matches, whose alternatives are tried from left to right:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// \p{L} is a letter (unicode.IsLetter), \p{N} a number (unicode.IsNumber), \s a space
// (unicode.IsSpace). A byte that is part of no UTF-8 character counts as a character
// of its own, and is none of the three.
func PreToken(text []byte) int {
	found := pattern.FindSubmatchIndex(text)
	if found == nil {
		return 0
	}
	n := found[1]
	if found[2] < 0 || n == len(text) {
		return n
	}
	if _, last := utf8.DecodeLastRune(text[:n]); last < n {
		return n - last // the last space belongs to the text that follows
	}
	return n
}
