package llama

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/reference/tensor"
)

// ToHF says a model, its parameters and the files of its tokenizer as transformers has them.
func ToHF(c run.Config, state map[string]*tensor.Tensor, files map[string][]byte) (hf.Made, error) {
	m := c.Model
	if err := Family(m.With); err != nil {
		return hf.Made{}, err
	}
	if m.NumExperts > 0 {
		return hf.Made{}, lang.Errorf("transformers' model of the type %q has no experts: want a model without moe", architecture)
	}
	words, err := TokensToHF(c.VocabSize, files)
	if err != nil {
		return hf.Made{}, err
	}
	tied := slices.Equal(state[head].Data, state[embedding].Data)
	out := map[string]*tensor.Tensor{inHF.embedding: state[embedding], inHF.lastNorm: state[lastNorm]}
	if !tied {
		out[inHF.head] = state[head]
	}
	for layer := range m.NumLayers {
		ours, theirs := fmt.Sprintf(layers, layer), fmt.Sprintf(inHF.layer, layer)
		for name, other := range inHF.inLayer {
			x := state[ours+name]
			if turned(name) {
				x = halves(x, m.DModel/m.NumHeads)
			}
			out[theirs+other] = x
		}
	}
	return hf.Made{Tensors: out, Tokens: words, Config: map[string]any{
		"model_type": architecture, "architectures": []string{"LlamaForCausalLM"}, "tie_word_embeddings": tied,
		"vocab_size": c.VocabSize, "max_position_embeddings": m.ContextLength, "hidden_size": m.DModel,
		"intermediate_size": m.DFF, "num_hidden_layers": m.NumLayers, "num_attention_heads": m.NumHeads,
		"num_key_value_heads": m.KVHeads(), "head_dim": m.DModel / m.NumHeads, "hidden_act": "silu",
		"rms_norm_eps": eps, "rope_theta": m.RopeTheta,
	}}, nil
}

// turned reports whether RoPE turns what a matrix of a layer makes.
func turned(name string) bool { return name == "attn.q_proj.weight" || name == "attn.k_proj.weight" }

// halves undoes neighbours: the rows 2i and 2i + 1 of a head of w (heads·size, D) become i
// and i + size/2.
func halves(w *tensor.Tensor, size int) *tensor.Tensor {
	out := tensor.New(w.Shape...)
	for first := 0; first < w.Dim(0); first += size {
		for i := range size / 2 {
			copy(out.Row(first+i), w.Row(first+2*i))
			copy(out.Row(first+i+size/2), w.Row(first+2*i+1))
		}
	}
	return out
}

// TokensToHF says the tokenizer of a model of so many tokens, which consists of files, as
// transformers has it.
func TokensToHF(size int, files map[string][]byte) (hf.Tokens, error) {
	if _, ok := files[tokenizer.TokensFile]; ok {
		t, special, err := learnedTokens(size, files[tokenizer.VocabFile], files[tokenizer.MergesFile])
		if err != nil {
			return hf.Tokens{}, err
		}
		return hf.LearnedTokens(t.names, t.merges, special), nil
	}
	if _, ok := files[tokenizer.PiecesFile]; ok {
		return hf.Tokens{}, lang.Errorf("the tokenizer is llama2.c's, whose pieces a folder of transformers " +
			"has in another form; want a model of characters or of step 14's tokens, or a .gguf file")
	}
	var names []string
	for _, r := range string(files[tokenizer.AlphabetFile]) {
		names = append(names, string(r))
	}
	if len(names) != size {
		return hf.Tokens{}, wrongSize(len(names), size)
	}
	return hf.Characters(names), nil
}
