package bpe

import (
	"io"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Read reads a tokenizer from the two files in which GPT-2's was published.
//
// vocab is a JSON object: from every token to its id. A token is written with one
// printable character for each of its bytes: the bytes 33 to 126, 161 to 172 and 174 to
// 255 as the characters of these numbers, the other 68, in their order, as the characters
// 256 to 323. A special token stands there as it is.
//
// merges has a pair of tokens, written so, in each line with one space between them, in
// the order of their ranks. The first line may say a version instead: it begins with
// "#version". Empty lines are passed over. Every other line is a pair, "# #" as well.
//
// Read returns an error that names the token or the number of the line (from 1)
//
//   - if the ids are not 0, 1, … without gaps,
//   - if a character stands for no byte, or a special token is not in vocab,
//   - if a line is not two tokens of vocab, and
//   - if New refuses what was read.
//
// An error of a reader is returned, too: only io.EOF is the end.
func Read(vocab, merges io.Reader, special ...string) (*Tokenizer, error) {
	panic(tensor.TODO("step14: Read"))
}

// Write writes the two files that Read reads. If a special token is not UTF-8, or is
// written like another token, it returns an error and writes nothing. An error of a
// writer is returned.
func (t *Tokenizer) Write(vocab, merges io.Writer) error {
	panic(tensor.TODO("step14: Tokenizer.Write"))
}
