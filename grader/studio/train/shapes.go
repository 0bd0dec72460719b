package train

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
)

// shapes are those of a model's tensors, by name. What an elective needs beside what the
// core has a name for lies in the same tensor; see the functions in whose place it stands.
func shapes(c run.Config) map[string][]int {
	d, f := c.Model.DModel, c.Model.DFF
	e := d / c.Model.NumHeads * c.Model.KVHeads() // rows of the keys, and of the values
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(c.Model.With, name) })
	}
	experts := max(1, c.Model.NumExperts) // one under the other, and above them the router
	up, down, third := []int{c.Model.NumExperts + experts*f, d}, []int{experts * d, f}, []int{experts * f, d}
	norm, table := []int{d}, []int{c.VocabSize, d}
	if has("gelu", "gelu-tanh", "relu") { // two matrices with as many numbers, and their biases
		wide := f + f/2
		up, down, third = []int{wide, d}, []int{d, wide}, []int{1, wide + d}
	}
	if has("layernorm") && has("post-norm", "dropout") {
		norm = []int{2, d} // the bias below the gain
	}
	if has("learned-positions") {
		table = []int{c.VocabSize + c.Model.ContextLength, d}
	}
	want := map[string][]int{"token_embeddings.weight": table, weights.LastNorm: {d}, "lm_head.weight": {c.VocabSize, d}}
	for layer := range c.Model.NumLayers {
		for name, shape := range map[string][]int{"ln1": norm, "ln2": norm, "ffn.w1": up, "ffn.w2": down, "ffn.w3": third,
			"attn.q_proj": {d, d}, "attn.k_proj": {e, d}, "attn.v_proj": {e, d}, "attn.output_proj": {d, d}} {
			want[fmt.Sprintf("layers.%d.%s.weight", layer, name)] = shape
		}
	}
	return want
}
