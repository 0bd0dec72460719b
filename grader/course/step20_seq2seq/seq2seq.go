// Package seq2seq says how step 20 is checked; what its functions look like says
// fixtures/step20_seq2seq/functions.txt.
package seq2seq

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step20", Name: "seq2seq", Folder: "step20_seq2seq", Track: course.Classic,
		Title:     "Encoder and decoder",
		Needs:     []string{"step02", "step03", "step07", "step08", "step19"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step20_seq2seq"),
		Checks:    checks(),
		Inside:    []string{"seq2seq.backward.work", "seq2seq.backward.again", "seq2seq.backward.no_forward"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "attend.forward", Title: "attention over a memory agrees with PyTorch", Points: 6, Run: course.Agrees("attend.forward")},
		{ID: "attend.forward.fresh", Title: "attention over a memory on fresh random cases, one token, one head and nothing real among them", Points: 3, Run: course.All(
			course.AgreesFresh("attend.forward", drawAttend), course.AgreesForEach(attends("attend.forward")...),
			course.Beyond("attend.forward", wideAttend, longAttend))},
		{ID: "attend.forward.bad_input", Title: "an x, a memory and a mask that do not fit are refused", Points: 2, Run: course.All(refusedAttends()...)},
		{ID: "attend.backward", Title: "its gradients agree with PyTorch, that of the memory among them", Points: 7, Run: course.Agrees("attend.backward")},
		{ID: "attend.backward.fresh", Title: "its gradients on fresh random cases", Points: 3, Run: course.All(
			course.AgreesFresh("attend.backward", withGradient("attend", drawAttend)), course.AgreesForEach(attends("attend.backward")...),
			course.Beyond("attend.backward", withGradient("attend", wideAttend), withGradient("attend", longAttend)))},

		{ID: "encoder.forward", Title: "the encoder agrees with PyTorch", Points: 5, Run: course.All(
			course.Agrees("encoder.forward"), course.AgreesFresh("encoder.forward", drawEncoder), course.Beyond("encoder.forward", largeEncoder))},
		{ID: "encoder.backward", Title: "the encoder's gradients agree with PyTorch", Points: 7, Run: course.All(
			course.Agrees("encoder.backward"), course.AgreesFresh("encoder.backward", withGradient("encoder", drawEncoder)))},
		{ID: "decoder.forward", Title: "the decoder agrees with PyTorch", Points: 6, Run: course.All(
			course.Agrees("decoder.forward"), course.AgreesFresh("decoder.forward", drawDecoder), course.Beyond("decoder.forward", largeDecoder))},
		{ID: "decoder.forward.unread", Title: "nobody sees padding, nor what stands behind a token", Points: 2, Run: unread},
		{ID: "decoder.backward", Title: "the decoder's gradients agree with PyTorch", Points: 6, Run: course.All(
			course.Agrees("decoder.backward", "dx", "dattn", "dnorms", "dw1", "db1", "dw2", "db2"),
			course.AgreesFresh("decoder.backward", withGradient("decoder", drawDecoder), "dx", "dattn", "dnorms", "dw1", "db1", "dw2", "db2"))},
		{ID: "decoder.backward.memory", Title: "the memory's gradient is the sum of those of all layers", Points: 4, Run: course.All(
			course.Agrees("decoder.backward", "dmemory"), course.AgreesFresh("decoder.backward", withGradient("decoder", drawDecoder), "dmemory"))},
		{ID: "seq2seq.forward.bad_input", Title: "texts, memories and lists of what is real that do not fit are refused", Points: 2, Run: course.All(refusedStacks()...)},

		{ID: "transformer.forward", Title: "the model's logits agree with PyTorch", Points: 5, Run: course.All(
			course.Agrees("transformer.forward"), course.AgreesFresh("transformer.forward", drawModel), course.Beyond("transformer.forward", largeModel, longTexts))},
		{ID: "transformer.backward", Title: "the gradients of all its parameters agree with PyTorch", Points: 6, Run: course.All(
			course.Agrees("transformer.backward"), course.AgreesFresh("transformer.backward", withGradient("transformer", drawModel)))},
		{ID: "transformer.forward.bad_input", Title: "unknown ids and texts that do not fit together are refused", Points: 2, Run: course.All(refusedTexts()...)},

		{ID: "smoothing.forward", Title: "the loss with label smoothing agrees with PyTorch, over the tokens that count", Points: 4, Run: course.All(
			course.Agrees("smoothing.forward"), course.AgreesFresh("smoothing.forward", drawSmoothing),
			course.AgreesForEach(smoothings("smoothing.forward")...), course.AgreesOnce("smoothing.forward", sure))},
		{ID: "smoothing.backward", Title: "its gradient agrees with PyTorch, and is 0 where a token does not count", Points: 4, Run: course.All(
			course.Agrees("smoothing.backward"), course.AgreesFresh("smoothing.backward", drawSmoothing),
			course.AgreesForEach(smoothings("smoothing.backward")...))},
		{ID: "smoothing.forward.bad_input", Title: "labels that there are not are refused", Points: 1, Run: course.All(refusedLabels()...)},
		{ID: "rate", Title: "the learning rate rises and falls as in the paper", Points: 2, Run: course.All(
			course.Agrees("rate"), course.AgreesFresh("rate", drawRate))},
		{ID: "teach", Title: "the decoder reads the target shifted right", Points: 3, Run: course.All(
			course.Agrees("teach"), course.AgreesFresh("teach", drawTeach))},
		{ID: "corrupt", Title: "tokens are hidden as the generator says", Points: 2, Run: course.All(
			course.Agrees("corrupt"), course.AgreesFresh("corrupt", drawCorrupt), course.AgreesFresh("corrupt", drawReplaced))},

		{ID: "greedy", Title: "greedy search takes the largest logit until End", Points: 2, Run: course.All(
			course.Agrees("greedy"), course.AgreesFresh("greedy", drawGreedy))},
		{ID: "beam", Title: "beam search finds what PyTorch's finds, with its score", Points: 4, Run: course.Agrees("beam")},
		{ID: "beam.fresh", Title: "beam search on fresh random cases, narrow and wide", Points: 2, Run: course.All(
			course.AgreesFresh("beam", drawBeam), course.AgreesForEach(beams()...), exactly,
			course.Refuses("beam", "a width of 0", course.With(drawBeam(fixed()), "width", wire.Int(0)), "0"))},
		{ID: "translate", Title: "a source is translated by a beam over the model", Points: 2, Run: course.All(
			course.Agrees("translate"), course.AgreesFresh("translate", drawTranslate))},

		{ID: "seq2seq.backward.work", Title: "each product is computed once, the encoder reads once, and nothing of past calls is kept", Points: 1, Run: course.All(work(), readOnce(), readRowsAlone(), constantPositions(), nothingStays())},
		course.Again("seq2seq.backward.again", again()...),
		course.NoForward("seq2seq.backward.no_forward", noForwards()),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("seq2seq.backward.again"),
		course.NoForwardHint("seq2seq.backward.no_forward"),
		{For: "attend.forward", Text: "Three Linears: a.Q of x, a.K and a.V of the memory. Read each row as H groups of K numbers, and copy group h to head h, as in step 08; then a.Attention, then the heads side by side again, and a.Output."},
		{For: "attend.forward", Text: "PaddingMask has one matrix for each sequence, and attention wants one for each head of each: a.forHeads, which is given, makes the second of the first."},
		{For: "attend.forward.fresh", Text: "N and M are different numbers. PaddingMask repeats real[b] for each of the n queries: it hides columns, never rows."},
		{For: "attend.forward.bad_input", Text: "tensor.CheckShape: x is (any, any, D), the memory has the B of x, any M, and D. forHeads looks at the mask."},
		{For: "attend.backward", Text: "From the end: Output.Backward, split, Attention.Backward, join. dq goes through a.Q to dx; dk and dv go through a.K and a.V, and their sum is the memory's gradient."},
		{For: "attend.backward.fresh", Text: "dMemory has M rows and dx has N. K.Backward and V.Backward return tensors of their own: add both into a third."},
		{For: "encoder.forward", Text: "r = x + Self(x, x), y = Norm1(r), s = y + FFN(y), z = Norm2(s): the norm stands behind the sum, and what the network reads is y. Each sum has memory of its own."},
		{For: "encoder.backward", Text: "x is in r three times: by itself, as what asks, and as what is asked. dx = dr + both results of Self.Backward(dr)."},
		{For: "decoder.forward", Text: "Two masks: attention.Causal(N) for the self-attention, PaddingMask(real, N) for the cross-attention, whose queries are y and whose keys and values are the memory."},
		{For: "decoder.forward.unread", Text: "A token's y must not change when the memory changes where real is false, nor when the target changes behind it. Look at which mask goes to which attention."},
		{For: "decoder.backward", Text: "Norm3 and the network, Norm2 and Cross, Norm1 and Self, each as in the encoder. Cross.Backward(ds) has two results: the first belongs to dy = ds + …, the second to the memory."},
		{For: "decoder.backward.memory", Text: "All layers read one memory, so its gradient is a sum over all layers. Copy or add what a layer returns; set the sum to zero at the beginning of every Backward."},
		{For: "seq2seq.forward.bad_input", Text: "checkReal, which is given, looks at a text and at what is real of it: call it first, for x in the encoder, for the memory in the decoder. Then x against the memory's B and D."},
		{For: "transformer.forward", Text: "x = √D·E[id] + P[place]: Sinusoids of step 19, with the place within the text, for source and target. real[b][j] is source[b][j] != Pad."},
		{For: "transformer.backward", Text: "Head, Decoder, then two ways: dx of the target times √D to Target.Backward, and the memory's gradient through Encoder.Backward, times √D, to Source.Backward."},
		{For: "transformer.forward.bad_input", Text: "checkIDs for both texts, and as many rows in one as in the other, before anything else is touched."},
		{For: "smoothing.forward", Text: "A row's loss is ln Σ e^(x − m) − (1 − ε)·(x[label] − m) − ε·mean(x − m), m the row's maximum, in float64. Sum over the rows whose label is not Ignored, and divide by their number."},
		{For: "smoothing.backward", Text: "softmax(x) minus q, over n: subtract ε/V everywhere and 1 − ε more at the label. The whole row is 0 where the label is Ignored."},
		{For: "smoothing.forward.bad_input", Text: "checkLabels is given: call it before anything is kept."},
		{For: "rate", Text: "min of two terms, step^(−½) and step·warmup^(−3/2), over √D. Steps count from 1."},
		{For: "teach", Text: "inputs: Begin, then the target. labels: the target, then End. Both have one token more than the longest target; what is left is Pad in one and Ignored in the other. Make new slices."},
		{For: "corrupt", Text: "One draw for each token that is not Pad, a second for a chosen one, a third only where it becomes another token. Compare with Chosen, Masked and Masked + Replaced, all with <."},
		{For: "greedy", Text: "next(prefix), the place of the largest, stop at End, else append; maxLen times at most. What is returned has neither Begin nor End."},
		{For: "beam", Text: "Keep for every hypothesis its tokens, Σ ln p, and whether it has ended. ln p is logits minus their logsumexp, in float64, and End's belongs to the sum."},
		{For: "beam", Text: "Continue all live hypotheses with all tokens, sort once over all of them, stably, and keep width − ended. The length penalty comes at the end, for n tokens without Begin and End."},
		{For: "beam.fresh", Text: "A hypothesis has tokens of its own: slices.Clone before append, or two of them share one array. With a width of 1 the result is that of Greedy."},
		{For: "translate", Text: "Encode the source once, as a batch of one. next decodes the prefix, a batch of one as well, and returns the last row of logits."},
		{For: "seq2seq.backward.work", Text: "Translate encodes before the search and decodes in it. Buffers are used again by the next call (tensor.Reuse); nothing is appended from call to call."},
	}
}
