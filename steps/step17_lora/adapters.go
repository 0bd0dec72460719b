package lora

import (
	"math/rand/v2"

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
	panic(tensor.TODO("step17: Init"))
}

// Optimizer returns AdamW for the adapters of the layers, in their order. The frozen
// weights are not in it: they have no means, and weight decay would shrink them.
func Optimizer(layers []*Linear, beta1, beta2, eps, weightDecay float64) *training.AdamW {
	panic(tensor.TODO("step17: Optimizer"))
}

// State returns the adapters alone, as they are saved: for the layer of each name
//
//	NAME.lora_A  (r, I)
//	NAME.lora_B  (O, r)
//	NAME.alpha   (1)
//
// The tensors are copies: the training that goes on does not change them.
func State(layers map[string]*Linear) map[string]*tensor.Tensor {
	panic(tensor.TODO("step17: State"))
}

// Load gives the layers the adapters of a state, and gradients of zeros with them. The
// rank may be another than before, and another for every layer. A layer that is merged is
// unmerged first. The state is copied.
//
// Load returns an error that names the tensor if one is missing, has a shape that does
// not fit, or belongs to no layer. After an error everything is as before.
func Load(layers map[string]*Linear, state map[string]*tensor.Tensor) error {
	panic(tensor.TODO("step17: Load"))
}
