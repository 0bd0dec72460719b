// Package windows says how step 21 is checked; what its functions look like says
// fixtures/step21_windows/functions.txt.
package windows

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step21", Name: "windows", Folder: "step21_windows", Track: course.LongTexts,
		Title: "Windows, sinks and linear attention",
		Needs: []string{"step06", "step07", "step08", "step10"},
		Seats: []course.Seat{
			{Name: "window", Places: []course.Place{seat("Window")}},
			{Name: "linear", Places: []course.Place{seat("Linear")}},
		},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step21_windows"),
		Checks:    checks(),
		Inside: []string{"window.cost", "window.backward.again", "window.backward.no_forward", "stream.cost",
			"phi.lengths", "linattn.cost", "linattn.backward.again", "linattn.backward.no_forward"},
		Hints: hints(),
	}
}

// seat is the place of the scaled dot product, in which a type of the step stands.
func seat(name string) course.Place {
	return course.Place{In: "step08", Names: []string{"Attention", "Causal"}, By: map[string]string{"Attention": name}}
}

func checks() []course.Check {
	const forward, backward, line, back = "window.forward", "window.backward", "linattn.forward", "linattn.backward"
	return []course.Check{
		{ID: forward, Title: "attention through a window agrees with PyTorch", Points: 7, Run: course.Agrees(forward, "y")},
		{ID: "window.forward.fresh", Title: "windows and sinks of any size, on fresh random cases", Points: 4, Run: course.All(
			course.AgreesFresh(forward, drawWindow, "y"), course.AgreesForEach(windows(forward)...),
			course.Beyond(forward, wideWindow, largeWindow), lowScores, oneTensor(forward, drawWindow))},
		{ID: "window.forward.weights", Title: "the weights are those of all N·M pairs, when somebody asks for them", Points: 2, Run: course.All(
			course.Agrees(forward, "weights"), course.AgreesFresh(forward, drawWindow, "weights"))},
		{ID: "window.forward.bad_input", Title: "keys, values, masks, windows and sinks that do not fit are refused", Points: 2, Run: course.All(refusedWindows()...)},
		{ID: backward, Title: "the window's gradients agree with PyTorch", Points: 8, Run: course.All(
			course.Agrees(backward), course.All(refusedGradients(backward, rightWindow())...))},
		{ID: "window.backward.fresh", Title: "the window's gradients on fresh random cases", Points: 4, Run: course.All(
			course.AgreesFresh(backward, withGradient(drawWindow)), course.AgreesForEach(windows(backward)...),
			course.Beyond(backward, withGradient(wideWindow), withGradient(largeWindow)), oneTensor(backward, withGradient(drawWindow)),
			course.AgreesForEach(course.Zeroed(backward, withGradient(drawWindow), "q", "k", "v", "dy")...))},
		{ID: "window.cost", Title: "4,096 and 8,192 tokens take work and memory for N times the window, and not for N²", Points: 4, Backward: true, Run: course.All(
			course.Agrees("window.long"), windowMemory(4096), windowMemory(8192), windowWork(3, 50), windowWork(40, 20))},
		course.Again("window.backward.again", course.Misfits(backward, "dy", withGradient(drawWindow)),
			course.AskedAgain(course.Layer{Forward: forward, Backward: backward, Input: "q", Draw: withGradient(drawWindow), Bad: course.Wider("q")}),
			otherWindows, after(backward, withGradient(drawWindow), "w_after"),
			course.AtOnce(course.Drawing{Function: backward, Draw: withGradient(drawWindow)}, course.Drawing{Function: backward, Draw: withGradient(manyBlocks)})),
		course.NoForward("window.backward.no_forward", course.Without("q", backward, withGradient(drawWindow))),

		{ID: "ring.slot", Title: "the sinks stay in their places, and the others go round", Points: 3, Run: course.All(
			course.Agrees("ring.slot"), course.AgreesFresh("ring.slot", drawSlots))},
		{ID: "stream.forward", Title: "a text that is read in pieces has the logits of the windowed model at once", Points: 8, Run: course.Agrees("stream.forward")},
		{ID: "stream.forward.fresh", Title: "so has one on fresh random models, and two caches do not disturb each other", Points: 3, Run: course.All(
			course.AgreesFresh("stream.forward", drawStream), course.Beyond("stream.forward", wideStream, longStream))},
		{ID: "stream.forward.splits", Title: "however the text is cut, at every position", Points: 3, Run: everySplit},
		{ID: "stream.once", Title: "what was read is not read again", Points: 3, Run: course.All(
			course.Agrees("stream.once"), course.AgreesFresh("stream.once", drawOnce))},
		{ID: "stream.cost", Title: "a token costs the same wherever it stands, and the memory of a cache never grows", Points: 4, Run: course.All(
			course.Agrees("stream.bytes"), course.AgreesFresh("stream.bytes", drawBytes), streamWork(), streamStays(), roomIsFree(),
			course.AtOnce(course.Drawing{Function: "stream.forward", Draw: drawStream}))},
		{ID: "stream.refused", Title: "too many tokens, unknown ids and caches that cannot be are refused, and everything is as before", Points: 3,
			Run: course.All(append(refusedStreams(), afterRefusals)...)},

		{ID: "phi.forward", Title: "φ agrees with PyTorch, far to both sides", Points: 2, Run: course.All(
			course.Agrees("phi.forward"), course.AgreesForEach(lengths("phi.forward")...), course.AgreesOn("phi.forward", course.Extremes("x")...))},
		{ID: "phi.backward", Title: "φ's derivative agrees with PyTorch, and is 1 at 0", Points: 2, Run: course.All(
			course.Agrees("phi.backward"), course.AgreesForEach(lengths("phi.backward")...), course.AgreesOn("phi.backward", course.FiniteExtremes("x", "dy")...))},
		{ID: "phi.lengths", Title: "slices of different lengths are refused", Points: 1, Run: course.All(refusedLengths()...)},
		{ID: line, Title: "linear attention in chunks agrees with PyTorch", Points: 5, Run: course.Agrees(line, "y")},
		{ID: "linattn.forward.fresh", Title: "linear attention on fresh random cases, in chunks of any size", Points: 3, Run: course.All(
			course.AgreesFresh(line, drawLinear, "y"), course.AgreesForEach(linears(line)...), sameInAnyChunks(line, drawLinear),
			course.Beyond(line, wideLinear, largeLinear), oneTensor(line, drawLinear))},
		{ID: "linattn.forward.weights", Title: "what every query takes of every value, when somebody asks for it", Points: 1, Run: course.All(
			course.Agrees(line, "weights"), course.AgreesFresh(line, drawLinear, "weights"))},
		{ID: "linattn.forward.bad_input", Title: "keys, values, chunks and masks that do not fit are refused", Points: 2, Run: course.All(refusedLinears()...)},
		{ID: "linattn.quadratic", Title: "by way of all pairs it is the same", Points: 2, Run: course.All(
			course.Agrees("linattn.quadratic"), course.AgreesFresh("linattn.quadratic", drawForm))},
		{ID: "linattn.recurrent", Title: "and so it is token by token, with a state of one size", Points: 3, Run: course.All(
			course.Agrees("linattn.recurrent"), course.AgreesFresh("linattn.recurrent", drawForm),
			course.Beyond("linattn.recurrent", longForm, wideForm), threeForms, course.All(refusedForms()...))},
		{ID: back, Title: "the gradients of linear attention agree with PyTorch", Points: 4, Run: course.All(
			course.Agrees(back), course.All(refusedGradients(back, rightLinear())...))},
		{ID: "linattn.backward.fresh", Title: "its gradients on fresh random cases, in chunks of any size", Points: 2, Run: course.All(
			course.AgreesFresh(back, withGradient(drawLinear)), course.AgreesForEach(linears(back)...), sameInAnyChunks(back, withGradient(drawLinear)),
			course.Beyond(back, withGradient(wideLinear), withGradient(largeLinear)), oneTensor(back, withGradient(drawLinear)))},
		{ID: "linattn.cost", Title: "4,096 and 8,192 tokens take work and memory for N chunks, and not for N²", Points: 1, Backward: true, Run: course.All(
			course.Agrees("linattn.long"), linearMemory(4096), linearMemory(8192), linearWork())},
		course.Again("linattn.backward.again", course.Misfits(back, "dy", withGradient(drawLinear)),
			course.AskedAgain(course.Layer{Forward: line, Backward: back, Input: "q", Draw: withGradient(drawLinear), Bad: course.Wider("q"), Least: 2}),
			after(back, withGradient(drawLinear), "chunk_after"),
			course.AtOnce(course.Drawing{Function: back, Draw: withGradient(drawLinear)})),
		course.NoForward("linattn.backward.no_forward", course.Without("q", back, withGradient(drawLinear))),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("window.backward.again"), course.NoForwardHint("window.backward.no_forward"),
		course.AgainHint("linattn.backward.again"), course.NoForwardHint("linattn.backward.no_forward"),
		{For: "window.forward", Text: "Query i stands at p = i + M − N. It sees key j where 0 ≤ p − j < W: itself, and W − 1 before it. A sink, j < s, is seen as well, once it is there: j ≤ p."},
		{For: "window.forward", Text: "Begin with all pairs, as in step 08: a score for each, −Inf where the query does not see the key or the mask does not allow it, and then the softmax. That has full marks in all checks but window.cost."},
		{For: "window.forward.fresh", Text: "A window wider than the text is ordinary attention, W = 1 leaves the token itself, and W = 0 stands for 32. More sinks than keys are all keys. Where N > M the first queries stand before all keys, and y is 0."},
		{For: "window.forward.weights", Text: "Weights returns (…, N, M), zeros where nothing is seen. If you keep the scores of blocks, copy each to its place."},
		{For: "window.forward.bad_input", Text: "tensor.CheckShape for q, tensor.CheckLead for k and v, checkMask for the mask. A negative W or Sinks is a ShapeError too."},
		{For: "window.backward", Text: "The formulas are those of step 08: dv = Pᵀ·dy, dP = dy·vᵀ, dS = P ⊙ (dP − Σ dP⊙P), dq = dS·k/√K, dk = dSᵀ·q/√K. A key is seen by queries of several blocks: set dk and dv to zero first, and add."},
		{For: "window.cost", Text: "Take R queries that stand side by side, as many as W. Of all keys they see those from first + M − N − W + 1 to the last query's own, R + W − 1 of them, and the sinks before. One product gives all their scores, (R, R + W − 1); the corners that a single query does not see are set to −Inf."},
		{For: "window.cost", Text: "Where the first window begins within the sinks, these keys are in both. Count each once: the sinks of a block are those before its first window."},
		{For: "ring.slot", Text: "p for a sink. Behind the sinks, s + (p − s) mod W: the ring has W places, and none of them is a sink's."},
		{For: "stream.forward", Text: "As in step 12, the new tokens' keys are turned by RoPE at their positions p, p+1, … and stored. Only where they are stored is new: at Slot(p)."},
		{For: "stream.forward", Text: "One token after another, even in a long prompt: write the key and the value to their place, then attend to what lies in the ring. Who writes the whole prompt first has overwritten what its first tokens still see."},
		{For: "stream.forward.fresh", Text: "Before s + W tokens have come, only the first p + 1 places are filled. Afterwards all of them are, and each holds what the query sees: no mask is needed, and in what order the keys lie does not matter to attention."},
		{For: "stream.forward.splits", Text: "Compare the first position at which the logits differ with the places of the cuts, with W and with s + W: at a cut it is a position, W behind the beginning an eviction."},
		{For: "stream.once", Text: "Embed the new tokens only; of the old ones their keys and values are there."},
		{For: "stream.cost", Text: "New allocates 2·L tensors (H, s+W, K), whatever T_max is. A token meets at most s + W keys, in a prompt as well, and nothing is made anew in every call."},
		{For: "stream.refused", Text: "Ask for room first, then let Embedding.Forward look at the ids: it returns an error before anything has changed. The length grows at the very end."},
		{For: "phi.forward", Text: "x + 1 where x ≥ 0, e^x below. Do not write it as elu(x) + 1: e^x − 1 + 1 is 0 far to the left."},
		{For: "phi.backward", Text: "1 where x ≥ 0, e^x below. dx may be dy: read dy before you write dx."},
		{For: "phi.lengths", Text: "checkLength is written for this."},
		{For: "linattn.forward", Text: "For every chunk two parts: φ(q)·S of all that came before it, and inside it A = φ(q)φ(k)ᵀ with zeros above the diagonal, times v. Their sum is the numerator. Then add φ(k)ᵀ·v to S."},
		{For: "linattn.forward", Text: "The denominator is the same computation for a v of ones: φ(q)·z + Σ A. If v has a column of ones beside it, one matrix (K, C+1) is S and z, and one (J, C+1) holds both sums."},
		{For: "linattn.forward.fresh", Text: "Compare chunks of 1 with one chunk for everything. The last chunk has N − first tokens, and every leading index begins with S = 0."},
		{For: "linattn.forward.weights", Text: "A over its own row's sum plus ε, zeros above the diagonal."},
		{For: "linattn.forward.bad_input", Text: "k has the shape of q, v its tokens. A mask with entries cannot be followed: refuse it, as you do a negative Chunk."},
		{For: "linattn.quadratic", Text: "Three lines: A = φ(q)·φ(k)ᵀ, zeros above the diagonal, y = A·v over the row's sum plus ε."},
		{For: "linattn.recurrent", Text: "First S and z take in the token's own key and value, then its query reads them."},
		{For: "linattn.backward", Text: "First the gradients of numerator and denominator: dy/den, and −(dy·y)/den. Then every product of Forward is undone in both of its factors; dA is 0 where A is."},
		{For: "linattn.backward", Text: "Go through the chunks from the last to the first. What a chunk has added to S is read by all chunks behind it: keep a sum R of their gradients of S, use it for dk and dv, and only then add this chunk's φ(q)ᵀ·dnum to it."},
		{For: "linattn.backward.fresh", Text: "R begins with zeros at the end of every text. The derivative of φ comes last: dq = da ⊙ φ'(q)."},
		{For: "linattn.cost", Text: "Nothing has N·N elements: a chunk has J·J weights, and before every chunk lies one state (K, C+1)."},
	}
}
