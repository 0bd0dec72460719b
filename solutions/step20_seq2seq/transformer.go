package seq2seq

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step19_classic"
)

// Transformer is the whole model: embeddings and positions of both texts, the encoder, the
// decoder and the head.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3 and figure 1. There
// source, target and head share one matrix, which here are three.
type Transformer struct {
	Source  *embedding.Embedding // (U, D)
	Target  *embedding.Embedding // (V, D)
	Encoder *Encoder
	Decoder *Decoder
	Head    *linear.Linear // (V, D)

	positions *tensor.Tensor // (T_max, D), sines and cosines, for the longest text so far
	x, y      *tensor.Tensor // (B, M, D), (B, T, D), source and target, embedded
	dx, dy    *tensor.Tensor // their gradients, times √D
}

// NewTransformer returns the model with the given tables, source (U, D) and target (V, D),
// layers and head (V, D). It panics with a ShapeError if the tables do not fit together.
func NewTransformer(source, target *tensor.Param, e *Encoder, d *Decoder, head *tensor.Param) *Transformer {
	tensor.CheckShape("seq2seq.NewTransformer: source", source.Value, tensor.Any, tensor.Any)
	tensor.CheckShape("seq2seq.NewTransformer: target", target.Value, tensor.Any, source.Value.Dim(1))
	tensor.CheckShape("seq2seq.NewTransformer: head", head.Value, target.Value.Shape...)
	return &Transformer{Source: embedding.New(source), Target: embedding.New(target), Encoder: e, Decoder: d,
		Head: linear.New(head)}
}

// Forward returns the logits of the token behind every token of the targets:
//
//	x      = √D·E_source[source] + P             (B, M, D)
//	memory = Encoder(x)                          (B, M, D)
//	y      = √D·E_target[target] + P             (B, T, D)
//	logits = Decoder(y, memory) W_headᵀ          (B, T, V)
//
// P is the table of sines and cosines, of step 19, and a row of it is added to every token. It is
// worked out when a text is longer than all before, and kept.
// source (B, M) and target (B, T) are token ids; where the source is Pad, nobody looks. The
// logits are valid until the next Forward. An id outside of its vocabulary is an IndexError,
// rows of different lengths, or of another number, are a ShapeError. Both are returned, and
// then nothing has changed.
func (m *Transformer) Forward(source, target [][]int) (*tensor.Tensor, error) {
	if err := checkIDs("Transformer.Forward: source", source, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, err
	}
	if err := checkIDs("Transformer.Forward: target", target, m.Target.Weight.Value.Dim(0)); err != nil {
		return nil, err
	}
	if len(source) != len(target) {
		return nil, tensor.ShapeError{Op: "Transformer.Forward: rows of target", Got: []int{len(target)},
			Want: []int{len(source)}}
	}
	memory, real := m.encode(source)
	return m.decode(target, memory, real), nil
}

// encode returns what the encoder makes of sources that are in order, and where they are
// real.
func (m *Transformer) encode(source [][]int) (memory *tensor.Tensor, real [][]bool) {
	for _, row := range source {
		there := make([]bool, len(row))
		for j, id := range row {
			there[j] = id != Pad
		}
		real = append(real, there)
	}
	m.x = m.embed(m.x, m.Source, source)
	return m.Encoder.Forward(m.x, real), real
}

// decode returns the logits for targets that are in order.
func (m *Transformer) decode(target [][]int, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	m.y = m.embed(m.y, m.Target, target)
	return m.Head.Forward(m.Decoder.Forward(m.y, memory, real))
}

// embed sets dst to √D·E[id] + P, the row of P by the token's place in its text.
func (m *Transformer) embed(dst *tensor.Tensor, table *embedding.Embedding, ids [][]int) *tensor.Tensor {
	e, err := table.Forward(ids)
	if err != nil {
		panic(err) // the ids are in order
	}
	n, d := e.Dim(1), e.Dim(2)
	if m.positions == nil || m.positions.Dim(0) < n {
		m.positions = classic.Sinusoids(n, d)
	}
	dst = tensor.Reuse(dst, e.Shape...)
	for r := range dst.Rows() {
		copy(dst.Row(r), m.positions.Row(r%n))
		kernel.Axpy(factor(d), e.Row(r), dst.Row(r))
	}
	return dst
}

// factor is √D: embeddings begin small, and are to be as large as the sines.
func factor(d int) float32 { return float32(math.Sqrt(float64(d))) }

// Backward takes dlogits (B, T, V), the gradient of the loss with respect to the logits of
// the last Forward, and adds to the gradients of all parameters. It panics with a ShapeError
// if dlogits does not have their shape or no Forward came before.
func (m *Transformer) Backward(dlogits *tensor.Tensor) {
	// (12) The logits are a Linear:                      dz = dlogits W_head
	// (13) y = √D·E[id] + P, and P is constant:          dE[id] += √D·dy, for every token
	// (14) the memory's gradient goes on to the encoder: dx = Encoder.Backward(dMemory),
	//      and from there to the source's embeddings as in (13)
	tensor.CheckShape("Transformer.Backward: target of Forward", m.y, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Transformer.Backward: dlogits", dlogits, m.y.Dim(0), m.y.Dim(1), m.Head.Weight.Value.Dim(0))
	dy, dMemory := m.Decoder.Backward(m.Head.Backward(dlogits)) // (12), and the decoder's own
	dx := m.Encoder.Backward(dMemory)                           // (14)
	m.dy, m.dx = tensor.Reuse(m.dy, dy.Shape...), tensor.Reuse(m.dx, dx.Shape...)
	kernel.ScaleTo(m.dy.Data, factor(dy.Dim(2)), dy.Data) // (13)
	kernel.ScaleTo(m.dx.Data, factor(dx.Dim(2)), dx.Data)
	m.Target.Backward(m.dy)
	m.Source.Backward(m.dx)
}

// Translate returns the tokens that Beam finds behind one source of at least one token, and
// their score. The tokens belong to the caller. The encoder reads the source once. It is a
// Forward too: a Backward behind it belongs to no Forward before it. An id outside of the
// vocabulary is an IndexError, an empty source a ShapeError; both are returned, and then
// nothing has changed.
func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	if err := checkIDs("Transformer.Translate: source", [][]int{source}, m.Source.Weight.Value.Dim(0)); err != nil {
		return nil, 0, err
	}
	if len(source) == 0 {
		return nil, 0, tensor.ShapeError{Op: "Transformer.Translate: source without tokens", Got: []int{0}}
	}
	memory, real := m.encode([][]int{source})
	next := func(prefix []int) []float32 {
		logits := m.decode([][]int{prefix}, memory, real)
		return logits.Row(logits.Rows() - 1)
	}
	tokens, score = Beam(next, width, maxLen, alpha)
	return tokens, score, nil
}
