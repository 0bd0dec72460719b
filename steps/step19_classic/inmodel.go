package classic

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// What follows are the parts of this step in the form of those that they stand in for. A
// model names its parameters by these forms, so what it has no name for lies in the same
// tensor as something that it has one for.

// RMSNorm is a LayerNorm in the form of step 04's layer.
type RMSNorm struct {
	*LayerNorm
	Gain *tensor.Param // (D), then there is no bias, or (2, D): the gain's row, and the bias's
}

// Normed returns a function that stands in for New of step 04.
func Normed() func(gain *tensor.Param) *RMSNorm {
	return func(gain *tensor.Param) *RMSNorm {
		if len(gain.Value.Shape) == 1 {
			return &RMSNorm{NewLayerNorm(gain, nil), gain}
		}
		d := gain.Value.Dim(1)
		return &RMSNorm{NewLayerNorm(part(gain, 0, d), part(gain, d, d)), gain}
	}
}

// Params returns the layer's one parameter, in which the bias may be as well.
func (n *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{n.Gain} }

// part is a vector of n numbers of a parameter, from one on, over the same memory.
func part(p *tensor.Param, from, n int) *tensor.Param {
	return &tensor.Param{Name: p.Name, Value: tensor.From(p.Value.Data[from:from+n], n),
		Grad: tensor.From(p.Grad.Data[from:from+n], n)}
}

// SwiGLU is a FeedForward in the form of step 05's network. It has as many weights as the
// three of that, 2·F'·D = 3·F·D, and so F' = 3/2·F.
type SwiGLU struct {
	*FeedForward
	W1 *linear.Linear // (F', D)
	W2 *linear.Linear // (D, F')
	W3 *linear.Linear // (1, F'+D), the biases: those behind W1, then those behind W2
}

// Activated returns a function that stands in for New of step 05, for a network with ReLU
// or with GELU. Where it is given the weights of a SwiGLU, as step 10 draws them, their
// numbers become those of the two matrices, with the deviation that these are drawn with;
// the biases begin as 0.
func Activated(relu bool) func(w1, w2, w3 *tensor.Param) *SwiGLU {
	if relu {
		return inForm(Activation{ReLU, ReLUBackward})
	}
	return inForm(Activation{GELU, GELUBackward})
}

// Approximated is Activated with the form of GELU that GPT-2 was trained with: its published
// weights belong to that, and not to Φ.
func Approximated() func(w1, w2, w3 *tensor.Param) *SwiGLU {
	return inForm(Activation{tanhGELU, tanhGELUBackward})
}

// tanhGELU is ½·x·(1 + tanh u) with u = √(2/π)·(x + 0.044715·x³), which is x·σ(2u) and
// keeps its digits far to the left like that.
func tanhGELU(dst, x []float32) {
	for i, v := range x {
		s, _ := sigmoidOf2u(float64(v))
		dst[i] = float32(float64(v) * s)
	}
}

// tanhGELUBackward sets dx[i] to dy[i]·(σ(2u) + x·σ'(2u)·2u').
func tanhGELUBackward(dx, x, dy []float32) {
	for i, v := range x {
		s, slope := sigmoidOf2u(float64(v))
		dx[i] = float32(float64(dy[i]) * (s + float64(v)*slope))
	}
}

// sigmoidOf2u returns σ(2u), and its derivative by x.
func sigmoidOf2u(x float64) (s, slope float64) {
	const c, cubic = 2 * math.Sqrt2 / math.SqrtPi, 0.044715 // 2u = c·(x + cubic·x³)
	s = 1 / (1 + math.Exp(-c*(x+cubic*x*x*x)))
	return s, s * (1 - s) * c * (1 + 3*cubic*x*x)
}

// inForm makes networks with an activation; see Activated.
func inForm(act Activation) func(w1, w2, w3 *tensor.Param) *SwiGLU {
	return func(w1, w2, w3 *tensor.Param) *SwiGLU {
		if w3.Value.SameShape(w1.Value) {
			w1, w2, w3 = two(w1, w2, w3)
		}
		f, d := w1.Value.Dim(0), w1.Value.Dim(1)
		net := NewFeedForward(w1, part(w3, 0, f), w2, part(w3, f, d), act)
		return &SwiGLU{FeedForward: net, W1: net.W1, W2: net.W2, W3: linear.New(w3)}
	}
}

// Params returns w1, w2 and w3, which holds the biases.
func (s *SwiGLU) Params() []*tensor.Param {
	return []*tensor.Param{s.W1.Weight, s.W2.Weight, s.W3.Weight}
}

