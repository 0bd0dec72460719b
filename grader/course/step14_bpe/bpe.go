// Package bpe says how step 14 is checked; what its functions look like says
// fixtures/step14_bpe/functions.txt.
package bpe

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step14", Name: "bpe", Folder: "step14_bpe", Track: course.Text,
		Title:     "Byte-pair encoding: from text to tokens and back",
		Uses:      course.Join(course.Computing(), course.Vectors()),
		Functions: fixtures.Contract("step14_bpe"),
		Checks: []course.Check{
			{ID: "pretokens", Title: "texts in many scripts are cut as GPT-2's pattern cuts them", Points: 15, Run: agrees("pretokens", drawText)},
			{ID: "pretokens.fresh", Title: "the same for fresh random texts and for bytes that are no text", Points: 7, Run: fresh("pretokens", drawText, drawBytes)},
			{ID: "bpe.train", Title: "the same vocabulary and merges are learnt", Points: 15, Run: agrees("bpe.train", drawTraining)},
			{ID: "bpe.train.fresh", Title: "the same from fresh random texts", Points: 8, Run: fresh("bpe.train", drawTraining, drawTies, drawPrefixesTraining)},
			{ID: "bpe.train.incremental", Title: "a merge costs time for what it changes, not for the whole text", Points: 5, Run: learnsIncrementally, Timed: true},
			{ID: "bpe.encode", Title: "texts are encoded as they should be", Points: 12, Run: agrees("bpe.encode", drawEncoding)},
			{ID: "bpe.encode.fresh", Title: "the same with fresh vocabularies, whose ids are in any order", Points: 6, Run: course.All(fresh("bpe.encode", drawEncoding, drawDense, drawAlike, drawPrefixes), once("bpe.encode", drawLargeVocabulary))},
			{ID: "bpe.encode.long", Title: "a pre-token of a million bytes takes less than quadratic time, and a call costs its text, not the vocabulary", Points: 5, Timed: true,
				Run: course.All(callsCostTheirText("bpe.encode", "text", ofBytes("abc")), callsCostTheirText("bpe.decode", "ids", numbers()), decodesAppending(), encodesLong, manySpecial(), readsAnyPieces())},
			{ID: "bpe.encode_reader", Title: "a reader gives the same tokens, in whatever pieces it gives its bytes", Points: 8, Run: course.All(agrees("bpe.encode_reader", drawReading), once("bpe.encode_reader", drawPrefixesRead))},
			{ID: "bpe.encode_reader.stream", Title: "a long text passes through little memory, cut anywhere; errors come back", Points: 4, Run: course.All(littleMemory, manyPieces, wideSpaces, passesErrors, textBreaks())},
			{ID: "bpe.decode", Title: "decoding gives back every text, byte for byte", Points: 5,
				Run: course.All(agrees("bpe.decode", drawDecoding), fresh("bpe.roundtrip", drawRoundTrip))},
			{ID: "bpe.bad_input", Title: "vocabularies, merges and ids that cannot be are refused by name", Points: 4, Run: refusals()},
			{ID: "bpe.files", Title: "GPT-2's files are read and written; damaged ones are refused", Points: 4,
				Run: course.All(agrees("bpe.read", drawFiles), once("bpe.read", namedFiles), longLines, damagedFiles, writesFiles)},
			{ID: "bpe.files.errors", Title: "Read, Write and Train return the errors of their files", Points: 2, Run: filesBreak()},
		},
		Inside: []string{"bpe.train.incremental", "bpe.encode.long", "bpe.encode_reader.stream", "bpe.files.errors"},
		Hints:  hints(),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		{For: "pretokens", Text: "Decide by the first character, and by the second if the first is the space U+0020: is it a letter, a number, a space or something else? Then take all that follow of the same class."},
		{For: "pretokens", Text: "utf8.DecodeRune gives a character and its size; for a broken byte it gives utf8.RuneError and the size 1. unicode.IsLetter, unicode.IsNumber and unicode.IsSpace are \\p{L}, \\p{N} and \\s."},
		{For: "pretokens", Text: "\\s+(?!\\S) takes a run of spaces but for its last one, if a character that is no space follows; at the end of the text it takes all. A run of one space before text is left to \\s+."},
		{For: "pretokens", Text: "The contractions come first, in lower case only, and only where the pre-token begins with the apostrophe."},
		{For: "bpe.train.incremental", Text: "Keep for every pair its count and the set of words that hold it. After a merge, take the pairs of these words out of the counts, merge, and put them in again."},
		{For: "bpe.train.incremental", Text: "A heap gives the largest count. When a count changes, push the pair again; when you pop one whose count is no longer true, drop it."},
		{For: "bpe.train", Text: "Count each different pre-token once and remember how often it occurs. Every pair in it counts that often, at each place where it stands: aaa has the pair (a, a) twice."},
		{For: "bpe.train", Text: "Among pairs with the same count, compare the bytes of the left tokens, then of the right ones (bytes.Compare), and take the greatest. Ids and printed characters play no part."},
		{For: "bpe.train", Text: "A pair is replaced in every word from left to right: aaa becomes (aa, a). Special tokens are cut out of the text before anything is counted, and their ids come last."},
		{For: "bpe.encode_reader", Text: "A pre-token is certain only when you have seen enough behind it: a run may go on, a character may be cut in two, and the last space of a run depends on what follows. Eight bytes more than the pre-token are enough."},
		{For: "bpe.encode_reader", Text: "A special token may come in two pieces too: keep back one byte less than the longest has. A reader may give bytes and io.EOF at once, or nothing."},
		{For: "bpe.encode_reader.stream", Text: "If you remember the tokens of words that you have seen, forget them all when there are some thousands."},
		{For: "bpe.encode.long", Text: "Keep the tokens in a doubly linked list and the pairs that can merge in a heap, by rank and place. A merge changes two pairs only: with the left neighbour and with the right one."},
		{For: "bpe.encode", Text: "Cut out special tokens first, the longest of those that begin at a place. Then pre-tokens. Then merge inside each: of all neighbours the pair with the lowest rank, the leftmost of equals, until none is in the list."},
		{For: "bpe.encode", Text: "A pair that is in no merge has no rank. In Go a map gives 0 for it: ask for the second result."},
		{For: "bpe.decode", Text: "Append the bytes of each token. A character can lie in two tokens: anything that looks at one token as text destroys it."},
		{For: "bpe.bad_input", Text: "Check before you build: each of the 256 bytes, each token once, and for every merge that both sides are there already and that what it makes is a token."},
		{For: "bpe.files.errors", Text: "Return every error but io.EOF. A bufio.Scanner keeps its error for Err, a bufio.Writer for Flush."},
		{For: "bpe.files", Text: "Make a table of 256 characters once: a byte that prints is its own character, each other one is the next from 256 on. Read it backwards for the file."},
		{For: "bpe.files", Text: "Only the first line of the merges can be a version. \"# #\" is a pair."},
	}
}
