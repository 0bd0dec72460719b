package main

import (
	"encoding/json"
	"fmt"

	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// attend runs the model on one text, given by its token ids as JSON, and writes
// what every token attended to: for layer l the tensor layers.l, (H, T, T), a row
// for each query.
func attend(f folder, text []byte, path string) error {
	var ids []int
	if err := json.Unmarshal(text, &ids); err != nil {
		return err
	}
	m, err := f.load()
	if err != nil {
		return err
	}
	if _, err := m.Forward([][]int{ids}); err != nil {
		return err
	}
	out := map[string]*tensor.Tensor{}
	for layer, b := range m.Blocks {
		w := b.Attn.Attention.Weights()
		tensor.CheckShape(fmt.Sprintf("weights of attention in layer %d", layer), w, 1, f.Model.NumHeads, len(ids), len(ids))
		out[fmt.Sprintf("layers.%d", layer)] = tensor.From(w.Data, w.Shape[1:]...)
	}
	return weights.Write(path, out)
}
