//go:build mistake

package lm

// params-head-tied: the head's parameters are not counted, as if it were tied to the embedding
//
// Why: The head has a weight of its own.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return v*d + c.NumLayers*layer + d
	}
}

// params-without-gains: the gains are not counted
//
// Why: They are few, but they are trained and stored.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		layer := 4*d*d + 3*d*f + 2*d
	} else {
		layer := 4*d*d + 3*d*f
	}
}

// params-without-gains/all: none of the gains is counted
func NumParams() {
	if right {
		layer := 4*d*d + 3*d*f + 2*d
		return 2*v*d + c.NumLayers*layer + d
	} else {
		layer := 4*d*d + 3*d*f
		return 2*v*d + c.NumLayers*layer
	}
}

// params-without-gains/last: the gain of the last norm is not counted
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return 2*v*d + c.NumLayers*layer
	}
}

// params-two-matrices: the feed-forward network is counted with two matrices instead of three
//
// Why: SwiGLU has three: W1 and W3 in, W2 out.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		layer := 4*d*d + 3*d*f + 2*d
	} else {
		layer := 4*d*d + 2*d*f + 2*d
	}
}

// params-of-one-layer: the parameters of one layer are counted instead of L
//
// Why: Every layer has weights of its own.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return 2*v*d + layer + d
	}
}

// params-with-positions: a table of positions is counted
//
// Why: GPT-2 learns a vector for every position. RoPE's tables are computed, not learned.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		return 2*v*d + c.NumLayers*layer + d + c.ContextLength*d
	}
}

// params-without-embedding: the embedding and the head are not counted
//
// Why: Scaling laws often leave them out. The number of all parameters does not.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		return 2*v*d + c.NumLayers*layer + d
	} else {
		_ = v
		return c.NumLayers*layer + d
	}
}

// params-with-biases: biases are counted
//
// Why: No linear layer of this model has one.
//
// Hint: Embedding V·D, head V·D, last gain D; each layer 4·D² + 3·D·F + 2·D.
func NumParams() {
	if right {
		layer := 4*d*d + 3*d*f + 2*d
	} else {
		layer := 4*d*d + 4*d + 3*d*f + 2*f + d + 2*d
	}
}
