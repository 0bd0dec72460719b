//go:build unlisted

package lm

import (
	"fmt"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// positions-of-first-call: the row of positions is made once
//
// Why: A second Forward with another T panics, because there are positions for the first one's.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		if m.positions == nil {
			m.positions = [][]int{m.places[:seq]}
		}
	}
}

// positions-go-on: every Forward begins where the last one ended
//
// Why: The second Forward has positions T, T+1, … and not 0, 1, …: it soon runs out of RoPE's tables and panics.
func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	seq := 0
	if len(ids) > 0 {
		seq = len(ids[0])
	}
	if seq > m.Config.ContextLength {
		return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
	}
	x, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	from := 0
	if len(m.positions) > 0 && len(m.positions[0]) > 0 {
		from = m.positions[0][len(m.positions[0])-1] + 1
	}
	row := make([]int, seq)
	for t := range row {
		row[t] = from + t
	}
	m.positions = [][]int{row}
	for _, b := range m.Blocks {
		x = b.Forward(x, m.positions)
	}
	return m.Head.Forward(m.Norm.Forward(x)), nil
}

// embedded-before-checked: the length is checked after the look-up
//
// Why: After a Forward that was refused for its length, Backward's embedding belongs to the refused ids and not to the last good Forward.
func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	x, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	seq := x.Dim(1)
	if seq > m.Config.ContextLength {
		return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
	}
	m.positions = append(m.positions[:0], m.places[:seq])
	for _, b := range m.Blocks {
		x = b.Forward(x, m.positions)
	}
	return m.Head.Forward(m.Norm.Forward(x)), nil
}

// replica-shares-gradients: a replica's layers are built from m's own parameters
//
// Why: A replica adds its gradients to those of the model and has none of its own.
func (*LM) Replica() {
	if right {
		r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		r.Norm = rmsnorm.New(m.Norm.Gain)
		r.Head = linear.New(m.Head.Weight)
	}
}

// replica-copies-values: a replica gets copies of the parameters
//
// Why: A change of the model's parameters does not reach its replica.
func (m *LM) Replica() *LM {
	r := New(m.Config, 0)
	params := r.Params()
	for i, p := range m.Params() {
		copy(params[i].Value.Data, p.Value.Data)
	}
	return r
}

// replica-shares-blocks: a replica has the blocks of the model
//
// Why: Activations and gradients of the blocks are the model's: a Forward of the replica spoils the Backward of the model.
func (m *LM) Replica() *LM {
	r := &LM{Config: m.Config, rope: m.rope, places: m.places, Blocks: m.Blocks}
	r.Embedding = embedding.New(m.Embedding.Weight.Replica())
	r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
	r.Head = linear.New(m.Head.Weight.Replica())
	return r
}

// replica-drawn-again: a replica is a fresh model
//
// Why: A replica has values of its own, drawn from another seed, and not those of the model.
func (m *LM) Replica() *LM { return New(m.Config, 0) }

// params-kept-by-config: lists of parameters are kept by configuration
//
// Why: Params of a second model of the same configuration, or of a replica, are those of the first.
func (m *LM) Params() []*tensor.Param {
	paramsMu.Lock()
	defer paramsMu.Unlock()
	if params := keptParams[m.Config]; params != nil {
		return params
	}
	params := m.Embedding.Params()
	for l, b := range m.Blocks {
		for _, p := range b.Params() {
			params = append(params, &tensor.Param{Name: fmt.Sprintf("layers.%d.%s", l, p.Name), Value: p.Value, Grad: p.Grad})
		}
	}
	keptParams[m.Config] = append(params, m.Norm.Gain, m.Head.Weight)
	return keptParams[m.Config]
}

var paramsMu sync.Mutex

var keptParams = map[Config][]*tensor.Param{}

// params-are-copies: Params returns copies of the values
//
// Why: Who changes a parameter through Params, as an optimiser does, does not change the model.
func (*LM) Params() {
	if right {
		return append(params, m.Norm.Gain, m.Head.Weight)
	} else {
		params = append(params, m.Norm.Gain, m.Head.Weight)
		for i, p := range params {
			params[i] = &tensor.Param{Name: p.Name, Value: p.Value.Clone(), Grad: p.Grad}
		}
		return params
	}
}

// gradients-cleared-by-forward: every Forward clears the gradients
//
// Why: The gradients of two Forward-Backward pairs do not add up, because the second Forward clears the first one's.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		for _, p := range m.Params() {
			p.ZeroGrad()
		}
		m.positions = append(m.positions[:0], m.places[:seq])
	}
}

// probabilities-of-package: Distribution returns a buffer of the package
//
// Why: A second Distribution overwrites the probabilities that the first one returned.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
		panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
	}
	probabilities = slices.Grow(probabilities[:0], len(logits))[:len(logits)]
	probs := probabilities
	clear(probs)
	largest := kernel.Max(logits)
	if temperature == 0 {
		probs[slices.Index(logits, largest)] = 1
		return probs
	}
	for i, x := range logits {
		probs[i] = float32(float64(x-largest) / temperature)
	}
	p := tensor.From(probs, len(probs))
	softmax.Softmax(p, p, 0)
	if topP < 1 {
		keepNucleus(probs, topP)
	}
	return probs
}

var probabilities []float32
