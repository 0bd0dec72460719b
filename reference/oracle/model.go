package oracle

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("lm.forward", lmForward)
	answer("lm.backward", lmBackward)
	answer("lm.generate", lmGenerate)
	answer("lm.accounting", lmAccounting)
}

// parameters returns the state dictionary of a model with the given number of
// layers: the names and shapes of its parameters.
func parameters(layers int) []fixtures.Arg {
	var all []fixtures.Arg
	add := func(name, shape string) {
		all = append(all, fixtures.Arg{Name: name + ".weight", DType: wire.F32, Shape: shape})
	}
	add("token_embeddings", "V D")
	for l := range layers {
		prefix := fmt.Sprintf("layers.%d.", l)
		add(prefix+"ln1", "D")
		for _, projection := range []string{"q", "k", "v", "output"} {
			add(prefix+"attn."+projection+"_proj", "D D")
		}
		add(prefix+"ln2", "D")
		add(prefix+"ffn.w1", "F D")
		add(prefix+"ffn.w2", "D F")
		add(prefix+"ffn.w3", "F D")
	}
	add("ln_final", "D")
	add("lm_head", "V D")
	return all
}

// layersOf returns the number of layers whose first gain is among the arguments.
func layersOf(in wire.Values) int {
	layers := 0
	for name := range in {
		if strings.HasPrefix(name, "layers.") && strings.HasSuffix(name, ".ln1.weight") {
			layers++
		}
	}
	return layers
}

// model returns the model that the arguments describe.
func (c *call) model() (Model, error) {
	if err := c.checkHeads("rope_theta"); err != nil {
		return Model{}, err
	}
	m := Model{
		Embeddings: c.tensor("token_embeddings.weight"),
		Final:      c.tensor("ln_final.weight"),
		Head:       c.tensor("lm_head.weight"),
		NumHeads:   c.int("num_heads"),
		Theta:      c.float("rope_theta"),
	}
	for l := range layersOf(c.in) {
		part := func(name string) string { return fmt.Sprintf("layers.%d.%s.weight", l, name) }
		m.Blocks = append(m.Blocks, BlockWeights{
			LN1: c.tensor(part("ln1")),
			LN2: c.tensor(part("ln2")),
			Attn: Projections{
				Q: c.tensor(part("attn.q_proj")), K: c.tensor(part("attn.k_proj")),
				V: c.tensor(part("attn.v_proj")), Output: c.tensor(part("attn.output_proj")),
			},
			W1: c.tensor(part("ffn.w1")), W2: c.tensor(part("ffn.w2")), W3: c.tensor(part("ffn.w3")),
		})
	}
	return m, nil
}

// modelAndIDs returns the model and token ids that fit its context.
func (c *call) modelAndIDs() (Model, Indices, error) {
	m, err := c.model()
	if context := c.int("context_length"); err == nil && c.sizes["T"] > context {
		err = c.refuse("ids", fmt.Sprintf("at most context_length = %d tokens in a row", context))
	}
	return m, c.indices("ids"), err
}

func lmForward(c *call) (wire.Values, error) {
	m, ids, err := c.modelAndIDs()
	if err != nil {
		return nil, err
	}
	return wire.Values{"logits": result(LM(ids, m))}, nil
}

func lmBackward(c *call) (wire.Values, error) {
	m, ids, err := c.modelAndIDs()
	if err != nil {
		return nil, err
	}
	loss := CrossEntropy(LM(ids, m), c.indices("targets"))
	loss.Backward([]float64{1})
	out := wire.Values{"loss": result(loss)}
	for _, p := range parameters(len(m.Blocks)) {
		out["grad."+p.Name] = c.gradient(p.Name, "")
	}
	return out, nil
}

// lmGenerate answers for temperature 0 only: the oracle draws no random numbers.
func lmGenerate(c *call) (wire.Values, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	if c.float("temperature") != 0 {
		return nil, c.refuse("temperature", "0: other text is random")
	}
	if c.sizes["T"] == 0 || c.sizes["V"] == 0 {
		return nil, c.refuse("prompt", "at least one token")
	}
	tokens := Greedy(c.indices("prompt").Data, m, c.int("context_length"), c.int("max_new"), c.int("stop"))
	ids := make([]int64, len(tokens))
	for i, token := range tokens {
		ids[i] = int64(token)
	}
	return wire.Values{"ids": wire.Ints(ids, len(ids))}, nil
}

func lmAccounting(c *call) (wire.Values, error) {
	if c.int("d_model")%c.int("num_heads") != 0 {
		return nil, c.refuse("num_heads", fmt.Sprintf("a divisor of d_model = %d", c.int("d_model")))
	}
	s := Size{Vocab: c.int("vocab_size"), DModel: c.int("d_model"), Layers: c.int("num_layers"), DFF: c.int("d_ff")}
	return wire.Values{
		"params":        wire.Int(s.Params()),
		"forward_flops": wire.Int(s.ForwardFLOPs(c.int("batch"), c.int("seq"))),
	}, nil
}
