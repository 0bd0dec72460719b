package diagnose_test

// trainingPrograms are the wrong programs of step 11, and more of step 10. What
// they leave out is as it is in the stubs.
func trainingPrograms() []program {
	return []program{
		{name: "lm-averaged-again-and-prompt", step: "step10", wrong: []string{"gradient-averaged-again", "prompt-returned"}, named: []string{"gradient-averaged-again", "prompt-returned"}},
		{name: "lm-bag-of-words-and-own-dice", step: "step10", wrong: []string{"same-position", "draw-own-generator"}, named: []string{"same-position"}},
		{name: "lm-one-layer-for-all", step: "step10", unknown: "the first layer runs twice and the last never"},
		{name: "lm-embedding-normalised", step: "step10", unknown: "embeddings brought to length √D", structure: []string{"shifted"}},
		{name: "training-adds-and-l2", step: "step11", wrong: []string{"c-not-cleared", "l2-in-gradient"}, named: []string{"c-not-cleared", "l2-in-gradient"}},
		{name: "training-each-clipped-half-cosine", step: "step11", wrong: []string{"clip-per-parameter", "cosine-from-zero"}, named: []string{"clip-per-parameter", "cosine-from-zero"}},
		{name: "training-equal-parts-same-targets", step: "step11", wrong: []string{"shards-unweighted", "targets-unshifted"}, named: []string{"shards-unweighted", "targets-unshifted"}},
		{name: "training-never-cleared", step: "step11", wrong: []string{"gradients-not-zeroed"}, named: []string{"gradients-not-zeroed"}},
		{name: "training-by-the-paper-never-cleared", step: "step11", wrong: []string{"gradients-not-zeroed"}},
		{name: "training-blocks-of-seven", step: "step11", wrong: []string{"blocks-of-k-overwrite"}},
		{name: "training-signs-only", step: "step11", unknown: "the sign of the mean instead of Adam's step"},
		{name: "training-rounded-product", step: "step11", unknown: "A is cut to sixteen bits in the product", structure: []string{"close"}},
		{name: "training-one-norm-too-short", step: "step11", unknown: "gradients are clipped to half the norm; the rate is 0 after the end", wrong: []string{"zero-after-end"}, named: []string{"zero-after-end"}, structure: []string{"factor"}},
	}
}
