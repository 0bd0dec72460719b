//go:build mistake

package attention

// no-scale: the scores are not divided by √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return 1
	}
}

// no-scale/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
	}
}

// scale-by-k: the scores are divided by K instead of √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return 1 / float32(width)
	}
}

// scale-by-k/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(1/float32(width), a.weights.Data)
	}
}

// scale-by-root-2k: the scores are divided by √(2K) instead of √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return float32(1 / math.Sqrt(2*float64(width)))
	}
}

// scale-by-root-2k/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(2*width), a.weights.Data)
	}
}

// scale-multiplied: the scores are multiplied by √K instead of divided
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return float32(math.Sqrt(float64(width)))
	}
}

// scale-multiplied/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(1/scale(width), a.weights.Data)
	}
}

// scale-by-keys: the scores are divided by √M, the root of the number of keys, instead of √K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(m), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(a.k.Dim(-2)), a.dScores.Data)
	}
}

// scale-by-keys/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(m), a.weights.Data)
	}
}

// scale-by-value-width: the scores are divided by the root of a value's length C instead of a
// key's length K
//
// Why: A dot product of K numbers of size 1 has the size √K. Divided by that, scores are of size 1
// for every width of a head: the softmax neither saturates nor evens everything out.
//
// Hint: score = q·k/√K, where K is the length of one query and one key.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(c), a.weights.Data)
	}
}

func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		kernel.Scale(scale(a.v.Dim(-1)), a.dScores.Data)
	}
}

// scale-by-value-width/forward-only
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(c), a.weights.Data)
	}
}
