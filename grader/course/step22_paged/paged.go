// Package paged says how step 22 is checked; what its functions look like says
// fixtures/step22_paged/functions.txt.
package paged

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step22", Name: "paged", Folder: "step22_paged", Track: course.Inference,
		Title:     "Pages and speculation",
		Needs:     []string{"step06", "step07", "step08", "step10"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step22_paged"),
		Checks:    checks(),
		Inside:    []string{"pages.cost", "paged.cost", "spec.cost"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	const pages, texts, greedy = "pages.script", "paged.forward", "spec.greedy"
	return []course.Check{
		{ID: "pages.attend", Title: "attention over pages is that over keys side by side, and a fork is not disturbed", Points: 13, Run: course.Agrees(pages, "y")},
		{ID: "pages.count", Title: "pages are taken, shared, copied and given back as they should be, and an append takes all it needs or nothing", Points: 11,
			Run: course.All(course.Agrees(pages, "free", "length"), course.AgreesFresh(pages, drawTight, "free", "length"))},
		{ID: "pages.fresh", Title: "any order of appends, forks and cuts, with enough pages and with too few", Points: 8, Run: course.All(
			course.AgreesFresh(pages, drawRoomy), course.AgreesFresh(pages, drawTight), course.AgreesForEach(kinds()...), inPieces,
			course.Beyond(pages, wideHeads, manyTexts, moreForks, longText, largePages, farBelow))},
		{ID: "pages.cost", Title: "a fork copies no keys, all memory lies in the pool, and texts that come and go leave nothing behind", Points: 4, Run: course.All(
			course.Agrees("pages.bytes"), course.AgreesFresh("pages.bytes", drawBytes), nothingCopied(), pagesAreThere(), nothingStays())},
		{ID: "pages.refused", Title: "sizes, layers, tokens and cuts that do not fit are refused", Points: 4, Run: course.All(refusedScripts()...)},

		{ID: texts, Title: "texts that read together through one pool have the logits of each text at once", Points: 11, Run: course.Agrees(texts)},
		{ID: "paged.forward.fresh", Title: "on fresh random models, with prompts that are shared and without", Points: 5, Run: course.All(
			course.AgreesFresh(texts, drawTexts), course.AgreesForEach(course.Drawing{Function: texts, Draw: drawAlone}, course.Drawing{Function: texts, Draw: drawFitting}),
			course.Beyond(texts, drawMany, drawWide))},
		{ID: "paged.cost", Title: "a new token goes through every layer once, and a call costs what is read, not what there is room for", Points: 4, Run: course.All(
			readWork(), readStays(), roomIsFree(), course.AtOnce(course.Drawing{Function: texts, Draw: drawFitting}))},
		{ID: "paged.refused", Title: "too few pages, unknown ids, a full context, and texts of others are errors, and everything is as before", Points: 5,
			Run: course.All(append(refusedTexts(), afterRefusals)...)},

		{ID: "spec.residual", Title: "what is left of p where q has taken its part", Points: 5, Run: course.All(
			course.Agrees("spec.residual"), course.AgreesForEach(residuals()...), course.All(refusedRows()...))},
		{ID: "spec.verify", Title: "where p is certain, right tokens stand, the first wrong one is replaced, and the rest falls", Points: 6, Run: course.All(
			course.Agrees("spec.verify"), course.AgreesFresh("spec.verify", drawVerify), course.All(refusedTokens()...))},
		{ID: "spec.draws", Title: "every token that stands is distributed as the large model says, however bad the draft is, and as many stand as can", Points: 8, Run: course.All(drawsFollow, laterFollow, againFollow)},
		{ID: greedy, Title: "at temperature 0 the text is the large model's own, and as much of the draft is taken as is right", Points: 8, Run: course.All(
			course.Agrees(greedy), course.AgreesFresh(greedy, drawGreedy), course.AgreesForEach(greedies()...))},
		{ID: "spec.sampled", Title: "at other temperatures it is distributed as the large model's own", Points: 4, Run: pairsFollow},
		{ID: "spec.refused", Title: "what cannot be continued is an error, and all pages are given back", Points: 3, Run: course.All(refusedSpeculations()...)},
		{ID: "spec.cost", Title: "both models read every token once, and not the whole text in every round", Points: 1, Run: course.All(speculationWork(), speculationStays())},
	}
}

func hints() []course.Hint {
	return []course.Hint{
		{For: "pages.attend", Text: "The keys of page pages[i] are those of the positions i·S to i·S + S − 1. Fill the scores (n, Len) block by block, one product for each page of the table, then take the softmax of the whole row, then add up P·v page by page."},
		{For: "pages.attend", Text: "The last page is seen up to Len, not to its end. Of n queries the i-th stands at Len − n + i: what comes behind it is −Inf."},
		{For: "pages.attend", Text: "Position p lies in page pages[p/S], at place p mod S. Write finds each of the last n tokens like that: they may begin in the middle of one page and end in the middle of another."},
		{For: "pages.count", Text: "How many texts hold each page is a number for each page of the pool, not for each text. Fork adds one to every page of the table; who lets go of a page subtracts one, and at 0 it is free."},
		{For: "pages.count", Text: "Append takes a copy of the last page if it has room (Len mod S is not 0) and more than one text holds it. Then it lets go of the old one: the last who writes to it needs no copy."},
		{For: "pages.count", Text: "Count before you take: ⌈(Len + n)/S⌉ − ⌈Len/S⌉ pages, and one for a copy. If that is more than are free, return the error at once."},
		{For: "pages.fresh", Text: "An append of no token takes and copies nothing. A cut gives back the pages behind ⌈n/S⌉, and shortens the table: what is left of it behind the end is read by the next append."},
		{For: "pages.cost", Text: "NewPool allocates 2·L tensors (P, H, S, K), and nothing else holds keys. A fork copies the table and counts."},
		{For: "pages.refused", Text: "tensor.CheckShape for k, v and q; n may be no more than Len. A ShapeError for shapes and sizes, an IndexError for a layer and for Truncate."},
		{For: "paged.forward", Text: "As in step 12 the new tokens of all texts lie one after another in one (N, D): Linear, RMSNorm and SwiGLU treat every token by itself. Only RoPE, Write and Attend go text by text."},
		{For: "paged.forward", Text: "Append once for all layers, before the first of them; the positions are then Len − n to Len − 1."},
		{For: "paged.forward.fresh", Text: "Behind a shared prompt a text's positions go on: its length is that of all its tokens, not of its own pages."},
		{For: "paged.cost", Text: "RoPE's tables are made in New. A call makes nothing of the size of the pool."},
		{For: "paged.refused", Text: "Look at all texts before you change one. How many pages they need together is not always the sum of what each needs alone: of two that share their last page only the first copies it."},
		{For: "spec.residual", Text: "max(0, p − q), divided by its sum. If the sum is 0, p and q are equal, and it is p."},
		{For: "spec.verify", Text: "Keep token x if u < p[x]/q[x] for a u from 0 to 1, which is better written u·q[x] < p[x]. At the first that is not kept, draw from the residual of that place and stop."},
		{For: "spec.draws", Text: "Of the rules that give the distribution of p this one keeps the most, Σ min(p, q) of all drafted tokens. To draw from p and compare keeps Σ p·q."},
		{For: "spec.draws", Text: "Three things make it exact: the quotient p/q, not its inverse, with q the distribution that was drawn from; the residual, not p, for what is drawn again; and a new u for every token."},
		{For: "spec.greedy", Text: "A model reads what it has not read: text[read.Len():]. In the first round that is the prompt, later what Verify has added, and for the draft sometimes the last drafted token, too."},
		{For: "spec.greedy", Text: "After a round the text is len(text) long, and of its last token nobody has the key yet: both are cut to len(text) − 1, if they are longer."},
		{For: "spec.sampled", Text: "p and q are lm.Distribution of the logits, with the temperature and the top-p: what the draft drew from, and what the large model would."},
		{For: "spec.refused", Text: "Ask for everything at the beginning; defer what gives back the pages."},
		{For: "spec.cost", Text: "The keys of what was taken stay where they are from one round to the next."},
	}
}
