//go:build mistake

package attention

// softmax-over-queries: the softmax runs over the queries instead of the keys
//
// Why: Each query spreads a weight of 1 over the keys. The scores are (N, M), so its keys lie
// along the last axis.
//
// Hint: The rows of the weights sum to 1: softmax along axis −1.
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		a.weights = softmax.Softmax(a.weights, a.weights, -2)
	}
}

func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -2)
	}
}

// softmax-over-queries/forward-only
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		a.weights = softmax.Softmax(a.weights, a.weights, -2)
	}
}

// softmax-over-matrix: one softmax runs over all scores of a head, queries and keys together
//
// Why: Each query spreads a weight of 1 over the keys. The scores are (N, M), so its keys lie
// along the last axis.
//
// Hint: The rows of the weights sum to 1: softmax along axis −1.
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		p := a.weights.Reshape(q.Matrices(), n*m)
		softmax.Softmax(p, p, -1)
	}
}

func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		size := a.weights.Dim(-2) * a.weights.Dim(-1)
		p, ds := a.weights.Reshape(dy.Matrices(), size), a.dScores.Reshape(dy.Matrices(), size)
		softmax.Backward(ds, p, ds, -1)
	}
}

// softmax-over-matrix/forward-only
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		p := a.weights.Reshape(q.Matrices(), n*m)
		softmax.Softmax(p, p, -1)
	}
}

// weights-are-scores: Weights returns the scores, from before the softmax
//
// Why: Who wants to see what attends to what looks at shares of 1, not at scores.
//
// Hint: Keep the result of the softmax and return that. Backward needs it too.
type Attention struct {
	q, k, v *tensor.Tensor
	scores  *tensor.Tensor

	weights    *tensor.Tensor
	y          *tensor.Tensor
	dScores    *tensor.Tensor
	dq, dk, dv *tensor.Tensor
}

func (*Attention) Forward() {
	if right {
		mask.hide(a.weights.Data)
	} else {
		mask.hide(a.weights.Data)
		a.scores = a.weights.Clone()
	}
}

func (*Attention) Weights() {
	if right {
		return a.weights
	} else {
		return a.scores
	}
}
