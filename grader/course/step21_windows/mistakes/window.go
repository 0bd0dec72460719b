//go:build mistake

package windows

import "math"

// one-key-more: a query sees W keys besides its own
//
// Why: The window counts the token itself: 0 ≤ p − j < W. In other papers and libraries it does not; the lesson's
// table says where.
//
// Hint: j is seen where p − j < W, not where p − j ≤ W.
func newView() {
	if right {
		w, sinks = min(w, max(n, m)), min(sinks, m)
	} else {
		w, sinks = min(w+1, max(n, m)), min(sinks, m)
	}
}

// one-key-less: a query sees W − 2 keys besides its own
//
// Why: The window counts the token itself, and W − 1 before it.
//
// Hint: j is seen where p − j < W.
func newView() {
	if right {
		w, sinks = min(w, max(n, m)), min(sinks, m)
	} else {
		w, sinks = max(1, min(w-1, max(n, m))), min(sinks, m)
	}
}

// symmetric: the window reaches as far behind the query as before it
//
// Why: A text is read from left to right: nobody sees what comes later. A window to both sides belongs to an encoder.
//
// Hint: 0 ≤ p − j: no key behind the query.
func (v view) sees(i, j int) bool {
	p := i + v.m - v.n
	return p-j < v.w && j-p < v.w || j < v.sinks && j <= p
}

func (v view) columns() int { return min(v.sinks+v.rows+2*v.w-2, v.sinks+v.m) }

func (view) block() {
	if right {
		to := max(from, first+b.queries+v.m-v.n)
	} else {
		to := min(v.m, max(from, first+b.queries+v.m-v.n+v.w-1))
	}
}

// top-left: the window is aligned at the top left: query i is taken to stand at position i
//
// Why: The last query is the newest token, and stands where the last key does. With N = M both are the same.
//
// Hint: p = i + M − N.
func (v view) sees(i, j int) bool { return j <= i && (i-j < v.w || j < v.sinks) }

func (view) block() {
	if right {
		from := min(max(0, first+v.m-v.n-v.w+1), v.m)
		to := max(from, first+b.queries+v.m-v.n)
	} else {
		from := min(max(0, first-v.w+1), v.m)
		to := min(v.m, max(from, first+b.queries))
	}
}

// token-left-out: a query does not see its own key
//
// Why: The window counts the token itself.
//
// Hint: j ≤ p, not j < p.
func (view) sees() {
	if right {
		return j <= p && (p-j < v.w || j < v.sinks)
	} else {
		return j < p && (p-j < v.w || j < v.sinks)
	}
}

// sinks-forgotten: the sinks are seen only as long as the window shows them
//
// Why: The first s keys are seen by all later queries: that is where a model lays its attention down when it needs
// none, and what it misses when they are gone.
//
// Hint: p − j < W, or j < s.
func (view) sees() {
	if right {
		return j <= p && (p-j < v.w || j < v.sinks)
	} else {
		return j <= p && p-j < v.w
	}
}

// sinks-too-early: a query sees sinks that come after it
//
// Why: A sink is a token as others: it is seen from its own position on.
//
// Hint: j < s and j ≤ p.
func (view) sees() {
	if right {
		return j <= p && (p-j < v.w || j < v.sinks)
	} else {
		return j <= p && p-j < v.w || j < v.sinks
	}
}

// sinks-counted-in: the sinks are counted among the W keys
//
// Why: W keys and s sinks are s + W, once the text is long enough.
//
// Hint: The window keeps its size whatever s is.
func newView() {
	if right {
		w, sinks = min(w, max(n, m)), min(sinks, m)
	} else {
		w, sinks = max(1, min(w-sinks, max(n, m))), min(sinks, m)
	}
}

// sinks-twice: a sink that lies in the window is counted twice
//
// Why: What the window shows and what is a sink overlap at the beginning of a text. The softmax is over a set of
// keys, each of which is there once.
//
// Hint: The sinks of a block are those before the window of its first query.
func (view) block() {
	if right {
		sinks := min(v.sinks, from)
	} else {
		sinks := min(v.sinks, to)
	}
}

// one-sink-more: one sink too many
//
// Why: The sinks are the keys 0 to s − 1.
//
// Hint: j < s, not j ≤ s.
func newView() {
	if right {
		w, sinks = min(w, max(n, m)), min(sinks, m)
	} else {
		w, sinks = min(w, max(n, m)), min(sinks+1, m)
	}
}

// one-sink-less: one sink is missing
//
// Why: The sinks are the keys 0 to s − 1.
//
// Hint: j < s.
func newView() {
	if right {
		w, sinks = min(w, max(n, m)), min(sinks, m)
	} else {
		w, sinks = min(w, max(n, m)), max(0, min(sinks-1, m))
	}
}

// zero-shows-all: W = 0 shows everything
//
// Why: The zero value stands in for the attention of a model, and is to have a window: 32.
//
// Hint: If W is 0, take 32.
func newView() {
	if right {
		if w == 0 {
			w = usual
		}
	} else {
		if w == 0 {
			w = max(usual, n, m)
		}
	}
}

// scale-missing: the factor 1/√K is missing
//
// Why: The variance of a score grows with K. S = q·kᵀ/√K, in Forward and in Backward.
//
// Hint: Scale the scores by 1/√K.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		_ = width
		return 1
	}
}

// scale-by-width: the scores are divided by K instead of √K
//
// Why: The variance of a score is K, its standard deviation √K.
//
// Hint: 1/√K.
func scale() {
	if right {
		return float32(1 / math.Sqrt(float64(width)))
	} else {
		return 1 / float32(width)
	}
}

