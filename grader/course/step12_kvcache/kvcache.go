// Package kvcache says how step 12 is checked; what its functions look like says
// fixtures/step12_kvcache/functions.txt.
package kvcache

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step12", Name: "kvcache", Folder: "step12_kvcache", Track: course.Inference,
		Title:     "The KV cache",
		Needs:     []string{"step06", "step08", "step09", "step10"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step12_kvcache"),
		Checks: []course.Check{
			{ID: "kvcache.mask", Title: "new tokens see all that came before, themselves, and of each other those before them", Points: 6, Run: course.All(
				course.Agrees("kvcache.mask"),
				course.AgreesOn("kvcache.mask", mask(0, 0), mask(0, 1), mask(0, 4), mask(5, 0), mask(7, 1), mask(3, 3), mask(2, 5), mask(6, 4)),
				course.AgreesFresh("kvcache.mask", drawMask), course.Beyond("kvcache.mask", func(*rand.Rand) wire.Values { return mask(1090, 3) }))},
			{ID: "kvcache.forward", Title: "a text that is read in pieces has the logits of the text at once", Points: 15, Run: course.Agrees("kvcache.forward")},
			{ID: "kvcache.forward.fresh", Title: "so has one on fresh random models", Points: 5, Run: course.AgreesFresh("kvcache.forward", drawText)},
			{ID: "kvcache.forward.splits", Title: "however the text is cut, at every position", Points: 10, Run: course.All(everySplit, overflow)},
			{ID: "kvcache.rows", Title: "rows of a batch have lengths of their own", Points: 12, Run: course.Agrees("kvcache.rows")},
			{ID: "kvcache.rows.fresh", Title: "rows of other lengths on fresh random models", Points: 5, Run: course.All(
				course.AgreesFresh("kvcache.rows", drawRows), course.AgreesFresh("kvcache.rows", drawSilent), course.Beyond("kvcache.rows", drawWide, drawMany, drawLong))},
			{ID: "kvcache.last", Title: "the logits of the last token of each row, on request", Points: 8, Run: course.All(
				course.Agrees("kvcache.last"), course.AgreesFresh("kvcache.last", drawRows), course.AgreesFresh("kvcache.last", drawSilent))},
			{ID: "kvcache.truncate", Title: "a row that is cut goes on as if it had never been longer", Points: 8, Run: course.All(
				course.Agrees("kvcache.truncate"), course.AgreesFresh("kvcache.truncate", drawTruncate), course.All(refusedCuts()...))},
			{ID: "kvcache.pair", Title: "two caches of one model, and the model itself, do not disturb each other", Points: 7, Run: course.All(
				course.Agrees("kvcache.pair"), course.AgreesFresh("kvcache.pair", drawPair))},
			{ID: "kvcache.once", Title: "what was read is not read again", Points: 5, Run: course.All(
				course.Agrees("kvcache.once"), course.AgreesFresh("kvcache.once", drawOnce))},
			{ID: "kvcache.work", Title: "a new token costs one token's multiplications, and the head works for the last tokens only", Points: 4, Run: workDone()},
			{ID: "kvcache.time", Title: "behind a long text a few tokens take a small part of its time, however much room there is", Points: 4, Run: course.All(paceKept, roomIsFree()), Timed: true},
			{ID: "kvcache.memory", Title: "keys and values lie in buffers of a fixed size, nothing is copied to append to them, and nothing else stays", Points: 4, Run: course.All(
				course.Agrees("kvcache.bytes"), course.AgreesFresh("kvcache.bytes", drawBytes), course.AgreesOn("kvcache.bytes", size(1, 1), size(3, 9)), nothingCopied(), weightsStay(), nothingStays(), course.AtOnce(course.Drawing{Function: "kvcache.rows", Draw: drawRows}), course.All(refusedSizes()...))},
			{ID: "kvcache.flops", Title: "the work with and without a cache is counted right", Points: 3, Run: course.All(
				course.Agrees("kvcache.flops"), course.AgreesFresh("kvcache.flops", drawFLOPs))},
			{ID: "kvcache.refused", Title: "what there is no room for, unknown ids and batches of another size are errors, and everything is as before", Points: 4,
				Run: course.All(append(refusedTokens(), afterRefusals)...)},
		},
		Inside: []string{"kvcache.work", "kvcache.time", "kvcache.memory"},
		Hints:  hints(),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		{For: "kvcache.mask", Text: "Query i stands at position past+i. It sees the keys 0 to past+i: all that came before the call, and i+1 of the new ones."},
		{For: "kvcache.forward", Text: "A Cache has one buffer of keys and one of values for every block, and for each row how many tokens it has read. A call appends the new tokens' keys and values to the buffers of each block and attends to all that is there."},
		{For: "kvcache.forward", Text: "The positions of a call are p, p+1, …, p being what the row has read before. Hand them to RoPE. A key is turned once, then stored; what is stored is never turned again."},
		{For: "kvcache.forward", Text: "Append before you attend: a token sees itself. For head h the keys are rows 0 to p+n of its (T_max, K), which lie one after another, so that a Slice of the buffer will do. Only when all blocks are through, add n to the length: every block writes at the same p."},
		{For: "kvcache.forward.splits", Text: "One token may be read with no mask at all, several need the mask of kvcache.Mask. Compare the first position at which the logits differ with the place of a cut: at the cut it is the position or the mask, one later it is what was stored."},
		{For: "kvcache.rows", Text: "Each row has a length of its own: its own positions, its own place to write to and its own number of keys to look at. Linear, RMSNorm and SwiGLU treat every token by itself, so all new tokens of all rows can lie one after another in one (N, D); only attention goes row by row."},
		{For: "kvcache.last", Text: "Pick the last activation of each row before the final norm and the head: both treat every token by itself."},
		{For: "kvcache.truncate", Text: "Nothing has to be erased. Set the length: what lies behind it is never looked at, and the next tokens are written over it."},
		{For: "kvcache.pair", Text: "What a call leaves in the layers of the model belongs to nobody. Keys, values and lengths belong to the Cache, one of each for every block; none of them lies in a variable of the package or in a slice that two caches share."},
		{For: "kvcache.once", Text: "Feeding the whole text again gives the right logits too, at the old price. Embed the new tokens only."},
		{For: "kvcache.work", Text: "Count with the formulas of FLOPs: n new tokens go through every Linear once, their queries meet p+n keys. If a call costs as much as the whole text, the old tokens went through the layers again. If only the first call is too expensive, the head worked for the whole prompt."},
		{For: "kvcache.time", Text: "Beside the products, see to what grows with the text: a new token meets the keys and values of all that came before once in each layer, and nothing else of them is computed, turned or copied again."},
		{For: "kvcache.memory", Text: "New allocates 2·L tensors of shape (B, H, T_max, K). A call writes into them. append, or a new tensor that is one token longer, copies everything for every token."},
		{For: "kvcache.flops", Text: "lm.ForwardFLOPs has the parts. With a cache n tokens are multiplied by the weights and their queries by past+n keys; without, past+n tokens are, by past+n keys."},
		{For: "kvcache.refused", Text: "Check the number of rows, the room of each row and every id before anything is written. Embedding.Forward returns an error for an unknown id before it changes anything; the lengths change at the very end."},
	}
}

// mask is a call of kvcache.mask.
func mask(past, n int) wire.Values {
	return wire.Values{"past": wire.Int(past), "n": wire.Int(n)}
}
