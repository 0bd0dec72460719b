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
		for i := range count(lead) {
			p := tensor.From(matrix(a.weights, i), n*m)
			softmax.Softmax(p, p, 0)
		}
	}
}

func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	} else {
		for i := range count(lead) {
			p, ds := tensor.From(matrix(a.weights, i), n*m), tensor.From(matrix(a.dScores, i), n*m)
			softmax.Backward(ds, p, ds, 0)
		}
	}
}

// softmax-over-matrix/forward-only
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		for i := range count(lead) {
			p := tensor.From(matrix(a.weights, i), n*m)
			softmax.Softmax(p, p, 0)
		}
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
	shape      []int
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
