package seq2seq

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
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

	// Yours: what Backward needs of Forward, and the tensors that are used again in every call.
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
	panic(tensor.TODO("step20: Transformer.Forward"))
}

// Backward takes dlogits (B, T, V), the gradient of the loss with respect to the logits of
// the last Forward, and adds to the gradients of all parameters. It panics with a ShapeError
// if dlogits does not have their shape or no Forward came before.
func (m *Transformer) Backward(dlogits *tensor.Tensor) {
	panic(tensor.TODO("step20: Transformer.Backward"))
}

// Translate returns the tokens that Beam finds behind one source of at least one token, and
// their score. The tokens belong to the caller. The encoder reads the source once. It is a
// Forward too: a Backward behind it belongs to no Forward before it. An id outside of the
// vocabulary is an IndexError, an empty source a ShapeError; both are returned, and then
// nothing has changed.
func (m *Transformer) Translate(source []int, width, maxLen int, alpha float64) (tokens []int,
	score float64, err error) {

	panic(tensor.TODO("step20: Transformer.Translate"))
}
