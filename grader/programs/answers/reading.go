package answers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/programs/fresh"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// Every number comes from the student's own functions: LM.Forward, and for what
// happens between the layers Block.Forward, Norm.Forward and Head.Forward. A part is
// left out of them by zeros in the matrix through which it adds to the stream of
// activations: a head has K columns of output_proj, the feed-forward network has w2.
// What a part adds is what Block.Forward makes of the stream if the block has no
// other part, less the stream.

// reading is a text that was read, with all that went through the model.
type reading struct {
	inside.Reading
	of     inside.Question
	logits *tensor.Tensor   // (1, T, V)
	heads  []*tensor.Tensor // (1, H, T, T), the weights of attention in each layer
	stream []*tensor.Tensor // (1, T, D), before the first layer and behind each
	apart  float64          // between the logits and those that the end of the stream leads to
	added  *added           // nil: not yet found out
}

// added is what the parts of each layer add to the stream, each (1, T, D).
type added struct {
	heads     [][]*tensor.Tensor // by head and layer
	attention []*tensor.Tensor
	ffn       []*tensor.Tensor
}

// read reads a text, unless it was the last one read.
func (a *Answerer) read(q inside.Question) (*reading, error) {
	if r := a.reading; r != nil && slices.Equal(r.of.IDs, q.IDs) && slices.Equal(r.of.Off, q.Off) {
		return r, nil
	}
	a.reading = nil
	r := &reading{of: q}
	err := a.without(q.Off, func(m *lm.LM) error {
		logits, err := Logits(m, q.IDs)
		if err != nil {
			return err
		}
		r.logits, r.Reading = clone(logits), surprises(logits, q.IDs)
		for layer, b := range m.Blocks {
			w := b.Attn.Attention.Weights()
			tensor.CheckShape(fmt.Sprintf("weights of attention in layer %d", layer+1), w, 1, a.model.Config.NumHeads, len(q.IDs), len(q.IDs))
			r.heads = append(r.heads, clone(w))
		}
		x, err := m.Embedding.Forward([][]int{q.IDs})
		if err != nil {
			return err
		}
		r.stream = append(r.stream, clone(x))
		for layer, b := range m.Blocks {
			r.stream = append(r.stream, clone(b.Forward(r.stream[layer], positions(q))))
		}
		r.apart = distance(a.head(r.stream[len(r.stream)-1]), r.logits)
		return nil
	})
	if err == nil {
		a.reading = r
	}
	return r, err
}

// head returns the logits that the model would end with at a place of the stream.
func (a *Answerer) head(x *tensor.Tensor) *tensor.Tensor {
	return a.model.Head.Forward(a.model.Norm.Forward(x))
}

// positions are those of a question's tokens, as LM.Forward has them.
func positions(q inside.Question) [][]int {
	row := make([]int, len(q.IDs))
	for t := range row {
		row[t] = t
	}
	return [][]int{row}
}

// attention returns the weights of a layer, counted from 1.
func (r *reading) attention(layer int) inside.Weights {
	w := r.heads[layer-1]
	all := make(inside.Weights, w.Dim(1))
	for h := range all {
		for query := range w.Dim(2) {
			all[h] = append(all[h], w.Row(h*w.Dim(2) + query)[:query+1])
		}
	}
	return all
}

// contributions finds out what each part adds to the stream of a reading.
func (a *Answerer) contributions(r *reading) (*added, error) {
	if r.apart > 1e-3 {
		return nil, fmt.Errorf("LM.Forward gives other logits than the embedding, the blocks, the norm and the head do, one after the other: "+
			"the largest difference is %.2g of the largest logit, so that what happens between the layers cannot be shown", r.apart)
	}
	if r.added != nil {
		return r.added, nil
	}
	layers, heads := a.model.Config.NumLayers, a.model.Config.NumHeads
	var ffns []string
	for l := range layers {
		ffns = append(ffns, inside.FFN(l+1))
	}
	sum := &added{attention: a.alone(r, ffns)}
	for alone := range heads {
		off := slices.Clone(ffns)
		for l := range layers {
			for h := range heads {
				if h != alone {
					off = append(off, inside.Head(l+1, h+1))
				}
			}
		}
		sum.heads = append(sum.heads, a.alone(r, off))
	}
	for l := range layers {
		sum.ffn = append(sum.ffn, minus(minus(r.stream[l+1], r.stream[l]), sum.attention[l]))
	}
	r.added = sum
	return sum, nil
}

// alone returns what each layer adds to the stream without some parts.
func (a *Answerer) alone(r *reading, off []string) (all []*tensor.Tensor) {
	a.without(slices.Concat(r.of.Off, off), func(m *lm.LM) error {
		for l, b := range m.Blocks {
			all = append(all, minus(b.Forward(r.stream[l], positions(r.of)), r.stream[l]))
		}
		return nil
	})
	return all
}

// without calls do with a model that has zeros where some parts add to the stream.
// It is a replica, made when the zeros are there, for layers that read their weights
// once. It is not to be used later.
func (a *Answerer) without(off []string, do func(m *lm.LM) error) error {
	if len(off) == 0 {
		return do(a.replica())
	}
	params := a.model.Params()
	whole := make([]*tensor.Tensor, len(params))
	for i, p := range params {
		whole[i] = clone(p.Value)
		for _, part := range off {
			a.silence(part, p.Name, p.Value)
		}
	}
	defer func() {
		for i, p := range params {
			copy(p.Value.Data, whole[i].Data)
		}
	}()
	return do(a.replica())
}

// replica returns a replica of the model. Where LM.Replica is not written, as in a
// course without backward passes, a new model takes its parameters.
func (a *Answerer) replica() (m *lm.LM) {
	defer func() {
		p := recover()
		if _, todo := p.(tensor.NotImplemented); p != nil && !todo {
			panic(p)
		} else if p == nil {
			return
		}
		params := map[string]*tensor.Tensor{}
		for _, p := range a.model.Params() {
			params[p.Name] = p.Value
		}
		m = fresh.Model(a.model.Config, params)
		for i, p := range m.Params() {
			copy(p.Value.Data, a.model.Params()[i].Value.Data)
		}
	}()
	return a.model.Replica()
}

// silence writes the zeros of a part to a parameter, if they belong there.
func (a *Answerer) silence(part, name string, w *tensor.Tensor) {
	width := a.model.Config.DModel / a.model.Config.NumHeads
	for l := range a.model.Config.NumLayers {
		layer := fmt.Sprintf("layers.%d.", l)
		output := name == layer+"attn.output_proj.weight"
		down := strings.HasPrefix(name, layer+"ffn.") && strings.HasSuffix(name, "w2.weight")
		if output && part == inside.Attn(l+1) || down && part == inside.FFN(l+1) || (output || down) && part == inside.Layer(l+1) {
			clear(w.Data)
		}
		for h := range a.model.Config.NumHeads {
			if !output || part != inside.Head(l+1, h+1) {
				continue
			}
			for row := range w.Rows() {
				clear(w.Row(row)[h*width : (h+1)*width])
			}
		}
	}
}
