package oracle

import "github.com/stubformer/stubformer/reference/autodiff"

// Model is a decoder-only language model.
type Model struct {
	Embeddings *autodiff.Tensor // (V, D)
	Blocks     []BlockWeights
	Final      *autodiff.Tensor // gain of the last RMSNorm (D)
	Head       *autodiff.Tensor // (V, D), not tied to the embeddings
	NumHeads   int
	Theta      float64 // Θ of the RoPE that all blocks share

	Sees func(n int) []bool // as in Heads
}

// LM returns the logits of the next token at every position:
//
//	x = Embedding(ids);  x = Block_l(x) for l = 0, …, L−1
//	logits = Linear(RMSNorm(x), head)
//
//	ids (B, T), result (B, T, V)
//
// Token t stands at position t.
//
// Source: Vaswani et al. (arXiv:1706.03762), section 3, without the encoder;
// Touvron et al., "LLaMA" (arXiv:2302.13971), section 2.2, for the parts.
func LM(ids Indices, m Model) *autodiff.Tensor {
	time := ids.Shape[1]
	positions := Indices{Shape: []int{1, time}, Data: make([]int, time)}
	for t := range time {
		positions.Data[t] = t
	}
	x := Embedding(ids, m.Embeddings)
	for _, w := range m.Blocks {
		x = Block(x, w, Heads{Count: m.NumHeads, Theta: m.Theta, Positions: positions, Sees: m.Sees})
	}
	return Linear(RMSNorm(x, m.Final), m.Head)
}

// Greedy continues a prompt with the token of the largest logit, the first of
// equals, up to maxNew times or until that token is stop (−1: never), which is
// not part of the result. The model sees the last contextLength tokens, the
// first of them at position 0.
func Greedy(prompt []int, m Model, contextLength, maxNew, stop int) []int {
	tokens := append([]int(nil), prompt...)
	for range maxNew {
		seen := tokens[max(0, len(tokens)-contextLength):]
		logits := LM(Indices{Shape: []int{1, len(seen)}, Data: seen}, m)
		vocab := logits.Shape[2]
		next := firstLargest(logits.Data[len(logits.Data)-vocab:])
		if next == stop {
			break
		}
		tokens = append(tokens, next)
	}
	return tokens[len(prompt):]
}

// Size is the configuration of a language model.
type Size struct{ Vocab, DModel, Layers, DFF int }

// Params returns the number of parameters: token embeddings and head V·D each,
// per layer 4·D² (attention), 3·D·F (SwiGLU) and 2·D (gains), and D for the
// last gain.
func (s Size) Params() int {
	layer := 4*s.DModel*s.DModel + 3*s.DModel*s.DFF + 2*s.DModel
	return 2*s.Vocab*s.DModel + s.Layers*layer + s.DModel
}

// ForwardFLOPs returns the floating-point operations of the matrix products in
// one forward pass over batch sequences of length seq, at 2·m·n·k for a
// product of (m, k) by (k, n). With R = batch·seq rows:
//
//	per layer: projections 4·2·R·D·D, scores and weighted values
//	2·2·R·seq·D (all heads together), SwiGLU 3·2·R·D·F; head 2·R·D·V
//
// Source: Kaplan et al., "Scaling Laws for Neural Language Models"
// (arXiv:2001.08361), section 2.1, table 1, for another feed-forward network.
func (s Size) ForwardFLOPs(batch, seq int) int {
	rows := batch * seq
	layer := 8*rows*s.DModel*s.DModel + 4*rows*seq*s.DModel + 6*rows*s.DModel*s.DFF
	return s.Layers*layer + 2*rows*s.DModel*s.Vocab
}
