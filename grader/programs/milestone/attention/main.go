// Command attention is a milestone: two layers of the attention of step 08 and
// nothing else that mixes positions, or computes with them.
//
// Letters: D d_model, V vocabulary.
package main

import (
	"fmt"

	early "github.com/stubformer/stubformer/grader/programs/milestone"
	"github.com/stubformer/stubformer/reference/tensor"
	initializers "github.com/stubformer/stubformer/steps/step01_init"
	linear "github.com/stubformer/stubformer/steps/step02_linear"
	embedding "github.com/stubformer/stubformer/steps/step03_embedding"
	rmsnorm "github.com/stubformer/stubformer/steps/step04_rmsnorm"
	rope "github.com/stubformer/stubformer/steps/step06_rope"
	attention "github.com/stubformer/stubformer/steps/step08_attention"
)

const (
	context = 32
	width   = 48 // D
	heads   = 4
	layers  = 2
)

func main() {
	r := early.Recipe{Context: context, Batch: 16, Steps: 1000, Rate: 0.003}
	early.Main(r, func(vocab int) early.Model { return newModel(vocab) })
}

// model is an early.Model: x ← x + attention(norm(x)) in every layer, then
// head(norm(x)).
type model struct {
	embedding *embedding.Embedding // (V, D)
	layers    []layer
	norm      *rmsnorm.RMSNorm
	head      *linear.Linear // (V, D)
	x         []*tensor.Tensor
	positions [][]int
}

// layer is one layer of attention.
type layer struct {
	norm *rmsnorm.RMSNorm
	attn *attention.MultiHead
}

func newModel(vocab int) *model {
	weight := func(name string, out, in int) *tensor.Param {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(1, name)))
	}
	norm := func(name string) *rmsnorm.RMSNorm {
		return rmsnorm.New(tensor.NewParam(name, initializers.Gain(width)))
	}
	table := initializers.EmbeddingWeight(vocab, width, initializers.Rand(1, "embedding"))
	m := &model{embedding: embedding.New(tensor.NewParam("embedding", table)), norm: norm("norm"),
		head: linear.New(weight("head", vocab, width)), x: make([]*tensor.Tensor, layers+1)}
	turns := rope.New(10_000, width/heads, context)
	for l := range layers {
		name := fmt.Sprintf("layer %d, ", l+1)
		m.layers = append(m.layers, layer{norm(name + "norm"),
			attention.NewMultiHead(weight(name+"q, k and v", 3*width, width), weight(name+"output", width, width), heads, turns)})
	}
	return m
}

func (m *model) Forward(ids [][]int) (*tensor.Tensor, error) {
	embedded, err := m.embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	places := make([]int, len(ids[0]))
	for t := range places {
		places[t] = t
	}
	m.positions = [][]int{places}
	m.x[0] = embedded
	for l, layer := range m.layers {
		m.x[l+1] = sum(m.x[l], layer.attn.Forward(layer.norm.Forward(m.x[l]), m.positions))
	}
	return m.head.Forward(m.norm.Forward(m.x[layers])), nil
}

func (m *model) Backward(dlogits *tensor.Tensor) {
	dx := m.norm.Backward(m.head.Backward(dlogits))
	for l := layers - 1; l >= 0; l-- {
		dx = sum(dx, m.layers[l].norm.Backward(m.layers[l].attn.Backward(dx)))
	}
	m.embedding.Backward(dx)
}

// sum returns a + b.
func sum(a, b *tensor.Tensor) *tensor.Tensor {
	c := a.Clone()
	for i, x := range b.Data {
		c.Data[i] += x
	}
	return c
}

// Params returns every tensor once: of the layers' attention the two that it is
// made of.
func (m *model) Params() []*tensor.Param {
	params := m.embedding.Params()
	for _, l := range m.layers {
		params = append(params, l.norm.Gain, l.attn.QKV.Weight, l.attn.Output.Weight)
	}
	return append(params, m.norm.Gain, m.head.Weight)
}
