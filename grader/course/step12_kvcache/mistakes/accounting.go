//go:build mistake

package kvcache

import (
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// bytes-of-keys: Bytes counts the keys only
//
// Why: There are two buffers for every block.
//
// Hint: 2·L·B·T_max·D numbers.
func (*Cache) Bytes() {
	if right {
		numbers += l.keys.Len() + l.values.Len()
	} else {
		numbers += l.keys.Len()
	}
}

// bytes-of-float64: Bytes counts eight bytes a number
//
// Why: A float32 has four bytes.
//
// Hint: 4 bytes a number.
func (*Cache) Bytes() {
	if right {
		return 4 * numbers
	} else {
		return 8 * numbers
	}
}

// bytes-are-numbers: Bytes counts numbers
//
// Why: A float32 has four bytes.
//
// Hint: 4 bytes a number.
func (*Cache) Bytes() {
	if right {
		return 4 * numbers
	} else {
		return numbers
	}
}

// bytes-of-context: the buffers are as long as the model's context, whatever T_max is
//
// Why: A short answer needs a short cache: T_max is the caller's.
//
// Hint: (B, H, T_max, K)
func (*Cache) Bytes() {
	if right {
		return 4 * numbers
	} else {
		return 4 * numbers / c.maxLen * c.model.Config.ContextLength
	}
}

// bytes-of-one-row: Bytes leaves the batch out
//
// Why: Every row has keys and values of its own.
//
// Hint: 2·L·B·T_max·D numbers.
func (*Cache) Bytes() {
	if right {
		return 4 * numbers
	} else {
		return 4 * numbers / len(c.lengths)
	}
}

// bytes-of-one-layer: Bytes leaves the layers out
//
// Why: Every block has keys and values of its own.
//
// Hint: 2·L·B·T_max·D numbers.
func (*Cache) Bytes() {
	if right {
		return 4 * numbers
	} else {
		return 4 * numbers / len(c.layers)
	}
}

// flops-without-self: the new tokens' own keys are not counted
//
// Why: n queries meet past+n keys.
//
// Hint: 2·2·(past+n)·D for every new token and layer.
func FLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*(past+n)*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*2*past*d
	}
}

// flops-without-past: the keys of the past are not counted
//
// Why: n queries meet past+n keys. That part grows with the text, with a cache as well.
//
// Hint: 2·2·(past+n)·D for every new token and layer.
func FLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*(past+n)*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*2*n*d
	}
}

// flops-scores-only: scores are counted and weighted values are not
//
// Why: Attention has two products: q·kᵀ and P·v.
//
// Hint: 2·(past+n)·D twice.
func FLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*(past+n)*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*(past+n)*d
	}
}

// flops-one-token: the work of one new token is counted, however many there are
//
// Why: Every new token goes through all layers and the head.
//
// Hint: n times.
func FLOPs() {
	if right {
		return n * (c.NumLayers*layer + 2*d*v)
	} else {
		return c.NumLayers*layer + 2*d*v
	}
}

// flops-of-last-head: the head is counted once a call
//
// Why: FLOPs is about Forward, which has the logits of every new token.
//
// Hint: 2·D·V for every new token.
func FLOPs() {
	if right {
		return n * (c.NumLayers*layer + 2*d*v)
	} else {
		return n*c.NumLayers*layer + 2*d*v
	}
}

// flops-multiplications: a multiplication and its addition are counted as one
//
// Why: The course counts 2·m·n·k for a product, as most papers do.
//
// Hint: Twice as many.
func FLOPs() {
	if right {
		return n * (c.NumLayers*layer + 2*d*v)
	} else {
		return n * (c.NumLayers*layer + 2*d*v) / 2
	}
}

// flops-as-without: the work with a cache is counted as if there were none
//
// Why: Only the new tokens go through the layers.
//
// Hint: n, not past+n, is the factor.
func FLOPs() {
	if right {
		return n * (c.NumLayers*layer + 2*d*v)
	} else {
		return (past + n) * (c.NumLayers*layer + 2*d*v)
	}
}

// flops-batch: without a cache n texts of past+1 tokens are counted
//
// Why: Without a cache one pass over past+n tokens has the logits of the n last.
//
// Hint: lm.ForwardFLOPs of one sequence.
func FLOPsWithout(c lm.Config, past, n int) int { return lm.ForwardFLOPs(c, n, past+1) }

// flops-without-new: without a cache the new tokens are left out
//
// Why: Without a cache all past+n tokens go through the model.
//
// Hint: lm.ForwardFLOPs of past+n tokens.
func FLOPsWithout(c lm.Config, past, n int) int { return lm.ForwardFLOPs(c, 1, past) }

// flops-new-alone: without a cache the new tokens alone are counted
//
// Why: Without a cache all past+n tokens go through the model.
//
// Hint: lm.ForwardFLOPs of past+n tokens.
func FLOPsWithout(c lm.Config, past, n int) int { return lm.ForwardFLOPs(c, 1, n) }
