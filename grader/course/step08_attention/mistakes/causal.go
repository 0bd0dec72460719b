//go:build mistake

package attention

// causal-strict: the causal mask is strict: a token may not attend to itself
//
// Why: The output at a position predicts the next token, so it may use its own. With a strict mask
// the first token has nothing to attend to at all: its row is 0 or NaN.
//
// Hint: Row i is a query, column j a key: Attend[i·n + j] = (j ≤ i).
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j < i
	}
}

// causal-one-future: the causal mask lets one future token in
//
// Why: One token is all that is to be predicted. The model learns to copy it, the loss goes to 0,
// and generation fails.
//
// Hint: Row i is a query, column j a key: Attend[i·n + j] = (j ≤ i).
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j <= i+1
	}
}

// causal-transposed: the causal mask is transposed: a token sees itself and what comes after it
//
// Why: Then the model reads from right to left.
//
// Hint: Row i is a query, column j a key: Attend[i·n + j] = (j ≤ i).
func Causal() {
	if right {
		row[j] = j <= i
	} else {
		row[j] = j >= i
	}
}

// first-mask-for-all: the first leading index's mask is used for all of them
//
// Why: A mask of (N, M) holds for every leading index, but one of (…, N, M) has a matrix for each:
// sequences are padded differently.
//
// Hint: If len(mask.Attend) is larger than N·M, the i-th matrix of scores has the i-th N·M
// entries.
func (*Mask) hide() {
	if right {
		for len(scores) > 0 {
			for i, attend := range mask.Attend {
				if !attend {
					scores[i] = float32(math.Inf(-1))
				}
			}
			scores = scores[len(mask.Attend):]
		}
	} else {
		first := mask.Attend[:mask.N*mask.M]
		for len(scores) > 0 {
			for i, attend := range first {
				if !attend {
					scores[i] = float32(math.Inf(-1))
				}
			}
			scores = scores[len(first):]
		}
	}
}

// mask-on-first-only: a mask of (N, M) is applied to the first leading index only
//
// Why: The mask is smaller than the scores and holds for every sequence and head.
//
// Hint: Begin again at the mask's start for every matrix of scores:
// mask.Attend[i%len(mask.Attend)].
func (*Mask) hide() {
	if right {
		scores = scores[len(mask.Attend):]
	} else {
		break
	}
}

// multi-head-not-causal: multi-head attention never applies the causal mask
//
// Why: Every token sees the ones it is supposed to predict. The loss of such a model falls
// wonderfully, and it can write nothing.
//
// Hint: Hand Causal(T) to Attention.Forward.
func (*MultiHead) Forward() {
	if right {
		heads := m.Attention.Forward(m.q, m.k, m.v, m.mask)
	} else {
		heads := m.Attention.Forward(m.q, m.k, m.v, nil)
	}
}

// mask-by-position: the causal mask compares positions instead of the order of the tokens
//
// Why: Positions only turn queries and keys. What came before is decided by the place in the
// sequence.
//
// Hint: Causal(T), whatever the positions are.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		m.mask = &Mask{N: seq, M: seq}
		for i := range batch * m.heads {
			row := positions[i/m.heads%len(positions)]
			for _, query := range row {
				for _, key := range row {
					m.mask.Attend = append(m.mask.Attend, key <= query)
				}
			}
		}
	}
}

// mask-of-first-length: the causal mask is made once and not again for another length
//
// Why: Training has one length, generation has every length from 1 on.
//
// Hint: Make a new mask whenever T is another one than last time.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if m.mask == nil {
			m.mask = Causal(seq)
		}
	}
}