// two makes of the three weights of a SwiGLU those of a network with two: half of w3's rows
// go below w1, and the other half, transposed, beside w2.
func two(w1, w2, w3 *tensor.Param) (up, down, biases *tensor.Param) {
	f, d := w1.Value.Dim(0), w1.Value.Dim(1)
	more := f / 2
	up = tensor.NewParam(w1.Name, tensor.New(f+more, d))
	down = tensor.NewParam(w2.Name, tensor.New(d, f+more))
	scale := float32(math.Sqrt(float64(f+d) / float64(f+more+d))) // N(0, 2/(in+out)), as in step 01
	for i := range f + more {
		rows, row := w1, i
		if i >= f {
			rows, row = w3, i-f
		}
		for j := range d {
			up.Value.Set(scale*rows.Value.At(row, j), i, j)
			if i < f {
				down.Value.Set(scale*w2.Value.At(j, i), j, i)
			} else {
				down.Value.Set(scale*w3.Value.At(more+row, j), j, i)
			}
		}
	}
	return up, down, tensor.NewParam(w3.Name, tensor.New(1, f+more+d))
}

// Embedding is that of step 03 with positions that are added to it.
type Embedding struct {
	Weight *tensor.Param // (V, D), and below it the learned positions (T_max, D), if there are any

	tokens    *embedding.Embedding
	positions *Positions
	learned   bool
}

// Placed returns a function that stands in for New of step 03: the positions are learned,
// and drawn as the tokens are, or Sinusoids. maxLen is how many there are. The first
// table that the function is given says how large the vocabulary is.
func Placed(learned bool, maxLen int) func(weight *tensor.Param) *Embedding {
	vocab := 0
	return func(weight *tensor.Param) *Embedding {
		if vocab == 0 {
			vocab = weight.Value.Dim(0)
		}
		d := weight.Value.Dim(1)
		if !learned {
			table := tensor.NewParam("positions", Sinusoids(maxLen, d))
			return &Embedding{weight, embedding.New(weight), NewPositions(table), false}
		}
		if weight.Value.Dim(0) == vocab {
			weight = lengthened(weight, maxLen)
		}
		return &Embedding{weight, embedding.New(weight.Slice(weight.Name, 0, vocab)),
			NewPositions(weight.Slice("positions", vocab, vocab+maxLen)), true}
	}
}

// lengthened returns the table with rows for positions below it, drawn from a stream that
// begins with its first and its last number.
func lengthened(table *tensor.Param, rows int) *tensor.Param {
	vocab, d := table.Value.Dim(0), table.Value.Dim(1)
	bits := func(i int) uint64 { return uint64(math.Float32bits(table.Value.Data[i])) }
	seed := bits(0)<<32 | bits(table.Value.Len()-1)
	all := tensor.New(vocab+rows, d)
	copy(all.Data, table.Value.Data)
	copy(all.Slice(vocab, vocab+rows).Data,
		initializers.EmbeddingWeight(rows, d, initializers.Rand(seed, table.Name+".positions")).Data)
	return tensor.NewParam(table.Name, all)
}

// Forward looks up the tokens and adds the positions, of which the first token has 0. Its
// errors are those of step 03, and one for a text that is longer than the table.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	x, err := e.tokens.Forward(ids)
	if err != nil {
		return nil, err
	}
	if limit := e.positions.Weight.Value.Dim(0); x.Dim(1) > limit {
		return nil, fmt.Errorf("Embedding.Forward: %d tokens in a row, and %d positions", x.Dim(1), limit)
	}
	return e.positions.Forward(x, 0), nil
}

// Backward hands dy to the positions, if they are learned, and to the tokens.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	if e.learned {
		dy = e.positions.Backward(dy)
	}
	e.tokens.Backward(dy)
}

// Params returns the table's one parameter.
func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }

// ReadsWhole reports that a text is read from its beginning: a cache of step 12 asks for
// its last tokens alone, which would stand at the first positions.
func (e *Embedding) ReadsWhole() bool { return true }

// Unturned returns a function that stands in for New of step 06, where positions are added:
// queries and keys are turned by no angle.
func Unturned() func(theta float64, dK, maxSeqLen int) *rope.RoPE {
	return func(_ float64, dK, maxSeqLen int) *rope.RoPE {
		r := &rope.RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
		r.Cos.Fill(1)
		return r
	}
}
