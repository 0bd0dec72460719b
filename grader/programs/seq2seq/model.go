package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
	initializers "github.com/stubformer/stubformer/steps/step01_init"
	classic "github.com/stubformer/stubformer/steps/step19_classic"
	seq2seq "github.com/stubformer/stubformer/steps/step20_seq2seq"
)

// params returns the parameter of a name, whose last part says what it is: an embedding, a
// weight, a gain or a bias.
type params func(name string, shape ...int) *tensor.Param

// fresh are the first parameters: the embeddings begin small, and grow by √D in the model.
func fresh(seed uint64, kept *[]*tensor.Param) params {
	return func(name string, shape ...int) *tensor.Param {
		rng := initializers.Rand(seed, name)
		value := tensor.New(shape...)
		switch path.Ext(name) {
		case ".embedding":
			initializers.TruncatedNormal(value.Data, 1/math.Sqrt(float64(shape[1])), 3, rng)
		case ".weight":
			value = initializers.LinearWeight(shape[0], shape[1], rng)
		case ".gain":
			value = initializers.Gain(shape[0])
		}
		*kept = append(*kept, tensor.NewParam(name, value))
		return (*kept)[len(*kept)-1]
	}
}

// replicas are parameters with the same values and gradients of their own, in order.
func replicas(of []*tensor.Param, kept *[]*tensor.Param) params {
	return func(string, ...int) *tensor.Param {
		*kept = append(*kept, of[len(*kept)].Replica())
		return (*kept)[len(*kept)-1]
	}
}

// assemble returns the student's model with the given parameters.
func assemble(c run.Pairs, param params) *seq2seq.Transformer {
	d, f := c.Model.DModel, c.Model.DFF
	attend := func(name string) *seq2seq.Attend {
		return seq2seq.NewAttend(param(name+".q_proj.weight", d, d), param(name+".k_proj.weight", d, d),
			param(name+".v_proj.weight", d, d), param(name+".output_proj.weight", d, d), c.Model.NumHeads)
	}
	norm := func(name string) *classic.LayerNorm {
		return classic.NewLayerNorm(param(name+".gain", d), param(name+".bias", d))
	}
	relu := classic.Activation{Forward: classic.ReLU, Backward: classic.ReLUBackward}
	network := func(name string) *classic.FeedForward {
		return classic.NewFeedForward(param(name+".w1.weight", f, d), param(name+".w1.bias", f),
			param(name+".w2.weight", d, f), param(name+".w2.bias", d), relu)
	}
	source, target := param("source.embedding", c.Source.VocabSize(), d), param("target.embedding", c.Target.VocabSize(), d)
	e, r := &seq2seq.Encoder{}, &seq2seq.Decoder{}
	for l := range c.Model.NumLayers {
		at := fmt.Sprintf("encoder.layers.%d.", l)
		e.Layers = append(e.Layers, &seq2seq.EncoderLayer{Self: attend(at + "self"), Norm1: norm(at + "norm1"),
			FFN: network(at + "ffn"), Norm2: norm(at + "norm2")})
	}
	for l := range c.Model.NumLayers {
		at := fmt.Sprintf("decoder.layers.%d.", l)
		r.Layers = append(r.Layers, &seq2seq.DecoderLayer{Self: attend(at + "self"), Norm1: norm(at + "norm1"),
			Cross: attend(at + "cross"), Norm2: norm(at + "norm2"), FFN: network(at + "ffn"), Norm3: norm(at + "norm3")})
	}
	return seq2seq.NewTransformer(source, target, e, r, param("head.weight", c.Target.VocabSize(), d))
}

// load returns the model of a folder.
func load(dir string, c run.Pairs) (*seq2seq.Transformer, error) {
	file := filepath.Join(dir, run.WeightsFile)
	state, err := weights.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: nothing was learnt here yet", file)
	}
	if err != nil {
		return nil, err
	}
	var all []*tensor.Param
	m := assemble(c, fresh(0, &all))
	for _, p := range all {
		value, ok := state[p.Name]
		if !ok || tensor.ShapeString(value.Shape) != tensor.ShapeString(p.Value.Shape) {
			return nil, fmt.Errorf("%s: want %s of shape %s, as %s says", file, p.Name,
				tensor.ShapeString(p.Value.Shape), run.ConfigFile)
		}
		copy(p.Value.Data, value.Data)
	}
	return m, nil
}

// translate returns what the model writes for a source, and what it looked at when asked.
func translate(m *seq2seq.Transformer, t run.Translate) (run.Translated, error) {
	tokens, score, err := m.Translate(t.Source, t.Width, t.Tokens, t.Alpha)
	if err != nil || !t.Attention {
		return run.Translated{Tokens: tokens, Score: score}, err
	}
	inputs, _ := seq2seq.Teach([][]int{tokens})
	if _, err := m.Forward([][]int{t.Source}, inputs); err != nil {
		return run.Translated{}, err
	}
	out := run.Translated{Tokens: tokens, Score: score}
	for l, layer := range m.Decoder.Layers {
		w := layer.Cross.Attention.Weights()
		tensor.CheckShape(fmt.Sprintf("weights of cross-attention in layer %d", l), w, 1, tensor.Any, len(inputs[0]), len(t.Source))
		var heads [][][]float32
		for h := range w.Dim(1) {
			var rows [][]float32
			for i := range inputs[0] {
				rows = append(rows, append([]float32{}, w.Row(h*len(inputs[0])+i)...))
			}
			heads = append(heads, rows)
		}
		out.Attention = append(out.Attention, heads)
	}
	return out, nil
}
