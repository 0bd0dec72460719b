// Command bigram is a milestone: the smallest language model, made of steps 03 and
// 07. The table of the embedding has as many columns as rows: the row of a token
// holds the logits of the next.
package main

import (
	early "github.com/stubformer/stubformer/grader/programs/milestone"
	"github.com/stubformer/stubformer/reference/tensor"
	embedding "github.com/stubformer/stubformer/steps/step03_embedding"
)

func main() {
	r := early.Recipe{Context: 32, Batch: 64, Steps: 600, Rate: 0.1}
	early.Main(r, func(vocab int) early.Model {
		return &bigram{embedding.New(tensor.NewParam("table", tensor.New(vocab, vocab)))}
	})
}

// bigram is an early.Model.
type bigram struct{ table *embedding.Embedding }

func (m *bigram) Forward(ids [][]int) (*tensor.Tensor, error) { return m.table.Forward(ids) }

func (m *bigram) Backward(dlogits *tensor.Tensor) { m.table.Backward(dlogits) }

func (m *bigram) Params() []*tensor.Param { return m.table.Params() }
