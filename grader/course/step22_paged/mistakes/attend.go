//go:build mistake

package paged

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// masked-by-pages: the last page is seen to its end, behind the text's own
//
// Why: What lies there was never written, or belonged to another text. Zeros are keys too, with the score 0.
//
// Hint: The last page has Len − i·S tokens: min(S, Len − first).
func (*Text) Attend() {
	if right {
		p.s = tensor.Reuse(p.s, n, t.length)
		p.y.Zero()
	} else {
		length := t.length
		t.length = len(t.pages) * p.size
		defer func() { t.length = length }()
		p.s = tensor.Reuse(p.s, n, t.length)
		p.y.Zero()
	}
	if right {
		hidden := p.s.Row(i)[t.length-n+i+1:]
	} else {
		hidden := p.s.Row(i)[t.length:]
		if n > 1 {
			hidden = p.s.Row(i)[length-n+i+1:]
		}
	}
}

// nothing-hidden: a query sees tokens that come after its own
//
// Why: Of n new tokens the i-th stands at Len − n + i, and sees what stands up to there.
//
// Hint: −Inf behind Len − n + i.
func (*Text) Attend() {
	if right {
		for i := range n {
			hidden := p.s.Row(i)[t.length-n+i+1:]
			for j := range hidden {
				hidden[j] = float32(math.Inf(-1))
			}
		}
	} else {
	}
}

// top-left: the i-th query is taken to stand at position i of the text
//
// Why: The queries are the last ones: the i-th stands at Len − n + i.
//
// Hint: −Inf behind Len − n + i.
func (*Text) Attend() {
	if right {
		hidden := p.s.Row(i)[t.length-n+i+1:]
	} else {
		hidden := p.s.Row(i)[i+1:]
	}
}

// itself-not-seen: a token does not see its own key
//
// Why: It has been written before its query attends.
//
// Hint: −Inf behind Len − n + i, not from there on.
func (*Text) Attend() {
	if right {
		hidden := p.s.Row(i)[t.length-n+i+1:]
	} else {
		hidden := p.s.Row(i)[t.length-n+i:]
	}
}

// not-scaled: the scores are not divided by √K
//
// Why: Attention over pages is that of step 08.
//
// Hint: q·k/√K.
func (*Text) Attend() {
	if right {
		kernel.Scale(float32(1/math.Sqrt(float64(q.Dim(2)))), p.s.Data)
	} else {
	}
}

// divided-by-k: the scores are divided by K, not by its root
//
// Why: Attention over pages is that of step 08.
//
// Hint: q·k/√K.
func (*Text) Attend() {
	if right {
		kernel.Scale(float32(1/math.Sqrt(float64(q.Dim(2)))), p.s.Data)
	} else {
		kernel.Scale(float32(1/float64(q.Dim(2))), p.s.Data)
	}
}

// softmax-of-pages: every page has a softmax of its own
//
// Why: The weights of a query sum to 1 over the whole text, not over each page.
//
// Hint: All scores of a row first, then one softmax; or the running sums of step 16.
func (*Text) Attend() {
	if right {
		softmax.Softmax(p.s, p.s, 1)
	} else {
		for first := range t.blocks() {
			rows := min(p.size, t.length-first)
			part := tensor.New(n, rows)
			tensor.Copy(part.Matrix(), s.Block(0, first, n, rows))
			softmax.Softmax(part, part, 1)
			tensor.Copy(s.Block(0, first, n, rows), part.Matrix())
		}
	}
}

// no-maximum: the exponentials are taken without subtracting the largest score
//
// Why: e^S overflows for S > 88, and infinity over infinity is no number.
//
// Hint: Use softmax.Softmax, which subtracts the row's own maximum.
func (*Text) Attend() {
	if right {
		softmax.Softmax(p.s, p.s, 1)
	} else {
		for i := range n {
			row, sum := p.s.Row(i), float32(0)
			for j := range row {
				row[j] = float32(math.Exp(float64(row[j])))
				sum += row[j]
			}
			for j := range row {
				row[j] /= sum
			}
		}
	}
}

// pages-in-order: the i-th page of the pool is taken for the i-th of the text
//
// Why: Where a page of the text lies says the table.
//
// Hint: pages[i] of the text.
func (*Text) blocks() {
	if right {
		for i, page := range t.pages {
			if !yield(i*t.pool.size, page) {
				return
			}
		}
	} else {
		for i := range t.pages {
			if !yield(i*t.pool.size, i) {
				return
			}
		}
	}
}

