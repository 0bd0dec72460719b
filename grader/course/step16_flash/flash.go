// Package flash says how step 16 is checked; what its functions look like says
// fixtures/step16_flash/functions.txt.
package flash

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step16", Name: "flash", Folder: "step16_flash", Track: course.LongTexts,
		Title:     "FlashAttention, attention in tiles",
		Needs:     []string{"step08"},
		Place:     course.Place{In: "step08", Names: []string{"Attention", "Causal"}},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step16_flash"),
		Checks:    checks(),
		Inside:    []string{"flash.memory", "flash.work", "flash.backward.again", "flash.backward.no_forward"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "flash.forward", Title: "attention in tiles agrees with PyTorch", Points: 12, Run: course.Agrees("flash.forward", "y")},
		{ID: "flash.forward.lse", Title: "L, the logarithm of the sum, agrees with PyTorch", Points: 8, Run: course.Agrees("flash.forward", "lse")},
		{ID: "flash.forward.fresh", Title: "y and L on fresh random cases, of any sizes and tiles", Points: 6, Run: course.All(
			course.AgreesFresh("flash.forward", drawForward), course.AgreesForEach(kinds("flash.forward")...),
			course.Beyond("flash.forward", wide, large), lowScores, oneTensor("flash.forward"))},
		{ID: "flash.forward.tiles", Title: "the same text in tiles of other sizes has the same y and L", Points: 5, Run: sameInAnyTiles("flash.forward", drawForward)},
		{ID: "flash.forward.mask", Title: "a mask with an entry for every pair is followed, as in step 08", Points: 8, Run: course.All(
			course.Agrees("flash_mask.forward", "y", "lse"), course.AgreesFresh("flash_mask.forward", drawMasked, "y", "lse"),
			course.AgreesForEach(course.Drawing{Function: "flash_mask.forward", Draw: oneQuery}))},
		{ID: "flash.forward.weights", Title: "the weights are made of S and L when somebody asks for them", Points: 4, Run: course.All(
			course.Agrees("flash.weights"), course.AgreesFresh("flash.weights", drawForward),
			course.Agrees("flash_mask.forward", "weights"), course.AgreesFresh("flash_mask.forward", drawMasked, "weights"))},
		{ID: "flash.forward.bad_input", Title: "keys, values, masks and tiles that do not fit are refused", Points: 5, Run: course.All(refusedForwards()...)},
		{ID: "flash.backward", Title: "the gradients agree with PyTorch", Points: 14, Run: course.All(
			course.Agrees("flash.backward"), course.All(refusedBackwards()...))},
		{ID: "flash.backward.fresh", Title: "the gradients on fresh random cases, of any sizes and tiles", Points: 6, Run: course.All(
			course.AgreesFresh("flash.backward", drawBackward), course.AgreesForEach(kinds("flash.backward")...),
			course.Beyond("flash.backward", withGradient(wide), withGradient(large)), loneKey, oneTensor("flash.backward"),
			course.AgreesForEach(course.Zeroed("flash.backward", drawBackward, "q", "k", "v", "dy")...))},
		{ID: "flash.backward.tiles", Title: "the same text in tiles of other sizes has the same gradients", Points: 4, Run: sameInAnyTiles("flash.backward", drawBackward)},
		{ID: "flash.backward.mask", Title: "the gradients with a mask that has an entry for every pair", Points: 6, Run: course.All(
			course.Agrees("flash_mask.backward"), course.AgreesFresh("flash_mask.backward", withGradient(drawMasked)),
			course.AgreesForEach(course.Drawing{Function: "flash_mask.backward", Draw: withGradient(oneQuery)}))},
		{ID: "flash.memory", Title: "4,096 and 8,192 tokens take memory for a tile and for N, and not for N²", Points: 10, Backward: true, Run: course.All(
			course.Agrees("flash.long"), memory(4096), memory(8192))},
		{ID: "flash.work", Title: "tiles that the causal mask hides are left out", Points: 5, Backward: true, Run: course.All(
			course.Agrees("flash.long"), work(), workBetween(900, 1000), workBetween(1000, 400))},
		course.Again("flash.backward.again", course.Misfits("flash.backward", "dy", drawBackward),
			course.AskedAgain(course.Layer{Forward: "flash.forward", Backward: "flash.backward", Input: "q", Draw: drawBackward, Bad: course.Wider("q")}),
			course.OneLayer(course.Drawing{Function: "flash.forward", Draw: drawForward}, course.Drawing{Function: "flash.backward", Draw: drawBackward},
				course.Drawing{Function: "flash_mask.backward", Draw: withGradient(drawMasked)}),
			maskComesAndGoes, tilesAfter,
			course.AtOnce(course.Drawing{Function: "flash.backward", Draw: drawBackward})),
		course.NoForward("flash.backward.no_forward", course.Without("q", "flash.backward", drawBackward)),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("flash.backward.again"),
		course.NoForwardHint("flash.backward.no_forward"),
		{For: "flash.forward", Text: "Two loops: over tiles of queries, and for each of them over tiles of keys. What a tile of queries carries along from one tile of keys to the next are m, l and O, a number, a number and a row for each query."},
		{For: "flash.forward", Text: "A tile: S = q·kᵀ/√K; m' = max(m, the row's maximum); P = e^(S−m'); l = e^(m−m')·l + ΣP; O = e^(m−m')·O + P·v; m = m'. At the end O is divided by l, once. The exponent is m−m', old minus new: it is never above 0."},
		{For: "flash.forward", Text: "Begin with m = −Inf, l = 0, O = 0. In a row of which everything is hidden so far m' is −Inf too: subtract 0 instead, and e^(−Inf) is the 0 that is wanted."},
		{For: "flash.forward.lse", Text: "L = m + ln l, the natural logarithm, of the last m and l. A row without keys has l = 0, and ln 0 is −Inf by itself."},
		{For: "flash.forward.tiles", Text: "Compare tiles of 1 and 1 with one tile for everything. The last tile of a row has min(tile, M − from) keys, and whatever lies behind them in the buffer is not counted."},
		{For: "flash.forward.mask", Text: "Query i of the text and key j, not row and column of the tile: the entry is Attend[i·M + j], or that of the leading index, if there are as many as N·M for each."},
		{For: "flash.forward.weights", Text: "P = e^(S−L), tile by tile; where no tile comes it is 0."},
		{For: "flash.forward.bad_input", Text: "tensor.CheckShape for q, tensor.CheckLead for k and v, checkMask for the mask. A negative number of queries or keys in a tile is a ShapeError too."},
		{For: "flash.backward", Text: "D first, one number for each query: the dot product of its row of dy and its row of y. Then the same two loops as in Forward, and in each tile S and the mask again, and P = e^(S−L) at once: no maximum, no sum."},
		{For: "flash.backward", Text: "In a tile: dv += Pᵀ·dy; dP = dy·vᵀ; dS = P ⊙ (dP − D)/√K; dq += dS·k; dk += dSᵀ·q. All three gradients grow from tile to tile: set them to zero before the loops and use tensor.MulAdd."},
		{For: "flash.backward.mask", Text: "A hidden pair has S = −Inf and P = 0. In a row without keys L is −Inf as well: subtract 0 there, as in Forward."},
		{For: "flash.memory", Text: "Nothing has N·M elements, and nothing N times the width of a tile: one tile of scores, one of their gradients, the tensors that are returned, and L."},
		{For: "flash.work", Text: "The last query of a tile sees the most keys, those up to i + M − N. Where the loop over the keys ends, the tiles behind it are left out; and it does not begin if that number is negative."},
	}
}
