package bpe

import "github.com/stubformer/stubformer/reference/tensor"

// PreToken returns how many bytes the first pre-token of text has, 0 if text is empty.
// It is what GPT-2's pattern matches, whose alternatives are tried from left to right:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// \p{L} is a letter (unicode.IsLetter), \p{N} a number (unicode.IsNumber), \s a space
// (unicode.IsSpace). A byte that is part of no UTF-8 character counts as a character
// of its own, and is none of the three.
func PreToken(text []byte) int {
	panic(tensor.TODO("step14: PreToken"))
}
