package diagnose_test

// transformerPrograms are the wrong programs of steps 08 to 10.
func transformerPrograms() []program {
	return []program{
		{name: "attention-plain-loops", step: "step08", wrong: []string{"no-scale"}, named: []string{"no-scale"}},
		{name: "attention-reshaped", step: "step08", wrong: []string{"split-without-transpose"}, named: []string{"split-without-transpose"}},
		{name: "attention-joined-by-reshape", step: "step08", wrong: []string{"merge-without-transpose"}, named: []string{"merge-without-transpose"}},
		{name: "attention-head-by-head", step: "step08", wrong: []string{"multi-head-not-causal"}, named: []string{"multi-head-not-causal"}},
		{name: "attention-online-softmax", step: "step08", wrong: []string{"weights-are-scores", "dw-overwritten"}, named: []string{"dw-overwritten", "weights-are-scores"}},
		{name: "attention-strict-and-turned", step: "step08", wrong: []string{"causal-strict", "rope-on-v"}, named: []string{"causal-strict"}},
		{name: "attention-backward-twice-wrong", step: "step08", wrong: []string{"backward-without-scale"}, unknown: "dv averaged over the queries", structure: []string{"added-factor", "apart", "factor"}},
		{name: "attention-scaled-outside", step: "step08", wrong: []string{"no-scale"}, unknown: "the multi-head layer makes up for it", named: []string{"no-scale"}},
		{name: "attention-sink", step: "step08", unknown: "one more in the denominator of the softmax"},
		{name: "attention-alibi", step: "step08", unknown: "ALiBi instead of RoPE", structure: []string{"apart"}},
		{name: "attention-window", step: "step08", unknown: "a token sees four tokens only", structure: []string{"apart"}},
		{name: "block-of-2017", step: "step09", wrong: []string{"post-norm"}, named: []string{"post-norm"}},
		{name: "block-norm-kept", step: "step09", wrong: []string{"residual-normalised"}, named: []string{"residual-normalised"}},
		{name: "block-plus-equals", step: "step09", wrong: []string{"x-overwritten"}, unknown: "told as a changed input"},
		{name: "block-shortcut-and-cleared", step: "step09", wrong: []string{"dx-adds-dz", "dw-overwritten"}, named: []string{"dw-overwritten", "dx-adds-dz"}},
		{name: "block-half-branches", step: "step09", unknown: "each branch counts half"},
		{name: "lm-bare-head-and-nucleus", step: "step10", wrong: []string{"no-final-norm", "nucleus-drops-crossing"}, named: []string{"no-final-norm", "nucleus-drops-crossing"}},
		{name: "lm-tied-and-counted-so", step: "step10", wrong: []string{"head-tied", "params-head-tied", "flops-once"}, named: []string{"flops-once", "head-tied", "params-head-tied"}},
		{name: "lm-hot-and-endless", step: "step10", wrong: []string{"temperature-multiplied", "stop-included"}, named: []string{"stop-included", "temperature-multiplied"}},
		{name: "lm-one-stream", step: "step10", wrong: []string{"same-stream", "layers-not-reversed"}, named: []string{"layers-not-reversed"}},
		{name: "lm-soft-capped", step: "step10", unknown: "logits bent by a tanh"},
		{name: "lm-top-k", step: "step10", unknown: "top-k instead of top-p"},
	}
}
