//go:build mistake

package lm

// flops-without-scores: the FLOPs leave out the products of attention itself: q·k and weights·v
//
// Why: They have no parameters, but for long sequences they are most of the work.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2 * (4*d*d + 3*d*f)
	}
}

// flops-scores-half: the FLOPs of attention's own products are half of what they should be: one of
// the two, or half of the T×T pairs
//
// Why: There are two products, scores and weighted values. Both are computed for all pairs, and
// masked ones are thrown away.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*seq*d
	}
}

// flops-once: a multiplication and an addition count as one
//
// Why: A processor's FLOPS counts both, so a product of (m, k) and (k, n) has 2·m·n·k.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 4*d*d + 3*d*f + 2*seq*d
	}
}

// flops-once/head-too: a multiplication and an addition count as one, in the head as well
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		layer := 4*d*d + 3*d*f + 2*seq*d
		return batch * seq * (c.NumLayers*layer + d*v)
	}
}

// flops-without-head: the FLOPs leave out the head
//
// Why: V is large: in a small model the head is a large part of the work.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		_ = v
		return batch * seq * c.NumLayers * layer
	}
}

// flops-with-embedding: the FLOPs count the embedding as a matrix product
//
// Why: An embedding is a look-up. It multiplies nothing.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		return batch * seq * (c.NumLayers*layer + 2*2*d*v)
	}
}

// flops-of-context: the FLOPs are those of a sequence of full context length, whatever T is
//
// Why: A product is as large as the sequence that is put in.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*2*c.ContextLength*d
	}
}

// flops-of-context/everywhere: the FLOPs are those of a sequence of full context length in every
// product
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
		seq = c.ContextLength
		layer = 2*(4*d*d+3*d*f) + 2*2*seq*d
	}
}

// flops-scores-per-head: the FLOPs of attention's own products are counted H times too often
//
// Why: Each head has K = D/H numbers a token. Together the H heads multiply as much as one head of
// D.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d*c.NumHeads
	}
}

// flops-scores-per-sequence: the FLOPs of attention's own products are counted once a sequence,
// not for each of its tokens
//
// Why: Every one of the T queries meets T keys.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		scores := 2 * 2 * seq * d
		return batch*seq*(c.NumLayers*(layer-scores)+2*d*v) + batch*c.NumLayers*scores
	}
}

// flops-of-one-sequence: the FLOPs are those of one sequence, not of the batch
//
// Why: A batch of B sequences is B times the work.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		_ = batch
		return seq * (c.NumLayers*layer + 2*d*v)
	}
}

// flops-with-backward: the FLOPs are those of the forward and the backward pass
//
// Why: The backward pass costs twice as much as the forward pass, so training costs three times as
// much.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		return batch * seq * (c.NumLayers*layer + 2*d*v)
	} else {
		return 3 * batch * seq * (c.NumLayers*layer + 2*d*v)
	}
}

// flops-two-matrices: the FLOPs count two matrices in the feed-forward network instead of three
//
// Why: SwiGLU has three: W1 and W3 in, W2 out.
//
// Hint: A product of (m, k) and (k, n) costs 2·m·n·k. Each token: 2·(4·D² + 3·D·F) + 4·T·D a
// layer, and 2·D·V for the head.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+2*d*f) + 2*2*seq*d
	}
}
