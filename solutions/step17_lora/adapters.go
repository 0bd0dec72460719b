package lora

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step11_training"
)

// Init returns the matrices of an adapter that is to be trained: a (rank, in), drawn
// evenly from ±1/√in, and b (out, rank), zeros. So the layer begins as it was without the
// adapter, and b has a gradient from the first step on. It panics with a ShapeError
// unless rank is at least 1, and at most in and out.
//
// Source: Hu et al., 2021, section 4.1, for b; for the bounds of a the authors' program
// loralib, whose "kaiming_uniform_(a = √5)" they are.
func Init(out, in, rank int, rng *rand.Rand) (a, b *tensor.Tensor) {
	if limit := min(in, out); rank < 1 || rank > limit {
		panic(tensor.ShapeError{Op: "lora.Init: rank", Got: []int{rank}, Want: []int{limit}})
	}
	a, b = tensor.New(rank, in), tensor.New(out, rank)
	bound := 1 / math.Sqrt(float64(in))
	for i := range a.Data {
		a.Data[i] = float32(bound * (2*rng.Float64() - 1))
	}
	return a, b
}

// Optimizer returns AdamW for the adapters of the layers, in their order. The frozen
// weights are not in it: they have no means, and weight decay would shrink them.
func Optimizer(layers []*Linear, beta1, beta2, eps, weightDecay float64) *training.AdamW {
	var params []*tensor.Param
	for _, l := range layers {
		params = append(params, l.Params()...)
	}
	return training.NewAdamW(params, beta1, beta2, eps, weightDecay)
}

// State returns the adapters alone, as they are saved: for the layer of each name
//
//	NAME.lora_A  (r, I)
//	NAME.lora_B  (O, r)
//	NAME.alpha   (1)
//
// The tensors are copies: the training that goes on does not change them.
func State(layers map[string]*Linear) map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for name, l := range layers {
		state[name+".lora_A"] = l.A.Value.Clone()
		state[name+".lora_B"] = l.B.Value.Clone()
		state[name+".alpha"] = tensor.From([]float32{float32(l.Alpha)}, 1)
	}
	return state
}

// Load gives the layers the adapters of a state, and gradients of zeros with them. The
// rank may be another than before, and another for every layer. A layer that is merged is
// unmerged first. The state is copied.
//
// Load returns an error that names the tensor if one is missing, has a shape that does
// not fit, or belongs to no layer. After an error everything is as before.
func Load(layers map[string]*Linear, state map[string]*tensor.Tensor) error {
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		if err := fits(layers[name], name, state); err != nil {
			return err
		}
	}
	if len(state) > 3*len(layers) {
		return fmt.Errorf("lora.Load: %s belongs to no layer", surplus(layers, state))
	}
	for name, l := range layers {
		l.Unmerge()
		replace(l.A, state[name+".lora_A"])
		replace(l.B, state[name+".lora_B"])
		l.Alpha = float64(state[name+".alpha"].Data[0])
	}
	return nil
}

// fits returns an error unless a state has an adapter for a layer.
func fits(l *Linear, name string, state map[string]*tensor.Tensor) error {
	for _, part := range []string{".lora_A", ".lora_B", ".alpha"} {
		if state[name+part] == nil {
			return fmt.Errorf("lora.Load: there is no %s", name+part)
		}
	}
	a, b, alpha := state[name+".lora_A"], state[name+".lora_B"], state[name+".alpha"]
	out, in := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1)
	switch {
	case len(a.Shape) != 2 || a.Dim(0) == 0 || a.Dim(1) != in:
		return fmt.Errorf("lora.Load: %s.lora_A is %v, want (rank, %d)", name, a.Shape, in)
	case !slices.Equal(b.Shape, []int{out, a.Dim(0)}):
		return fmt.Errorf("lora.Load: %s.lora_B is %v, want (%d, %d)", name, b.Shape, out, a.Dim(0))
	case alpha.Len() != 1:
		return fmt.Errorf("lora.Load: %s.alpha is %v, want one number", name, alpha.Shape)
	}
	return nil
}

// surplus returns the first tensor of a state that belongs to none of the layers.
func surplus(layers map[string]*Linear, state map[string]*tensor.Tensor) string {
	left := maps.Clone(state)
	for name := range layers {
		delete(left, name+".lora_A")
		delete(left, name+".lora_B")
		delete(left, name+".alpha")
	}
	return slices.Sorted(maps.Keys(left))[0]
}

// replace gives a parameter a copy of another value, and a gradient of zeros.
func replace(p *tensor.Param, value *tensor.Tensor) {
	p.Value, p.Grad = value.Clone(), tensor.New(value.Shape...)
}
