// Package gqa says how step 13 is checked; what its functions look like says
// fixtures/step13_gqa/functions.txt.
package gqa

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step13", Name: "gqa", Folder: "step13_gqa", Track: course.Inference,
		Title:     "Grouped queries, and real weights",
		Needs:     []string{"step02", "step06", "step08", "step12"},
		Place:     course.Place{In: "step08", Names: []string{"MultiHead", "NewMultiHead"}, By: map[string]string{"NewMultiHead": "Grouped(num_kv_heads)"}},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step13_gqa"),
		Checks:    checks(),
		Inside:    []string{"gqa.work", "gqa.backward.again", "gqa.backward.no_forward"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "gqa.repeat", Title: "every head is given the keys and values of its group", Points: 8, Run: course.All(
			course.Agrees("gqa.repeat"), course.AgreesFresh("gqa.repeat", drawRepeat), course.AgreesOn("gqa.repeat", single()), course.All(refusedRepeats()...))},
		{ID: "gqa.backward.sum", Title: "what the heads of a group send back is added up", Points: 8, Run: course.All(
			course.Agrees("gqa.sum"), course.AgreesFresh("gqa.sum", drawSum), course.All(refusedSums()...))},
		{ID: "gqa.forward", Title: "attention with grouped queries agrees with PyTorch", Points: 12, Run: course.All(
			course.Agrees("gqa.forward"), course.All(refusedLayers()...))},
		{ID: "gqa.forward.fresh", Title: "attention with grouped queries on fresh random cases", Points: 6,
			Run: course.All(course.AgreesFresh("gqa.forward", drawForward), course.Beyond("gqa.forward", wide().forward, many().forward, long().forward))},
		{ID: "gqa.forward.ends", Title: "with a head of keys for each it is step 08, with one for all multi-query attention", Points: 6,
			Run: course.All(course.AgreesFresh("gqa.forward", drawEach), course.AgreesFresh("gqa.forward", drawOne), copiedHeads)},
		{ID: "gqa.forward.groups", Title: "the order of the groups does not matter, and who belongs to a group does", Points: 3, Run: groupsPermute},
		{ID: "gqa.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 8, Run: course.All(
			course.Agrees("gqa.backward", "dx"), course.All(refusedGradients()...))},
		{ID: "gqa.backward.dw", Title: "the gradients of the projections agree with PyTorch and are added", Points: 11,
			Run: course.Agrees("gqa.backward", "dwq", "dwk", "dwv", "dwo")},
		{ID: "gqa.backward.fresh", Title: "all gradients on fresh random cases", Points: 6, Run: course.All(
			course.AgreesFresh("gqa.backward", drawBackward), course.AgreesFresh("gqa.backward", drawBackwardOne))},
		course.Again("gqa.backward.again", course.Misfits("gqa.backward", "dy", drawBackward), askedAgain(drawBackward), askedAgain(drawBackwardEach), extendsBetween,
			course.Despite("restored", lang.T("between the calls keys and values hold another text, and then their own again"), course.Drawing{Function: "gqa.extend", Draw: drawExtend}),
			course.AtOnce(course.Drawing{Function: "gqa.extend", Draw: drawExtend})),
		course.NoForward("gqa.backward.no_forward", course.Without("x", "gqa.backward", drawBackward)),
		{ID: "gqa.extend", Title: "a text that is read in pieces, with H_kv heads in the cache, agrees with PyTorch", Points: 10, Run: course.All(
			course.Agrees("gqa.extend"), course.All(refusedExtends()...), afterRefusals)},
		{ID: "gqa.extend.fresh", Title: "so does one on fresh random cases", Points: 4, Run: course.All(
			course.AgreesFresh("gqa.extend", drawExtend), course.Beyond("gqa.extend", wide().draw, many().draw, long().draw))},
		{ID: "gqa.extend.splits", Title: "however the text is cut, at every position", Points: 6, Run: everySplit},
		{ID: "gqa.work", Title: "keys and values are computed once for each group, and a new token costs what was read before it, not what there is room for", Points: 5,
			Run: course.All(workDone(), extendsCheaply(), weightsStay(), nothingStays(), nothingDoubled(), roomIsFree()), Timed: true},
	}
}

// askedAgain asks layers as draw draws them.
func askedAgain(draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	return course.AskedAgain(course.Layer{Forward: "gqa.forward", Backward: "gqa.backward", Input: "x", Draw: draw, Bad: course.Wider("x")})
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("gqa.backward.again"),
		course.NoForwardHint("gqa.backward.no_forward"),
		{For: "gqa.repeat", Text: "H/H_kv heads make a group, and they are neighbours: head h belongs to group h/(H/H_kv), as Go divides integers. With six heads and two groups: 0 0 0 1 1 1."},
		{For: "gqa.repeat", Text: "In (B, H, T, K) the numbers of head h of sequence b are T·K in a row, from (b·H + h)·T·K on. Copy such rows; time and width need no loop."},
		{For: "gqa.backward.sum", Text: "A number that was read three times gets the sum of the three gradients. Set dst to zero first, then go through all heads and add head h to group h/(H/H_kv)."},
		{For: "gqa.forward", Text: "Begin with step 08's Forward. Only the widths change: columns 0 to D of qkv are q, D to D+E are k, D+E to D+2E are v, with E = H_kv·K. q is split into H heads, k and v into H_kv; a head has K numbers in all three."},
		{For: "gqa.forward", Text: "Turn q and k by RoPE, then Repeat k and v to (B, H, T, K), and hand all to the Attention of step 08."},
		{For: "gqa.forward.ends", Text: "K is D/H, never D/H_kv or E/H. With H_kv = H nothing is repeated and E = D; with H_kv = 1 every head reads head 0."},
		{For: "gqa.forward.groups", Text: "The heads 0 to H/H_kv − 1 read key/value head 0, the next ones head 1."},
		{For: "gqa.backward", Text: "One line more than in step 08: Attention.Backward returns dk and dv for every head, and SumGroups adds them up to (B, H_kv, T, K). It is a sum and not a mean, because each head used its own copy fully."},
		{For: "gqa.backward", Text: "Add up first, then turn dk back by RoPE.Backward; all heads of a group were turned alike. dQKV has dq in its columns 0 to D, dk from D on, dv from D+E on."},
		{For: "gqa.extend", Text: "Project and turn as in Forward, at the positions past to past+n−1. Copy the new keys and values of each of the H_kv heads to the places past to past+n−1 of its (T_max, K), and only then attend: head h, with its own queries (n, K), to the first past+n rows of head h/(H/H_kv)."},
		{For: "gqa.extend", Text: "kvcache.Mask(past, n) of step 12 is the mask. Nothing has to be repeated here: a Slice of the buffer is what several heads read."},
		{For: "gqa.extend.splits", Text: "Compare the first position at which the outputs differ with the place of a cut: at the cut it is the position or the mask, one later it is what was stored."},
		{For: "gqa.work", Text: "Repeat the keys and values, not the rows of W_K and W_V: who repeats the weights has step 08 again, with all its work."},
	}
}
