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