// last-page-unseen: a last page that is not full is not seen
//
// Why: The newest tokens lie there, the query's own among them.
//
// Hint: All pages of the table, the last one up to Len.
func (*Text) Attend() {
	if right {
		tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values)
	} else {
		if rows == p.size {
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values)
		}
	}
}

// written-behind: keys and values are written as if the new tokens began a page
//
// Why: Position p lies at place p mod S of its page. New tokens often begin in the middle of one.
//
// Hint: pos = Len − n + i; page pages[pos/S], place pos mod S.
func (*Text) Write() {
	if right {
		row := p.row(t.pages[pos/p.size], h) + pos%p.size
	} else {
		row := p.row(t.pages[pos/p.size], h) + i%p.size
	}
}

// written-to-last-page: all new tokens are written to the last page
//
// Why: They may begin in one page and end in another.
//
// Hint: pos = Len − n + i; page pages[pos/S], place pos mod S.
func (*Text) Write() {
	if right {
		row := p.row(t.pages[pos/p.size], h) + pos%p.size
	} else {
		row := p.row(t.pages[len(t.pages)-1], h) + pos%p.size
	}
}

// values-for-keys: the values are written where the keys are
//
// Why: A layer has keys and values, each in its own memory.
//
// Hint: Keys to keys, values to values.
func (*Text) Write() {
	if right {
		copy(p.keys[layer].Row(row), k.Row(h*n+i))
		copy(p.values[layer].Row(row), v.Row(h*n+i))
	} else {
		copy(p.keys[layer].Row(row), v.Row(h*n+i))
		copy(p.values[layer].Row(row), k.Row(h*n+i))
	}
}

// one-layer: all layers write to the first
//
// Why: A page holds the keys and values of its tokens for every layer.
//
// Hint: keys[layer] and values[layer].
func (*Text) Write() {
	if right {
		copy(p.keys[layer].Row(row), k.Row(h*n+i))
		copy(p.values[layer].Row(row), v.Row(h*n+i))
	} else {
		copy(p.keys[0].Row(row), k.Row(h*n+i))
		copy(p.values[0].Row(row), v.Row(h*n+i))
	}
}

// one-head: all heads write to the rows of the first
//
// Why: Every head has keys and values of its own.
//
// Hint: Head h owns (S, K) of the page.
func (*Pool) row() {
	if right {
		return (page*p.keys[0].Dim(1) + head) * p.size
	} else {
		return page * p.keys[0].Dim(1) * p.size
	}
}

// values-not-checked: values of another shape than the keys are accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: tensor.CheckShape for both.
func (*Text) Write() {
	if right {
		tensor.CheckShape("Text.Write: v", v, k.Shape...)
	} else {
		if !v.SameShape(k) {
			v = k
		}
	}
}

// more-than-there-are: more queries than the text has tokens are accepted
//
// Why: They are those of its last tokens.
//
// Hint: A ShapeError if n is more than Len.
func (*Text) Attend() {
	if right {
		n := t.check("Text.Attend", layer, q)
	} else {
		if q.Dim(1) > t.length {
			return tensor.New(q.Shape...)
		}
		n := t.check("Text.Attend", layer, q)
	}
}

// any-layer: a layer that the pool has not is taken for the last
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: An IndexError unless 0 ≤ layer < L.
func (*Text) Attend() {
	if right {
		n := t.check("Text.Attend", layer, q)
	} else {
		layer = min(layer, len(p.keys)-1)
		n := t.check("Text.Attend", layer, q)
	}
}

// gathered: all keys and values are copied side by side for every call
//
// Why: That is work and memory for the whole text, in every layer and for every token.
//
// Hint: One product for each page, where it lies.
func (*Text) Attend() {
	if right {
		p.y.Zero()
	} else {
		p.y.Zero()
		for l := range p.keys {
			side := make([]float32, 0)
			for _, page := range t.pages {
				side = append(side, p.keys[l].Slice(page, page+1).Data...)
				side = append(side, p.values[l].Slice(page, page+1).Data...)
			}
			p.s.Data[0] = side[len(side)-1]
		}
	}
}
