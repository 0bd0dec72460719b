//go:build mistake

package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/steps/step19_classic"
)

// no-factor: embeddings are not multiplied by √D
//
// Why: They begin small, and the sines are as large as 1: without √D a token is hardly heard beside its place.
//
// Hint: √D·E[id] + P.
func (*Transformer) embed() {
	if right {
		kernel.Axpy(factor(d), e.Row(r), dst.Row(r))
	} else {
		kernel.Axpy(1, e.Row(r), dst.Row(r))
	}
}

// factor-on-positions: √D multiplies embeddings and positions
//
// Why: The factor is for the embeddings alone.
//
// Hint: √D·E[id] + P.
func (*Transformer) embed() {
	if right {
		for r := range dst.Rows() {
			copy(dst.Row(r), m.positions.Row(r%n))
			kernel.Axpy(factor(d), e.Row(r), dst.Row(r))
		}
	} else {
		for r := range dst.Rows() {
			kernel.Add(dst.Row(r), m.positions.Row(r%n), e.Row(r))
			kernel.Scale(factor(d), dst.Row(r))
		}
	}
}

// no-positions: no positions are added
//
// Why: Attention without them sees a bag of tokens: a text and its reversal are the same.
//
// Hint: Row t of Sinusoids, for token t.
func (*Transformer) embed() {
	if right {
		copy(dst.Row(r), m.positions.Row(r%n))
	} else {
		clear(dst.Row(r))
	}
}

// positions-from-one: positions begin at 1
//
// Why: The first token has row 0.
//
// Hint: Row t of Sinusoids, t from 0.
func (*Transformer) embed() {
	if right {
		m.positions = classic.Sinusoids(n, d)
	} else {
		m.positions = classic.Sinusoids(n+1, d)
	}
}

func (*Transformer) embed() {
	if right {
		copy(dst.Row(r), m.positions.Row(r%n))
	} else {
		copy(dst.Row(r), classic.Sinusoids(n+1, d).Row(r%n+1))
	}
}

// source-padding-seen: the model says of every token of the source that it is real
//
// Why: Pad is the token that says: nothing stands here.
//
// Hint: real[b][j] = source[b][j] != Pad.
func (*Transformer) encode() {
	if right {
		there[j] = id != Pad
	} else {
		there[j] = id >= Pad
	}
}

// target-without-factor: √D is left out on the way back to the target's embeddings
//
// Why: y = √D·E[id] + P, so dE[id] is √D·dy.
//
// Hint: Scale dy by √D.
func (*Transformer) Backward() {
	if right {
		kernel.ScaleTo(m.dy.Data, factor(dy.Dim(2)), dy.Data)
	} else {
		copy(m.dy.Data, dy.Data)
	}
}

// source-without-factor: √D is left out on the way back to the source's embeddings
//
// Why: x = √D·E[id] + P, so dE[id] is √D·dx.
//
// Hint: Scale dx by √D.
func (*Transformer) Backward() {
	if right {
		kernel.ScaleTo(m.dx.Data, factor(dx.Dim(2)), dx.Data)
	} else {
		copy(m.dx.Data, dx.Data)
	}
}

// encoder-untrained: the memory's gradient ends at the memory: the encoder learns nothing
//
// Why: The encoder is trained by nothing else than what the decoder sends back.
//
// Hint: Encoder.Backward(dMemory), and on to the source's embeddings.
func (*Transformer) Backward() {
	if right {
		m.Source.Backward(m.dx)
	} else {

	}
}

func (*Transformer) Backward() {
	if right {
		dx := m.Encoder.Backward(dMemory)
	} else {
		dx := dMemory
	}
}

// first-row: the translation reads the logits behind the first token of the prefix
//
// Why: What comes next stands behind the last one.
//
// Hint: The last row of logits.
func (*Transformer) Translate() {
	if right {
		return logits.Row(logits.Rows() - 1)
	} else {
		return logits.Row(0)
	}
}

// encoded-again: the encoder reads the source anew for every token
//
// Why: The memory does not depend on what has been written.
//
// Hint: Encode before the search begins.
func (*Transformer) Translate() {
	if right {
		logits := m.decode([][]int{prefix}, memory, real)
	} else {
		memory, real = m.encode([][]int{source})
		logits := m.decode([][]int{prefix}, memory, real)
	}
}