// hidden-not-infinite: what is hidden has the score −10,000
//
// Why: A number that is low enough for all scores is −∞ alone: e^(S−max) is to be 0 however low the others are.
//
// Hint: float32(math.Inf(-1)).
func (*Window) hide() {
	if right {
		s.Set(float32(math.Inf(-1)), r, j-part.from)
	} else {
		s.Set(-1e4, r, j-part.from)
	}
}

// hidden-is-zero: what is hidden has the score 0
//
// Why: e^0 is 1: a hidden key would have a weight.
//
// Hint: −∞, before the softmax.
func (*Window) hide() {
	if right {
		s.Set(float32(math.Inf(-1)), r, j-part.from)
	} else {
		s.Set(0, r, j-part.from)
	}
}

// mask-ignored: the mask is not looked at
//
// Why: The window says what may be seen at the most; a mask hides more of it.
//
// Hint: A query attends to a key if the window shows it and the mask allows it.
func (*Window) hide() {
	if right {
		if !a.view.sees(query, j) || !allows(a.mask, i, query, j) {
			s.Set(float32(math.Inf(-1)), r, j-part.from)
		}
	} else {
		if !a.view.sees(query, j) {
			s.Set(float32(math.Inf(-1)), r, j-part.from)
		}
	}
}

// mask-by-block: the mask is read at the row of the block and not of the query
//
// Why: The rows of a block are queries from first on.
//
// Hint: The query is first + r.
func (*Window) hide() {
	if right {
		if !a.view.sees(query, j) || !allows(a.mask, i, query, j) {
			s.Set(float32(math.Inf(-1)), r, j-part.from)
		}
	} else {
		if !a.view.sees(query, j) || !allows(a.mask, i, r, j) {
			s.Set(float32(math.Inf(-1)), r, j-part.from)
		}
	}
}

// mask-by-window: the mask is read at the place in the block's keys and not at the key
//
// Why: The keys of a block begin where the window of its first query does.
//
// Hint: Key from + column, not column.
func (*Window) hide() {
	if right {
		if !a.view.sees(query, j) || !allows(a.mask, i, query, j) {
			s.Set(float32(math.Inf(-1)), r, j-part.from)
		}
	} else {
		if !a.view.sees(query, j) || !allows(a.mask, i, query, j-part.from) {
			s.Set(float32(math.Inf(-1)), r, j-part.from)
		}
	}
}

// mask-of-the-first: the first mask is used for all leading indices
//
// Why: A mask may have N·M entries for each of them.
//
// Hint: The entries of leading index i begin at i·N·M, if there are that many.
func allows() {
	if right {
		at := leading * mask.N * mask.M % len(mask.Attend)
	} else {
		_ = leading
		at := 0
	}
}

// last-block-left-out: queries behind the last full block are left out
//
// Why: Blocks need not divide N.
//
// Hint: The last block has min(R, N − first) queries.
func (view) blocks() {
	if right {
		return (v.n + v.rows - 1) / v.rows
	} else {
		return v.n / v.rows
	}
}

// sinks-values-lost: the values of the window take the place of those of the sinks
//
// Why: y is the sum over both parts of the keys, and y holds the first when the second comes.
//
// Hint: Add the second product: tensor.MulAdd.
func (*Window) Forward() {
	if right {
		tensor.MulAdd(b.rows(a.y, i), a.tile(a.p, i, b, part), a.keys(a.v, i, part))
	} else {
		tensor.Mul(b.rows(a.y, i), a.tile(a.p, i, b, part), a.keys(a.v, i, part))
	}
}

// old-scores-seen: scores of the last call are left where no keys are now
//
// Why: A tensor that is used again holds what it held. What no product writes to is to be −∞.
//
// Hint: Fill the scores with −∞ in every Forward.
func (*Window) Forward() {
	if right {
		a.p.Fill(float32(math.Inf(-1)))
	} else {
	}
}

// y-goes-on: y of the last call is added to
//
// Why: A tensor that is used again holds what it held.
//
// Hint: Set y to zero before you add to it.
func (*Window) Forward() {
	if right {
		a.y.Zero()
	} else {
	}
}

// weights-go-on: Weights leaves weights of the last call where nothing is seen now
//
// Why: A tensor that is used again holds what it held.
//
// Hint: Set it to zero first.
func (*Window) Weights() {
	if right {
		a.weights.Zero()
	} else {
	}
}

// all-pairs: all keys are multiplied with all queries, and most scores hidden
//
// Why: What a window is for: work and memory of size N·(R + W + s), and not N·M.
//
// Hint: A block of queries sees the keys from the beginning of its first window to its last query.
func (v view) columns() int { return v.m }

func (view) block() {
	if right {
		from := min(max(0, first+v.m-v.n-v.w+1), v.m)
		to := max(from, first+b.queries+v.m-v.n)
	} else {
		from, to := 0, v.m
	}
}

// any-window: a negative window or number of sinks is accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: A ShapeError if W or Sinks is negative.
func (*Window) Forward() {
	if right {
		if a.W < 0 || a.Sinks < 0 {
			op := fmt.Sprintf("Window.Forward: a window of %d keys and %d sinks for q", a.W, a.Sinks)
			panic(tensor.ShapeError{Op: op, Got: q.Shape})
		}
	} else {
		a.W, a.Sinks = max(0, a.W), max(0, a.Sinks)
	}
}
